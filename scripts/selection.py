"""The command line of `make test`: which parts run, on which interpreters, and which are left to `make test-all` and
`make test-dist`.

A part that runs on interpreters can be given some, `python@3.12,3.14t`. A filter is an expression of words with `and`,
`or`, `not` and parentheses, as pytest takes it after -k; nextest, cargo test and pytest all choose their tests by it.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pythons
from pythons import Interpreter

#: `make test`, in the order in which they run: those that leave processors idle stand together.
QUICK = ("core-free", "architecture", "rust", "python", "types", "scripts", "doc")
#: What `make test-all` adds: tests that take seconds, and the same code on every interpreter. After the first three,
#: those that take longest come first: two of them run at once.
FURTHER = ("rust-large", "large", "python", "loom", "embedding", "docs")
#: `make test-dist`: the published packages, also with packages of others. Those that take longest come first.
DISTRIBUTED = ("packages", "release", "candle", "pyo3", "abi", "platforms", "processes")
#: How many minutes each of these takes on two processors, to choose those for which there is time.
MINUTES = {"packages": 9, "release": 7, "candle": 3, "pyo3": 7, "abi": 4, "platforms": 2, "processes": 2}
PARTS = tuple(dict.fromkeys(QUICK + FURTHER + DISTRIBUTED))
#: Parts that mostly wait for one compiler or one test, beside each other.
SHARING = frozenset(PARTS) - {"rust", "rust-large", "python", "large"}
ON_INTERPRETERS = ("python", "large", "release", "abi", "pyo3", "embedding", "packages")
#: Parts whose tests have names that a filter can choose; cargo test, unlike the others, takes no more than a word.
FILTERED = (
    "scripts",
    "rust",
    "doc",
    "python",
    "large",
    "release",
    "abi",
    "pyo3",
    "packages",
    "processes",
    "docs",
    "candle",
    "loom",
)
ONE_WORD = ("doc", "candle", "loom")
TOKEN = re.compile(r"[()]|[\w:.\[\]-]+")


@dataclass(frozen=True)
class Job:
    """A part to run, and the interpreters for those parts that need some."""

    part: str
    interpreters: tuple[Interpreter, ...] = ()
    #: Some are tested besides the default interpreter, and not with everything.
    further: bool = False
    #: Tests marked `large` or `slow` are left to the part `large`.
    quick: bool = False
    #: One of several interpreters that are tested beside each other, and beside other parts.
    beside: bool = False

    def apart(self) -> tuple[Job, ...]:
        """Tests of several interpreters are a job each: the processors are busy until the longest has ended."""
        if self.part != "python" or len(self.interpreters) < 2:
            return (self,)
        return tuple(replace(self, interpreters=(it,), beside=True) for it in self.interpreters)

    def __str__(self) -> str:
        return self.part + "@" * bool(self.interpreters) + ",".join(it.name for it in self.interpreters)


@dataclass(frozen=True)
class Selection:
    """What runs, and what does not: pairs of a name and the reason."""

    jobs: tuple[Job, ...]
    left_out: tuple[tuple[str, str], ...]
    filter: str


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--all", action="store_true", help="all parts on all interpreters")
    made.add_argument("--rest", action="store_true", help="what --all adds to a run without it")
    made.add_argument("--dist", action="store_true", help="the published packages, also with packages of others")
    made.add_argument("--again", action="store_true", help="run also what passed before and has not changed")
    help = "begin no part after so many minutes, and stop those that run"
    made.add_argument("--minutes", type=float, default=math.inf, metavar="N", help=help)
    help = "with --dist and --minutes: only the parts that fit, to their ends; which come first depends on N"
    made.add_argument("--turn", type=int, metavar="N", help=help)
    made.add_argument("-k", dest="filter", default="", metavar="EXPRESSION", help="only tests whose names match")
    made.add_argument("parts", nargs="*", metavar="PART[@PYTHON,...]")
    return made


def select(options: argparse.Namespace, found: Sequence[Interpreter], default: Interpreter) -> Selection:
    """What the options choose. Exits if they name a part or an interpreter that does not exist."""
    everywhere = options.all or options.rest or options.dist
    quick, further, dist = quick_jobs(default), *further_jobs(found, default)
    if options.parts:
        wanted, later = [named(wish, found if everywhere else [default], found) for wish in options.parts], {}
    elif options.rest:
        wanted, later = further, {"dist": dist}
    elif options.all:  # The default interpreter is tested with the others, and with everything.
        wanted, later = [*quick, *(job for job in further if job.part != "large")], {"dist": dist}
    elif options.dist:
        wanted, later = dist, {}
    else:
        wanted, later = quick, {"all": further, "dist": dist}
    left_out = [(str(job), why) for job in wanted if (why := unfit(job, options.filter))]
    left_out += [(str(job), f"make test-{target}") for target, jobs in later.items() for job in jobs]
    jobs = merge(job for job in wanted if not unfit(job, options.filter))
    if options.dist and options.turn is not None:
        fitting = those_that_fit(jobs, options.minutes, options.turn)
        left_out += [(str(job), "no time was left, and it is another's turn") for job in jobs if job not in fitting]
        jobs = fitting
    return Selection(jobs, tuple(left_out), options.filter)


def those_that_fit(jobs: Sequence[Job], minutes: float, turn: int) -> tuple[Job, ...]:
    """As many parts of `make test-dist` as so many minutes are enough for. Those that come first have the choice, and
    every one of them comes first at some turn."""
    first = turn % max(1, len(jobs))
    chosen = []
    for job in (*jobs[first:], *jobs[:first]):
        if MINUTES[job.part] <= minutes:
            minutes -= MINUTES[job.part]
            chosen.append(job)
    return tuple(chosen)


def quick_jobs(default: Interpreter) -> list[Job]:
    return [Job(part, (default,) if part in ON_INTERPRETERS else (), quick=part == "python") for part in QUICK]


def further_jobs(found: Sequence[Interpreter], default: Interpreter) -> Iterator[list[Job]]:
    """What `make test` leaves to `make test-all` and to `make test-dist`. Free-threaded and debug builds come first:
    they find the most."""
    others = sorted((it for it in found if it != default), key=lambda it: not (it.free_threaded or it.debug))
    on = {"python": tuple(others), "pyo3": tuple(found), "embedding": tuple(found)}
    on |= dict.fromkeys(("large", "release", "abi", "packages"), (default,))
    for parts in (FURTHER, DISTRIBUTED):
        yield [Job(part, on.get(part, ()), part == "python") for part in parts if on.get(part) != ()]


def unfit(job: Job, expression: str) -> str:
    """Why a filter leaves a whole part out, if it does."""
    if expression and job.part == "rust-large":
        return "the part rust runs all tests that -k matches"
    if expression and job.part not in FILTERED:
        return "it has no tests with names, which -k could match"
    if expression and job.part in ONE_WORD and substring(expression) is None:
        return "cargo test takes one word after -k"
    return ""


def named(wish: str, usual: Sequence[Interpreter], found: Sequence[Interpreter]) -> Job:
    """The job that an argument means."""
    part, at, python = wish.partition("@")
    if part not in PARTS:
        sys.exit(f"test: there is no part {part!r}; there are {', '.join(PARTS)}")
    if at and part not in ON_INTERPRETERS:
        sys.exit(f"test: {part} does not run on an interpreter of your choice")
    if part not in ON_INTERPRETERS:
        return Job(part)
    return Job(part, tuple(pythons.restrict(list(found), python.split(",")) if at else usual))


def merge(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Each part once, with all interpreters asked for."""
    merged: dict[str, Job] = {}
    for job in jobs:
        before = merged.get(job.part, job)
        interpreters = tuple(dict.fromkeys(before.interpreters + job.interpreters))
        # In `make test-all` the default interpreter is among the others.
        merged[job.part] = Job(job.part, interpreters, before.further or job.further, before.quick and job.quick)
    return tuple(merged.values())


def words(expression: str) -> list[str]:
    """The tokens of a filter. Exits if it is none."""
    if TOKEN.sub("", expression).strip():
        sys.exit(f"test: -k {expression!r}: words with and, or, not and parentheses are expected")
    return TOKEN.findall(expression)


def nextest(expression: str, binaries: Iterable[str]) -> str:
    """The filter as a filterset of nextest. As with pytest, a word may be part of the name of a test or of its file."""

    def translated(word: str) -> str:
        if word in ("and", "or", "not", "(", ")"):
            return word
        pattern = f"/(?i){re.escape(word)}/"
        # Nextest refuses names of files that match none.
        if any(word.lower() in name.lower() for name in binaries):
            return f"(test({pattern}) or binary({pattern}))"
        return f"test({pattern})"

    return " ".join(map(translated, words(expression)))


def substring(expression: str) -> str | None:
    """The filter as cargo test takes it, which knows no more than one word; None if it is more."""
    found = words(expression)
    return found[0] if len(found) == 1 else None
