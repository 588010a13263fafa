"""The example's rewrites, in a process of its own: what it declares holds for a whole process."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "stablehlo"
PROGRAM = """
import pairbond_ir as ir
import rewrites
from dialect import Constant, Multiply, Square

text = open("transformer.mlir").read()
with ir.Context():
    module = ir.Module.parse(text)
    assert str(module) == text and module.verify()
    ir.PassManager.parse("builtin.module(inline,symbol-dce)").run(module)
    assert ir.apply_patterns(module, rewrites.ALL)
    assert not ir.apply_patterns(module, rewrites.ALL)
    ir.PassManager.parse("builtin.module(func.func(canonicalize,cse),symbol-dce)").run(module)
    kinds = []
    module.walk(lambda op: kinds.append(type(op)))
    assert Square not in kinds and Constant in kinds and Multiply in kinds and len(kinds) < 650
    assert module.verify() and ir.Module.parse(str(module)).structural_equal(module)
print("done")
"""


def test_the_rewrites_of_the_example():
    run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=EXAMPLE, capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
