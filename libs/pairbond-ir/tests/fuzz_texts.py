# ruff: noqa: E501 - texts of the IR and what is said of them in one line
"""Mutants of generic texts, types and attributes: each is refused with an `IRError`, or what is read is written as a text that is read as the same.

    fuzz_texts.py [COUNT] [SEED] [--peer]

With `--peer` MLIR's own parser reads them, too (test_fuzz.py says how): where the verdicts differ, one of the reasons
in EXPLAINED must hold.
"""

from __future__ import annotations

import random
import re
import sys
import time
from pathlib import Path
from typing import Any

import pairbond_ir as ir

DATA = Path(__file__).parent / "data"

#: Words that mutants get beside those of the texts.
WORDS = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    "-",
    "->",
    "->",
    "+",
    "*",
    "?",
    "/",
    "|",
    "::",
    "...",
    "{-#",
    "#-}",
    "@",
    "#",
    "!",
    "%",
    "^",
    '"',
    "\\",
    "0",
    "1",
    "-1",
    "7",
    "0x",
    "0xFF",
    "1.5",
    "1e5",
    "1.0e400",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "i0",
    "i1",
    "i8",
    "i32",
    "si8",
    "ui64",
    "i16777216",
    "index",
    "none",
    "f32",
    "f64",
    "bf16",
    "f8E4M3FN",
    "f80",
    "f128",
    "tensor<",
    "vector<",
    "memref<",
    "tuple<",
    "complex<",
    "x",
    "?x",
    "2x",
    "*x",
    "[2]x",
    "dense<",
    "sparse<",
    "array<",
    "dense_resource<",
    "strided<",
    "offset:",
    "distinct[",
    "affine_map<",
    "affine_set<",
    "d0",
    "s0",
    "mod",
    "floordiv",
    "ceildiv",
    "loc(",
    "unknown",
    "fused<",
    "fused[",
    "callsite(",
    "at",
    "to",
    "unit",
    "true",
    "false",
    "loc",
    "#loc",
    "#map",
    "!alias",
    "#alias",
    "=",
    "affine_map<(d0)",
    "->",
    "(d0)>",
    ":",
    "i32",
    ":",
    "()",
    "->",
    "()",
    '"builtin.module"',
    '"t.op"',
    '"func.func"',
    "sym_name",
    "value",
    "é",
    "‹",
    "́",
    "\x00",
    "//",
]

SEEDS = [
    '"t.op"() : () -> ()',
    '%0:2 = "t.op"(%0#1) <{a = 1}> {b} : (i32) -> (i8, i32) loc("a":1:2)',
    '"t.op"() ({ ^bb0(%a: i32 loc("x")): "t.br"(%a)[^bb1] : (i32) -> () ^bb1: "t.end"() : () -> () }) : () -> ()',
    '#a = affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, d1 floordiv 4)>\n!t = tensor<2x?xf32, #a>\n"t.op"() {a = #a, t = !t} : () -> ()',
    '"t.op"() {r = dense_resource<r> : tensor<1xi8>} : () -> ()\n{-# dialect_resources: {builtin: {r: "0x0100000001"}} #-}',
    '"t.f"() : () -> () loc(#l)\n#l = loc(fused<"m">["a", callsite("b" at "c"("d":1:2 to 3:4))])',
]  # fmt: skip
TYPES = [
    "i32", "tensor<2x?xf32>", "vector<[4]x2xi8>", "memref<?x4xf32, strided<[4, 1], offset: ?>, 3>", "tuple<i1, tuple<>>",
    "complex<f64>", "() -> ((i32) -> index)", "!t.a<b[c], 'd'>", "tensor<*xf8E5M2>", "memref<2xi8, affine_map<(d0) -> (d0)>>",
]  # fmt: skip


def attributes() -> list[str]:
    """Those of the comparison with MLIR, and some more."""
    known = [line.split("\t")[0] for line in (DATA / "attributes.txt").read_text().splitlines()]
    return [*known, *TYPES, "sparse<[[0, 1]], 5> : tensor<2x3xi8>", '"a\\09\\"" : i8', "distinct[1]<unit>"]


