"""Copying, pickling and writing a graph of 100,000 objects: native ones, beside dataclasses and tvm-ffi.

    serial.py [--nodes N] [--rounds N]

Each node of the graph refers to the one before and to another one, and has a name, so that there is sharing everywhere.
A list holds the nodes, so that what is written in Python is never deep.
"""

from __future__ import annotations

import argparse
import copy
import gc
import importlib.util
import json
import pickle
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Plain:
    number: int
    name: str
    before: Plain | None = None
    other: Plain | None = None


@dataclass(slots=True)
class Slots:
    number: int
    name: str
    before: Slots | None = None
    other: Slots | None = None


def linked(make: Callable[[int, str], object], count: int) -> list:
    nodes = [make(n, f"node {n % 100}") for n in range(count)]
    for n, node in enumerate(nodes[1:], 1):
        # Backwards by a little only: what is written from a list is never deep.
        node.before = nodes[n - 1]
        node.other = nodes[n // 2]
    return nodes


def contenders(count: int) -> dict[str, dict[str, Callable[[], object]]]:
    import pairbond

    @pairbond.object("benches.Node")
    class Node:
        number: int
        name: str
        before: Node | None = None
        other: Node | None = None

    globals()["Node"] = Node
    Node.__qualname__ = "Node"
    native = linked(Node, count)
    roots = pairbond.List(native)
    text, other = pairbond.to_json(roots), copy.deepcopy(roots)
    found: dict[str, dict[str, Callable[[], object]]] = {
        "pairbond": {
            "pickle.dumps": lambda: pickle.dumps(roots, 5),
            "pickle.loads": loader(pickle.dumps(roots, 5)),
            "copy.deepcopy": lambda: copy.deepcopy(roots),
            "to JSON": lambda: pairbond.to_json(roots),
            "from JSON": lambda: pairbond.from_json(text),
            "structural_equal": lambda: pairbond.structural_equal(roots, other),
            "structural_hash": lambda: pairbond.structural_hash(roots),
        }
    }
    for name, cls in (("dataclass", Plain), ("dataclass, slots", Slots)):
        nodes = linked(cls, count)
        table = [(node.number, node.name, node.number - 1, node.number // 2) for node in nodes]
        found[name] = {
            "pickle.dumps": lambda nodes=nodes: pickle.dumps(nodes, 5),
            "pickle.loads": loader(pickle.dumps(nodes, 5)),
            "copy.deepcopy": lambda nodes=nodes: copy.deepcopy(nodes),
            # By a table that somebody wrote for it: there is no other way to keep what is shared.
            "to JSON": lambda table=table: json.dumps(table),
            "from JSON": json_loader(json.dumps(table)),
        }
    if importlib.util.find_spec("tvm_ffi"):
        found["tvm-ffi"] = tvm_ffi(count)
    return found


def loader(data: bytes) -> Callable[[], object]:
    return lambda: pickle.loads(data)


def json_loader(text: str) -> Callable[[], object]:
    return lambda: json.loads(text)


def tvm_ffi(count: int) -> dict[str, Callable[[], object]]:
    """Its arrays, nested as the others are: an array of nodes that refer to one another.

    Without `structural_hash`, which looks at what is shared once for each way to it: that has no end here.
    """
    import tvm_ffi
    from tvm_ffi import serialization

    nodes: list = []
    for n in range(count):
        before, other = (nodes[n - 1], nodes[n // 2]) if n and n % 50 else (None, None)
        nodes.append(tvm_ffi.Array([n, f"node {n % 100}", before, other]))
    roots = tvm_ffi.Array(nodes)
    text = serialization.to_json_graph_str(roots)
    return {
        "pickle.dumps": lambda: pickle.dumps(roots, 5),
        "pickle.loads": loader(pickle.dumps(roots, 5)),
        "to JSON": lambda: serialization.to_json_graph_str(roots),
        "from JSON": lambda: serialization.from_json_graph_str(text),
    }


def measure(count: int, rounds: int) -> dict[str, dict[str, float | str]]:
    """Milliseconds, by what is done and by whom; what somebody cannot do says why."""
    rows: dict[str, dict[str, float | str]] = {}
    for name, cases in contenders(count).items():
        for title, run in cases.items():
            times = []
            try:
                for _ in range(rounds):
                    gc.collect()
                    begin = time.perf_counter()
                    result = run()
                    times.append(time.perf_counter() - begin)
                    del result
            except Exception as error:
                rows.setdefault(title, {})[name] = type(error).__name__
                continue
            rows.setdefault(title, {})[name] = statistics.median(times) * 1000
    return rows


def table(rows: dict[str, dict[str, float | str]]) -> list[str]:
    names = list(dict.fromkeys(name for times in rows.values() for name in times))
    lines = ["| ms | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for title, times in rows.items():
        cells = [f"{time:.0f}" if isinstance(time := times.get(name, "–"), float) else str(time) for name in names]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    print("\n".join(table(measure(args.nodes, args.rounds))))


if __name__ == "__main__":
    main()
