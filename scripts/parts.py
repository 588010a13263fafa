"""Run the parts of a test run, and add up what they report.

A part is one command. Its output is passed on as it comes, or at its end where several run at once; its tests are
counted from the lines that nextest, cargo test, pytest --quiet and test_python.py end with. All parts run, also after a
failure. A part fails if its command does, if it takes longer than it may, or if it should have run tests and ran none:
a misspelt filter must not pass.

The closing lines say again what failed, so that the end of a long log is enough to know it.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Literal, NoReturn

import kept

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
# What is tested optimised is built for building soon: fat LTO costs a minute per test binary. Assertions stay.
QUICK_RELEASE = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "true",
}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# The lines that the test runners end with.
NEXTEST = re.compile(r"\s*Summary \[.*\] .*tests? run: (.*)")
CARGO_TEST = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed;")
TOTAL = re.compile(r"(\d+) passed, (\d+) failed")
KEPT = re.compile(r"kept: (\d+) tests .*")  # kept.line
PYTEST_NO_TESTS = 5  # its exit status
PYTEST = re.compile(r"\d+ \w+.* in [\d.]+s.*")  # with --quiet
# Their lines about a test that failed: cargo test, nextest, pytest (also within test_python.py), test_python.py itself.
FAILURE = re.compile(
    r"test .* \.\.\. FAILED|error: test failed.*|\s*(FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK-FAIL) \[.*"
    r"|(FAILED|ERROR) .*::.*|[\w.-]+ +\d+\.\d+\.\d+ +\d+ +[1-9]\d* +\d+.*"
)
SHOWN = 20  # of such lines
NO_TIME = "no time was left"
STARTED = time.monotonic()
#: The parts that run, by the process that each began with.
RUNNING: set[int] = set()
#: Held while a part's output is shown that was kept until its end, and while its result is written.
OUTPUT = threading.Lock()


@dataclass
class Part:
    """A command that tests something."""

    name: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    minutes: float = 60.0
    reads: Literal["cargo", "pytest", "total", "nothing"] = (
        "cargo"  # whose summary lines; "nothing": it is itself one test
    )
    may_be_empty: bool = False
    #: It leaves processors idle, and disturbs no other part: several such parts run at once.
    shares: bool = False
    #: Of all that its result depends on, if it need not run while that holds.
    digest: str = ""


@dataclass
class Result:
    """What a part came to."""

    name: str
    passed: int = 0
    failed: int = 0
    kept: int = 0  # tests that passed before and need not run, among `passed`
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of processors, of everything that it started and waited for
    note: str = ""
    failures: list[str] = field(default_factory=list)  # what its output says of them


def count(output: str, reads: str) -> tuple[int, int]:
    """Tests passed and failed according to the summary lines in `output`."""
    passed = failed = 0
    for line in output.splitlines():
        if reads == "cargo" and (match := NEXTEST.match(line)):
            passed += number(match[1], "passed")
            failed += sum(number(match[1], word) for word in ("failed", "timed out", "exec failed"))
        elif reads == "cargo" and (match := CARGO_TEST.match(line)):
            passed, failed = passed + int(match[1]), failed + int(match[2])
        elif reads == "total" and (match := TOTAL.fullmatch(line)):
            passed, failed = int(match[1]), int(match[2])
        elif reads == "pytest" and PYTEST.fullmatch(line):
            passed, failed = number(line, "passed"), number(line, "failed") + number(line, "errors?")
    return passed, failed


def kept_before(output: str) -> int:
    """How many tests did not run because their results hold."""
    return sum(int(match[1]) for line in output.splitlines() if (match := KEPT.fullmatch(line)))


def number(summary: str, word: str) -> int:
    match = re.search(rf"(\d+) {word}", summary)
    return int(match[1]) if match else 0


def failures(output: str, late: bool = False) -> list[str]:
    """The lines that name a failed test, each once; the last lines if none does, or if it was stopped."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = list(dict.fromkeys(line for line in lines if FAILURE.fullmatch(line)))
    return named[:SHOWN] + (lines[-5:] if late or not named else [])


def judge(part: Part, output: str, status: int, late: bool, cut_off: bool) -> Result:
    """What a part came to. `late`: it took longer than it may, which is a failure. `cut_off`: the run had no more time
    for it, which is none."""
    passed, failed = count(output, part.reads)
    before = kept_before(output)
    passed += before
    if part.may_be_empty and part.reads == "pytest" and status == PYTEST_NO_TESTS:
        status = 0
    if cut_off:
        return Result(part.name, passed, failed, before, note=f"NOT RUN to its end: {NO_TIME}")
    if late:
        return Result(part.name, passed, failed + 1, before, note=f"stopped after {part.minutes:g} minutes")
    if status and not failed:
        return Result(part.name, passed, 1, before, note=f"exit status {status}")
    if part.reads == "nothing":
        return Result(part.name, passed=1)
    if passed + failed == 0 and not part.may_be_empty:
        return Result(part.name, failed=1, note="ran no test")
    return Result(part.name, passed, failed, before)


