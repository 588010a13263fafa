"""What `benches/ir.py` measures of an IR: texts, rows, and how they are timed and weighed, in one process.

ir_cases.py time CONTENDERS --operations N --rounds N --cases PATTERN     nanoseconds per operation, as JSON
ir_cases.py weigh CONTENDER --operations N                                bytes per operation and per handle
ir_cases.py scale pairbond_ir                                             nanoseconds per operation, by size and depth
ir_cases.py count CONTENDER --operations N --cases KEY                    one row, counted where callgrind runs this
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import memory

# How a row is called in the table.
TITLES = {
    "create": "create an operation of one operand",
    "create, unknown dialect": "the same, of an unknown dialect",
    "create, own attribute": "the same, each with an attribute of its own",
    "create by class": "create it by its op class",
    "parse": "parse the generic form",
    "parse, unknown dialect": "the same, of an unknown dialect",
    "parse, own attributes": "the same, each with an attribute of its own",
    "print": "print the generic form",
    "names": "`for op in block: op.name`",
    "names, unknown dialect": "the same, of an unknown dialect",
    "first walk": "`for op in block: op.name`, of operations that Python has not seen",
    "operands": "names, operands and results",
    "owner": "`operand.owner is op`",
    "uses": "the uses of each result",
    "walk": "walk with a Python callback",
    "index": "`block.operations[i]`",
    "clone": "clone the module",
    "verify": "verify the module",
    "replace": "`value.replace_all_uses_with(other)`, one use each",
    "erase": "erase all, the last first",
    "drop": "drop a module that was read",
    "drop, touched": "the same, of which Python has seen each operation, and `gc.collect()`",
    "cse": "cse, every second operation computed twice",
    "canonicalise": "canonicalise",
    "canonicalise, small": "canonicalise many functions of ten operations",
    "canonicalise, nested": "canonicalise `scf.if` in `scf.if`, a thousand deep",
}
# So many places are asked for by index, in an order of their own.
PLACES = 5000


@dataclass
class Case:
    """What is made anew for each round, without being timed, and what is timed with it; None if it cannot be done."""

    prepare: Callable[[], object] | None
    run: Callable[[object], object] | None
    operations: int


def function(name: str, lines: list[str], result: str, kind: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return (
        f'"func.func"() <{{function_type = ({kind}) -> {kind}, sym_name = "{name}"}}> ({{\n'
        f"  ^bb0(%arg: {kind}):\n{body}\n"
        f'    "func.return"({result}) : ({kind}) -> ()\n}}) : () -> ()\n'
    )


def chain(n: int, name: str) -> str:
    """Each operation takes what the one before computed. An empty place to create them if there are none."""
    if n == 0:
        kind = '"builtin.module"() ({\n  "my.function"() ({\n  ^bb0(%arg: f32):\n  }) : () -> ()\n}) : () -> ()\n'
        return kind
    properties = " <{fastmath = #arith.fastmath<none>}>" if name.startswith("arith.") else ""
    lines, before = [], "%arg"
    for number in range(n):
        lines.append(f'%{number} = "{name}"({before}){properties} : (f32) -> f32')
        before = f"%{number}"
    return function("chain", lines, before, "f32")


def numbered(n: int) -> str:
    """Operations that have an attribute each, which no other has."""
    lines = [f'%{number} = "my.unary"(%arg) {{number = {number} : i64}} : (f32) -> f32' for number in range(n)]
    return function("numbered", lines, "%arg", "f32")


def repeated(n: int) -> str:
    """Every second operation computes what the one before computes."""
    lines, before = [], "%arg"
    for number in range(n // 2):
        for name in "ab":
            lines.append(f'%{name}{number} = "arith.addi"({before}, %arg) : (i32, i32) -> i32')
        before = f"%b{number}"
    return function("repeated", lines, before, "i32")


def functions(n: int) -> str:
    """A module of functions of ten operations, every second of which adds nothing."""
    texts = (foldable(8).replace('"foldable"', f'"f{number}"') for number in range(n // 10))
    return f'"builtin.module"() ({{\n{"".join(texts)}}}) : () -> ()\n'


def nested(n: int, depth: int = 1000) -> str:
    """`scf.if` in `scf.if`, and operations that add nothing in the innermost."""
    lines = ['%zero = "arith.constant"() <{value = 0 : i32}> : () -> i32']
    lines += ['"scf.if"(%arg) ({'] * depth
    for number in range(n - 2 * depth):
        before = f"%s{number - 1}" if number else "%zero"
        lines.append(f'%s{number} = "arith.addi"({before}, %zero) : (i32, i32) -> i32')
    lines.append(f'"my.use"(%s{n - 2 * depth - 1}) : (i32) -> ()')
    lines += ['"scf.yield"() : () -> ()', "}, {}) : (i1) -> ()"] * depth
    return function("nested", lines, "%arg", "i1")


def blocks(n: int) -> str:
    """A chain of blocks, of which each dominates those behind it, with two operations that compute the same."""
    lines = ['"my.br"() [^b1] : () -> ()']
    for number in range(1, n + 1):
        before = f"%a{number - 1}" if number > 1 else "%arg"
        lines.append(f"^b{number}:")
        for name in "ab":
            lines.append(f'%{name}{number} = "arith.addi"({before}, %arg) : (i32, i32) -> i32')
        following = f"^b{number + 1}" if number < n else "^end"
        lines.append(f'"my.br"(%b{number}) [{following}, ^end] : (i32) -> ()')
    lines.append("^end:")
    return function("blocks", lines, "%arg", "i32")


def foldable(n: int) -> str:
    """Every second operation adds nothing."""
    lines, before = ['%zero = "arith.constant"() <{value = 0 : i32}> : () -> i32'], "%arg"
    for number in range(n // 2):
        lines.append(f'%s{number} = "arith.addi"({before}, %zero) : (i32, i32) -> i32')
        lines.append(f'%p{number} = "arith.muli"(%s{number}, %s{number}) : (i32, i32) -> i32')
        before = f"%p{number}"
    return function("foldable", lines, before, "i32")


def contender(name: str):
    from contenders import ir_mlir, ir_xdsl

    return ir_xdsl.Contender() if name == "xDSL" else ir_mlir.Contender(name)


def once(key: str, case: Case, places: list[int]) -> float:
    """Nanoseconds of processor time per operation: what else the machine does counts for less so."""
    argument = case.prepare() if case.prepare else places
    gc.collect()
    begin = time.process_time_ns()
    result = case.run(argument)
    spent = time.process_time_ns() - begin
    del result, argument
    return spent / (PLACES if key == "index" else case.operations)


def measure(names: list[str], operations: int, rounds: int, pattern: str) -> dict:
    contenders = {name: contender(name) for name in names}
    cases = {name: it.cases(operations, pattern) for name, it in contenders.items()}
    order = list(names)
    times: dict[str, dict[str, list[float]]] = {}
    # The collector is on, as users have it.
    for key in TITLES:
        if pattern not in key:
            continue
        places = random.Random(key).sample(range(operations), PLACES)
        for number in range(rounds + 1):
            for name in order:
                case = cases[name].get(key)
                if case is None or case.run is None:
                    continue
                spent = once(key, case, places)
                if number:  # the first is there to warm up
                    times.setdefault(key, {}).setdefault(name, []).append(spent)
            order.append(order.pop(0))
            gc.collect()
    return {"times": times, "versions": {name: it.version for name, it in contenders.items()}}


# What one function is made of, and how often. The last has the most operations for each.
SHAPES = {
    "operations in one block": (repeated, 1, (1_000, 10_000, 100_000, 1_000_000)),
    "depth of `scf.if` in `scf.if`": (
        lambda depth: nested(2 * depth + 10, depth),
        2,
        (1_000, 10_000, 100_000, 1_000_000),
    ),
    "blocks, each dominated by those before": (blocks, 3, (1_000, 10_000, 100_000, 1_000_000)),
}
STEPS = ("verify", "cse", "canonicalize")


def scale(name: str) -> list[tuple[str, int, dict[str, float]]]:
    """Of each shape and size, nanoseconds per operation: the least of three rounds."""
    own, rows = contender(name), []
    for shape, (text_of, each, sizes) in SHAPES.items():
        for size in sizes:
            text, spent = text_of(size), {}
            for step in STEPS:
                run = (lambda module: module.operation.verify()) if step == "verify" else own.runs(step)
                case = Case(lambda text=text: own.parse(text), run, size * each)
                spent[step] = min(once(step, case, []) for _ in range(3))
            rows.append((shape, size, spent))
    return rows


def count(name: str, operations: int, key: str) -> None:
    """Runs a row twice, the second time with callgrind's counting on."""
    # Those of other rows live as long, as where times are taken.
    cases = contender(name).cases(operations, key)
    for counted in (False, True):
        argument = cases[key].prepare() if cases[key].prepare else list(range(operations))
        gc.collect()
        control = ["callgrind_control", "-i", "on", str(os.getpid())]
        if counted:
            subprocess.run(control, capture_output=True, check=True)
        result = cases[key].run(argument)
        if counted:
            subprocess.run([*control[:2], "off", control[3]], capture_output=True, check=True)
        del result, argument


