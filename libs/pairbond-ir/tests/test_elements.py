"""Many numbers in one attribute: made of buffers, and lent as buffers."""

import array
import gc
import struct
import sys

import pairbond
import pairbond_ir as ir
import pytest


@pytest.fixture(autouse=True)
def _inside(context):
    with context:
        yield


def buffer(code, values, shape=None):
    view = memoryview(array.array(code, values))
    return view if shape is None else view.cast("B").cast(code, shape)


@pytest.mark.parametrize(
    ("code", "signless", "signed"),
    [("b", "i8", "si8"), ("h", "i16", "si16"), ("i", "i32", "si32"), ("q", "i64", "si64"),
     ("B", "i8", "ui8"), ("H", "i16", "ui16"), ("I", "i32", "ui32"), ("Q", "i64", "ui64")],
)  # fmt: skip
def test_integers_of_buffers(code, signless, signed):
    given = buffer(code, [1, 2, 3, 4], [2, 2])
    made = ir.DenseElementsAttr.get(given)
    assert str(made) == f"dense<[[1, 2], [3, 4]]> : tensor<2x2x{signless}>"
    assert type(made) is ir.DenseIntElementsAttr
    assert str(ir.DenseElementsAttr.get(given, signless=False).type) == f"tensor<2x2x{signed}>"
    assert made is ir.Attribute.parse(str(made))


def test_floats_of_buffers():
    made = ir.DenseElementsAttr.get(buffer("f", [1.5, -2.0]))
    assert str(made) == "dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>"
    assert type(made) is ir.DenseFPElementsAttr
    assert str(ir.DenseElementsAttr.get(buffer("d", [0.5])).type) == "tensor<1xf64>"
    half = pairbond.Array([1.5, 2.5], dtype="float16")
    assert str(ir.DenseElementsAttr.get(half)) == "dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf16>"
    brain = pairbond.Array([1.5, 2.5], dtype="bfloat16")
    assert str(ir.DenseElementsAttr.get(brain)) == "dense<[1.500000e+00, 2.500000e+00]> : tensor<2xbf16>"
    complex_ = pairbond.Array([1 + 2j, 3j], dtype="complex64")
    assert str(ir.DenseElementsAttr.get(complex_).type) == "tensor<2xcomplex<f32>>"


def test_truth_values_of_buffers():
    given = pairbond.Array([True, False, True], dtype="bool")
    made = ir.DenseElementsAttr.get(given)
    assert str(made) == "dense<[true, false, true]> : tensor<3xi1>"
    assert (list(made), memoryview(made).tolist()) == ([1, 0, 1], [True, False, True])
    assert memoryview(made).format == "?"
    i1 = ir.IntegerType.get_signless(1)
    # Any byte that is not zero is true, and true is always the same byte.
    assert ir.DenseElementsAttr.get(bytes([255, 0, 7]), type=i1) is made
    assert str(ir.DenseElementsAttr.get(b"\x02", type=i1, shape=[4])) == "dense<true> : tensor<4xi1>"


def test_types_and_shapes():
    given = buffer("h", [1, 2, 3, 4])
    assert str(ir.DenseElementsAttr.get(given, type=ir.BF16Type.get()).type) == "tensor<4xbf16>"
    assert str(ir.DenseElementsAttr.get(given, shape=[2, 2])) == "dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>"
    vector = ir.VectorType.get([4], ir.IntegerType.get_signless(16))
    assert ir.DenseElementsAttr.get(given, type=vector).type is vector
    index = ir.DenseElementsAttr.get(buffer("q", [5, 6]), type=ir.IndexType.get())
    assert str(index) == "dense<[5, 6]> : tensor<2xindex>"
    pairs = ir.DenseElementsAttr.get(buffer("f", [1, 2]), type=ir.ComplexType.get(ir.F32Type.get()), shape=[1])
    assert str(pairs) == "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>"
    small = ir.DenseElementsAttr.get(bytes([1, 0xF3]), type=ir.IntegerType.get_signless(4))
    assert str(small) == "dense<[1, 3]> : tensor<2xi4>"
    with pytest.raises(ValueError, match="Shape can only be specified"):
        ir.DenseElementsAttr.get(given, type=vector, shape=[4])
    for wrong in ({"shape": [3]}, {"type": ir.F32Type.get()}):
        with pytest.raises(ValueError, match="could not be constructed from the given buffer"):
            ir.DenseElementsAttr.get(given, **wrong)
    with pytest.raises(ValueError, match="static"):
        ir.DenseElementsAttr.get(given, type=ir.Type.parse("tensor<?xi16>"))
    with pytest.raises(TypeError):
        ir.DenseElementsAttr.get("text")
    with pytest.raises(TypeError, match="a buffer or attributes"):
        ir.DenseElementsAttr.get()


