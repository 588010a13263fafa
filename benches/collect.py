#!/usr/bin/env python3
"""Measures a full collection with many wrapped objects beside one with as many plain C objects and the same edges.

    PYTHONPATH=MODULES python benches/collect.py [--objects N] [--rounds N] [--only CONTENDER] [--shape SHAPE]
                                                 [--beside] [--markdown]

MODULES holds the extension modules `floor`, `pairbond` and `pairbond_peer`: what `benches/run.py` leaves in its
environment. Every object has a wrapper that is alive. Contenders collect in turn, in one process each. A number is the
minimum over the rounds, in nanoseconds of processor time per object; a ratio is the median of the rounds' ratios. The
second number of "pairs" is the collection that frees them all.

Since 3.13 there are two floors. Both have attributes; `floor` keeps a pointer to a dictionary, `managed` keeps them as
CPython's documentation asks for and as classes made in Python and wrappers do, which makes an object half as large
again: that is the one to compare with (see README.md). A collection reads and writes all objects several times, so
their size is most of what it costs.

A process of one thread is surveyed without locks; with --beside there is another, which sleeps.

On a machine that does other things, count instructions: twice, with another number of lines, each a collection.

    yes | head -n 9 | perf stat -e instructions:u python benches/collect.py --shape ring --worker pairbond
"""

from __future__ import annotations

import argparse
import gc
import importlib
import platform
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

MANAGED = ("managed",) if sys.version_info >= (3, 13) else ()
CONTENDERS = ("floor", *MANAGED, "pairbond")
# Edges: none; each to the next; each to one somewhere; two and two to each other.
SHAPES = ("none", "ring", "shuffled", "pairs")


def build(contender: str, shape: str, count: int) -> list:
    module = importlib.import_module(f"contenders.{contender}_peer")
    nodes = [module.Node(n, 1.0) for n in range(count)]
    targets = [*range(1, count), 0]
    if shape == "shuffled":
        random.Random(7).shuffle(targets)
    if shape == "pairs":
        targets = [n ^ 1 for n in range(count)]
    if shape != "none":
        for node, target in zip(nodes, targets, strict=True):
            node.set_child(nodes[target])
    return nodes


def worker(contender: str, shape: str, count: int, beside: bool) -> None:
    """Collects whenever a line comes in; the last collection is of the objects themselves."""
    gc.disable()
    if beside:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    nodes = build(contender, shape, count)
    gc.collect()
    for line in sys.stdin:
        if line == "drop\n":
            del nodes
        start = time.process_time_ns()
        found = gc.collect()
        print(time.process_time_ns() - start, found, flush=True)


class Times(NamedTuple):
    """Of each round, and of the last collection; in nanoseconds per object."""

    alive: list[float]
    garbage: float

    def cells(self) -> list[float]:
        return [min(self.alive), self.garbage]

    def ratios(self, floor: Times) -> list[float]:
        rounds = zip(self.alive, floor.alive, strict=True)
        return [
            median(ours / theirs for ours, theirs in rounds),
            self.garbage / floor.garbage if floor.garbage else 0.0,
        ]


def measure(shape: str, options: argparse.Namespace) -> dict[str, Times]:
    command = [sys.executable, __file__, "--objects", str(options.objects), "--shape", shape]
    command += [*(["--beside"] if options.beside else []), "--worker"]
    chosen = [options.only] if options.only else CONTENDERS
    running = {
        name: subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in chosen
    }

    def ask(name: str, line: str) -> float:
        process = running[name]
        process.stdin.write(line)
        process.stdin.flush()
        return int(process.stdout.readline().split()[0]) / options.objects

    alive = rounds(running, options.rounds, ask)
    # The floor frees long chains by recursion, which ends in a crash.
    garbage = {name: ask(name, "drop\n") if shape == "pairs" else 0.0 for name in running}
    for process in running.values():
        process.kill()
        process.wait()
    return {name: Times(alive[name], garbage[name]) for name in running}


def row(pair: Iterable[float], digits: int = 1) -> str:
    return " | ".join(f"{number:.{digits}f}" for number in pair if number)


def rounds(names: dict, count: int, ask) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(count):
        for name in names:
            times[name].append(ask(name, "again\n"))
    return times


def table(options: argparse.Namespace) -> None:
    """What `run.py --write` keeps."""
    by_itself, beside = {}, {}
    for shape in [options.shape] if options.shape else SHAPES:
        for target, value in ((by_itself, False), (beside, True)):
            options.beside, options.only = value, None
            target[shape] = measure(shape, options)
    floors = CONTENDERS[:-1]
    heads = "".join(f" ratio to {name} | with another thread |" for name in floors)
    print(f"| edges | {', '.join(floors)}, ns per object | pairbond |{heads}")
    print("|---|---|---|" + "---|---|" * len(floors))
    for shape, times in by_itself.items():
        others = beside[shape]
        cells = [", ".join(f"{min(times[name].alive):.1f}" for name in floors), f"{min(times['pairbond'].alive):.1f}"]
        for name in floors:
            alone, shared = times["pairbond"].ratios(times[name]), others["pairbond"].ratios(others[name])
            cells += [f"**{alone[0]:.2f}**", f"{shared[0]:.2f}"]
        print(f"| {shape} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=CONTENDERS)
    parser.add_argument("--shape", choices=SHAPES)
    parser.add_argument("--beside", action="store_true", help="with another thread, which does nothing")
    parser.add_argument("--markdown", action="store_true", help="print a table, without and with another thread")
    parser.add_argument("--worker", choices=CONTENDERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.worker, options.shape, options.objects, options.beside)
        return
    if options.markdown:
        table(options)
        return
    print(f"Python {platform.python_version()}, {options.objects} objects, ns per object: all alive | all garbage\n")
    for shape in [options.shape] if options.shape else SHAPES:
        times = measure(shape, options)
        cells = [f"{name} {row(of.cells())}" for name, of in times.items()]
        if len(times) == len(CONTENDERS):
            for name in CONTENDERS[:-1]:
                cells.append(f"ratio to {name} " + row(times["pairbond"].ratios(times[name]), 2))
        print(f"{shape:9} " + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
