#!/usr/bin/env python3
"""Measures what an object costs where there are 10⁴ of them, and where there are 10⁷; see benches/README.md.

    python benches/scale.py [--python PYTHON] [--write docs/benchmarks.md] [--only pairbond,floor] [--quick]

Uses the environment of `run.py`, and builds what it needs there. Each cell is the median of rounds, each in a process
of its own, in nanoseconds of processor time per object, with Python's collector on. The last column is measured while a
million other Python objects are alive, which a full collection of CPython's looks at, too.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time_ns
from typing import Any

BENCHES = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCHES))
from harness.memory import resident  # noqa: E402

CONTENDERS = ("floor", "pairbond", "pairbond_cpp", "nanobind_shared", "nanobind_intrusive", "pyo3")
COUNTS = (10_000, 100_000, 1_000_000, 10_000_000)
OTHERS = 1_000_000
ROWS = {
    "make": "`make_list(n)`",
    "bytes": "bytes per object, after a collection",
    "collect": "`gc.collect()`, all alive",
    "end": "the end of the list",
    "first": "`s[i]` of a native sequence, wrapper made",
    "again": "the same, wrapper made before",
    "construct": "`[Node(i, 2.0) for i in range(n)]`",
}


class Other:
    """One of the other Python objects, with an attribute."""

    def __init__(self, value: int) -> None:
        self.value = value


def spent(work: Callable[[], Any]) -> tuple[int, Any]:
    began = process_time_ns()
    found = work()
    return process_time_ns() - began, found


def measure(name: str, count: int, others: int) -> dict[str, float]:
    """One round, in this process."""
    from harness.worker import load

    module = load(name)
    alive = [Other(i) for i in range(others)]
    node, make_list, make_sequence = module.Node, module.make_list, module.make_sequence
    gc.collect()
    found: dict[str, float] = {}
    before = resident()
    found["make"], nodes = spent(lambda: make_list(count))
    gc.collect()
    found["bytes"] = resident() - before
    found["collect"] = statistics.median(spent(gc.collect)[0] for _ in range(3))
    found["end"], _ = spent(nodes.clear)
    sequence = make_sequence(count)
    look: Callable[[], Any] = lambda sequence=sequence: [None for i in range(count) if sequence[i] is None]  # noqa: E731
    found["first"], _ = spent(look)
    found["again"], _ = spent(look)
    del sequence, look
    found["construct"], nodes = spent(lambda: [node(i, 2.0) for i in range(count)])
    del nodes, alive
    return {key: value / count for key, value in found.items()}


def column(count: int, others: int) -> str:
    return f"{count:,}" + f", beside {others:,} others" * bool(others)


def table(rounds: dict[tuple[str, int, int], list[dict[str, float]]], versions: dict[str, str]) -> str:
    columns = list(dict.fromkeys((count, others) for _, count, others in rounds))
    out = ["| | | " + " | ".join(column(*it) for it in columns) + " |", "|---|---|" + "---:|" * len(columns)]
    for key, title in ROWS.items():
        for name in versions:
            all_ = [rounds.get((name, *it), []) for it in columns]
            cells = [f"{statistics.median(it[key] for it in found):.0f}" if found else "–" for found in all_]
            out.append(f"| {title} | {name} | " + " | ".join(cells) + " |")
            title = ""
    return "\n".join([*out, "", *(f"- {name}: {version}" for name, version in versions.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="interpreter to measure on (default: this one, if 3.11 or newer)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the table in this Markdown file too")
    parser.add_argument("--only", default="", help="contenders, separated by commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)), help="of objects, separated by commas")
    parser.add_argument("--others", type=int, default=OTHERS, help="how many other objects the last column has")
    parser.add_argument("--quick", action="store_true", help="one round of few objects, to see that everything runs")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(measure(args.worker[0], int(args.worker[1]), int(args.worker[2]))))
        return
    from harness import build, report
    from run import Runner, find_python, prepare, set_up

    if args.quick:
        args.rounds, args.counts, args.others = 1, "10000,100000", 100_000
    counts = [int(count) for count in args.counts.split(",")]
    python, about = find_python(args.python)
    interpreter = f"CPython {about['release']}" + " free-threaded" * about["free_threaded"]
    runner = Runner(set_up(python, about))
    names = [name for name in CONTENDERS if name == "floor" or not args.only or name in args.only.split(",")]
    result = report.Report(names, interpreter, "")
    present = prepare(runner, result)
    # The column with others is that of the most objects that are not many times the others.
    columns = [(count, 0) for count in counts]
    columns.append((max(count for count in counts if count <= args.others), args.others))
    rounds: dict[tuple[str, int, int], list[dict[str, float]]] = {}
    for number in range(args.rounds):
        for count, others in columns:
            print(f"round {number + 1} of {args.rounds}, {column(count, others)}", flush=True)
            for name in present:
                command = [runner.env.python, "-P", __file__, "--worker", name, count, others]
                done = build.run(command, f"{name}, {count} objects", env=runner.environ)
                rounds.setdefault((name, count, others), []).append(json.loads(done))
    text = table(rounds, {name: result.checks[name]["version"] for name in present})
    head = (
        f"## One object of many, {interpreter}\n\nNanoseconds of processor time per object, collector on, by how many "
        f"there are; medians of {args.rounds} rounds, each in a process of its own. A full collection that CPython "
        "starts by itself meanwhile is part of a row.\n\n"
    )
    print(f"\n{head}{text}")
    if args.write:
        report.write_section(args.write, f"scale-{interpreter.replace(' ', '-')}", head + text)


if __name__ == "__main__":
    main()
