#!/usr/bin/env python3
"""Measures fetching and calling on one thread and on several at once. Tells something on free-threaded builds only.

    PYTHONPATH=MODULES python3.14t benches/threads.py [--threads N] [--rounds N]

MODULES holds the extension modules `floor`, `pairbond` and `pairbond_peer`: what `benches/run.py` leaves in its
environment. *own*: each thread has objects that it made itself; *shared*: all threads have the same one. A number is
the operations of all threads in a second, in millions, and how many times those of one thread that is; the best of the
rounds, which alternate. `loop` is Python alone: what the machine has to give. `python` is a class made in Python. There
must be as many idle processors as threads, or the first numbers say nothing; *cpu* is the same by the time that
processors spent on it, which a busy machine disturbs less, and which does not see threads that wait for each other.
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

OPERATIONS = 1_000_000
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


def together(run, make, count: int, one: object | None) -> tuple[float, float]:
    """Operations of so many threads, all with `one` object or each with its own: in millions per second, and per
    second of a processor."""
    barrier = threading.Barrier(count)
    starts: list[float] = []
    ends: list[float] = []
    cpu: list[float] = []

    def thread() -> None:
        it = one or make()
        child = it.child
        barrier.wait()
        busy = time.thread_time()
        starts.append(time.perf_counter())
        run(it)
        ends.append(time.perf_counter())
        cpu.append(time.thread_time() - busy)
        del child

    threads = [threading.Thread(target=thread) for _ in range(count)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    total = OPERATIONS * count / 1e6
    return total / (max(ends) - min(starts)), total * count / sum(cpu)


def measure(name: str, count: int, rounds: int) -> None:
    module = Plain if name == "python" else importlib.import_module(f"contenders.{name}_peer")
    for title, statement in STATEMENTS.items():
        run = work(module, statement)
        shared = module.make_parent()
        arms = {"one": (1, None), "own": (count, None), "shared": (count, shared)}
        best = dict.fromkeys(arms, (0.0, 0.0))
        for _ in range(rounds):
            for arm, (threads, it) in arms.items():
                now = together(run, module.make_parent, threads, it)
                best[arm] = max(best[arm][0], now[0]), max(best[arm][1], now[1])
        wall, cpu = best.pop("one")
        cells = "".join(
            f"{arm} {best[arm][0]:7.1f} ({best[arm][0] / wall:.2f}, cpu {best[arm][1] / cpu:.2f})   " for arm in best
        )
        print(f"{name:9} {title:10} one {wall:7.1f}   {cells}", flush=True)


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
