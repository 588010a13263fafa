"""What runs inside the bench environment, in a fresh process each time, and prints JSON.

worker.py check NAME             does this contender import and keep the interface's promises
worker.py time NAMES ROUNDS ...  the statements, all contenders interleaved
worker.py count NAME --dumps DIR instructions of each statement, where callgrind runs this and writes to DIR/out
worker.py bulk NAMES ROUNDS ...  a million objects into a list, collector on and off
worker.py memory_native NAME     growth of the resident set per object that has no wrapper
worker.py memory_pair NAME       the same per object constructed from Python
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import sys
import time
import types
import weakref
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import cases, counting, memory, timing


def load(name: str) -> types.ModuleType:
    module = importlib.import_module(f"contenders.{name}_peer")
    if not hasattr(module, "node_with_fixed"):
        module.node_with_fixed = lambda node: module.Node(1, 2.0, fixed=node)
    for optional in ("NOTES", "ABSENT"):
        if not hasattr(module, optional):
            setattr(module, optional, {})
    for key, needed in cases.NEEDS.items():
        if not hasattr(module, needed):
            module.ABSENT.setdefault(key, "no such operation")
    return module


# ---- promises ----


def refuses(exception: type[BaseException], call, *args) -> bool:
    try:
        call(*args)
    except exception:
        return True
    return False


def raiser() -> None:
    raise ValueError("failed")


def check_interface(c: types.ModuleType) -> None:
    """A contender that computes something else would have an enviable ratio."""
    a, b = c.Node(1, 2.0), c.make_node()
    for target in (c, a):
        assert target.call0() is None
        assert target.call3(1, 2, 3) == 6
        assert refuses(TypeError, target.call3, "1", 2, 3), "call3 must check its arguments"
    assert a.child is None
    a.set_child(b)
    assert isinstance(a.child, c.Node)
    assert isinstance(c.make_parent().child, c.Node)
    assert isinstance(c.node_with_fixed(b).fixed, c.Node)
    nodes, sequence = c.make_list(3), c.make_sequence(3)
    assert type(nodes) is list
    assert len(nodes) == len(sequence) == 3
    assert isinstance(nodes[2], c.Node)
    assert isinstance(sequence[2], c.Node)
    assert c.apply(lambda: "back") == "back"
    assert refuses(ValueError, c.fail)
    assert refuses(ValueError, c.apply, raiser)


def promises(c: types.ModuleType) -> dict[str, bool]:
    a = c.make_parent()
    kept = a.child
    result = {"same_self": a.child is kept}
    result["keeps_attributes"] = result["keeps_weakref"] = False
    try:
        kept.note = "mine"
        reference = weakref.ref(kept)
        del kept
        gc.collect()
        result["keeps_attributes"] = getattr(a.child, "note", None) == "mine"
        result["keeps_weakref"] = reference() is not None
    except (AttributeError, TypeError):
        pass  # no attributes or no weak references at all
    return result


def check(name: str) -> dict:
    had_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    c = load(name)
    if not had_gil and sys._is_gil_enabled():
        raise ImportError(f"importing {name} turns the GIL back on, which would falsify all the others")
    check_interface(c)
    return {"version": c.VERSION, "notes": c.NOTES, "absent": c.ABSENT, "promises": promises(c)}


# ---- time ----


def time_cases(names: list[str], rounds: int, pattern: str) -> dict:
    modules = {name: load(name) for name in names}
    results = {}
    # The collector is on, as users have it; what was there before is not its business.
    gc.collect()
    gc.freeze()
    for case in cases.CASES:
        if pattern in case.key:
            loops = {
                name: timing.compile_loop(module, case.setup, case.statement)
                for name, module in modules.items()
                if case.key not in module.ABSENT
            }
            results[case.key] = timing.measure(loops, rounds)
    return results


def count_cases(name: str, dumps: Path, pattern: str) -> dict[str, float]:
    module = load(name)
    counting.begin()
    counts = {}
    for case in cases.CASES:
        if pattern in case.key and case.key not in module.ABSENT:
            loop = timing.compile_loop(module, case.setup, case.statement)
            counts[case.key] = counting.of_statement(loop, dumps)
    return counts


def bulk(names: list[str], rounds: int, count: int) -> dict:
    modules = {name: load(name) for name in names}
    results = {case.key: {name: [] for name in names} for case in cases.BULK + cases.LEAVES}
    order = [(name, key) for name in names for key in results]
    for i in range(rounds + 1):
        for name, key in order:
            gc.collect()
            module = modules[name]
            # A type without references, where the contender has one; its ordinary one otherwise.
            make = getattr(module, "make_leaves", module.make_list) if key.startswith("leaf") else module.make_list
            (gc.enable if key.endswith("on") else gc.disable)()
            start = time.perf_counter_ns()
            objects = make(count)
            spent = time.perf_counter_ns() - start
            gc.disable()
            del objects
            if i:  # the first round pays for the memory that the others reuse
                results[key][name].append(spent / count)
        order.append(order.pop(0))
    return results


# ---- memory ----


def resident() -> int:
    gc.collect()
    return memory.resident()


def memory_native(name: str, count: int) -> dict:
    c = load(name)
    c.make_sequence(10)
    gc.disable()
    before = resident()
    sequence = c.make_sequence(count)
    grown = (resident() - before) / count - 8  # the container's own pointer
    del sequence
    return {"memory_native": grown, "memory_wrapper": sys.getsizeof(c.make_node())}


def memory_pair(name: str, count: int) -> dict:
    c = load(name)
    c.Node(7, 1.0)
    gc.disable()
    holder = [None] * count  # resident before it is filled, so that only the pairs are counted
    before = resident()
    for i in range(count):
        holder[i] = c.Node(7, 1.0)
    return {"memory_pair": (resident() - before) / count}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["check", "time", "count", "bulk", "memory_native", "memory_pair"])
    parser.add_argument("names")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--pattern", default="")
    parser.add_argument("--dumps", type=Path)
    args = parser.parse_args()
    names = args.names.split(",")
    if args.what == "time":
        result = time_cases(names, args.rounds, args.pattern)
    elif args.what == "count":
        result = count_cases(names[0], args.dumps, args.pattern)
    elif args.what == "bulk":
        result = bulk(names, args.rounds, args.count)
    elif args.what == "check":
        result = check(names[0])
    else:
        result = {"memory_native": memory_native, "memory_pair": memory_pair}[args.what](names[0], args.count)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
