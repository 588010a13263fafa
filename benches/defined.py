#!/usr/bin/env python3
"""Measures types that are defined in Python (`@pairbond.object`) beside `dataclasses` with and without slots, and
tvm-ffi's `py_class` where that is installed.

    PYTHONPATH=SITE python benches/defined.py [--rounds N]

`benches/run.py` does so, and adds the table to its own. Each row is one statement; all contenders are interleaved, and
the numbers are medians of rounds in nanoseconds, less the empty loop. Ratios are to dataclasses with slots.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import importlib.util
import statistics
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from harness import counting, timing


def define(decorate, field, base: type) -> types.SimpleNamespace:
    """The same classes, by whoever defines them."""

    def make(name: str, annotations: dict, **values):
        return decorate(name)(type(name, (base,), {"__annotations__": annotations, **values}))

    pair = make("Pair", {"x": float, "y": float}, y=0.0)
    mixed = make("Mixed", {"pair": pair, "radius": float, "count": int}, radius=1.0, count=0)
    names = make("Names", {"name": str, "tags": list[str]}, tags=field(default_factory=list))
    return types.SimpleNamespace(pair=pair, mixed=mixed, names=names)


def contenders() -> dict[str, types.SimpleNamespace]:
    import pairbond

    slots = functools.partial(dataclasses.dataclass, slots=True)
    made = {
        "dataclass, slots": define(lambda _: slots, dataclasses.field, object),
        "dataclass": define(lambda _: dataclasses.dataclass, dataclasses.field, object),
        "pairbond": define(lambda name: pairbond.object(f"bench_defined.{name}"), pairbond.field, object),
    }
    if importlib.util.find_spec("tvm_ffi"):
        import tvm_ffi
        from tvm_ffi.dataclasses import field, py_class

        made["tvm-ffi"] = define(lambda name: py_class(f"bench_defined.{name}"), field, tvm_ffi.Object)
    return made


MIXED = "m = C.mixed(C.pair(1.0), 2.0, 3)"
# title, setup, statement
CASES = [
    ("two floats", "f = C.pair", "f(1.0, 2.0)"),
    ("an object, a float, an int", "f = C.mixed; p = C.pair(1.0)", "f(p, 2.0, 3)"),
    ("the same by keywords", "f = C.mixed; p = C.pair(1.0)", "f(pair=p, radius=2.0)"),
    ("a str, and an empty list by default", "f = C.names", "f('name')"),
    ("`m.radius`, a float", MIXED, "m.radius"),
    ("`m.count`, an int", MIXED, "m.count"),
    ("`m.pair`, an object", MIXED, "m.pair"),
    ("`m.radius = 3.0`", MIXED, "m.radius = 3.0"),
    ("`a == b`, two floats", "a, b = C.pair(1.0), C.pair(1.0)", "a == b"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--cases", default="", help="only rows whose title contains this")
    parser.add_argument("--dumps", type=Path, help="count instructions, of what callgrind writes to DUMPS/out")
    args = parser.parse_args()
    every = contenders()
    first = next(iter(every))
    cases = [case for case in CASES if args.cases in case[0]]
    print("| | " + " | ".join(every) + " |\n|---|" + "---:|" * len(every))
    if args.dumps:
        counting.begin()
    for title, setup, statement in cases:
        loops = {name: timing.compile_loop(own, setup, statement) for name, own in every.items()}
        if args.dumps:
            counts = [counting.of_statement(loop, args.dumps) for loop in loops.values()]
            print(f"| {title} | " + " | ".join(f"{count:,.0f}" for count in counts) + " |")
            continue
        loops["loop"] = timing.compile_loop(every[first], "a = None", "a")
        times = {name: statistics.median(all_) for name, all_ in timing.measure(loops, args.rounds).items()}
        empty = times.pop("loop")
        cells = []
        for name, time in times.items():
            ratio = (time - empty) / (times[first] - empty)
            cells.append(f"{time - empty:.0f} ns" if name == first else f"**{ratio:.2f}** ({time - empty:.0f})")
        print(f"| {title} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