def test_one_element_is_for_all():
    one = buffer("i", [7])
    made = ir.DenseElementsAttr.get(one, shape=[2, 3])
    assert str(made) == "dense<7> : tensor<2x3xi32>"
    view = memoryview(made)
    assert (view.shape, view.strides, view.tolist()) == ((2, 3), (0, 0), [[7, 7, 7], [7, 7, 7]])
    assert ir.DenseElementsAttr.get(buffer("i", [7] * 6), shape=[2, 3]) is made
    huge = ir.Attribute.parse("dense<1.0> : tensor<1000000x1000000xf64>")
    assert (memoryview(huge).nbytes, len(huge), huge[-1]) == (8 * 10**12, 10**12, 1.0)


def test_rows_that_do_not_lie_together():
    matrix = buffer("i", range(6), [2, 3])
    assert list(ir.DenseElementsAttr.get(pairbond.Array.of(matrix)[:, ::2])) == [0, 2, 3, 5]


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("dense<[1, -2]> : tensor<2xi8>", "b", [1, -2]),
        ("dense<[1, -2]> : tensor<2xsi16>", "h", [1, -2]),
        ("dense<[[1], [-2]]> : vector<2x1xi32>", "i", [[1], [-2]]),
        ("dense<[1, 255]> : tensor<2xui8>", "B", [1, 255]),
        ("dense<[1, 2]> : tensor<2xindex>", "q", [1, 2]),
        ("dense<[1.5, 2.0]> : tensor<2xf16>", "e", [1.5, 2.0]),
        ("dense<[1.5, 2.0]> : tensor<2xf32>", "f", [1.5, 2.0]),
        ("dense<2.0> : tensor<f64>", "d", 2.0),
        ("dense<[]> : tensor<0xi8>", "b", []),
        ("array<i16: 1, -2>", "h", [1, -2]),
        ("array<i1: true, false>", "?", [True, False]),
        ("array<f64: 1.5>", "d", [1.5]),
    ],
)
def test_lent(text, code, values):
    view = memoryview(ir.Attribute.parse(text))
    assert (view.format, view.readonly) == (code, True)
    if code == "e":  # of which a memoryview knows no values
        assert bytes(view) == struct.pack("=2e", *values)
        return
    assert view.tolist() == values
    assert bytes(view) == struct.pack("=" + code * (view.nbytes // view.itemsize), *list(view.cast("B").cast(code)))


def test_a_view_keeps_the_memory(context):
    view = memoryview(ir.Attribute.parse("dense<[1, 2, 3]> : tensor<3xi64>"))
    gc.collect()
    assert view.tolist() == [1, 2, 3]
    number = sys.getrefcount(context)
    inner = view[1:]
    del view
    gc.collect()
    assert inner.tolist() == [2, 3]
    del inner
    gc.collect()
    assert sys.getrefcount(context) <= number
    assert context.live == (0, 0)


@pytest.mark.parametrize("kind", ["i4", "i24", "si1", "f8E4M3FN", "f80", "complex<i8>"])
def test_what_has_no_buffer(kind):
    value = "1" if "i" in kind else "1.0"
    value = f"({value}, {value})" if "complex" in kind else value
    attribute = ir.Attribute.parse(f"dense<[{value}, {value}]> : tensor<2x{kind}>".replace("si1", "ui24"))
    with pytest.raises(BufferError, match="buffers have no name"):
        memoryview(attribute)
    assert len(attribute) == 2


def test_elements():
    integers = ir.Attribute.parse("dense<[1, -2, 3]> : tensor<3xi24>")
    assert (integers[0], integers[-2], list(integers)) == (1, -2, [1, -2, 3])
    wide = ir.Attribute.parse(f"dense<[{2**99}, -1]> : tensor<2xi128>")
    assert list(wide) == [2**99, -1]
    assert list(ir.Attribute.parse("dense<255> : tensor<1xui8>")) == [255]
    floats = ir.Attribute.parse("dense<[0.5, -1.0]> : tensor<2xbf16>")
    assert list(floats) == [0.5, -1.0]
    for it in (integers, floats):
        with pytest.raises(IndexError):
            it[3]
    pair = ir.Attribute.parse("dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>")
    assert [it.value for it in pair[0]] == [1.0, 2.0]
    with pytest.raises(ValueError, match="non-splat"):
        floats.get_splat_value()


def test_elements_of_attributes():
    i32 = ir.IntegerType.get_signless(32)
    one, two = ir.IntegerAttr.get(i32, 1), ir.IntegerAttr.get(i32, 2)
    assert str(ir.DenseElementsAttr.get([one, two])) == "dense<[1, 2]> : tensor<2xi32>"
    shaped = ir.RankedTensorType.get([2], i32)
    named = ir.DenseElementsAttr.get(attrs=[one, two], shaped_type=shaped)
    assert ir.DenseElementsAttr.get([one, two], shaped) is named
    assert str(ir.DenseElementsAttr.get([one], shaped)) == "dense<1> : tensor<2xi32>"
    assert ir.DenseElementsAttr.get_splat(shaped, one) is ir.DenseElementsAttr.get([one, one])
    with pytest.raises(ValueError, match="expected 2 attributes"):
        ir.DenseElementsAttr.get([one, one, one], shaped)
    with pytest.raises(ValueError, match="non-empty"):
        ir.DenseElementsAttr.get([])
    with pytest.raises(ValueError, match="Expected a static ShapedType"):
        ir.DenseElementsAttr.get([one], i32)
    with pytest.raises(ValueError, match="of the same type"):
        ir.DenseElementsAttr.get([one, ir.BoolAttr.get(True)])


def test_arrays():
    made = ir.DenseI32ArrayAttr.get([1, -2])
    assert (str(made), made[1], list(made), len(made)) == ("array<i32: 1, -2>", -2, [1, -2], 2)
    assert made is ir.Attribute.parse("array<i32: 1, -2>")
    assert str(made + [3]) == "array<i32: 1, -2, 3>"  # noqa: RUF005
    assert str(ir.DenseBoolArrayAttr.get([True, False])) == "array<i1: true, false>"
    assert list(ir.DenseBoolArrayAttr.get([True, False])) == [True, False]
    assert list(ir.DenseF32ArrayAttr.get([0.5, 1])) == [0.5, 1.0]
    for width in (8, 16, 64):
        kind = getattr(ir, f"DenseI{width}ArrayAttr")
        assert list(kind.get([-(2 ** (width - 1))])) == [-(2 ** (width - 1))]
        with pytest.raises(OverflowError):
            kind.get([2**width])
    assert type(ir.Attribute.parse("array<i24: 1>")) is ir.DenseArrayAttr
    assert type(ir.DenseF64ArrayAttr.get([])) is ir.DenseF64ArrayAttr


def test_resources(context):
    given = array.array("i", [1, 2, 3, 4])
    tensor = ir.RankedTensorType.get([2, 2], ir.IntegerType.get_signless(32))
    made = ir.DenseResourceElementsAttr.get_from_buffer(given, "mine", tensor)
    assert (str(made), made.name) == ("dense_resource<mine> : tensor<2x2xi32>", "mine")
    other = ir.DenseResourceElementsAttr.get_from_buffer(given, "mine", tensor, alignment=64, is_mutable=True)
    assert other.name == "mine_1"
    module = ir.Module.create(ir.Location.unknown())
    module.operation.attributes["a"] = made
    module.operation.attributes["b"] = other
    data = given.tobytes().hex().upper()
    assert f'mine: "0x04000000{data}",' in str(module)
    assert f'mine_1: "0x40000000{data}"' in str(module)
    assert memoryview(made).tolist() == [[1, 2], [3, 4]]
    # The same memory.
    given[0] = 9
    assert memoryview(made).tolist() == [[9, 2], [3, 4]]
    again = ir.Module.parse(str(module), ir.Context())
    assert str(again) == str(module)
    assert memoryview(again.operation.attributes["a"]).tolist() == [[9, 2], [3, 4]]


def test_resources_that_do_not_fit():
    given = array.array("i", [1, 2, 3, 4])
    i32 = ir.IntegerType.get_signless(32)
    get = ir.DenseResourceElementsAttr.get_from_buffer
    with pytest.raises(ValueError, match="requires a ShapedType"):
        get(given, "a", i32)
    with pytest.raises(ValueError, match="the buffer has 16 bytes"):
        get(given, "a", ir.RankedTensorType.get([5], i32))
    with pytest.raises(ValueError, match="power of two"):
        get(given, "a", ir.RankedTensorType.get([4], i32), alignment=3)
    with pytest.raises(ValueError, match="Contiguous"):
        get(memoryview(given)[::2], "a", ir.RankedTensorType.get([2], i32))
    empty = ir.Attribute.parse("dense_resource<nobody> : tensor<4xi32>")
    with pytest.raises(BufferError, match="has no data"):
        memoryview(empty)


def test_a_context_gives_its_memory_back():
    given = array.array("i", [1, 2])
    context = ir.Context()
    tensor = ir.RankedTensorType.get([2], ir.IntegerType.get_signless(32, context))
    made = ir.DenseResourceElementsAttr.get_from_buffer(given, "a", tensor)
    with pytest.raises(BufferError):
        given.append(3)
    del made, tensor, context
    gc.collect()
    given.append(3)