def modules() -> list[str]:
    """Those that MLIR wrote and judged, operation by operation, and some more."""
    judged = [part.split("\n", 2)[2] for part in (DATA / "verdicts.mlir").read_text().split("// ----- ")[1:]]
    texts = [it.read_text() for it in sorted((DATA / "modules").glob("*.mlir"))]
    return [*SEEDS * 20, *judged, *(it for it in texts if len(it) < 4000)]


TOKEN = re.compile(r"""[\w.$]+|"(?:[^"\\\n]|\\.)*"|->|::|\s+|.""", re.DOTALL)


class Mutator:
    """Texts with some pieces taken out, doubled, exchanged, or from elsewhere."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.of = {
            "attribute": [TOKEN.findall(it) for it in attributes()],
            "type": [TOKEN.findall(it) for it in TYPES],
            "module": [TOKEN.findall(it) for it in modules()],
        }

    def mutant(self) -> tuple[str, str]:
        chance = self.random
        kind = chance.choices(["attribute", "type", "module"], [4, 1, 3])[0]
        all_of_kind = self.of[kind]
        pieces = list(chance.choice(all_of_kind))
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
            at = chance.randrange(len(pieces) + 1)
            end = min(len(pieces), at + chance.choice((1, 1, 1, 2, 3, 8)))
            match chance.randrange(9):
                case 0:
                    del pieces[at:end]
                case 1:
                    pieces[at:at] = pieces[at:end]
                case 2:
                    pieces[at:end] = [chance.choice(WORDS)]
                case 3:
                    pieces.insert(at, chance.choice(WORDS))
                case 4:
                    other = chance.choice(all_of_kind)
                    begin = chance.randrange(len(other))
                    pieces[at:end] = other[begin : begin + chance.choice((1, 1, 2, 4, 16))]
                case 5:
                    other = chance.choice(self.of[chance.choice(("attribute", "type"))])
                    pieces[at:end] = other
                case 6 if pieces:
                    place = min(at, len(pieces) - 1)
                    piece = list(pieces[place])
                    character = chance.randrange(len(piece))
                    piece[character : character + chance.randrange(2)] = chance.choice(
                        "aZ09_.-+<>()[]{}\"'#!%^@:,x\\ \né€\0"
                    )
                    pieces[place] = "".join(piece)
                case 7:
                    before = chance.randrange(len(pieces) + 1)
                    pieces[before:before], pieces[at:end] = pieces[at:end], []
                case _:
                    del pieces[at:]
        return kind, "".join(pieces)


PARSE: dict[str, Any] = {"attribute": ir.Attribute.parse, "type": ir.Type.parse, "module": ir.Module.parse}


def judge(context: ir.Context, kind: str, text: str) -> str | None:
    """The text that it is written as, or None if it is refused. AssertionError: that is not read as the same."""
    parse = PARSE[kind]
    try:
        found = parse(text, context)
    except ir.IRError:
        return None
    written = str(found)
    again = parse(written, context)
    if "resource" in text:
        # Data is called anew each time.
        return written
    if kind == "module":
        located = found.get_asm(enable_debug_info=True)
        assert parse(located, context).get_asm(enable_debug_info=True) == located, located
        assert again.structural_equal(found) or "distinct" in written, written
    else:
        # Each `distinct` is another one, and sums are read from the left to the right.
        assert again is found or "distinct" in text or "affine" in text, written
    assert str(again) == written, (written, str(again))
    return written


def run(count: int, seed: int) -> tuple[int, int]:
    """How many were read, and how many were refused."""
    mutator, context, read = Mutator(seed), ir.Context(), 0
    for number in range(count):
        kind, text = mutator.mutant()
        began = time.perf_counter()
        try:
            read += judge(context, kind, text) is not None
        except BaseException as error:
            error.add_note(f"mutant {number} of seed {seed}, {kind}: {text!r}")
            raise
        if time.perf_counter() - began > 5:
            raise AssertionError(f"mutant {number} of seed {seed} took too long, {kind}: {text!r}")
    return read, count - read


if __name__ == "__main__":
    print(*run(int(sys.argv[1]), int(sys.argv[2])))
