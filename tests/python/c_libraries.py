"""Libraries of C and C++ for tests: compiled once, and loaded by every interpreter as they are."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "c"
INCLUDE = ROOT / "python" / "pairbond" / "include"
BUILT = ROOT / "target" / "tests" / "c"

# `make test-long ARGS=c` runs the tests again with libraries that look after themselves.
SANITIZERS = os.environ.get("PAIRBOND_C_SANITIZERS")
if SANITIZERS:
    BUILT = BUILT / "sanitized"

COMPILERS = {".c": os.environ.get("CC", "cc"), ".cpp": os.environ.get("CXX", "c++")}
STANDARDS = {".c": "c11", ".cpp": "c++17"}


def compiler(suffix: str) -> str:
    """The compiler of a language; skips the test if there is none."""
    found = shutil.which(COMPILERS[suffix])
    if found is None:
        pytest.skip(f"needs a compiler of {'C' if suffix == '.c' else 'C++'} ({COMPILERS[suffix]})")
    return found


def source_of(name: str, text: str) -> Path:
    """A file with this text. It is left alone if it is there, so that every interpreter loads what one has compiled."""
    path = BUILT / "sources" / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Under another name first: another process may compile it meanwhile.
        made = path.with_suffix(f".{os.getpid()}")
        made.write_text(text, encoding="utf-8")
        made.rename(path)
    return path


def build(source: str | Path, *flags: str, name: str | None = None, libraries: Sequence[str] = ()) -> Path:
    """The shared library of a file (of tests/c, if it is a name), under a name of its own if it has flags."""
    path = SOURCES / source
    library = BUILT / f"{name or path.stem}.abi3.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    # The others wait for the process that compiles it: it takes up to half a minute.
    with library.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return compiled(path, library, flags, libraries)


def compiled(path: Path, library: Path, flags: Sequence[str], libraries: Sequence[str]) -> Path:
    """The library, which is made if it is not there, or older than its sources."""
    inputs = [path, *INCLUDE.glob("pairbond/**/*.h*")]
    if library.exists() and all(library.stat().st_mtime > it.stat().st_mtime for it in inputs):
        return library
    command = [compiler(path.suffix), f"-std={STANDARDS[path.suffix]}", "-Wall", "-Wextra", "-Werror", "-O0"]
    if SANITIZERS:
        flags = ("-g", f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", *flags)
    # Under another name first: another process may load it meanwhile.
    made = library.with_suffix(f".{os.getpid()}")
    command += [
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
        f"-I{INCLUDE}",
        *flags,
        str(path),
        *libraries,
        "-o",
        str(made),
    ]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    made.rename(library)
    return library
