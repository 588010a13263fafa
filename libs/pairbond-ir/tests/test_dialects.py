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
        return module.operation.get_asm(print_generic_op_form=True)

print(run(), end="")
"""
EXPECTED = """\
"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32, f32) -> (i64, f32, i1), sym_name = "f"}> ({
  ^bb0(%arg3: i32, %arg4: i32, %arg5: f32):
    %1 = "arith.constant"() <{value = 7 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = true}> : () -> i1
    %3 = "arith.addi"(%arg3, %1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %4 = "arith.muli"(%3, %arg4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "arith.cmpi"(%3, %4) <{predicate = 2 : i64}> : (i32, i32) -> i1
    %6 = "arith.constant"() <{value = 1.500000e+00 : f32}> : () -> f32
    %7 = "arith.addf"(%arg5, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %8 = "arith.cmpf"(%arg5, %7) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
    %9 = "arith.select"(%8, %3, %4) : (i1, i32, i32) -> i32
    %10 = "arith.extsi"(%9) : (i32) -> i64
    %11 = "arith.negf"(%7) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
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


def controlled(package, python=sys.executable):
    """What control_program prints, in a process of its own."""
    program = Path(__file__).with_name("control_program.py")
    run = subprocess.run([str(python), str(program), package], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_programs_of_scf_and_cf():
    """The text is what MLIR's bindings print, too: test_peers_names.py runs both."""
    text = controlled("pairbond_ir")
    assert text == (Path(__file__).parent / "data" / "control.mlir").read_text()
    # The classes are those of operations that were read.
    program = "import sys, pairbond_ir as ir\nfrom pairbond_ir.dialects import cf, scf\n"
    program += "module = ir.Module.parse(sys.stdin.read(), ir.Context())\nassert module.verify()\n"
    program += "loops, jumps = (it.regions[0].blocks[0].operations for it in module.body.operations)\n"
    program += "kinds = [type(it).__name__ for it in loops if it.name.startswith('scf.')] + [type(it).__name__ for it in jumps]\n"
    program += "print(*kinds)"
    run = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [
        *("ForOp", "ForOp", "ForOp", "ForOp", "IfOp", "IfOp", "IndexSwitchOp", "IndexSwitchOp", "ForallOp", "WhileOp"),
        *("ExecuteRegionOp", "ExecuteRegionOp", "ParallelOp", "AssertOp", "CondBranchOp"),
    ]


def test_helpers_of_classes(context):
    from pairbond_ir.dialects import _ods_common as ods

    module = ir.Module.parse('%0:3 = "t.a"() : () -> (i1, i1, i1) %1 = "t.b"() : () -> i1 "t.c"() : () -> ()', context)
    many, one, none = module.body.operations
    assert ods._cext.ir is ir
    assert ods.get_op_result_or_value(one) is ods.get_op_result_or_value(one.results) is one.result
    assert ods.get_op_result_or_value(one.result) is one.result
    with pytest.raises(ValueError, match="3 results"):
        ods.get_op_result_or_value(many)
    assert list(ods.get_op_results_or_values(many)) == list(many.results)
    assert ods.get_op_results_or_values([one]) == [one]
    assert ods.get_op_result_or_op_results(one) is one.result
    assert ods.get_op_result_or_op_results(none) is none
    assert list(ods.get_op_result_or_op_results(many)) == list(many.results)
    assert ods.get_default_loc_context() is None
    with context, ir.Location.unknown() as here:
        assert ods.get_default_loc_context() is ods.get_default_loc_context(here) is context
        sizes = ir.DenseI32ArrayAttr.get([1, 0, 2])
        parts = [list(ods.segmented_accessor(many.results, sizes, it)) for it in range(3)]
        assert parts == [[many.results[0]], [], list(many.results)[1:]]
        i64 = ir.IntegerType.get_signless(64)
        five, unknown = ir.IntegerAttr.get(i64, 5), ir.ShapedType.get_dynamic_size()
        mixed = [3, five, one.result]
        values = ods._dispatch_dynamic_index_list([*mixed, [4], [one]])
        assert values == ([one.result, one], [3, 5, unknown, 4, unknown], [False, False, False, True, True])
        dynamic, packed, static = ods._dispatch_mixed_values(mixed)
        assert (dynamic, packed, list(static)) == ([one.result], None, [3, 5, unknown])
        assert ods._dispatch_mixed_values(one.result) == ([], one.result, None)
        array = ods._get_int_array_array_attr([[1, five], ir.ArrayAttr.get([five])])
        assert str(array) == "[[1, 5], [5]]"
        assert ods._dispatch_mixed_values(array) == ([], None, array)
        assert ods._get_int_array_attr(None) is ods._get_int_array_array_attr(None) is None
    assert ods.equally_sized_accessor(many.results, 1, 2, 1, 1) == (2, 1)


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
