"""`python -m pairbond new`: what it writes passes its own tests, and makes wheels that install elsewhere."""

import sys
import tarfile
import zipfile

import pytest
from building import KINDS, ROOT, Environment, run


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_project_passes_its_tests(kind, projects, wheel, interpreter):
    run("cargo", "fmt", "--check", cwd=projects[kind])
    output = run("make", "test", cwd=projects[kind], PYTHON=interpreter.path, PAIRBOND=str(wheel))
    assert "test result: ok. 1 passed" in output
    assert f"{9 if kind == 'pyo3' else 6} passed in" in output
    assert "arning" not in output, output


@pytest.mark.parametrize("kind", KINDS)
def test_its_wheel_passes_them_in_a_fresh_environment(kind, projects, project_wheels, work, wheel, interpreter):
    fresh = Environment(work / "fresh", interpreter.path)
    fresh.install("pytest", f"--find-links={wheel.parent}", project_wheels[kind])
    output = run(fresh.python, "-m", "pytest", "-q", projects[kind] / "tests", cwd=fresh.elsewhere)
    assert f"{9 if kind == 'pyo3' else 6} passed" in output


@pytest.mark.parametrize("kind", KINDS)
def test_its_distributions_are_complete(kind, project_wheels):
    names = zipfile.ZipFile(project_wheels[kind]).namelist()
    assert {"py.typed", "LICENSE"} <= {name.split("/")[-1] for name in names}
    assert [name for name in names if name.endswith(".pyi")]
    assert len([name for name in names if name.endswith(".so")]) == 1
    assert not [name for name in names if name.endswith(".pyc")]
    (sdist,) = project_wheels[kind].parent.glob("*.tar.gz")
    with tarfile.open(sdist) as opened:
        names = opened.getnames()
    # With a dependency by path, as here, maturin lays the crate in a folder below.
    assert {"LICENSE", "Cargo.toml", "lib.rs", "pyproject.toml", "test_shapes.py"} <= {
        it.split("/")[-1] for it in names
    }
    assert not [name for name in names if name.endswith((".whl", ".so", ".pyc"))]


def test_one_wheel_serves_every_python(project_wheels, work, other):
    """Also one that there was nothing of when the wheel was built."""
    name = project_wheels["one-wheel"].name
    assert "-py3-none-manylinux_2_" in name, name
    audited = run(sys.executable, "-m", "auditwheel", "show", project_wheels["one-wheel"])
    assert "is consistent with the following platform tag" in " ".join(audited.split())
    if other is None:
        pytest.skip("there is one version of CPython here")
    there = Environment(work / "other", other.path)
    there.install("maturin>=1.9.4,<2", "pytest")
    there.install("--no-build-isolation", ROOT, MATURIN_PEP517_ARGS="--profile=dev")
    there.install(project_wheels["one-wheel"])
    output = run(there.python, "-m", "pytest", "-q", work / "one-wheel" / "shapes" / "tests", cwd=there.elsewhere)
    assert "6 passed" in output


def test_one_module_has_members_of_both(project_wheels, author, work):
    """PyO3's class and function are in the module that pairbond exports."""
    unpacked = work / "unpacked"
    with zipfile.ZipFile(project_wheels["pyo3"]) as archive:
        archive.extractall(unpacked)
    code = "import shapes._shapes as it; print(*sorted(it.__all__))"
    assert run(author.python, "-c", code, cwd=unpacked) == "Book Reader Shelf longest total_pages\n"