def resident(own) -> int:
    """Bytes in use, without what allocators and collectors keep for later."""
    gc.collect()
    own.trim()
    ctypes.CDLL(None).malloc_trim(0)
    return memory.resident()


def weigh(name: str, operations: int) -> dict[str, float]:
    own = contender(name)
    text = chain(operations, "arith.negf")
    small = own.block(own.parse(chain(1000, "arith.negf")))
    kept = list(small.ops if name == "xDSL" else small)
    del small, kept
    before = resident(own)
    module = own.parse(text)
    alone = resident(own)
    block = own.block(module)
    handles = list(block.ops if name == "xDSL" else block)
    both = resident(own)
    # The list itself is Python's.
    held = both - alone - sys.getsizeof(handles)
    return {"alone": (alone - before) / operations, "handle": held / operations}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "weigh", "scale", "count"])
    parser.add_argument("contenders")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", default="")
    args = parser.parse_args()
    if args.what == "time":
        print(json.dumps(measure(args.contenders.split(","), args.operations, args.rounds, args.cases)))
    elif args.what == "count":
        count(args.contenders, args.operations, args.cases)
    elif args.what == "scale":
        print(json.dumps(scale(args.contenders)))
    else:
        print(json.dumps(weigh(args.contenders, args.operations)))


if __name__ == "__main__":
    main()
