#!/usr/bin/env python3
"""Measures fetching and calling on one thread and on several at once. Tells something on free-threaded builds only.

    PYTHONPATH=MODULES python3.14t benches/threads.py [--threads N] [--rounds N]

MODULES holds the extension modules `floor`, `pairbond` and `pairbond_peer`: what `benches/run.py` leaves in its
environment. *own*: each thread has objects that it made itself; *shared*: all threads have the same one. A number is
the operations of all threads in a second, in millions, and how many times those of one thread that is; the best of the
rounds, which alternate. `loop` is Python alone: what the machine has to give. `python` is a class made in Python. There
must be as many idle processors as threads, or the numbers say nothing.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

OPERATIONS = 200_000
UNROLL = 10
STATEMENTS = {"loop": "a", "fetch": "a.child", "call": "a.call0()", "construct": "Node(1, 2.0)"}


class Plain:
    """Has the interface of a contender, as far as it is used here."""

    class Node:
        def __init__(self, value: int, weight: float) -> None:
            self.value, self.weight, self.child = value, weight, None

        def call0(self) -> None:
            pass

    @classmethod
    def make_parent(cls) -> Node:
        parent = cls.Node(1, 1.0)
        parent.child = cls.Node(7, 1.0)
        return parent


def work(module: object, statement: str):
    """A function that runs the statement on an object `OPERATIONS` times."""
    body = f"    for _ in range({OPERATIONS // UNROLL}):\n" + f"        {statement}\n" * UNROLL
    namespace: dict = {}
    exec(f"def run(a, Node):\n{body}", namespace)
    return lambda a: namespace["run"](a, module.Node)


def together(run, make, count: int, one: object | None) -> float:
    """Operations in a second, in millions, of so many threads, all with `one` object or each with its own."""
    barrier = threading.Barrier(count + 1)
    ends: list[float] = []

    def thread() -> None:
        it = one or make()
        child = it.child
        barrier.wait()
        run(it)
        ends.append(time.perf_counter())
        del child

    threads = [threading.Thread(target=thread) for _ in range(count)]
    for it in threads:
        it.start()
    barrier.wait()
    start = time.perf_counter()
    for it in threads:
        it.join()
    return OPERATIONS * count / (max(ends) - start) / 1e6


def measure(name: str, count: int, rounds: int) -> None:
    module = Plain if name == "python" else importlib.import_module(f"contenders.{name}_peer")
    for title, statement in STATEMENTS.items():
        run = work(module, statement)
        shared = module.make_parent()
        arms = {"one": (1, None), "own": (count, None), "shared": (count, shared)}
        best = dict.fromkeys(arms, 0.0)
        for _ in range(rounds):
            for arm, (threads, it) in arms.items():
                best[arm] = max(best[arm], together(run, module.make_parent, threads, it))
        one = best.pop("one")
        cells = "".join(f"{arm} {value:7.1f} ({value / one:.2f})   " for arm, value in best.items())
        print(f"{name:9} {title:10} one {one:7.1f}   {cells}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only")
    options = parser.parse_args()
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {platform.python_version()}{'' if gil else 't'}, {options.threads} threads, million operations/s\n")
    for name in [options.only] if options.only else ["python", "floor", "pairbond"]:
        measure(name, options.threads, options.rounds)


if __name__ == "__main__":
    main()
