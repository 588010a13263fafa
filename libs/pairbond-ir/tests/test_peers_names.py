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
CAPSULES = """
import io
import sys
sys.path[:0] = {path!r}
import pairbond_ir as ir
from jaxlib.mlir import ir as mlir
from jaxlib.mlir.dialects import sdy

with ir.Context() as ours:
    expr = ir.AffineExpr.get_dim(1) * 4 + ir.AffineExpr.get_symbol(0)
    things = [
        ir.Attribute.parse("#t.a<1>"), ir.Attribute.parse('"s"'), ir.Type.parse("tensor<2xi32>"), expr,
        ir.AffineExpr.get_constant(7), ir.AffineMap.get(2, 1, [expr]), ir.AffineMap.get(0, 0, []),
        ir.IntegerSet.get(2, 1, [expr, expr], [True, False]), ir.IntegerSet.get_empty(1, 1),
        ir.Location.unknown(), ir.Location.name("n", ir.Location.file("a", 1, 2)),
        ir.Location.fused([], ir.UnitAttr.get()),
    ]
bases = ir.Location, ir.Attribute, ir.Type, ir.AffineExpr, ir.AffineMap, ir.IntegerSet
for thing in things:
    base = next(it for it in bases if isinstance(thing, it))
    capsule = thing._CAPIPtr
    assert f'"jaxlib.mlir.ir.{{base.__name__}}._CAPIPtr"' in repr(capsule), capsule
    assert str(getattr(mlir, base.__name__)._CAPICreate(capsule)) == str(thing)
    again = base._CAPICreate(capsule)
    assert again == thing and again.context is ours, thing
with mlir.Context() as theirs, mlir.Location.unknown():
    type_ = mlir.IntegerType.get_signless(8)
try:
    ir.Type._CAPICreate(type_._CAPIPtr)
except ValueError:
    with ir.Context() as here:
        assert str(ir.Type._CAPICreate(type_._CAPIPtr)) == "i8"
theirs = mlir.Attribute._CAPICreate(things[0]._CAPIPtr).context
sdy.register_dialect(theirs)
axis = ir.Attribute.parse('#sdy<axis_ref"x">', ours)
print(sdy.DimensionShardingAttr.get([axis], True, context=theirs))

module = ir.Module.parse({text!r}, ours)
written = io.BytesIO()
module.write_bytecode(written)
assert written.getvalue().startswith(b"ML")
again = ir.Module.parse(written.getvalue(), ours)
text, text_again = (
    it.get_asm(enable_debug_info=True).replace("r_1", "r").replace("r_2", "r") for it in (module, again)
)
assert text_again.split("#loc", 1)[0] == text.split("#loc", 1)[0]
assert 'r: "0x0100000001"' in text_again
older = io.BytesIO()
module.body.operations[0].write_bytecode(older, desired_version=1)
assert older.getvalue() != written.getvalue()
assert ir.Module.parse(older.getvalue(), ours).body.operations[0].name == "t.f"
try:
    ir.Module.parse(written.getvalue()[:-5], ours)
except mlir.MLIRError:
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


def run_beside(program):
    """Runs a program with both libraries in one process; its output."""
    version = subprocess.run(
        [str(PYTHON), "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True, check=True
    )
    if version.stdout.strip() != str(sys.version_info[:2]):
        pytest.skip("MLIR's bindings are those of another version of Python than this one")
    path = [str(Path(ir.__file__).parents[1])]
    run = subprocess.run([str(PYTHON), "-c", program.format(path=path, text=TEXT)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_live_objects_are_exchanged():
    assert run_beside(EXCHANGE) == "refused\n"


def test_extension_modules_take_capsules_and_bytecode_is_read_and_written():
    assert run_beside(CAPSULES) == '#sdy<dimension_sharding{"x"}>\nrefused\n'


def test_programs_of_dialects_print_what_mlirs_do():
    theirs = "__import__('mlir_peer').context(True)"
    ours = test_dialects.ran("pairbond_ir", "pairbond_ir")
    assert ours == test_dialects.ran("jaxlib.mlir.ir", "jaxlib.mlir", theirs, PYTHON)
    assert test_dialects.controlled("pairbond_ir") == test_dialects.controlled("jaxlib.mlir", PYTHON)
