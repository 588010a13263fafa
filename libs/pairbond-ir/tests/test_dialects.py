# ruff: noqa: E501 - texts of the IR and what is said of them in one line
"""`pairbond_ir.dialects`: operations by the names of MLIR's bindings, and types of results that follow from the rest."""

import subprocess
import sys
from pathlib import Path

import pairbond_ir as ir
import pytest

PROGRAM = """
import sys
sys.path.append({tests!r})
import {ir} as ir
from {package}.dialects import arith, func

def run():
    with {context}, ir.Location.unknown():
        module = ir.Module.create()
        i32, f32, i1 = ir.IntegerType.get_signless(32), ir.F32Type.get(), ir.IntegerType.get_signless(1)
        with ir.InsertionPoint(module.body):
            @func.FuncOp.from_py_func(i32, i32, f32)
            def f(a, b, x):
                c = arith.ConstantOp(i32, 7)
                yes = arith.constant(i1, True)
                d = arith.AddIOp(a, c).result
                e = arith.muli(d, b)
                less = arith.CmpIOp(arith.CmpIPredicate.slt, d, e).result
                y = arith.addf(x, arith.constant(f32, 1.5))
                less = arith.cmpf(arith.CmpFPredicate.OGT, x, y)
                chosen = arith.SelectOp(less, d, e)
                wide = arith.ExtSIOp(ir.IntegerType.get_signless(64), chosen).result
                return wide, arith.negf(y), yes

            @func.func(i32, f32, results=[])
            def g(a, x, func_op):
                f(a, a, x)
                assert func_op.is_external is False
                func.ReturnOp([])

            declared = func.FuncOp("h", ([i32], [f32]), visibility="private")
            built = func.FuncOp("k", ir.FunctionType.get([f32], [f32]), body_builder=lambda op: func.ReturnOp([op.arguments[0]]))
            func.FuncOp("l", ([], []), body_builder=lambda op: func.return_([]))
        assert declared.is_external and declared.visibility.value == "private" and declared.type.results == [f32]
        assert built.entry_block == built.body.blocks[0]
        assert module.operation.verify()
        text = module.operation.get_asm(print_generic_op_form=True)
        return text.replace(" <{{overflowFlags = #arith.overflow<none>}}>", "").replace("fastmath = #arith.fastmath<none>, ", "").replace(
            " <{{fastmath = #arith.fastmath<none>}}>", "")

print(run(), end="")
"""
EXPECTED = """\
"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32, f32) -> (i64, f32, i1), sym_name = "f"}> ({
  ^bb0(%arg3: i32, %arg4: i32, %arg5: f32):
    %1 = "arith.constant"() <{value = 7 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = true}> : () -> i1
    %3 = "arith.addi"(%arg3, %1) : (i32, i32) -> i32
    %4 = "arith.muli"(%3, %arg4) : (i32, i32) -> i32
    %5 = "arith.cmpi"(%3, %4) <{predicate = 2 : i64}> : (i32, i32) -> i1
    %6 = "arith.constant"() <{value = 1.500000e+00 : f32}> : () -> f32
    %7 = "arith.addf"(%arg5, %6) : (f32, f32) -> f32
    %8 = "arith.cmpf"(%arg5, %7) <{predicate = 2 : i64}> : (f32, f32) -> i1
    %9 = "arith.select"(%8, %3, %4) : (i1, i32, i32) -> i32
    %10 = "arith.extsi"(%9) : (i32) -> i64
    %11 = "arith.negf"(%7) : (f32) -> f32
    "func.return"(%10, %11, %2) : (i64, f32, i1) -> ()
  }) : () -> ()
"""


def ran(ir_name, package, context="ir.Context()", python=sys.executable):
    """In a process of its own: importing dialects declares their operations for the process."""
    program = PROGRAM.format(ir=ir_name, package=package, context=context, tests=str(Path(__file__).parent))
    run = subprocess.run([str(python), "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_programs_of_arith_and_func():
    assert ran("pairbond_ir", "pairbond_ir").startswith(EXPECTED)


def test_types_of_results_are_inferred(context):
    toy = ir.Dialect("inferred")

    @toy.op(traits=ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE)
    class Same(ir.OpView):
        lhs: ir.Operand
        result: ir.Result

    @toy.op
    class Told(ir.OpView):
        lhs: ir.Operand
        to: ir.TypeAttr
        result: ir.Result

        @staticmethod
        def infer_result_types(lhs, to):
            return to.value

    @toy.op
    class Nothing(ir.OpView):
        lhs: ir.Operand

    with context, ir.Location.unknown():
        i8, f32 = ir.IntegerType.get_signless(8), ir.F32Type.get()
        value = ir.Operation.create("t.x", results=[i8], ip=False).result

        def create(name, **named):
            return ir.Operation.create(f"inferred.{name}", operands=[value], infer_type=True, ip=False, **named)

        assert create("same").result.type is i8
        assert create("told", attributes={"to": ir.TypeAttr.get(f32)}).result.type is f32
        assert len(create("nothing").results) == 0
        assert create("same", results=[f32]).result.type is f32
        with pytest.raises(ValueError, match="does not support result type inference"):
            create("unknown")
    assert [it.OPERATION_NAME for it in (Same, Told, Nothing)] == [
        f"inferred.{it}" for it in ("same", "told", "nothing")
    ]
