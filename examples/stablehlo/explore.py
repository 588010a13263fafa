#!/usr/bin/env python3
"""`make demo-ir`: what pairbond_ir does with a real StableHLO module.

    explore.py [--function NAME] [--picture FILE] [--output FILE] [MODULE]

Reads the module (unless told `transformer.mlir`, a step of training a transformer block), counts, draws, inlines,
rewrites with patterns written in Python while a listener listens, runs passes written in Rust, verifies, writes
it back, and shows what handles of erased operations do. Ends with checks; fails if one does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import pairbond_ir as ir
import picture
import rewrites
from dialect import Add, Constant

HERE = Path(__file__).resolve().parent
LEGIBLE = 60
CHECKS: list[tuple[str, bool]] = []


def check(what, holds):
    CHECKS.append((what, bool(holds)))


def title(text):
    print(f"\n=== {text}")


def counted(op):
    kinds = Counter()
    op.walk(lambda it: kinds.update([it.name]))
    return kinds


def functions(module):
    return {op.attributes["sym_name"].value: op for op in module.body.operations if op.name == "func.func"}


def show_counts(kinds):
    rows = kinds.most_common(12)
    for name, count in rows:
        print(f"  {count:5}  {name}")
    print(f"  {kinds.total() - sum(count for _, count in rows):5}  others, of {len(kinds)} kinds in all")


class Heard(ir.RewriteListener):
    """Counts edits, and keeps what it needs to tell of the first ones."""

    def __init__(self):
        super().__init__()
        self.counts = Counter()
        self.first = []

    def note(self, what, op):
        self.counts[what] += 1
        if len(self.first) < 6:
            self.first.append(f"{what:9} {op.name}")

    def created(self, operation):
        self.note("created", operation)

    def modified(self, operation):
        self.note("modified", operation)

    def replaced(self, operation, values):
        self.note("replaced", operation)

    def erased(self, operation):
        self.note("erased", operation)


def read(path, context):
    text = path.read_text()
    start = time.perf_counter()
    module = ir.Module.parse(text, context)
    took = time.perf_counter() - start
    print(f"{path.name}: {len(text):,} characters, {counted(module).total():,} operations, read in {took * 1e3:.1f} ms")
    module.verify()
    print("it verifies; its functions:", ", ".join(functions(module)))
    if path.parent == HERE:
        check("what was read is written back to the character", str(module) == text)
    return module


def rewrite(module):
    heard = Heard()
    before = counted(module)
    start = time.perf_counter()
    changed = ir.apply_patterns(module, rewrites.ALL, listener=heard)
    took = time.perf_counter() - start
    after = counted(module)
    print(
        f"{before.total()} operations became {after.total()} in {took * 1e3:.1f} ms; the listener heard",
        dict(heard.counts),
    )
    for line in heard.first:
        print(f"    {line}")
    print("    …")
    check("patterns found something", changed and heard.counts["replaced"] > 0)
    made = heard.counts["created"] - heard.counts["erased"]
    check("the listener can account for every operation", after.total() == before.total() + made)
    check("no chlo.square is left", not after["chlo.square"])
    check("once is enough", not ir.apply_patterns(module, rewrites.ALL))


def draw(module, path, name):
    sizes = {name: counted(function).total() for name, function in functions(module).items()}
    # One that the eye can follow, unless another is asked for.
    name = name or max(sizes, key=lambda it: (sizes[it] <= LEGIBLE, sizes[it] if sizes[it] <= LEGIBLE else -sizes[it]))
    function = functions(module)[name]
    start = time.perf_counter()
    text, nodes, edges = picture.svg(function)
    path.write_text(text)
    took = time.perf_counter() - start
    print(f"@{name}: {nodes} nodes, {edges} edges, drawn in {took:.1f} s: {path}")
    check("the picture has a box for each node", text.count("<title>") == nodes)


def use_after_erasure(module):
    function = max(functions(module).values(), key=lambda it: counted(it).total())
    victim = next(op for op in function.regions[0].blocks[0].operations if isinstance(op, Add))
    result = victim.output
    try:
        victim.erase()
        check("erasing what is used is refused", False)
    except ir.IRError as error:
        print(f"  erase() → IRError: {str(error)[:110]}…")
        check("erasing what is used is refused", victim.name == "stablehlo.add")
    result.replace_all_uses_with(victim.lhs)
    victim.erase()
    for what, use in [
        ("op.name", lambda: victim.name),
        ("op.lhs", lambda: victim.lhs),
        ("value.type", lambda: result.type),
    ]:
        try:
            use()
            check(f"{what} of what was erased raises", False)
        except ir.InvalidatedError as error:
            print(f"  {what} → InvalidatedError: {str(error)[:110]}…")
            check(f"{what} of what was erased raises", True)
    check("a handle keeps its module", "func.return" in str(alone(str(module))))


def alone(text):
    """A function whose module has no name any more."""
    return ir.Module.parse(text).body.operations[0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("module", nargs="?", type=Path, default=HERE / "transformer.mlir")
    arguments.add_argument("--function", help="the one to draw")
    arguments.add_argument("--picture", type=Path, default=Path("dataflow.svg"))
    arguments.add_argument("--output", type=Path, default=Path("rewritten.mlir"))
    options = arguments.parse_args()
    with ir.Context() as context:
        title("reading")
        module = read(options.module, context)
        original = module.clone(ip=False)
        show_counts(counted(module))
        constant = next((op for op in module.body.operations[0].regions[0].blocks[0] if isinstance(op, Constant)), None)
        print("one of its constants:", constant, "whose number is", constant and constant.number)

        title("drawing")
        draw(module, options.picture, options.function)

        title("inlining (a pass written in Rust)")
        ir.PassManager.parse("builtin.module(inline,symbol-dce)").run(module)
        print("functions left:", ", ".join(functions(module)))

        title("rewriting (patterns written in Python)")
        rewrite(module)

        title("canonicalize, cse (passes written in Rust)")
        before = counted(module).total()
        ir.PassManager.parse("builtin.module(func.func(canonicalize,cse),symbol-dce)").run(module)
        print(f"{before} operations became {counted(module).total()}; it still verifies: {module.verify()}")
        check("passes leave less", counted(module).total() < before)
        show_counts(counted(module))

        title("writing")
        options.output.write_text(str(module))
        again = ir.Module.parse(options.output.read_text())
        print(f"{options.output}: {options.output.stat().st_size:,} bytes")
        check("what was written is read as the same", again.structural_equal(module))
        check("the original is as it was", original.structural_equal(ir.Module.parse(options.module.read_text())))

        title("handles of what was erased")
        use_after_erasure(module)
        check("the module still verifies", module.verify())

    title("checks")
    for what, holds in CHECKS:
        print(f"  {'ok  ' if holds else 'FAIL'}  {what}")
    sys.exit(not all(holds for _, holds in CHECKS))


if __name__ == "__main__":
    main()
