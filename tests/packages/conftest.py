"""What the tests of packages build once."""

import os
import shutil
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1] / "scripts")]

import pythons  # noqa: E402
from building import KINDS, ROOT, TARGET, Environment, run  # noqa: E402


@pytest.fixture(scope="session")
def interpreter():
    return pythons.by_path_or_name(os.environ["PAIRBOND_PYTHON"])


@pytest.fixture(scope="session")
def other(interpreter):
    """Another version of Python."""
    found = [it for it in pythons.pythons() if not it.debug and not it.free_threaded]
    return next((it for it in found if it.version[:2] != interpreter.version[:2]), None)


@pytest.fixture(scope="session")
def work():
    """A fresh folder that keeps its path, so that cargo keeps what it has compiled."""
    shutil.rmtree(TARGET / "work", ignore_errors=True)
    (TARGET / "work").mkdir(parents=True)
    return TARGET / "work"


@pytest.fixture(scope="session")
def checkout(work):
    """A clean checkout: what git has, as it lies in the work tree, and nothing else."""
    folder = work / "checkout"
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, listed):
        if (source := ROOT / name).is_symlink() or source.exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name, follow_symlinks=False)
    return folder


@pytest.fixture(scope="session")
def dist(checkout, interpreter):
    """What `python -m build` makes of a clean checkout: a source distribution, and a wheel that is built from it,
    optimised a little, since its size is looked at."""
    run(sys.executable, "-m", "build", checkout, PYO3_PYTHON=interpreter.path, CARGO_PROFILE_RELEASE_OPT_LEVEL="1")
    return checkout / "dist"


@pytest.fixture(scope="session")
def wheel(dist):
    (wheel,) = dist.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def author(work, wheel, interpreter):
    """An environment with pairbond and nothing else."""
    made = Environment(work / "author", interpreter.path)
    made.install(wheel)
    return made


@pytest.fixture(scope="session")
def projects(author, work):
    """A new project of each kind, in a folder of its own."""
    made = {}
    for kind, options in KINDS.items():
        folder = work / kind
        folder.mkdir()
        run(author.python, "-m", "pairbond", "new", "shapes", *options, f"--pairbond={ROOT}", cwd=folder)
        made[kind] = folder / "shapes"
    return made


@pytest.fixture(scope="session")
def project_wheels(projects, wheel, interpreter):
    """The wheel of each, made by `make wheel`."""
    made = {}
    for kind, folder in projects.items():
        run("make", "wheel", cwd=folder, PYTHON=interpreter.path, PAIRBOND=str(wheel))
        (made[kind],) = (folder / "dist").glob("*.whl")
    return made
