#!/usr/bin/env python3
"""Run the Python tests on every CPython that pythons.py finds.

    test_python.py [--release] [--workers N] [--jobs N] [--crate NAME]... [--file PATH]... [--essentials]
                   [--besides NAME] [--keep] [PYTEST ARGUMENT...]

For each: an environment .envs/NAME, the extension crates built for it (build_ext.py), then pytest on tests/python and
on the `tests` folders that extension crates declare. Arguments that are not options of this script go to pytest (`-k
identity`, `-x`); PAIRBOND_PYTHONS restricts the interpreters. One more than there are processors, four at most, are
tested at the same time (--jobs), and each one's output is shown when it is done. --workers divides the test files of an
interpreter among so many processes. On free-threaded builds each few files have a process of their own. --crate and
--file build and test no more than those; --essentials tests lifetimes, identity, threads and exits only.

--besides names the interpreter that is tested with everything. On the others, tests marked `large` are left out, which
show what native code does whatever the version of CPython, except those marked `threads`, too, on free-threaded builds.
An older build of a version (3.11.2 beside 3.11) is tested with the essentials.

--keep leaves out test files whose results hold (kept.py), and says how many tests these have.

At the end a table, and alone on the last line the total, `N passed, N failed`. It fails if a test fails, if an
interpreter could not run the tests, or ran none.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import build_ext
import environments
import kept
import pythons

ROOT = Path(__file__).resolve().parent.parent
# For the tests of one interpreter; if they take longer they hang.
MINUTES = float(os.environ.get("PAIRBOND_PYTEST_MINUTES") or "40")
#: What else than the version of CPython may change: how it was built, its patch releases.
ESSENTIALS = (
    "test_containers_threads.py",
    "test_deep_deaths.py",
    "test_errors.py",
    "test_flat.py",
    "test_interpreters_end.py",
    "test_load.py",
    "test_promises_1_identity.py",
    "test_promises_4_custody.py",
    "test_promises_6_hostile.py",
    "test_promises_7_random.py",
    "test_shutdown.py",
    "test_trim.py",
)
#: Without a GIL, a collection also looks at what is frozen and at the memory of what was freed: after a thousand tests
#: it takes twenty times as long. So many test files have a process there, for each of --workers.
FILES = 8
# Environments and builds are made one after the other: they share folders, and use all processors by themselves.
PREPARING = threading.Lock()
NO_TESTS = "no tests"
ALL_SKIPPED = "no test ran"


@dataclass
class Outcome:
    """What the tests of one interpreter came to. `trouble` says why they did not run to their end."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    trouble: str = ""
    kept: int = 0  # tests that passed before, and did not run
    building: float = 0.0  # seconds, environment included
    testing: float = 0.0  # seconds

    def __add__(self, other: Outcome) -> Outcome:
        """What two runs came to. That one of them ran no test is nothing to tell."""
        ran = [it for it in (self, other) if it.trouble not in (NO_TESTS, ALL_SKIPPED)]
        skipped = self.skipped + other.skipped
        if not ran:
            return Outcome(failed=1, skipped=skipped, trouble=ALL_SKIPPED if skipped else NO_TESTS)
        troubles = [it.trouble for it in ran if it.trouble]
        return Outcome(sum(it.passed for it in ran), sum(it.failed for it in ran), skipped, "; ".join(troubles))


def cpython_tests(interpreter: pythons.Interpreter) -> Path | None:
    """CPython's own tests, for an interpreter that was installed without: those of the nearest version here."""

    def distance(other: pythons.Interpreter) -> tuple[int, int]:
        return abs(other.version[1] - interpreter.version[1]), -other.version[2]

    for other in sorted(pythons.find(pythons.candidates()), key=distance):
        folder = Path(other.prefix, "lib", "python" + pythons.dotted(other.version[:2]), "test")
        if (folder / "seq_tests.py").exists():
            return folder
    return None


