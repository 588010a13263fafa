#!/usr/bin/env python3
"""Run the Python tests on every CPython that pythons.py finds.

    test_python.py [--release] [--jobs N] [PYTEST ARGUMENT...]

For each: an environment .envs/NAME, the extension crates built for it (build_ext.py), then pytest on tests/python and
on the `tests` folders that extension crates declare. Arguments that are not options of this script go to pytest
(`-k identity`, `-x`); PAIRBOND_PYTHONS restricts the interpreters. As many as there are processors, four at most, are
tested at the same time (--jobs), and each one's output is shown when it is done.

At the end a table, and alone on the last line the total, `N passed, N failed`. It fails if a test fails, if an
interpreter could not run the tests, or ran none.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import build_ext
import environments
import pythons

ROOT = Path(__file__).resolve().parent.parent
# For the tests of one interpreter; if they take longer they hang.
MINUTES = float(os.environ.get("PAIRBOND_PYTEST_MINUTES") or "20")
# Environments and builds are made one after the other: they share folders, and use all processors by themselves.
PREPARING = threading.Lock()


@dataclass
class Outcome:
    """What the tests of one interpreter came to. `trouble` says why they did not run to their end."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    trouble: str = ""


def cpython_tests(interpreter: pythons.Interpreter) -> Path | None:
    """CPython's own tests, for an interpreter that was installed without: those of the nearest version here."""

    def distance(other: pythons.Interpreter) -> tuple[int, int]:
        return abs(other.version[1] - interpreter.version[1]), -other.version[2]

    for other in sorted(pythons.find(pythons.candidates()), key=distance):
        folder = Path(other.prefix, "lib", "python" + pythons.dotted(other.version[:2]), "test")
        if (folder / "seq_tests.py").exists():
            return folder
    return None


def test(
    interpreter: pythons.Interpreter,
    wanted: list[build_ext.Extension],
    release: bool,
    arguments: list[str],
    alone: bool,
) -> Outcome:
    """Prepare everything for one interpreter and run its tests; unless `alone`, show what they print at their end."""
    try:
        with PREPARING:
            print(f"\n=== Python tests on {interpreter}", flush=True)
            python = environments.for_tests(interpreter)
            site = build_ext.build(interpreter, wanted, release)
            tests = os.environ.get("PAIRBOND_CPYTHON_TESTS") or str(cpython_tests(interpreter) or "")
    except environments.Unusable as error:
        print(error, flush=True)
        return Outcome(failed=1, trouble="no environment")
    except subprocess.CalledProcessError:
        return Outcome(failed=1, trouble="the extensions do not build")
    folders = [ROOT / "tests" / "python", *(ext.tests for ext in wanted if ext.tests)]
    if alone:
        return pytest(python, site, tests, folders, arguments)
    shown = site.parent / "pytest.log"
    with shown.open("wb") as log:
        outcome = pytest(python, site, tests, folders, arguments, log)
    with PREPARING:
        print(f"\n=== Python tests on {interpreter}\n{shown.read_text(errors='replace')}", flush=True)
    return outcome


def pytest(
    python: Path, site: Path, tests: str, folders: list[Path], arguments: list[str], log: BinaryIO | None = None
) -> Outcome:
    """Run pytest in a process of its own and read its report."""
    report = site.parent / "pytest.xml"
    report.unlink(missing_ok=True)
    env = os.environ | {"PYTHONPATH": str(site), "PYTHONFAULTHANDLER": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    env["PAIRBOND_CPYTHON_TESTS"] = tests
    command = [str(python), "-m", "pytest", f"--junit-xml={report}", *arguments, *map(str, folders)]
    try:
        status = subprocess.run(
            command, cwd=ROOT, env=env, timeout=MINUTES * 60, stdout=log, stderr=log and subprocess.STDOUT
        ).returncode
    except subprocess.TimeoutExpired:
        return Outcome(failed=1, trouble=f"stopped after {MINUTES:g} minutes")
    return judge(status, report)


def judge(status: int, report: Path) -> Outcome:
    """Make sense of pytest's exit status and its report; a crash leaves no report."""
    if status < 0:
        return Outcome(failed=1, trouble=f"crashed: {signal.Signals(-status).name}")
    if status not in (0, 1) or not report.exists():
        return Outcome(failed=1, trouble="no tests" if status == 5 else f"pytest ended with {status}")
    outcome = count(ElementTree.parse(report).getroot())
    if outcome.passed + outcome.failed == 0:
        return Outcome(failed=1, skipped=outcome.skipped, trouble="no test ran")
    if status and not outcome.failed:
        return Outcome(outcome.passed, 1, outcome.skipped, f"pytest ended with {status}")
    return outcome


def count(root: ElementTree.Element) -> Outcome:
    """The tests of a junit report; one whose call and teardown both fail is one failed test."""
    outcome = Outcome()
    for case in root.iter("testcase"):
        states = {child.tag for child in case}
        if states & {"failure", "error"}:
            outcome.failed += 1
        elif "skipped" in states:
            outcome.skipped += 1
        else:
            outcome.passed += 1
    return outcome


def table(outcomes: list[tuple[pythons.Interpreter, Outcome]]) -> str:
    lines = [f"{'python':<10}{'version':<10}{'passed':>8}{'failed':>8}{'skipped':>9}"]
    for it, outcome in outcomes:
        numbers = f"{outcome.passed:>8}{outcome.failed:>8}{outcome.skipped:>9}"
        lines.append(f"{it.name:<10}{pythons.dotted(it.version):<10}{numbers}  {outcome.trouble}".rstrip())
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", action="store_true", help="test what the release profile builds")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), help="interpreters at the same time")
    options, arguments = parser.parse_known_args()
    found = pythons.pythons()
    wanted = build_ext.extensions()
    if not found or not wanted:
        print(
            "test_python: no",
            "CPython >= 3.11 with headers" if not found else "extension crate in the workspace",
        )
        print("0 passed, 1 failed")
        sys.exit(1)
    alone = options.jobs <= 1 or len(found) == 1
    with ThreadPoolExecutor(1 if alone else options.jobs) as jobs:
        running = [(it, jobs.submit(test, it, wanted, options.release, arguments, alone)) for it in found]
        outcomes = [(it, job.result()) for it, job in running]
    print(f"\n{table(outcomes)}\n")
    failed = sum(outcome.failed for _, outcome in outcomes)
    print(f"{sum(outcome.passed for _, outcome in outcomes)} passed, {failed} failed", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
