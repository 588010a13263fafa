#!/usr/bin/env python3
"""Measures what it costs native code that Python classes may override a method: a Rust loop calls one, beside the same
method without `#[overridable]`.

    PYTHONPATH=SITE python benches/overrides.py [--rounds N]

`benches/run.py` does so, and adds the table to its own: nanoseconds per call, medians of rounds in which the two take
turns.
"""

from __future__ import annotations

import argparse
import statistics

import pairbond_peer

CALLS = 100_000


class Silent(pairbond_peer.Node):
    """Has a Python class, and overrides something else."""

    def other(self): ...


class Loud(pairbond_peer.Node):
    def weigh(self, factor):
        return factor


OBJECTS = [
    ("an object made in Rust", pairbond_peer.make_node()),
    ("an object made in Python", pairbond_peer.Node(1, 2.0)),
    ("of a Python class that does not override it", Silent(1, 2.0)),
    ("of a Python class that does", Loud(1, 2.0)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds
    print("| | plain | overridable | more |\n|---|---:|---:|---:|")
    for title, node in OBJECTS:
        measured = [pairbond_peer.time_override(node, CALLS) for _ in range(rounds)]
        plain = statistics.median(plain for _, plain in measured)
        more = statistics.median(looked - plain for looked, plain in measured)
        print(f"| {title} | {plain:.2f} ns | {plain + more:.2f} ns | **{more:.2f} ns** |")


if __name__ == "__main__":
    main()
