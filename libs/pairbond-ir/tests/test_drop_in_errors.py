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
        (lambda: ir.VectorType.get([1], ir.NoneType.get()),
         "failed to verify 'elementType': VectorElementTypeInterface instance"),
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


@pytest.mark.parametrize(
    ("parse", "what", "place"),
    [
        (ir.Module.parse, "module assembly", '"-":2:1: expected operation name in quotes'),
        (ir.Operation.parse, "operation assembly", '"-":2:1: expected operation name in quotes'),
        (lambda text: ir.Operation.parse(text, source_name="a b.mlir"), "operation assembly", '"a b.mlir":2:1: '),
    ],
)
def test_an_error_in_a_text_begins_as_mlirs(parse, what, place):
    with pytest.raises(ir.IRError) as raised:
        parse("\n}WRONG{")
    assert str(raised.value).startswith(f"Unable to parse {what}:\nerror: {place}")
    assert str(raised.value).endswith("\n  }WRONG{\n  ^")


def test_the_text_of_a_type_or_attribute_is_called_by_itself():
    for parse, what, text, wrong in [
        (ir.Attribute.parse, "attribute", "BAD_ATTR_DOES_NOT_EXIST", "expected attribute value"),
        (ir.Type.parse, "type", "BAD_TYPE_DOES_NOT_EXIST", "expected non-function type"),
    ]:
        with pytest.raises(ir.IRError) as raised:
            parse(text)
        first = f'Unable to parse {what}:\nerror: "{text}":1:1: {wrong}'
        assert str(raised.value) == f"{first}\n  {text}\n  ^"
        assert (raised.value.filename, raised.value.message) == (text, wrong)
    for text in ("?" * 81, "i32\n?"):
        with pytest.raises(ir.IRError, match=r'^Unable to parse type:\nerror: "-":[12]:1: ') as raised:
            ir.Type.parse(text)
        assert raised.value.filename == "-"


def test_what_failed_is_in_the_text_of_an_error():
    function = 'func.func"() <{function_type = () -> (), sym_name = "f"}> ({}, {}) : () -> ()'
    module = ir.Module.parse(f'"{function}')
    with pytest.raises(ir.IRError) as raised:
        module.verify()
    assert str(raised.value).startswith("Verification failed:\nerror: \"-\":1:1: 'func.func' op ")
    manager = ir.PassManager.parse("builtin.module(cse)")
    with pytest.raises(ir.IRError, match=r"^Failure while executing pass pipeline:\nerror: .*'builtin.module'"):
        manager.run(module.body.operations[0])


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({None: ir.UnitAttr}, "Invalid attribute key (not a string) {attempt}: expected str, got None"),
        ({42: ir.UnitAttr}, "Invalid attribute key (not a string) {attempt}: expected str, got int 42"),
        ({"k": 7}, 'Invalid attribute value for the key "k" {attempt}: expected pairbond_ir.Attribute, got int 7'),
        (
            {"k": None},
            'Found an invalid (`None`?) attribute value for the key "k" {attempt}: '
            "expected pairbond_ir.Attribute, got None",
        ),
    ],
)
def test_wrong_attributes_of_an_operation_are_called_as_mlirs_do(attributes, text):
    attributes = {key: it.get() if it is ir.UnitAttr else it for key, it in attributes.items()}
    with pytest.raises(ir.ElementError) as raised:
        ir.Operation.create("t.a", attributes=attributes)
    assert str(raised.value) == text.format(attempt='when attempting to create the operation "t.a"')
    assert isinstance(raised.value, RuntimeError)


def test_lists_of_wrong_elements_name_the_attempt_as_mlirs_do():
    d0 = ir.AffineExpr.get_dim(0)
    integer_set = ir.IntegerSet.get(1, 1, [d0], [True])
    for call, element, attempt in [
        (lambda it: ir.AffineMap.get(1, 0, [it]), "expression", "create an AffineMap"),
        (lambda it: ir.IntegerSet.get(1, 0, [it], [True]), "expression", "create an IntegerSet"),
        (lambda it: integer_set.get_replaced([it], [d0], 1, 0), "expression",
         "create an IntegerSet by replacing dimensions"),
        (lambda it: integer_set.get_replaced([d0], [it], 1, 0), "expression",
         "create an IntegerSet by replacing symbols"),
        (lambda it: ir.ArrayAttr.get([it]), "attribute", "create an ArrayAttribute"),
    ]:  # fmt: skip
        for wrong, none in ((1, ""), (None, r" \(None\?\)")):
            with pytest.raises(RuntimeError, match=f"^Invalid {element}{none} when attempting to {attempt}: the elem"):
                call(wrong)
    with pytest.raises(IndexError, match=r"^ArrayAttribute index out of range$"):
        _ = ir.ArrayAttr.get([ir.UnitAttr.get()])[1]
    module = ir.Module.parse('"t.a"() : () -> ()')
    for sequence, text in [
        (module.regions, "index out of range"),
        (module.regions[0].blocks, "attempt to access out of bounds block"),
        (module.body.operations, "attempt to access out of bounds operation"),
    ]:
        for index in (1, -42):
            with pytest.raises(IndexError, match=f"^{text}$"):
                _ = sequence[index]


def test_the_text_of_a_callbacks_exception_has_all_frames():
    module = ir.Module.parse(MODULES)
    with pytest.raises(RuntimeError) as raised:
        module.walk(lambda op: wrong(KeyError("k")))
    first, *places, last = str(raised.value).splitlines()
    assert first == "Exception raised in callback: Traceback (most recent call last):"
    assert [it.rpartition(" ")[2] for it in places[-3:]] == [
        "test_the_text_of_a_callbacks_exception_has_all_frames", "<lambda>", "wrong",
    ]  # fmt: skip
    assert all(it.startswith('  File "') for it in places)
    assert len(places) > 10
    assert last == "KeyError: 'k'"


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
    assert path.read_text().endswith('}) : () -> () loc("-":0:0)')