@dataclass
class Plan:
    """What to do on each interpreter."""

    wanted: list[build_ext.Extension]
    libraries: list[str]  # crates of libraries without any Python
    release: bool
    tests: list[str]  # files and folders; empty: all
    essentials: bool
    besides: str | None  # the interpreter that is tested with everything; None: all are
    workers: int  # processes of each run of pytest
    arguments: list[str]  # of pytest
    keep: bool  # leave out files whose results hold
    live: bool  # show what it prints while it runs, and not when it has ended

    def tests_on(self, interpreter: pythons.Interpreter) -> list[str]:
        """Arguments of pytest: files and folders, and which of their tests are left out."""
        if self.tests:
            return self.tests
        further = self.besides not in (None, interpreter.name)
        if self.essentials or (further and interpreter.name != interpreter.kind):
            return [f"tests/python/{name}" for name in ESSENTIALS]
        small = "not large or threads" if interpreter.free_threaded else "not large"
        some = ["-m", small] if further else []
        return [*some, "tests/python", *(str(it.tests) for it in self.wanted if it.tests and it.is_for(interpreter))]

    def runs_on(self, interpreter: pythons.Interpreter, tests: list[str] | None = None) -> list[list[str]]:
        """The same, or the given ones, for each run of pytest."""
        tests = self.tests_on(interpreter) if tests is None else tests
        if not interpreter.free_threaded:
            return [tests]
        options, files = divide(tests)
        runs = [[*options, *few] for few in batched(files, FILES * self.workers)]
        return runs or [tests]


def divide(tests: list[str]) -> tuple[list[str], list[str]]:
    """What is no test file or folder, and the test files."""
    folders = [it for it in tests if (ROOT / it).is_dir()]
    files = [it for it in tests if it.endswith(".py")]
    options = [it for it in tests if it not in folders and it not in files]
    return options, files + [file for folder in folders for file in test_files(folder)]


