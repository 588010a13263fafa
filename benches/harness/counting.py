"""Counts the instructions of statements in a process that callgrind runs, which writes its dumps to `DIR/out`."""

from __future__ import annotations

import gc
import os
import re
import subprocess
from pathlib import Path

from harness import timing

# Far enough apart that the count for each statement is exact to an instruction.
FEW, MANY = 20, 220


def control(*options: str) -> None:
    subprocess.run(["callgrind_control", *options, str(os.getpid())], capture_output=True, check=True)


def begin() -> None:
    """Starts counting. Collections leave out the objects that exist now."""
    gc.collect()
    gc.freeze()
    control("-i", "on")


def of_call(loop: timing.Loop, n: int, dumps: Path) -> int:
    """What callgrind counts for one call, and for asking it, which is the same each time."""
    control("-z")
    loop(n)
    control("-d")
    newest = max(dumps.glob("out.*"), key=lambda it: int(it.suffix[1:]))
    found = re.search(r"^(?:summary|totals): (\d+)", newest.read_text(), flags=re.M)
    newest.unlink()
    return int(found[1])


def of_statement(loop: timing.Loop, dumps: Path) -> float:
    loop(FEW)  # which specialises it
    few, many = of_call(loop, FEW, dumps), of_call(loop, MANY, dumps)
    return (many - few) / (MANY - FEW) / timing.UNROLL


def command(python: Path | str, dumps: Path | str, *arguments: object) -> list:
    """The command that runs a script of Python's in callgrind."""
    options = ["--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={dumps}/out"]
    return ["valgrind", *options, python, "-P", *arguments, "--dumps", dumps]
