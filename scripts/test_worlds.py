#!/usr/bin/env python3
"""Run the random world of tests/python for a number of operations, in processes of their own.

    test_worlds.py OPERATIONS [--jobs N] [--each OPERATIONS] [--churn N] [--minutes M] [--seed SEED]
                   [--release]

On each interpreter found, or those that PAIRBOND_PYTHONS names, all operations are done. Each process has a seed and
does --each of them (250,000 unless told): one in three with one world, the others with four worlds on threads at once,
one in two (--churn) beside native threads that churn, which free-threaded builds take twenty times as long for. A
difference from the oracle, or a crash, prints the line that replays it. --minutes ends it before all is done, which
the table says and which is no failure. The last line is the total, `N passed, N failed`, of processes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import build_ext
import environments
import pythons

ROOT = Path(__file__).resolve().parent.parent
WORLD = ROOT / "tests" / "python" / "promises_world.py"
DONE = re.compile(r"^(\d+) operations:", re.MULTILINE)


@dataclass
class Tally:
    """What the worlds of one interpreter came to."""

    operations: int = 0
    passed: int = 0
    failed: int = 0
    trouble: str = ""


def arguments(seed: int, operations: int, churn: int) -> list[str]:
    """What one process is to do; one in `churn` has native threads beside it."""
    worlds = 1 if seed % 3 == 0 else 4
    return [str(seed), str(operations // worlds), str(worlds), *(["--churn"] if seed % churn == 1 else [])]


def run(python: Path, env: dict[str, str], what: list[str], end: float) -> tuple[int, str]:
    """One process: how many operations it did, and why it failed. Nothing of both when time was up."""
    command = [str(python), "-X", "faulthandler", str(WORLD), *what]
    try:
        left = max(1.0, end - time.monotonic()) if end else None
        process = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=left)
    except subprocess.TimeoutExpired:
        return 0, ""
    if process.returncode:
        replay = f"{' '.join(command)}\nexit status {process.returncode}"
        return 0, f"{replay}\n{process.stdout[-2000:]}\n{process.stderr[-6000:]}"
    return int(DONE.search(process.stdout)[1]), ""


def worlds(it: pythons.Interpreter, options: argparse.Namespace, end: float) -> Tally:
    """All processes of one interpreter."""
    tally = Tally()
    try:
        python = environments.for_tests(it)
        site = build_ext.build(it, [ext for ext in build_ext.extensions() if ext.is_for(it)], options.release)
    except (environments.Unusable, subprocess.CalledProcessError) as error:
        return Tally(failed=1, trouble=f"could not be built for: {error}")
    env = os.environ | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("PAIRBOND_LONG", None)
    count = -(-options.operations // options.each)
    first = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "little")
    print(f"seeds {first} to {first + count - 1}", flush=True)

    def one(seed: int) -> None:
        if tally.failed or (end and time.monotonic() > end):
            return
        done, error = run(python, env, arguments(seed, options.each, options.churn), end)
        if error:
            print(error, flush=True)
        tally.operations += done
        tally.passed += bool(done)
        tally.failed += bool(error)
        print(f"{it.name}: {tally.operations} operations", flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, range(first, first + count)))
    if tally.operations < options.operations and not tally.failed:
        tally.trouble = f"time was up: {tally.operations / options.operations:.0%} done"
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", type=int, metavar="OPERATIONS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--each", type=int, default=250_000, metavar="OPERATIONS")
    parser.add_argument("--churn", type=int, default=2, metavar="N", help="one in N processes has native threads")
    parser.add_argument("--minutes", type=float, metavar="M")
    parser.add_argument("--seed", type=int, help="the first")
    parser.add_argument("--release", action="store_true", help="test what the release profile builds")
    options = parser.parse_args()
    end = time.monotonic() + options.minutes * 60 if options.minutes else 0.0
    found = pythons.pythons()
    tallies = []
    for it in found:
        print(f"\n=== random worlds on {it}", flush=True)
        tallies.append((it, worlds(it, options, end)))
    print(f"\n{'python':<10}{'version':<10}{'operations':>12}{'passed':>8}{'failed':>8}")
    for it, tally in tallies:
        numbers = f"{tally.operations:>12}{tally.passed:>8}{tally.failed:>8}"
        print(f"{it.name:<10}{pythons.dotted(it.version):<10}{numbers}  {tally.trouble}".rstrip())
    passed, failed = sum(t.passed for _, t in tallies), sum(t.failed for _, t in tallies)
    print(f"\n{passed} passed, {failed + (not found)} failed", flush=True)
    sys.exit(failed > 0 or not found)


if __name__ == "__main__":
    main()
