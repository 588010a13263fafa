"""Types, attributes and locations: each once, read and written as MLIR does it."""

import gc
import threading
import weakref
from pathlib import Path

import pairbond_ir as ir
import pytest

LINES = (Path(__file__).parent / "data" / "attributes.txt").read_text().splitlines()


def test_texts_are_mlirs(context):
    """What MLIR wrote when it read the same; data/refresh.py asked it."""
    wrong = []
    for line in LINES:
        text, wanted = line.split("\t")
        try:
            found = str(ir.Attribute.parse(text, context))
        except ir.IRError:
            found = "!"
        # A sum in a sum has parentheses where it would be read as something simpler without them.
        same = found == wanted or (
            "+ (" in found and found.replace("+ (", "+ ").replace(")", "") == wanted.replace(")", "")
        )
        if not same:
            wrong.append(f"{text}: {found} and not {wanted}")
    assert not wrong
    assert len(LINES) > 900


def test_what_was_written_is_read_as_the_same(context):
    for line in LINES:
        wanted = line.split("\t")[1]
        if wanted != "!" and "distinct" not in wanted:
            attribute = ir.Attribute.parse(wanted, context)
            assert ir.Attribute.parse(str(attribute), context) is attribute


def test_equal_is_identical(context):
    kinds = ["i32", "f8E4M3FN", "tensor<4x?xf32, #a.b>", "(i32, f32) -> tuple<i1>", "!a.b<c>", "memref<2xf32, 1>"]
    for text in kinds:
        assert ir.Type.parse(text, context) is ir.Type.parse(text, context)
        assert ir.Type.parse(text, ir.Context()) is not ir.Type.parse(text, context)
    assert ir.IntegerType.get_signless(32, context) is ir.Type.parse("i32", context)
    assert ir.F32Type.get(context) is ir.Type.parse("f32", context)
    one = ir.Attribute.parse("{a = [1 : i32, @b]}", context)
    assert one is ir.Attribute.parse("{a=[1:i32,@b]}", context)
    assert one == ir.Attribute.parse("{a = [1 : i32, @b]}", context)
    assert one != ir.Attribute.parse("{a = [2 : i32, @b]}", context)
    assert ir.Attribute.parse("distinct[0]<1>", context) is not ir.Attribute.parse("distinct[0]<1>", context)


def test_unused_ones_go(context):
    kept = ir.Type.parse("tuple<i32, tensor<2xf32>>", context)
    assert context.live == (4, 0)
    kept.note = "mine"
    gone = weakref.ref(kept)
    inner = kept.get_type(1)
    del kept
    assert gone() is None, "nothing refers to the tuple"
    assert context.live == (2, 0)
    assert str(inner) == "tensor<2xf32>"
    del inner
    assert context.live == (0, 0)


def test_attributes_of_users_stay(context):
    tuple_type = ir.Type.parse("tuple<i32>", context)
    inner = tuple_type.get_type(0)
    inner.note, number = 7, id(inner)
    del inner
    gc.collect()
    assert tuple_type.get_type(0).note == 7
    assert id(tuple_type.get_type(0)) == number


def test_a_type_keeps_its_context():
    found = ir.Type.parse("i7", ir.Context())
    gc.collect()
    assert found.context.live == (1, 0)
    assert ir.Type.parse("i7", found.context) is found


