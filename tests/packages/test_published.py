"""What goes to PyPI and crates.io."""

import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from building import ROOT, Environment, run


def names_in(archive):
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).namelist()
    with tarfile.open(archive) as opened:
        return [name.split("/", 1)[1] for name in opened.getnames() if "/" in name]


def sections(wheel, folder):
    """The sections of the wheel's shared library."""
    with zipfile.ZipFile(wheel) as archive:
        (library,) = (name for name in archive.namelist() if name.endswith(".so"))
        path = archive.extract(library, folder)
    from elftools.elf.elffile import ELFFile

    with open(path, "rb") as file:
        return {section.name for section in ELFFile(file).iter_sections()}


def test_the_wheel_is_complete_and_stripped(wheel, tmp_path):
    names = names_in(wheel)
    assert {"pairbond/py.typed", "pairbond/_pairbond.pyi"} <= {*names}
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= {name.split("/")[-1] for name in names if "/licenses/" in name}
    templates = list((ROOT / "python").rglob("*.in"))
    assert {str(path.relative_to(ROOT / "python")) for path in templates} <= {*names}
    assert not sections(wheel, tmp_path) & {".symtab", ".debug_info", ".debug_line"}
    assert wheel.stat().st_size < 3_000_000


def test_the_source_distribution_is_complete(dist):
    (sdist,) = dist.glob("*.tar.gz")
    names = names_in(sdist)
    assert {"LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.lock", "pyproject.toml"} <= {*names}
    assert "python/pairbond/_new/template/common/Cargo.toml" not in names  # no crate within the package
    assert not [name for name in names if name.startswith(("libs/", "examples/", "target/"))]


def test_the_metadata_is_fit_for_pypi(dist):
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir())


def test_an_extension_without_pairbond_says_what_to_install(work, interpreter, project_wheels):
    bare = Environment(work / "bare", interpreter.path)
    for kind, wheel in project_wheels.items():
        bare.install("--no-deps", "--force-reinstall", wheel)
        output = bare.code(f"import {wheel.name.split('-')[0]}", fails=True)
        last = output.strip().splitlines()[-1]
        assert last.startswith("ModuleNotFoundError: "), (kind, output)
        assert "needs pairbond, which is not installed: pip install 'pairbond>=0.1" in last


def test_every_crate_is_fit_for_publication(checkout):
    """`cargo publish --workspace --dry-run` compiles each crate from its package."""
    run("git", "init", "--quiet", cwd=checkout)
    run("git", "add", "--all", cwd=checkout)
    run("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "x", cwd=checkout)
    publish = checkout / "scripts" / "publish.py"
    crates = run(sys.executable, publish, "--order", cwd=checkout).split()
    assert {"pairbond", "pairbond-tape"} <= {*crates}
    output = run(sys.executable, publish, "--dry-run", cwd=checkout)
    assert output.count("aborting upload due to dry run") == len(crates), output


def test_the_example_in_cpp_is_installed_by_its_path(work, wheel, interpreter):
    """scikit-build-core builds it, and CMake finds pairbond in the environment."""
    missing = [name for name in ("cmake", "c++") if shutil.which(name) is None]
    if missing or not Path("/usr/include/pugixml.hpp").exists():
        pytest.skip(f"needs {', '.join(missing) or 'pugixml with headers (libpugixml-dev)'}")
    fresh = Environment(work / "xml", interpreter.path)
    fresh.install(f"--find-links={wheel.parent}", ROOT / "examples" / "xml")
    assert fresh.code("import pugi; print(pugi.Document('<a><b/></a>').root.select('b')[0].name)") == "b\n"
    files = fresh.code("import importlib.metadata as m; print(*m.files('pugi'))")
    assert "pugi.abi3.so" in files


@pytest.mark.parametrize("library", ["pairbond-ir", "pairbond-autograd"])
def test_a_library_is_installed_by_its_path(library, work, wheel, interpreter):
    """With its runtime dependency, which is found beside it as it will be on PyPI."""
    fresh = Environment(work / "library", interpreter.path)
    fresh.install("maturin>=1.9.4,<2")
    fresh.install(
        "--no-build-isolation",
        f"--find-links={wheel.parent}",
        ROOT / "libs" / library,
        MATURIN_PEP517_ARGS="--profile=dev",
    )
    package = library.replace("-", "_")
    needs = fresh.code(f"import importlib.metadata as m, {package}; print(*m.requires({library!r}))")
    assert sorted(needs.strip().removeprefix("pairbond").split(",")) == ["<0.2", ">=0.1"]
    files = fresh.code(f"import importlib.metadata as m; print(*m.files({library!r}))")
    assert files.count("/licenses/LICENSE-") == 2
