"""What programs for MLIR's bindings catch, and which context, location and insertion point they are in."""

import pairbond_ir as ir
import pytest


@pytest.fixture(autouse=True)
def _inside(context):
    with context:
        yield


MODULES = """
"builtin.module"() <{sym_name = "inner"}> ({}) : () -> ()
"""


def wrong(error):
    raise error


@pytest.mark.parametrize("order", [ir.WalkOrder.PRE_ORDER, ir.WalkOrder.POST_ORDER])
def test_an_exception_of_a_callback_is_the_cause_of_a_runtime_error(order):
    module = ir.Module.parse(MODULES)
    with pytest.raises(RuntimeError, match=r"Exception raised in callback: (?s:.)*KeyError: 'k'") as raised:
        module.walk(lambda op: wrong(KeyError("k")), order)
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(RuntimeError, match=r"Exception raised in callback: (?s:.)*AssertionError: no") as raised:
        ir.SymbolTable.walk_symbol_tables(module.operation, True, lambda op, seen: wrong(AssertionError("no")))
    assert isinstance(raised.value.__cause__, AssertionError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_is_not_wrapped(error):
    module = ir.Module.parse(MODULES)
    with pytest.raises(error):
        module.walk(lambda op: wrong(error()))
    with pytest.raises(error):
        ir.SymbolTable.walk_symbol_tables(module.operation, True, lambda op, seen: wrong(error()))


@pytest.mark.parametrize("element", [1, None, "d0"])
def test_a_wrong_element_of_a_list_is_a_type_error_and_a_runtime_error(element):
    d0, s0 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_symbol(0)
    integer_set = ir.IntegerSet.get(1, 1, [d0 - s0], [True])
    calls = [
        lambda: ir.AffineMap.get(1, 1, [d0, element]),
        lambda: ir.IntegerSet.get(1, 1, [element], [True]),
        lambda: integer_set.get_replaced([element], [s0], 1, 1),
        lambda: integer_set.get_replaced([d0], [element], 1, 1),
        lambda: ir.ArrayAttr.get([ir.UnitAttr.get(), element]),
        lambda: ir.DenseElementsAttr.get([element]),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=r"the element \[[01]\]: expected pairbond_ir\.\w+, got "):
            call()
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match="argument 'exprs'"):
        ir.AffineMap.get(1, 1, 7)


def test_another_context_ends_the_location_and_insertion_point_of_the_one_around():
    context = ir.Context()
    location = ir.Location.unknown(context)
    module = ir.Module.create(location)
    point = ir.InsertionPoint(module.body)
    with location:
        with context:
            assert ir.Location.current is location
        with ir.Context() as other:
            assert ir.Context.current is other
            assert ir.Location.current is None
            with ir.Location.unknown() as inner:
                assert ir.Location.current is inner
        assert ir.Location.current is location
    with point:
        with context, location:
            assert ir.InsertionPoint.current is point
        for other in (ir.Context(), ir.Location.unknown(ir.Context())):
            with other, pytest.raises(ValueError, match="No current InsertionPoint"):
                _ = ir.InsertionPoint.current
        with ir.Context(), ir.Location.unknown():
            assert ir.Operation.create("t.nowhere").parent is None
        assert ir.InsertionPoint.current is point
    assert len(module.body.operations) == 0


def test_a_terminator_is_one_that_is_known_to_be():
    block = ir.Module.parse('"t.a"() : () -> ()').body
    with pytest.raises(ValueError, match="Block has no terminator"):
        ir.InsertionPoint.at_block_terminator(block)
    with ir.InsertionPoint(block):
        end = ir.Operation.create("stablehlo.return")
    assert ir.InsertionPoint.at_block_terminator(block).ref_operation is end
    end.erase()


def test_the_data_of_an_opaque_attribute_is_bytes():
    assert ir.Attribute.parse("#d.a<1>").data == b"a<1>"


def test_values_are_shown_by_their_class():
    op = ir.Operation.parse('"t.a"() ({^bb0(%x: i32):}) : () -> i1')
    assert str(op.result).startswith("OpResult(%0 = ")
    assert str(op.regions[0].blocks[0].arguments[0]) == "BlockArgument(<block argument> of type 'i32' at index: 0)"


def test_texts_of_errors_are_those_of_mlirs_bindings():
    """What programs look for in them; the wording is that which jaxlib's print."""
    f32, f64, index = ir.F32Type.get(), ir.F64Type.get(), ir.IndexType.get()
    tensor = ir.RankedTensorType.get([2], f32)
    one, two = ir.FloatAttr.get(f32, 1.0), ir.FloatAttr.get(f64, 2.0)
    pair = ir.Operation.parse('%0:2 = "t.two"() ({}) : () -> (f32, f32)')
    cases = [
        (lambda: pair.result, "Cannot call .result on operation t.two which has 2 results (it is only valid for "
                              "operations with a single result)"),
        (lambda: pair.regions[0].blocks.append(f32, f32, arg_locs=[ir.Location.unknown()]),
         "Expected 2 locations, got: 1"),
        (lambda: ir.ComplexType.get(index), "invalid 'Type(index)' and expected floating point or integer type."),
        (lambda: ir.RankedTensorType.get([], ir.NoneType.get()), "invalid tensor element type: 'none'"),
        (lambda: ir.MemRefType.get([], ir.NoneType.get()), "invalid memref element type"),
        (lambda: ir.UnrankedTensorType.get(f32).rank, "calling this method requires that the type has a rank."),
        (lambda: ir.IntegerType(f32), "Cannot cast type to IntegerType (from Type(f32))"),
        (lambda: ir.StringAttr(one), "Cannot cast attribute to StringAttr (from Attribute(1.000000e+00 : f32))"),
        (lambda: ir.DenseElementsAttr.get([one, two], ir.RankedTensorType.get([2], f32)),
         "All attributes must be of the same type and match the type parameter: "
         "expected=RankedTensorType(tensor<2xf32>), but got=F64Type(f64)"),
        (lambda: ir.DenseElementsAttr.get_splat(tensor, two),
         "Shaped element type and attribute type must be equal: shaped=Type(tensor<2xf32>), "
         "element=Attribute(2.000000e+00 : f64)"),
    ]  # fmt: skip
    for call, text in cases:
        with pytest.raises((ValueError, ir.IRError)) as raised:
            call()
        assert text in str(raised.value)


def test_notes_of_a_diagnostic_are_a_tuple(context):
    heard = []
    context.emit_error_diagnostics = True
    with context.attach_diagnostic_handler(lambda it: heard.append(it.notes) or True):
        ir.Location.unknown().emit_error("without")
        with pytest.raises(ir.IRError):
            ir.Operation.create("arith.addi").verify()
    without, with_one = heard
    assert without == ()
    assert [str(it) for it in with_one] == ['see current operation: "arith.addi"() : () -> ()']


def test_a_text_of_local_scope_ends_without_a_line(tmp_path):
    """What is used elsewhere has no definitions around, so that it may stand in a line: as MLIR writes it."""
    module = ir.Module.parse('"t.a"() {r = dense_resource<r> : tensor<1xi8>} : () -> ()\n'
                             '{-# dialect_resources: {builtin: {r: "0x0100000001"}} #-}')  # fmt: skip
    whole, local = (module.get_asm(use_local_scope=it) for it in (False, True))
    assert whole.startswith(f"{local}\n")
    assert "dialect_resources" in whole
    assert local.endswith("}) : () -> ()")
    path = tmp_path / "local.mlir"
    module.print(file=str(path), use_local_scope=True, enable_debug_info=True)
    assert path.read_text().endswith('}) : () -> () loc("<text>":0:0)')
