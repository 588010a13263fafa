#!/usr/bin/env python3
"""Measures pairbond's containers and arrays beside CPython's own (numpy's for arrays), and tvm-ffi's where that is
installed; and beside sequences written by hand in C (`floor/items.h`), which show what types of one's own can reach:
CPython specialises the subscripts and loops of its own types only.

    PYTHONPATH=SITE python benches/containers.py [--rounds N]

`benches/run.py` does so, and adds the table to its own. Each row is one statement; all contenders are interleaved, and
the numbers are medians of rounds in nanoseconds, less the empty loop. Ratios are to the first column; where a statement
is little more than the loop around it, in brackets also with the loop, as a user's clock has it. Iteration is per
element, and the loop is all of it.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from harness import counting, timing


def python() -> types.SimpleNamespace:
    own = types.SimpleNamespace(list=list, tuple=tuple, dict=dict, set=set)
    if importlib.util.find_spec("numpy"):
        import numpy

        own.array, own.from_dlpack, own.from_buffer = numpy.array, numpy.from_dlpack, numpy.asarray
    return own


def written_in_c() -> types.SimpleNamespace:
    import floor

    return types.SimpleNamespace(list=floor.Items, tuple=floor.FixedItems)


def pairbond() -> types.SimpleNamespace:
    from pairbond import Array, List, Map, Set, Tuple

    own = types.SimpleNamespace(list=List, tuple=Tuple, dict=Map, set=Set)
    if importlib.util.find_spec("numpy"):
        own.array, own.from_dlpack, own.from_buffer = Array, Array.from_dlpack, Array.from_buffer
    return own


def tvm_ffi() -> types.SimpleNamespace:
    import tvm_ffi

    own = types.SimpleNamespace(list=getattr(tvm_ffi, "List", tvm_ffi.Array), tuple=tvm_ffi.Array, dict=tvm_ffi.Map)
    if importlib.util.find_spec("numpy"):
        own.from_dlpack = tvm_ffi.from_dlpack
    return own


OBJECTS = "class O: pass\nthings = [O() for _ in range(100)]"
WORDS = "words = [f'word{n}' for n in range(100)]"
EACH = "for _x in s: pass"
# title, what it needs, setup, statement, elements per statement
CASES = [
    ("`lst[7]`, ints", "list", "s = C.list(range(100))", "s[7]", 1),
    ("`lst[7]`, objects", "list", f"{OBJECTS}\ns = C.list(things)", "s[7]", 1),
    ("`lst[7]`, strings", "list", f"{WORDS}\ns = C.list(words)", "s[7]", 1),
    ("`lst[7] = 1`", "list", "s = C.list(range(100))", "s[7] = 1", 1),
    ("`len(lst)`", "list", "s = C.list(range(100))", "len(s)", 1),
    ("`lst[10:20]`", "list", "s = C.list(range(100))", "s[10:20]", 1),
    ("`tpl[7]`, ints", "tuple", "s = C.tuple(range(100))", "s[7]", 1),
    ("iteration, list of ints", "list", "s = C.list(range(100))", EACH, 100),
    ("iteration, list of objects", "list", f"{OBJECTS}\ns = C.list(things)", EACH, 100),
    ("iteration, list of strings", "list", f"{WORDS}\ns = C.list(words)", EACH, 100),
    ("`99 in lst`", "list", "s = C.list(range(100))", "99 in s", 1),
    ("`map['word7']`", "dict", f"{WORDS}\ns = C.dict({{w: n for n, w in enumerate(words)}})", "s['word7']", 1),
    ("`map[7]`", "dict", "s = C.dict({n: n for n in range(100)})", "s[7]", 1),
    ("`map[7] = 1`", "dict", "s = C.dict({n: n for n in range(100)})", "s[7] = 1", 1),
    ("iteration, keys of a map", "dict", "s = C.dict({n: n for n in range(100)})", EACH, 100),
    ("iteration, items of a map", "dict", "s = C.dict({n: n for n in range(100)})", "for _x in s.items(): pass", 100),
    ("`7 in set`", "set", "s = C.set(range(100))", "7 in s", 1),
    ("construction from a list of 100 ints", "list", "a = list(range(100))", "C.list(a)", 1),
    ("construction from a dict of 100 ints", "dict", "a = {n: n for n in range(100)}", "C.dict(a)", 1),
    ("`array[7]`, floats", "array", "s = C.array([float(n) for n in range(100)])", "s[7]", 1),
    ("`memoryview(array)`", "array", "s = C.array([float(n) for n in range(100)])", "memoryview(s)", 1),
    ("of a numpy array's buffer", "from_buffer", "import numpy; a = numpy.arange(100.0); f = C.from_buffer", "f(a)", 1),
    (
        "of a numpy array, by DLPack",
        "from_dlpack",
        "import numpy; a = numpy.arange(100.0); f = C.from_dlpack",
        "f(a)",
        1,
    ),
    (
        "to numpy, by DLPack",
        "from_dlpack",
        "import numpy; a = C.from_dlpack(numpy.arange(100.0).copy()); f = numpy.from_dlpack",
        "f(a)",
        1,
    ),
]


@dataclass
class Row:
    title: str
    elements: int
    # Nanoseconds per statement, the loop included, and those of the loop.
    times: dict[str, float]
    loop: float

    def net(self, name: str) -> float:
        return (self.times[name] - self.loop) / self.elements

    def cell(self, name: str) -> str:
        if name not in self.times:
            return "–"
        net, own = self.net(name), self.net("CPython")
        if name == "CPython":
            return f"{net:.1f} ns"
        text = f"**{net / own:.2f}** ({net:.1f})"
        if own < 4 * self.loop and self.elements == 1:
            text += f" [{self.times[name] / self.times['CPython']:.2f}]"
        return text


def contenders() -> dict[str, types.SimpleNamespace]:
    every = {"CPython": python()}
    if importlib.util.find_spec("floor"):
        every["C sequence"] = written_in_c()
    every["pairbond"] = pairbond()
    if importlib.util.find_spec("tvm_ffi"):
        every["tvm-ffi"] = tvm_ffi()
    return every


def compiled(pattern: str) -> Iterator[tuple[str, int, dict[str, timing.Loop]]]:
    """Title, elements, and the loops of those that can do it."""
    every = contenders()
    for title, needs, setup, statement, elements in CASES:
        if pattern not in title:
            continue
        loops = {}
        for name, namespace in every.items():
            if not hasattr(namespace, needs):
                continue
            try:
                loop = timing.compile_loop(namespace, setup, statement)
                loop(1)
            except Exception as error:
                print(f"{name} cannot do {title}: {error}", file=sys.stderr)
                continue
            loops[name] = loop
        yield title, elements, loops


def measure(rounds: int, pattern: str) -> list[Row]:
    rows = []
    for title, elements, loops in compiled(pattern):
        loops["loop"] = timing.compile_loop(python(), "a = None", "a")
        times = {name: statistics.median(all_) for name, all_ in timing.measure(loops, rounds).items()}
        rows.append(Row(title, elements, times, times.pop("loop")))
    return rows


def count(dumps: Path, pattern: str) -> list[str]:
    """Instructions, where callgrind runs this."""
    names = list(contenders())
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    counting.begin()
    for title, elements, loops in compiled(pattern):
        counts = {name: counting.of_statement(loop, dumps) / elements for name, loop in loops.items()}
        cells = [f"{counts[name]:,.0f}" if name in counts else "–" for name in names]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def table(rows: list[Row]) -> list[str]:
    names = list(max((row.times for row in rows), key=len))
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for row in rows:
        lines.append(f"| {row.title} | " + " | ".join(map(row.cell, names)) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--cases", default="", help="only rows whose title contains this")
    parser.add_argument("--dumps", type=Path, help="count instructions, of what callgrind writes to DUMPS/out")
    args = parser.parse_args()
    if args.dumps:
        print("\n".join(count(args.dumps, args.cases)))
        return
    print("\n".join(table(measure(args.rounds, args.cases))))


if __name__ == "__main__":
    main()
