"""`python -m pairbond new`: what it writes and refuses. tests/packages builds and tests what it writes."""

import ast
import re
import tomllib

import pairbond
import pytest
from pairbond import _new
from pairbond.__main__ import main

KINDS = {"extension": [], "pyo3": ["--pyo3"], "one-wheel": ["--one-wheel"]}


@pytest.fixture(params=KINDS)
def project(request, tmp_path):
    assert main(["new", str(tmp_path / "shapes"), *KINDS[request.param]]) == 0
    return tmp_path / "shapes"


def toml(path):
    return tomllib.loads(path.read_text())


def test_a_project_is_complete(project):
    files = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert files >= {
        ".github/workflows/wheels.yml",
        ".gitignore",
        "Cargo.toml",
        "LICENSE",
        "Makefile",
        "README.md",
        "pyproject.toml",
        "python/shapes/__init__.py",
        "python/shapes/_shapes.pyi",
        "python/shapes/py.typed",
        "src/lib.rs",
        "tests/test_shapes.py",
    }
    for file in files:
        text = (project / file).read_text()
        assert not re.search(r"@[a-z_0-9]+@", f"{file}\n{text}"), file
        if file.endswith((".py", ".pyi")):
            ast.parse(text)


def test_the_runtime_dependency_is_this_version_up_to_the_next_that_may_break_it(project):
    major, minor, _ = pairbond.__version__.split(".")
    assert toml(project / "pyproject.toml")["project"]["dependencies"] == [
        f"pairbond>={major}.{minor},<{major}.{int(minor) + 1}"
    ]
    crate = toml(project / "Cargo.toml")["dependencies"]["pairbond"]
    assert crate == f"{major}.{minor}"
    assert f"PAIRBOND ?= pairbond>={major}.{minor}" in (project / "Makefile").read_text()


def test_the_compiler_is_the_one_that_pairbond_was_built_by(project):
    """Modules that were built by another are refused."""
    channel = toml(project / "rust-toolchain.toml")["toolchain"]["channel"]
    assert pairbond._pairbond._compiler.startswith(f"rustc {channel} (")


def test_a_nightly_compiler_has_no_name_to_pin(tmp_path, monkeypatch):
    monkeypatch.setattr(_new, "_compiler", "rustc 1.97.0-nightly (e50aa6fba 2026-05-19) for x86_64-unknown-linux-gnu")
    _new.create(tmp_path / "shapes")
    assert not (tmp_path / "shapes" / "rust-toolchain.toml").exists()


def test_without_python_the_crate_does_not_depend_on_it(tmp_path):
    _new.create(tmp_path / "shapes", "one-wheel")
    assert "python" not in toml(tmp_path / "shapes" / "Cargo.toml")["features"]
    assert toml(tmp_path / "shapes" / "pyproject.toml")["build-system"]["build-backend"] == "hatchling.build"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("class", "keyword of Python"),
        ("match", "keyword of Python"),
        ("my-shapes", "try 'my_shapes'"),
        ("My Shapes", "try 'my_shapes'"),
        ("Shapes", "PEP 8.*try 'shapes'"),
        ("_shapes", "PEP 8.*try 'shapes'"),
        ("3d", "no name of a Python package"),
        ("größe", "no name of a Python package"),
        ("json", "there already"),
        ("pairbond", "there already"),
        ("crate", "meaning in Rust"),
        ("core", "meaning in Rust"),
        ("tests", "own tests"),
    ],
)
def test_names_that_cannot_be(name, reason, tmp_path, capsys):
    assert main(["new", str(tmp_path / name)]) == 2
    assert re.search(reason, capsys.readouterr().err)
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_left_alone(tmp_path, capsys):
    (tmp_path / "shapes").mkdir()
    assert main(["new", str(tmp_path / "shapes")]) == 2
    assert "exists already, and nothing was written" in capsys.readouterr().err
    assert not list((tmp_path / "shapes").iterdir())


def test_a_checkout_must_be_one(tmp_path, capsys):
    assert main(["new", str(tmp_path / "shapes"), "--pairbond", str(tmp_path)]) == 2
    assert "no checkout of pairbond" in capsys.readouterr().err
    assert not (tmp_path / "shapes").exists()


def test_a_checkout_is_depended_on_by_path(tmp_path):
    crate = tmp_path / "pairbond" / "crates" / "pairbond"
    crate.mkdir(parents=True)
    (crate / "Cargo.toml").touch()
    assert main(["new", str(tmp_path / "shapes"), "--pairbond", str(tmp_path / "pairbond")]) == 0
    assert toml(tmp_path / "shapes" / "Cargo.toml")["dependencies"]["pairbond"]["path"] == str(crate)
    assert f"PAIRBOND ?= {tmp_path / 'pairbond'}\n" in (tmp_path / "shapes" / "Makefile").read_text()
    assert not (tmp_path / "shapes" / "rust-toolchain.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--help"], "write a new project"), (["new", "--help"], "make test"), (["--version"], pairbond.__version__)],
)
def test_help(arguments, says, capsys):
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 0
    assert says in capsys.readouterr().out


def test_kinds_exclude_each_other(capsys):
    with pytest.raises(SystemExit) as exit:
        main(["new", "shapes", "--pyo3", "--one-wheel"])
    assert exit.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err
