#!/usr/bin/env python3
"""Measures pairbond's containers beside CPython's own, and tvm-ffi's where that is installed.

    PYTHONPATH=SITE python benches/containers.py [--rounds N]

Each row is one statement; all contenders are interleaved, and the numbers are medians of rounds in nanoseconds, less
empty loop. Ratios are to CPython's own container. Iteration is per element.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import statistics
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from harness import timing


def python() -> types.SimpleNamespace:
    return types.SimpleNamespace(list=list, tuple=tuple, dict=dict, set=set)


def pairbond() -> types.SimpleNamespace:
    import pairbond

    return types.SimpleNamespace(list=pairbond.List, tuple=pairbond.Tuple, dict=pairbond.Map, set=pairbond.Set)


def tvm_ffi() -> types.SimpleNamespace:
    import tvm_ffi

    return types.SimpleNamespace(list=getattr(tvm_ffi, "List", tvm_ffi.Array), tuple=tvm_ffi.Array, dict=tvm_ffi.Map)


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
]


def measure(rounds: int) -> list[tuple[str, dict[str, float]]]:
    contenders = {"CPython": python(), "pairbond": pairbond()}
    if importlib.util.find_spec("tvm_ffi"):
        contenders["tvm-ffi"] = tvm_ffi()
    rows = []
    for title, needs, setup, statement, elements in CASES:
        loops = {}
        for name, namespace in contenders.items():
            if not hasattr(namespace, needs):
                continue
            try:
                loop = timing.compile_loop(namespace, setup, statement)
                loop(1)
            except Exception as error:
                print(f"{name} cannot do {title}: {error}", file=sys.stderr)
                continue
            loops[name] = loop
        loops["loop"] = timing.compile_loop(python(), "a = None", "a")
        times = {name: statistics.median(all_) for name, all_ in timing.measure(loops, rounds).items()}
        empty = times.pop("loop")
        rows.append((title, {name: (time - empty) / elements for name, time in times.items()}))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    rows = measure(parser.parse_args().rounds)
    names = list(max((times for _, times in rows), key=len))
    print(f"Python {platform.python_version()}, nanoseconds and ratio to CPython's own\n")
    print("| | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * len(names))
    for title, times in rows:
        cells = []
        for name in names:
            if name not in times:
                cells.append("–")
            elif name == "CPython":
                cells.append(f"{times[name]:.1f}")
            else:
                cells.append(f"{times[name]:.1f} ({times[name] / times['CPython']:.1f}×)")
        print(f"| {title} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
