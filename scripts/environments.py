"""Virtual environments of the checkout: .envs/NAME with the tools for it, made once and reused."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import shutil
import subprocess
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


def with_requirements(folder: Path, interpreter: Interpreter, requirements: Path) -> Path:
    """An environment in which the requirements are installed; return its python."""
    with locked(folder):
        return install(folder, interpreter, requirements)


def install(folder: Path, interpreter: Interpreter, requirements: Path) -> Path:
    python = virtual(folder, interpreter)
    stamp = folder / "requirements-installed"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return python
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        str(requirements),
    ]
    # The index is reached over a network: one more try, and then it is an error.
    for _ in range(2):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode == 0:
            stamp.write_text(digest)
            return python
    raise Unusable(f"{' '.join(command)} failed twice\n{run.stdout}{run.stderr}")


def for_lint(interpreter: Interpreter) -> Path:
    """The environment that holds ruff and what checks workflows; return its python."""
    return with_requirements(ROOT / ".envs" / "lint", interpreter, ROOT / "scripts" / "lint-requirements.txt")


def for_types(interpreter: Interpreter) -> Path:
    """The environment that holds the type checkers; return its python."""
    return with_requirements(ROOT / ".envs" / "types", interpreter, ROOT / "scripts" / "types-requirements.txt")


def for_packages(interpreter: Interpreter) -> Path:
    """The environment that packages are built and looked at in; return its python."""
    requirements = ROOT / "tests" / "packages" / "requirements.txt"
    return with_requirements(ROOT / ".envs" / f"packages-{interpreter.name}", interpreter, requirements)


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
        add_wheels(folder, python, ROOT / "tests" / "requirements-wheels.txt")
    return python


def add_wheels(folder: Path, python: Path, requirements: Path) -> None:
    """Install what there are wheels of for this interpreter; tests that need the rest say so and are skipped."""
    stamp = folder / "wheels-tried"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    run = subprocess.run([*command, "-r", str(requirements)], capture_output=True, text=True)
    if run.returncode:
        print(
            f"without {requirements.name}: {(run.stderr.strip().splitlines() or ['no reason given'])[-1]}", flush=True
        )
    # A debug build will never have wheels; where the index was out of reach the next run tries again.
    if run.returncode == 0 or "No matching distribution" in run.stderr:
        stamp.write_text(digest)