def test_classes_are_mlirs(context):
    classes = {
        "i32": "IntegerType", "index": "IndexType", "none": "NoneType", "bf16": "BF16Type", "f8E5M2": "Float8E5M2Type",
        "complex<f32>": "ComplexType", "() -> ()": "FunctionType", "tuple<>": "TupleType", "!a.b": "OpaqueType",
        "vector<2xf32>": "VectorType", "tensor<2xf32>": "RankedTensorType", "tensor<*xf32>": "UnrankedTensorType",
        "memref<2xf32>": "MemRefType", "memref<*xf32>": "UnrankedMemRefType",
    }  # fmt: skip
    for text, name in classes.items():
        assert type(ir.Type.parse(text, context)) is getattr(ir, name)
    assert issubclass(ir.F32Type, ir.FloatType)
    assert issubclass(ir.RankedTensorType, ir.ShapedType)
    classes = {
        "1": "IntegerAttr", "true": "BoolAttr", "1.0": "FloatAttr", '"a"': "StringAttr", "[]": "ArrayAttr",
        "{}": "DictAttr",
        "i32": "TypeAttr", "unit": "UnitAttr", "@a": "FlatSymbolRefAttr", "@a::@b": "SymbolRefAttr",
        "#a.b": "OpaqueAttr",
        "dense<1> : tensor<2xi32>": "DenseIntElementsAttr", "array<i32: 1>": "DenseI32ArrayAttr",
        "loc(unknown)": "UnknownLoc",
    }  # fmt: skip
    for text, name in classes.items():
        assert type(ir.Attribute.parse(text, context)) is getattr(ir, name)


def test_getters(context):
    with context:
        tensor = ir.RankedTensorType.get([2, ir.ShapedType.get_dynamic_size()], ir.F32Type.get())
        assert str(tensor) == "tensor<2x?xf32>"
        assert (tensor.rank, tensor.has_static_shape, tensor.is_dynamic_dim(1)) == (2, False, True)
        assert tensor.element_type is ir.F32Type.get()
        function = ir.FunctionType.get([tensor], [ir.IndexType.get()])
        assert (function.inputs, function.results) == ([tensor], [ir.IndexType.get()])
        wide = ir.IntegerType.get_signless(200)
        assert ir.IntegerAttr.get(wide, -(2**150)).value == -(2**150)
        assert ir.IntegerAttr.get(ir.IntegerType.get_unsigned(8), 255).value == 255
        assert ir.FloatAttr.get_f32(0.1).value == pytest.approx(0.1)
        assert ir.FloatAttr.get_f32(float("-inf")).value == float("-inf")
        assert ir.StringAttr.get("é").value == "é"
        assert ir.StringAttr.get(b"\xff").value_bytes == b"\xff"
        numbers = ir.DictAttr.get({"b": ir.BoolAttr.get(True), "a": ir.UnitAttr.get()})
        assert (str(numbers), list(numbers), numbers["b"].value) == ("{a, b = true}", ["a", "b"], True)
        assert numbers[0].name == "a"
        array = ir.ArrayAttr.get([numbers, numbers])
        assert array[-1] is numbers
        assert str(array + [ir.UnitAttr.get()]) == "[{a, b = true}, {a, b = true}, unit]"  # noqa: RUF005
        dense = ir.Attribute.parse("dense<[1, -2]> : tensor<2xi16>")
        assert (len(dense), dense[1], dense.raw, dense.is_splat) == (2, -2, b"\x01\0\xfe\xff", False)
        one, two = (ir.IntegerAttr.get(dense.type.element_type, it) for it in dense)
        assert ir.DenseElementsAttr.get([one, two], dense.type) is dense
        assert ir.DenseElementsAttr.get_splat(dense.type, one).get_splat_value() is one


def test_locations(context):
    with context, ir.Location.file("a.py", 3, 4) as here:
        assert ir.Location.current is not None
        assert ir.Location.current is here
        assert (here.filename, here.start_line, here.start_col) == ("a.py", 3, 4)
        named = ir.Location.name("x", here)
        assert str(named) == 'loc("x"("a.py":3:4))'
        assert named.child_loc is here
        site = ir.Location.callsite(named, [here, ir.Location.unknown()])
        assert str(site) == 'loc(callsite("x"("a.py":3:4) at callsite("a.py":3:4 at unknown)))'
        fused = ir.Location.fused([here, named], ir.UnitAttr.get())
        assert (fused.locations, fused.metadata) == ([here, named], ir.UnitAttr.get())
        assert isinstance(here, ir.Attribute)
    with pytest.raises(ir.IRError, match="no context"):
        ir.Location.unknown()


