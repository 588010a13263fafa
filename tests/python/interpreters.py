"""Several interpreters in one process, as every CPython spells them, and scripts that run in a process of their own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent

if sys.version_info >= (3, 13):
    import _interpreters

    #: With the process's GIL, and with one of their own.
    KINDS = ["legacy", "isolated"]

    def create(kind: str = "isolated") -> int:
        return _interpreters.create(kind)

    def run(interpreter: int, code: str) -> None:
        failed = _interpreters.exec(interpreter, textwrap.dedent(code))
        if failed is not None:
            raise RuntimeError(failed.formatted)

    destroy = _interpreters.destroy
else:
    import _xxsubinterpreters

    # Before 3.12 there is one GIL.
    KINDS = ["legacy", "isolated"] if sys.version_info >= (3, 12) else ["legacy"]

    def create(kind: str = KINDS[-1]) -> int:
        return _xxsubinterpreters.create(isolated=kind == "isolated")

    def run(interpreter: int, code: str) -> None:
        _xxsubinterpreters.run_string(interpreter, textwrap.dedent(code))

    destroy = _xxsubinterpreters.destroy


class Interpreter:
    """One interpreter for the time of a `with` block."""

    def __init__(self, kind: str = KINDS[-1]) -> None:
        self.id = create(kind)

    def __enter__(self) -> Interpreter:
        return self

    def __exit__(self, *_: object) -> None:
        destroy(self.id)

    def run(self, code: str) -> None:
        run(self.id, code)


def memory() -> int:
    """Bytes of the process that are in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def script(code: str, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with this module and the tests' others at hand."""
    start = f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
    command = [sys.executable, "-X", "faulthandler", "-c", start + textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def check(code: str, *arguments: str, timeout: float = 300) -> None:
    """Run code in a process of its own: it says "fine", and nothing else."""
    done = script(code, *arguments, timeout=timeout)
    if (done.stdout, done.stderr, done.returncode) != ("fine\n", "", 0):
        raise AssertionError(f"status {done.returncode}\n{done.stdout}{done.stderr}")