def prefixes(name: str) -> list[str]:
    """A dotted name and the names that it lies in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def test_files(folder: str) -> list[str]:
    """Paths of the test files of a folder, relative to the checkout."""
    return sorted(it.relative_to(ROOT).as_posix() for it in (ROOT / folder).rglob("test_*.py"))


@dataclass
class Known:
    """The test files of one interpreter whose results may hold, with their digests. `large` and other tests of a file
    have results of their own."""

    results: kept.Results
    besides: str
    options: list[str]
    digests: dict[str, str]

    @classmethod
    def of(cls, interpreter: pythons.Interpreter, plan: Plan) -> Known | None:
        """None if all shall run, or all have to."""
        checkout = kept.checkout() if plan.keep else None
        if checkout is None:
            return None
        options, files = divide(plan.tests_on(interpreter))
        more = (interpreter, plan.release, [it.crate for it in plan.wanted], plan.arguments, options)
        digests = {file: checkout.of_tests(file, *more) for file in files}
        besides = " ".join([*plan.arguments, *options])
        return cls(kept.Results.of(f"python-{interpreter.name}"), besides, options, digests)

    def divided(self) -> tuple[list[str], int]:
        """Arguments of pytest without what holds, none if all does; and how many tests passed before."""
        counts = {file: self.results.kept(f"{file} {self.besides}", it) for file, it in self.digests.items()}
        rest = [file for file, count in counts.items() if count is None]
        return [*self.options, *rest] if rest else [], sum(it or 0 for it in counts.values())

    def keep(self, report: Path, chosen: list[str], all_passed: bool) -> None:
        """Keep what passed of the chosen files."""
        files = {file.removesuffix(".py").replace("/", "."): file for file in self.digests}
        passed, others = Counter(), set()
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            # Not its `file`, which is where a function that was inherited is written.
            file = next((files[name] for name in prefixes(case.get("classname", "")) if name in files), None)
            if len(case):  # also what was skipped: its reason may go
                others.add(file)
            else:
                passed[file] += 1
        for file in self.digests.keys() & set(chosen) - others:
            if passed[file] or all_passed:  # a file that cannot be imported has no tests, either
                self.results.keep(f"{file} {self.besides}", self.digests[file], passed[file])
        self.results.write()


def batched(items: list[str], count: int) -> list[list[str]]:
    return [items[at : at + count] for at in range(0, len(items), count)]


def test(interpreter: pythons.Interpreter, plan: Plan) -> Outcome:
    """Prepare everything for one interpreter and run its tests."""
    started = time.monotonic()
    try:
        with PREPARING:
            print(f"\n=== Python tests on {interpreter}", flush=True)
            python = environments.for_tests(interpreter)
            wanted = [it for it in plan.wanted if it.is_for(interpreter)]
            site = build_ext.build(interpreter, wanted, plan.release, beside=plan.libraries)
            cpython = os.environ.get("PAIRBOND_CPYTHON_TESTS") or str(cpython_tests(interpreter) or "")
    except environments.Unusable as error:
        print(error, flush=True)
        return Outcome(failed=1, trouble="no environment")
    except subprocess.CalledProcessError:
        return Outcome(failed=1, trouble="the extensions do not build")
    built = time.monotonic()
    outcome = pytest(interpreter, python, site, cpython, plan)
    outcome.building, outcome.testing = built - started, time.monotonic() - built
    if not plan.live:
        with PREPARING:
            output = log_of(interpreter).read_text(errors="replace")
            print(f"\n=== Python tests on {interpreter}\n{output}", flush=True)
    return outcome


def folder_of(interpreter: pythons.Interpreter) -> Path:
    """Where what its tests leave is kept."""
    folder = ROOT / "target" / "py" / interpreter.name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def log_of(interpreter: pythons.Interpreter) -> Path:
    return folder_of(interpreter) / "pytest.log"


def pytest(interpreter: pythons.Interpreter, python: Path, site: Path, cpython: str, plan: Plan) -> Outcome:
    """Run pytest in processes of its own and read their reports."""
    env = os.environ | {"PYTHONPATH": str(site), "PYTHONFAULTHANDLER": "1", "PAIRBOND_CPYTHON_TESTS": cpython}
    # Files are compiled once, not by each worker and each process that a test starts; and not beside the sources.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    # What a sanitizer of C needs to come first.
    if preload := os.environ.get("PAIRBOND_PRELOAD"):
        env["LD_PRELOAD"] = preload
    env["PYTHONPYCACHEPREFIX"] = str(folder_of(interpreter) / "pycache")
    last = time.monotonic() + MINUTES * 60
    outcome = Outcome(failed=1, trouble=NO_TESTS)
    output = {}
    known = Known.of(interpreter, plan)
    chosen, before = known.divided() if known else (plan.tests_on(interpreter), 0)
    if not chosen:
        return Outcome(kept=before)
    with contextlib.ExitStack() as files:
        if not plan.live:
            output = {"stdout": files.enter_context(log_of(interpreter).open("wb")), "stderr": subprocess.STDOUT}
        for number, tests in enumerate(plan.runs_on(interpreter, chosen)):
            report = folder_of(interpreter) / f"pytest-{number}.xml"
            report.unlink(missing_ok=True)
            command = [str(python), "-m", "pytest", f"--junit-xml={report}", *plan.arguments, *tests]
            try:
                run = subprocess.run(command, cwd=ROOT, env=env, timeout=last - time.monotonic(), **output)
            except subprocess.TimeoutExpired:
                return outcome + Outcome(failed=1, trouble=f"stopped after {MINUTES:g} minutes")
            outcome += judge(run.returncode, report)
            if known and run.returncode in (0, 1) and report.exists():
                known.keep(report, tests, all_passed=run.returncode == 0)
    if before and outcome.trouble in (NO_TESTS, ALL_SKIPPED):
        outcome = Outcome(skipped=outcome.skipped)
    outcome.kept = before
    return outcome


def divided(workers: int) -> list[str]:
    """Arguments that make pytest run several files at once. A worker in which a test hangs ends with its stack."""
    if workers < 2:
        return []
    return [f"--numprocesses={workers}", "--dist=loadfile", "--override-ini=faulthandler_exit_on_timeout=true"]


def judge(status: int, report: Path) -> Outcome:
    """Make sense of pytest's exit status and its report; a crash leaves no report."""
    if status < 0:
        return Outcome(failed=1, trouble=f"crashed: {signal.Signals(-status).name}")
    if status not in (0, 1) or not report.exists():
        return Outcome(failed=1, trouble=NO_TESTS if status == 5 else f"pytest ended with {status}")
    outcome = count(ElementTree.parse(report).getroot())
    if outcome.passed + outcome.failed == 0:
        return Outcome(failed=1, skipped=outcome.skipped, trouble=ALL_SKIPPED)
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
    columns = f"{'passed':>8}{'failed':>8}{'skipped':>9}{'kept':>7}{'building':>10}{'testing':>9}"
    lines = [f"{'python':<10}{'version':<10}{columns}"]
    for it, outcome in outcomes:
        numbers = f"{outcome.passed:>8}{outcome.failed:>8}{outcome.skipped:>9}{outcome.kept:>7}"
        seconds = f"{outcome.building:>9.0f}s{outcome.testing:>8.0f}s"
        lines.append(f"{it.name:<10}{pythons.dotted(it.version):<10}{numbers}{seconds}  {outcome.trouble}".rstrip())
    return "\n".join(lines)