def test_contexts_do_not_mix(context):
    other = ir.Context()
    for mix in (
        lambda: ir.FunctionType.get([ir.F32Type.get(context)], [ir.F32Type.get(other)]),
        lambda: ir.ArrayAttr.get([ir.UnitAttr.get(context), ir.UnitAttr.get(other)]),
        lambda: ir.RankedTensorType.get([1], ir.F32Type.get(context), ir.UnitAttr.get(other)),
        lambda: ir.Location.name("a", ir.Location.unknown(other), context),
        lambda: ir.TupleType.get_tuple([ir.F32Type.get(context)], other),
    ):
        with pytest.raises(ir.IRError, match="another context"):
            mix()


def test_errors_know_their_place(context):
    with pytest.raises(ir.IRError) as caught:
        ir.Type.parse("tuple<i32,\n\t tensor<4x?y>>", context)
    error = caught.value
    assert (error.line, error.column, error.message) == (2, 13, "expected 'x' in dimension list")
    assert str(error).splitlines()[2:] == ["  \t tensor<4x?y>>", "  \t           ^"]
    long = "tuple<" + "i32, " * 1000 + "?" + ">"
    with pytest.raises(ir.IRError, match="expected non-function type") as caught:
        ir.Type.parse(long, context)
    lines = str(caught.value).splitlines()
    assert lines[:2] == ["Unable to parse type:", 'error: "-":1:5007: expected non-function type']
    assert len(lines[2]) < 300
    assert lines[2][lines[3].index("^")] == "?"
    context.allow_unregistered_dialects = False
    with pytest.raises(ir.IRError, match="dialect 'a' is unknown"):
        ir.Type.parse("!a.b", context)


@pytest.mark.large
@pytest.mark.parametrize("kind", ["tuple", "array", "location"])
def test_nesting_has_no_limit(context, kind):
    depth = 50_000
    begin, middle, end = {
        "tuple": ("tuple<", "i32", ">"),
        "array": ("[", "unit", "]"),
        "location": ('"a"(', '"b"', ")"),
    }[kind]
    text = begin * depth + middle + end * depth
    if kind == "location":
        text = f"loc({text})"
    attribute = ir.Attribute.parse(text, context)
    assert ir.Attribute.parse(str(attribute), context) is attribute
    with pytest.raises(ir.IRError):
        ir.Attribute.parse(text[: len(text) // 2], context)


def test_affine_expressions_are_not_endless(context):
    for nested in ("(" * 240 + "d0" + " floordiv 3 + 1)" * 240, " + ".join(["d0", "s0"] * 499)):
        attribute = ir.Attribute.parse(f"affine_map<(d0)[s0] -> ({nested})>", context)
        assert ir.Attribute.parse(str(attribute), context) is attribute
        with pytest.raises(ir.IRError, match="more than 1000"):
            ir.Attribute.parse(f"affine_map<(d0)[s0] -> ({nested} + ({nested} + {nested}))>", context)


def test_threads_make_one(context):
    barrier, found = threading.Barrier(4), []

    def make():
        barrier.wait()
        for number in range(300):
            found.append((number, ir.Type.parse(f"tuple<i{number}, vector<2xf32>>", context)))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_number = {}
    for number, it in found:
        assert by_number.setdefault(number, it) is it
    assert len(found) == 1200


def test_with_statements_end_in_order(context):
    other = ir.Context()
    context.__enter__()
    other.__enter__()
    with pytest.raises(RuntimeError, match="in the order"):
        context.__exit__(None, None, None)
    other.__exit__(None, None, None)
    context.__exit__(None, None, None)
    with context:
        assert ir.Context.current is context.current is other.current is context
        with pytest.raises(ValueError, match="No current InsertionPoint"):
            _ = ir.InsertionPoint.current
        module = ir.Module.create(ir.Location.unknown())
        with ir.InsertionPoint(module.body) as point:
            assert ir.InsertionPoint.current is point
            assert ir.InsertionPoint.current.block is module.body
    assert ir.Context.current is None
    assert ir.Location.current is None
