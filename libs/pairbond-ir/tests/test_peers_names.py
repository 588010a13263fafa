"""The names of MLIR's own bindings, and exchange with their live objects. test_peers.py says which MLIR."""

import json
import subprocess
import sys
from pathlib import Path

import pairbond_ir as ir
import pytest
import test_dialects
from test_peers import PYTHON

pytestmark = pytest.mark.skipif(PYTHON is None, reason="needs jax: make test-long ARGS=peers")
HERE = Path(__file__).parent

EXCHANGE = """
import re
import sys
sys.path[:0] = {path!r}
import pairbond_ir as ir
from jaxlib.mlir import ir as mlir

text = {text!r}
with mlir.Context() as theirs, ir.Context() as ours:
    theirs.allow_unregistered_dialects = True
    before = mlir.Module.parse(text)
    module = ir.from_mlir(before)
    assert type(module) is ir.Module
    # Each text that is read has resources of its own.
    how = {{"print_generic_op_form": True, "enable_debug_info": True}}
    asm = lambda it: re.sub(r"\\br(_\\d+)+", "r", it.operation.get_asm(**how))
    after = ir.to_mlir(module, theirs)
    assert type(after) is mlir.Module
    assert asm(after) == asm(before) == asm(module)
    assert 'r: "0x0100000001"' in asm(after)
    op = ir.from_mlir(before.body.operations[0])
    assert asm(ir.to_mlir(op, theirs)).strip() == asm(op).strip()
    other = ir.Context()
    assert ir.from_mlir(before, other).context is other
    try:
        ir.to_mlir(ir.Module.parse('"builtin.module"() : () -> ()'), theirs)
    except mlir.MLIRError as error:
        print("refused")
"""
TEXT = """
"t.f"() ({
^bb0(%x: i32 loc("x")):
  %0 = "t.g"(%x) {r = dense_resource<r> : tensor<1xi8>, m = affine_map<(d0) -> (d0)>} : (i32) -> i32 loc("a"("b":1:2))
}) : () -> ()
{-# dialect_resources: {builtin: {r: "0x0100000001"}} #-}
"""


def test_the_names_are_those_of_mlir():
    """`mlir_names.py` wrote them; a newer jaxlib may have others."""
    run = subprocess.run([str(PYTHON), str(HERE / "mlir_names.py")], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == json.loads((HERE / "data" / "mlir_names.json").read_text())


def test_live_objects_are_exchanged():
    version = subprocess.run(
        [str(PYTHON), "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True, check=True
    )
    if version.stdout.strip() != str(sys.version_info[:2]):
        pytest.skip("MLIR's bindings are those of another version of Python than this one")
    path = [str(Path(ir.__file__).parents[1])]
    program = EXCHANGE.format(path=path, text=TEXT)
    run = subprocess.run([str(PYTHON), "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "refused\n"), run.stderr


def test_programs_of_dialects_print_what_mlirs_do():
    theirs = "__import__('mlir_peer').context(True)"
    ours = test_dialects.ran("pairbond_ir", "pairbond_ir")
    assert ours == test_dialects.ran("jaxlib.mlir.ir", "jaxlib.mlir", theirs, PYTHON)
    assert test_dialects.controlled("pairbond_ir") == test_dialects.controlled("jaxlib.mlir", PYTHON)
