"""Virtual environments of the checkout: .envs/NAME with the tools for it, made once and reused."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pythons import Interpreter

ROOT = Path(__file__).resolve().parent.parent


class Unusable(Exception):
    """An environment that could not be made; the text says why."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others from making the same environment meanwhile: parts of a test run work at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f".{folder.name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def packages_of(python: Path) -> Path:
    """Where the packages of an environment live."""
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    return Path(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def virtual(folder: Path, interpreter: Interpreter, pip: bool = True) -> Path:
    """Make `folder` an environment of `interpreter`, or keep it if it is one; return its python."""
    python = python_of(folder)
    stamp = folder / "made-from"
    origin = f"{interpreter.path} {interpreter.version} {interpreter.kind}\n"
    if stamp.exists() and stamp.read_text() == origin and python.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    command = [interpreter.path, "-m", "venv", *([] if pip else ["--without-pip"]), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise Unusable(f"{' '.join(command)} failed (Debian: apt-get install python3-venv)\n{run.stdout}{run.stderr}")
    stamp.write_text(origin)
    return python


def with_requirements(folder: Path, interpreter: Interpreter, requirements: Path, pip: bool = False) -> Path:
    """An environment in which the requirements are installed, and pip itself if told so; return its python."""
    with locked(folder):
        return install(folder, interpreter, requirements, pip)


#: Prints the folders in which CPython, or the distribution that packaged it, has the wheel of pip that it came with.
PLACES_OF_PIP = """
import ensurepip, os, sysconfig
print(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"))
print(sysconfig.get_config_var("WHEEL_PKG_DIR") or "")
"""


def unpacked_pip(interpreter: Interpreter) -> Path | None:
    """The pip that an interpreter came with, in a folder for PYTHONPATH: to run it from there takes a second, and to
    install it into an environment ten. None if there is none."""
    run = subprocess.run([interpreter.path, "-c", PLACES_OF_PIP], capture_output=True, text=True)
    places = [Path(it) for it in run.stdout.splitlines() if it]
    wheels = sorted(wheel for place in places for wheel in place.glob("pip-*.whl"))
    if run.returncode or not wheels:
        return None
    folder = ROOT / ".envs" / ".pip" / wheels[-1].stem
    with locked(folder):
        if not folder.exists():
            beside = folder.with_name(f"{folder.name}.unpacking")
            shutil.rmtree(beside, ignore_errors=True)
            zipfile.ZipFile(wheels[-1]).extractall(beside)
            beside.rename(folder)
    return folder


def pip_install(python: Path, interpreter: Interpreter, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip for an environment. Modules are compiled when they are imported: most never are, and tests have a folder
    of their own for compiled files."""
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    pip = unpacked_pip(interpreter)
    env = os.environ | ({"PYTHONPATH": str(pip)} if pip else {})
    command = [str(python), "-m", "pip", "install", *options, *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True)


def install(folder: Path, interpreter: Interpreter, requirements: Path, pip: bool) -> Path:
    python = virtual(folder, interpreter, pip=pip or unpacked_pip(interpreter) is None)
    stamp = folder / "requirements-installed"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return python
    # The index is reached over a network: one more try, and then it is an error.
    for _ in range(2):
        run = pip_install(python, interpreter, "-r", str(requirements))
        if run.returncode == 0:
            stamp.write_text(digest)
            return python
    raise Unusable(f"{' '.join(run.args)} failed twice\n{run.stdout}{run.stderr}")


def for_lint(interpreter: Interpreter) -> Path:
    """The environment that holds ruff and what checks workflows; return its python."""
    return with_requirements(ROOT / ".envs" / "lint", interpreter, ROOT / "scripts" / "lint-requirements.txt")


def for_types(interpreter: Interpreter) -> Path:
    """The environment that holds the type checkers; return its python."""
    return with_requirements(ROOT / ".envs" / "types", interpreter, ROOT / "scripts" / "types-requirements.txt")


def for_packages(interpreter: Interpreter) -> Path:
    """The environment that packages are built and looked at in; return its python."""
    requirements = ROOT / "tests" / "packages" / "requirements.txt"
    return with_requirements(ROOT / ".envs" / f"packages-{interpreter.name}", interpreter, requirements, pip=True)


def for_docs(interpreter: Interpreter) -> Path:
    """The environment that builds the documentation site and looks at it; return its python."""
    return with_requirements(ROOT / ".envs" / "docs", interpreter, ROOT / "scripts" / "docs-requirements.txt")


def for_processes(interpreter: Interpreter) -> Path:
    """The environment in which objects travel to other processes; return its python."""
    return with_requirements(ROOT / ".envs" / "processes", interpreter, ROOT / "tests" / "requirements-processes.txt")


def for_tests(interpreter: Interpreter) -> Path:
    """The environment in which pytest runs on `interpreter`; return its python."""
    folder = ROOT / ".envs" / interpreter.name
    python = with_requirements(folder, interpreter, ROOT / "tests" / "requirements.txt")
    with locked(folder):
        add_wheels(folder, python, interpreter, ROOT / "tests" / "requirements-wheels.txt")
    return python


def add_wheels(folder: Path, python: Path, interpreter: Interpreter, requirements: Path) -> None:
    """Install what there are wheels of for this interpreter; tests that need the rest say so and are skipped."""
    stamp = folder / "wheels-tried"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    run = pip_install(python, interpreter, "--only-binary=:all:", "-r", str(requirements))
    if run.returncode:
        print(
            f"without {requirements.name}: {(run.stderr.strip().splitlines() or ['no reason given'])[-1]}", flush=True
        )
    # A debug build will never have wheels; where the index was out of reach the next run tries again.
    if run.returncode == 0 or "No matching distribution" in run.stderr:
        stamp.write_text(digest)