def parse() -> tuple[argparse.Namespace, list[str]]:
    """Our options, and pytest's arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", action="store_true", help="test what the release profile builds")
    jobs = min((os.cpu_count() or 1) + 1, 4)
    parser.add_argument("--jobs", type=int, default=jobs, help="interpreters at the same time")
    parser.add_argument("--workers", type=int, default=1, help="processes for the tests of an interpreter")
    parser.add_argument("--crate", action="append", default=[], metavar="NAME", help="build only these")
    parser.add_argument("--file", action="append", default=[], metavar="PATH", help="run only these")
    parser.add_argument("--essentials", action="store_true", help="run only lifetimes, identity, threads and exits")
    parser.add_argument("--besides", metavar="NAME", help="leave out what that interpreter has shown")
    parser.add_argument("--keep", action="store_true", help="leave out files whose results hold")
    parser.add_argument("--may-be-empty", action="store_true", help="that no test is chosen is no failure")
    return parser.parse_known_args()


def plan(options: argparse.Namespace, arguments: list[str], live: bool) -> Plan:
    """Exits if there is nothing to build."""
    wanted = [it for it in build_ext.extensions() if not options.crate or it.crate in options.crate]
    libraries = [it for it in build_ext.library_crates() if not options.crate or it in options.crate]
    if not wanted or len(wanted) + len(libraries) < len(options.crate):
        trouble(f"no extension crates {options.crate or ''} in the workspace")
    arguments = [*divided(options.workers), *arguments]
    chosen = (options.file, options.essentials, options.besides)
    return Plan(wanted, libraries, options.release, *chosen, options.workers, arguments, options.keep, live)


def trouble(message: str) -> NoReturn:
    print(f"test_python: {message}\n0 passed, 1 failed")
    sys.exit(1)


def main() -> None:
    options, arguments = parse()
    found = pythons.pythons()
    if not found:
        trouble("no CPython >= 3.11 with headers")
    jobs = 1 if len(found) == 1 else max(1, options.jobs // options.workers)
    todo = plan(options, arguments, live=jobs == 1)
    with ThreadPoolExecutor(jobs) as pool:
        running = [(it, pool.submit(test, it, todo)) for it in found]
        outcomes = [(it, job.result()) for it, job in running]
    if options.may_be_empty:
        outcomes = [(it, Outcome() if outcome.trouble == NO_TESTS else outcome) for it, outcome in outcomes]
    print(f"\n{table(outcomes)}\n")
    if count := sum(outcome.kept for _, outcome in outcomes):
        print(kept.line(count))
    failed = sum(outcome.failed for _, outcome in outcomes)
    print(f"{sum(outcome.passed for _, outcome in outcomes)} passed, {failed} failed", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