def stop(leader: int) -> None:
    """Stops a part by the process that it began with, and everything that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def run_all(parts: Iterable[Part], at_once: int | None = None, minutes: float = math.inf) -> list[Result]:
    """Runs all, and returns their results in the same order. Consecutive parts that share the processors run `at_once`
    at a time, one more than there are processors unless told: each waits now and then.

    So many `minutes` after this program began, no part begins and those that run are stopped. That is no failure of
    theirs, unless a test of theirs has failed.
    """
    results: list[Result] = []
    end = STARTED + minutes * 60
    for shares, group in groupby(parts, key=lambda part: part.shares):
        workers = (at_once or (os.cpu_count() or 1) + 1) if shares else 1
        if workers == 1:
            results += [run(part, end=end) for part in group]
            continue
        with ThreadPoolExecutor(workers) as pool:
            stop_on_signals()  # here, since a thread of the pool cannot
            try:
                results += pool.map(lambda part: run(part, live=False, end=end), group)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for leader in list(RUNNING):
                    stop(leader)
                raise
    return results


def stop_on_signals() -> None:
    """`timeout` reaches this process and not the sessions of parts: end as an error does, which takes them along."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def run(part: Part, live: bool = True, end: float = math.inf) -> Result:
    """Runs a part, unless its result holds or it is past the `end`. Unless `live`, its output is shown when it has
    ended."""
    results = kept.Results.of(part.name)
    if part.digest and (passed := results.kept(part.name, part.digest)) is not None:
        print(f"=== {part.name}: {kept.line(passed)}", flush=True)
        return Result(part.name, passed, kept=passed)
    result = execute(part, live, end)
    if part.digest and not result.failed and not result.note:
        results.keep(part.name, part.digest, result.passed)
        results.write()
    return result


def execute(part: Part, live: bool, end: float) -> Result:
    left = end - time.monotonic()
    if left <= 0:
        result = Result(part.name, note=f"NOT RUN: {NO_TIME}")
        with OUTPUT:
            add_to_tally(result)
        return result
    command = f"=== {part.name}: {' '.join(part.command)}"
    print(f"\n{command}" if live else f"=== {part.name} begins", flush=True)
    started = time.monotonic()
    env = os.environ | ({"CARGO_TERM_COLOR": "always"} if live and sys.stdout.isatty() else {}) | part.env
    # A session of its own, so that a part that hangs is stopped with everything it started.
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    stop_on_signals()
    try:
        process = subprocess.Popen(part.command, cwd=ROOT, env=env, start_new_session=True, **pipe)
    except OSError as error:
        print(error, flush=True)
        return Result(part.name, failed=1, note="could not be started")
    RUNNING.add(process.pid)
    stopped = threading.Event()

    def end_it() -> None:
        stopped.set()
        stop(process.pid)

    longest = part.minutes * 60
    timer = threading.Timer(min(longest, left), end_it)
    timer.start()
    output = []
    with process:
        try:
            for line in process.stdout:
                if live:
                    print(line, end="", flush=True)
                output.append(COLOUR.sub("", line))
        except BaseException:
            stop(process.pid)
            raise
        finally:
            # What it used, with all that it started and waited for.
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
            RUNNING.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
    text = "".join(output)
    late, cut_off = stopped.is_set() and left >= longest, stopped.is_set() and left < longest
    result = judge(part, text, process.returncode, late, cut_off)
    if result.failed:
        result.failures = failures(text, stopped.is_set())
    result.seconds, result.cpu = time.monotonic() - started, used.ru_utime + used.ru_stime
    with OUTPUT:
        if not live:
            print(f"\n{command}\n{text}=== {part.name} has ended", flush=True)
        add_to_tally(result)
    return result


def what_failed(result: Result) -> list[str]:
    return [f"- {result.name}: {line}" for line in result.failures or [result.note]] if result.failed else []


def add_to_tally(it: Result) -> None:
    """Adds a part to the file of .ci/run, which adds up several runs, also of one that is stopped."""
    if tally := os.environ.get("PAIRBOND_TALLY"):
        row = f"| {it.name} | {it.passed} | {it.failed} | {it.seconds:.0f} s | {it.cpu:.0f} s | {it.note} |"
        with open(tally, "a") as file:
            print(f"{it.passed} {it.failed}", row, *what_failed(it), sep="\n", file=file)


def close(results: list[Result], not_run: Sequence[tuple[str, str]] = ()) -> NoReturn:
    """Print the table, what was not run and why, and the total alone on the last line; exit."""
    print(f"\n{'part':<28}{'passed':>8}{'failed':>8}{'seconds':>9}{'cpu':>7}")
    for it in results:
        note = it.note or (f"{it.kept} of them kept" if it.kept else "")
        print(f"{it.name:<28}{it.passed:>8}{it.failed:>8}{it.seconds:>9.0f}{it.cpu:>7.0f}  {note}".rstrip())
    cpu = sum(it.cpu for it in results)
    print(f"{'all of them':<44}{time.monotonic() - STARTED:>9.0f}{cpu:>7.0f}")
    for name, why in not_run:
        print(f"{name:<28}NOT RUN: {why}")
    if failed_lines := [line for it in results for line in what_failed(it)]:
        print("\nwhat failed:", *failed_lines, sep="\n")
    if count := sum(it.kept for it in results):
        print(f"\n{kept.line(count)}: `make test ARGS=--again` runs them")
    passed, failed = sum(it.passed for it in results), sum(it.failed for it in results)
    print(f"\n{passed} passed, {failed} failed", flush=True)
    sys.exit(failed > 0)
