# ruff: noqa: E501 - texts of the IR and what is said of them in one line
"""What MLIR's own parser thinks of mutants of texts (fuzz_texts.py). test_peers.py says which MLIR."""

import json
import os
import random
import re
import subprocess

import fuzz_texts
import pairbond_ir as ir
import pytest
from test_peers import MLIR, PYTHON

pytestmark = pytest.mark.skipif(PYTHON is None, reason="needs jax: make test-long ARGS=peers")
LONG = os.environ.get("PAIRBOND_LONG") == "1"

#: Why a verdict or a text differs from MLIR's: a pattern of the mutant, of what we say and of what MLIR says. In each our error or text is in the first
#: group of its own; an error begins with `!`.
EXPLAINED = {
    "no dialect is registered: what another one is, or has, is not known": (
        None,
        r"[^!]",
        r"!.*(unregistered operation|provides no (type|attribute) parsing hook|failed parsing|expected '\['|unknown (attribute|type)"
        r"|invalid properties|failed to verify constraint|failed to satisfy|expects|must be|requires|mnemonic|Expected|expected)",
    ),
    "properties that a registered operation has by itself": (None, r"[^!]", r'"builtin.module".*<\{'),
    "an attribute of an unknown dialect may be a memory space": (r"memref", r"[^!]", r"!.*unsupported memory space"),
    "sums keep their parentheses where they would be read as something simpler": (r"affine_(map|set)", r".*\+ \(", r"[^!].*affine_"),
    "each index of sparse elements is written": (r"sparse", r".*sparse<\[", r"[^!].*sparse<"),
    "a pretty name only where the brackets fit": (r"[#!]", r"[^!].*[#!][\w$]*<", r"[^!]"),
    "what could not be read again is refused": (None, r"!.*(cannot be written in brackets|invalid dialect namespace)", r"[^!]"),
    "properties of builtin.module that there are not are refused": (r"builtin\.", r"!.*invalid properties", r"[^!]"),
    "the least integer is read where it is written": (r"9223372036854775808", r"[^!]", r"!|[^!].*- -"),
    "f80 beyond f64 is written as bits": (r"f80|f128", r"[^!].*0x", r"[^!]"),
    "data is called anew in each text": (r"resource", r"[^!].*dense_resource", r"[^!].*dense_resource"),
    "symbols are operations that are known to be some": (r"sym_name", r"[^!]", r"!.*redefinition of symbol"),
    "MLIR ends": (None, r".", r"$"),
    "MLIR looks for the end of a type from a wrong place": (r"<>", r"[^!]", r"!.*trailing characters"),
    "MLIR goes on behind a type where no token can be read": (None, r"!.*expected '\"' in string literal", r"[^!]"),
    "text that is not UTF-8": (None, r".", r"\?"),
}  # fmt: skip


def ours(kind, text):
    context = ir.Context()
    try:
        if kind == "type":
            return str(ir.Type.parse(text, context))
        source = text if kind == "module" else f'"test.op"() {{a = {text}}} : () -> ()'
        module = ir.Module.parse(source, context)
        module.verify()
        return module.get_asm(use_local_scope=True).rstrip()
    except ir.IRError as error:
        return f"!{error}"


def explained(text, own, mlirs):
    """The reason for which two verdicts differ."""
    for reason, (mutant, first, second) in EXPLAINED.items():
        matches = (re.search(mutant or "", text), re.match(first, own, re.DOTALL), re.match(second, mlirs, re.DOTALL))
        if all(matches):
            return reason
    return None


def test_mlir_thinks_the_same_of_mutants():
    """Where it does not, a reason is known."""
    seed = int(os.environ.get("PAIRBOND_SEED") or random.randrange(1 << 32))
    print(f"PAIRBOND_SEED={seed}")
    mutator = fuzz_texts.Mutator(seed)
    mutants = [it for it in (mutator.mutant() for _ in range(10_000 if LONG else 1_000)) if "\0" not in it[1]]
    answers = []
    while len(answers) < len(mutants):
        # MLIR ends its process for some of them, and goes on with the next.
        run = subprocess.run(
            [str(PYTHON), str(MLIR), "judge"],
            input=json.dumps(mutants[len(answers) :]),
            capture_output=True,
            text=True,
            check=False,
        )
        answers += [json.loads(line) for line in run.stdout.splitlines()]
        if len(answers) < len(mutants):
            answers.append("")
    same, reasons = 0, {}
    for (kind, text), mlirs in zip(mutants, answers, strict=True):
        own = ours(kind, text)
        if own == mlirs or (own.startswith("!") and mlirs.startswith("!")):
            same += 1
            continue
        reason = explained(text, own, mlirs)
        assert reason is not None, (kind, text, own, mlirs)
        reasons[reason] = reasons.get(reason, 0) + 1
    print(same, reasons)
    assert same > 0.95 * len(mutants)
