"""pairbond.Array by itself: elements, subscripts, buffers, DLPack capsules; and beside numpy, where that is."""

import array
import ast
import ctypes
import functools
import gc
import importlib.util
import itertools
import operator
import struct
import sys
import threading
import weakref
from pathlib import Path

import pairbond
import pytest
from interpreters import check
from pairbond import Array
from pairbond_testext import (
    array_constant,
    array_drop_elsewhere,
    array_is_slice,
    array_of_bytes,
    array_scale,
    array_strided,
    array_sum,
)

pytestmark = pytest.mark.usefixtures("no_leak")

# dtype, format, values that stay what they are
KINDS = [
    ("int8", "b", [-128, 0, 127]),
    ("int16", "h", [-(2**15), 0, 2**15 - 1]),
    ("int32", "i", [-(2**31), 0, 2**31 - 1]),
    ("int64", "q", [-(2**63), 0, 2**63 - 1]),
    ("uint8", "B", [0, 1, 255]),
    ("uint16", "H", [0, 1, 2**16 - 1]),
    ("uint32", "I", [0, 1, 2**32 - 1]),
    ("uint64", "Q", [0, 1, 2**64 - 1]),
    ("float16", "e", [0.5, -2.0, 65504.0, 2.0**-24, float("inf")]),
    ("float32", "f", [0.5, -0.0, 2.0**-149, float("-inf")]),
    ("float64", "d", [0.1, -0.0, 5e-324, 1.7e308]),
    ("bool", "?", [True, False]),
    ("complex64", "Zf", [1 + 2j, -0.5j]),
    ("complex128", "Zd", [0.1 + 0.2j, 1e300]),
    ("bfloat16", None, [1.0, -2.5, 2.0**100]),
]


@pytest.mark.parametrize(("dtype", "name", "values"), KINDS)
def test_every_type(dtype, name, values):
    some = Array(values, dtype)
    assert str(some.dtype) == dtype
    assert some.dtype == pairbond.DType(dtype)
    assert some.tolist() == values == list(some) == [some[i] for i in range(len(some))]
    assert list(map(repr, some)) == list(map(repr, values)) or dtype.startswith("complex")
    assert some.nbytes == some.dtype.bits // 8 * len(values) == len(some.tobytes())
    some[0], some[-1] = values[-1], values[0]
    assert some[0] == values[-1]
    if name is None:
        with pytest.raises(BufferError, match="no name for bfloat16"):
            memoryview(some)
        return
    view = memoryview(some)
    assert (view.format, view.shape, view.readonly) == (name, (len(values),), False)
    assert bytes(view) == some.tobytes()
    if len(name) == 1:
        assert some.tobytes() == struct.pack(f"={len(values)}{name}", *some)
    again = Array.from_buffer(view)
    assert again.dtype == some.dtype
    again[0] = values[1]
    assert some[0] == values[1]


@pytest.mark.parametrize(
    ("dtype", "bad"),
    [
        ("int8", 128),
        ("uint8", -1),
        ("uint64", 2**64),
        ("int64", 2**63),
        ("int32", 1.5),
        ("float64", "1"),
        ("float16", 1e6),
    ],
)
def test_what_does_not_fit(dtype, bad):
    some = Array([1, 2], dtype)
    with pytest.raises((OverflowError, TypeError)):
        some[0] = bad
    with pytest.raises((OverflowError, TypeError)):
        Array([bad], dtype)
    assert some.tolist() == [1, 2]


def test_shapes():
    some = Array([[1, 2, 3], [4, 5, 6]], "int32")
    assert (some.shape, some.strides, some.ndim, some.size, len(some)) == ((2, 3), (12, 4), 2, 6, 2)
    assert str(some.device) == "cpu:0"
    assert repr(some) == "pairbond.Array([[1, 2, 3], [4, 5, 6]], dtype='int32')"
    assert repr(Array.zeros((2000,))) == "<pairbond.Array of float64, shape (2000,), on cpu:0>"
    assert some.transposed.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert Array(7.5)[()] == 7.5
    assert Array(7.5).shape == ()
    assert Array([]).shape == (0,)
    assert Array([[], []]).shape == (2, 0)
    assert Array.zeros((0, 3)).tolist() == []
    assert Array.zeros((3, 0)).tolist() == [[], [], []]
    assert Array(range(3), "int8").tolist() == Array(iter([0, 1, 2]), dtype="int8").tolist()
    for bad in [[[1], [1, 2]], [[1, 2], 3], [1, [2]], "ab", None, object()]:
        with pytest.raises((ValueError, TypeError)):
            Array(bad)
    for bad in [-1, (2, -1), "a", 1.5, (2**40, 2**40)]:
        with pytest.raises((ValueError, TypeError, OverflowError)):
            Array.zeros(bad)
    with pytest.raises(MemoryError):
        Array.zeros(2**55)
    with pytest.raises(ValueError, match="not made of bytes"):
        Array.zeros(3, "int4")
    with pytest.raises(ValueError, match="64 axes"):
        Array.zeros([1] * 65)
    recursive = []
    recursive.append(recursive)
    with pytest.raises(ValueError, match="64 axes"):
        Array(recursive)
    with pytest.raises(TypeError):
        len(Array(1))
    with pytest.raises(TypeError):
        iter(Array(1))


def test_subscripts_are_of_the_same_memory():
    some = Array([[10 * i + j for j in range(5)] for i in range(4)], "int64")
    model = some.tolist()
    assert some[2, 3] == some[-2, -2] == 23
    assert some[2].tolist() == model[2]
    for rows in [slice(None), slice(1, 3), slice(None, None, -1), slice(3, None, -2), slice(2, 2), slice(5, 9)]:
        for columns in [slice(None), slice(0, 5, 2), slice(None, None, -1), slice(4, 0, -3)]:
            assert some[rows, columns].tolist() == [row[columns] for row in model[rows]]
    assert some[..., 0].tolist() == some[:, 0].tolist() == [0, 10, 20, 30]
    assert some[...].tolist() == model
    assert some[...] is not some
    assert some[1, ...].tolist() == model[1]
    assert some[1, 2, ...].shape == ()
    some[::-1][0, ::-1][0] = -1
    assert some[3, 4] == -1
    some[1:3, ::2] = 0
    assert some.tolist()[1] == [0, 11, 0, 13, 0]
    some[0] = Array(range(5), "int64")[::-1]
    assert some.tolist()[0] == [4, 3, 2, 1, 0]
    some[0] = some[0][::-1]
    assert some.tolist()[0] == [0, 1, 2, 3, 4]
    some[...] = 9
    assert set(functools.reduce(operator.iadd, some.tolist(), [])) == {9}
    for bad in [4, -5, (0, 5), (0, 0, 0), (..., ...), "a", 1.0, None, (0, "a"), 2**70]:
        with pytest.raises((IndexError, TypeError)):
            some[bad]
    for bad in [Array([1, 2], "int64"), Array([1.0] * 5), "a", None, b"12345"]:
        with pytest.raises((ValueError, TypeError)):
            some[0] = bad
    with pytest.raises(TypeError):
        del some[0]
    alive = some[1:, 1:][0][2:]
    del some
    gc.collect()
    assert alive.tolist() == [9, 9]


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 1, 3), (2, 3, 1, 2), (1, 2, 1, 2, 1, 2)])
def test_an_element_is_that_of_nested_lists(shape):
    some = Array.zeros(shape, "int64")
    places = list(itertools.product(*map(range, shape)))
    for number, place in enumerate(places):
        some[place if len(shape) > 1 else place[0]] = number
    for other in (some, some.transposed, some[::-1], Array.from_dlpack(some), Array(some.tolist(), "int64")):
        whole = other.tolist()
        assert memoryview(other).tolist() == whole
        assert [part if isinstance(part, int) else part.tolist() for part in other] == whole
        for place in itertools.product(*map(range, other.shape)):
            expected = whole
            for index in place:
                expected = expected[index]
            below_zero = tuple(index - size for index, size in zip(place, other.shape, strict=True))
            for key in (place, below_zero, *((place[0], below_zero[0]) if len(shape) == 1 else ())):
                assert other[key] == expected
        for axis, size in enumerate(other.shape):
            for index in (size, -size - 1, 1 << 70, -1 << 70):
                with pytest.raises(IndexError):
                    other[(0,) * axis + (index,) + (0,) * (len(shape) - axis - 1)]
    assert type(some[tuple(0 for _ in shape)]) is int
    assert some[places[0][:-1]].shape == shape[-1:]
    floats = Array([0.0, 1.0])
    floats[1] = 2.5
    floats[-2] = -1
    assert floats.tolist() == [-1.0, 2.5]
    with pytest.raises(IndexError):
        floats[2] = 1.0
    with pytest.raises(TypeError):
        some[(0,) * len(shape)] = 1.0


def test_buffers_say_what_was_asked_for():
    some = Array([[1.0, 2.0], [3.0, 4.0]])
    assert memoryview(some).tolist() == [[1, 2], [3, 4]]
    assert memoryview(some[:, 0]).tolist() == [1, 3]
    assert memoryview(some[::-1]).strides == (-16, 8)
    assert bytes(some) == some.tobytes()
    assert memoryview(Array(1.5)).tolist() == 1.5
    assert memoryview(Array([])).tolist() == []
    with open("/dev/null", "wb") as file:  # asks for plain bytes
        assert file.write(some) == 32
        with pytest.raises(BufferError, match="copy"):
            file.write(some[:, 0])
    constant = array_constant([1.0, 2.0])
    assert constant.readonly
    assert memoryview(constant).readonly
    with pytest.raises((BufferError, TypeError), match=r"read-only|not writable"):
        ctypes.c_char.from_buffer(constant)
    with pytest.raises(ValueError, match="read-only"):
        constant[0] = 1
    assert constant.copy().readonly is False
    assert array_is_slice(constant)
    assert array_is_slice(constant[1:])
    assert not array_is_slice(some)


def test_buffers_of_others():
    numbers = array.array("d", [1, 2, 3])
    some = Array.from_buffer(numbers)
    numbers[0] = 7
    some[1] = 8
    assert some.tolist() == list(numbers) == [7, 8, 3]
    with pytest.raises(BufferError):
        numbers.append(1)  # lent
    del some
    gc.collect()
    numbers.append(1)
    assert Array.from_buffer(b"ab").tolist() == [97, 98]
    assert Array.from_buffer(b"ab").readonly
    assert Array.from_buffer(bytearray(b"ab"), readonly=True).readonly
    with pytest.raises(BufferError):
        Array.from_buffer(b"ab", readonly=False)
    with pytest.raises(TypeError, match="list has no buffer"):
        Array.from_buffer([1])
    view = memoryview(bytes(range(12))).cast("B", (3, 4))
    assert Array.of(view).tolist() == view.tolist()
    assert Array.of(memoryview(bytes(range(12)))[::-2]).tolist() == list(range(11, 0, -2))
    assert Array.of(memoryview(b"")).tolist() == []
    swapped = (ctypes.c_int32.__ctype_be__ if sys.byteorder == "little" else ctypes.c_int32.__ctype_le__) * 2
    with pytest.raises(BufferError, match="order of another processor"):
        Array.from_buffer(swapped(1, 2))

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]

    for bad in [Pair(), (ctypes.c_void_p * 2)(), (ctypes.c_wchar * 3)()]:
        with pytest.raises(BufferError, match="no numbers"):
            Array.from_buffer(bad)
    some = Array.of(numbers)
    assert Array.of(some) is some


def test_memory_lives_as_long_as_anybody_looks():
    some = Array.zeros(1000)
    view = memoryview(some)[500:]
    del some
    gc.collect()
    view[0] = 1.0
    assert view[0] == 1.0
    owner = bytearray(100)
    chain = Array.of(memoryview(Array.of(owner)[10:]))[10:]
    chain[0] = 3
    assert owner[20] == 3
    with pytest.raises(BufferError):
        owner.clear()
    del chain
    gc.collect()
    owner.clear()


def test_what_lends_cannot_be_reached():
    owner = bytearray(8)
    some = Array.of(owner)
    for it in gc.get_objects():
        if type(it).__name__ == "Lender":
            assert not hasattr(it, "release")
            with pytest.raises(TypeError):
                type(it)()
    assert some.tolist() == [0] * 8


def test_a_cycle_through_memory_is_collected():
    class Owner(bytearray):
        pass

    owner = Owner(8)
    owner.array = Array.of(owner)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
    some = Array.zeros(3)
    some.view = memoryview(some)
    gone = weakref.ref(some)
    del some
    gc.collect()
    assert gone() is None


def test_rust_takes_what_lends():
    assert array_sum(Array([1.0, 2.5])) == 3.5
    assert array_sum(array.array("d", [1, 2])) == 3
    assert array_sum(array.array("q", [1, 2])) == 3
    assert array_sum(b"\1\2") == 3
    numbers = array.array("d", [1, 2])
    array_scale(numbers, 10.0)
    assert list(numbers) == [10, 20]
    numbers.append(1)  # not lent any more
    array_scale(Array.of(numbers)[::-2], 2.0)
    assert list(numbers) == [20, 20, 2]
    with pytest.raises(TypeError, match="elements are uint8"):
        array_scale(b"1", 2.0)
    with pytest.raises(TypeError, match="expected an array, got list"):
        array_sum([1.0])
    with pytest.raises(ValueError, match="read-only"):
        array_scale(array_constant([1.0]), 2.0)
    data = bytes(range(100))
    some = array_of_bytes(data)
    assert bytes(memoryview(some)) == data
    assert some.readonly


def test_a_thread_that_is_not_attached_gives_memory_back():
    numbers = array.array("d", [1, 2])
    assert array_drop_elsewhere(Array.of(numbers)) == 3
    assert array_drop_elsewhere(numbers) == 3
    for _ in range(100):
        pairbond.collect()  # an entry releases what waits
        try:
            numbers.append(1)
            break
        except BufferError:
            pass
    assert len(numbers) == 3


def test_writers_and_readers_at_once():
    some = Array.zeros(1000, "int64")
    numbers = memoryview(some)

    def write(value):
        for _ in range(20):
            some[...] = value
            numbers[value] = value
            assert set(some.tolist()) <= set(range(5))
            assert array_sum(some) <= 4000

    threads = [threading.Thread(target=write, args=(n,)) for n in range(5)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()


def names(capsule):
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name(capsule)


def test_capsules():
    some = Array([[1.0, 2.0], [3.0, 4.0]])
    assert some.__dlpack_device__() == (1, 0)
    assert names(some.__dlpack__()) == b"dltensor"
    assert names(some.__dlpack__(max_version=(1, 0))) == b"dltensor_versioned"
    assert names(some.__dlpack__(max_version=(0, 8))) == b"dltensor"
    capsules = [some[::-1, 0].__dlpack__(max_version=(1, 1))]
    del some

    class Once:
        def __dlpack__(self, **options):
            return capsules[0]

    other = Array.from_dlpack(Once())
    assert other.tolist() == [3, 1]
    assert not other.readonly
    assert names(capsules[0]) == b"used_dltensor_versioned"
    with pytest.raises(TypeError, match="used before"):
        Array.from_dlpack(Once())
    capsules.clear()
    gc.collect()
    assert other.tolist() == [3, 1]


def test_arguments_by_name_and_place():
    some = Array([1.0, 2.0])
    capsule = some.__dlpack__(copy=None, dl_device=(1, 0), max_version=(1, 0), stream=None)
    assert "dltensor_versioned" in repr(capsule)
    assert Array.from_dlpack(some, copy=True, device=None).tolist() == [1.0, 2.0]
    assert Array.from_buffer(memoryview(b"ab"), readonly=True).readonly
    for call in (
        lambda: some.__dlpack__(None),
        lambda: some.__dlpack__(version=(1, 0)),
        lambda: some.__dlpack__(**{"\udc80": 1}),
        lambda: Array.from_dlpack(),
        lambda: Array.from_dlpack(some, None),
        lambda: Array.from_dlpack(some, object=some),
        lambda: Array.from_buffer(),
        lambda: Array.from_buffer(b"ab", True),
        lambda: Array.from_buffer(b"ab", read_only=True),
    ):
        with pytest.raises(TypeError, match="argument"):
            call()
    for version in ([1, 0], (True, 0), (2**70, 0)):
        if version[0] == 2**70:
            with pytest.raises(OverflowError):
                some.__dlpack__(max_version=version)
        else:
            assert "dltensor_versioned" in repr(some.__dlpack__(max_version=version))
    with pytest.raises(IndexError):
        some.__dlpack__(max_version=())


def test_what_an_exporter_raises_is_raised():
    class Raises:
        def __init__(self, error):
            self.error = error

        def __dlpack__(self, **_):
            raise self.error

    for error in (AttributeError("mine"), ValueError("mine"), KeyError("mine")):
        with pytest.raises(type(error)) as caught:
            Array.from_dlpack(Raises(error))
        assert caught.value is error


def test_capsules_that_cannot_be():
    constant = array_constant([1.0])
    with pytest.raises(BufferError, match="read-only"):
        constant.__dlpack__()
    assert Array.from_dlpack(constant).readonly
    assert not Array.from_dlpack(constant, copy=True).readonly
    some = Array([1.0, 2.0])
    with pytest.raises(BufferError, match="stream"):
        some.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="device"):
        some.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="device"):
        Array.from_dlpack(some, device="cuda:0")
    Array.from_dlpack(some, device="cpu:0", copy=False)[0] = 9
    Array.from_dlpack(some, copy=True)[1] = 9
    assert some.tolist() == [9, 2]
    record = memoryview(bytes(10)).cast("B")
    odd = Array.from_buffer(record)
    assert Array.from_dlpack(odd).tolist() == [0] * 10
    with pytest.raises(TypeError, match="no __dlpack__"):
        Array.from_dlpack(object())
    for answer in [None, 1, "capsule"]:
        with pytest.raises(TypeError, match="no capsule"):
            Array.from_dlpack(type("Bad", (), {"__dlpack__": lambda self, answer=answer, **_: answer})())

    class Old:
        def __dlpack__(self):
            return some.__dlpack__()

    assert Array.from_dlpack(Old()).tolist() == [9, 2]
    assert Array.from_dlpack(Old()).readonly


class Subclass(Array):
    def __init__(self, values, label):
        super().__init__(values)
        self.label = label


def test_a_subclass():
    some = Subclass([1, 2], "mine")
    assert some.tolist() == [1, 2]
    assert some.label == "mine"
    assert type(some[:1]) is Array
    with pytest.raises((RuntimeError, TypeError)):
        memoryview(Subclass.__new__(Subclass))


def test_containers_hold_arrays():
    some = Array([1.0])
    held = pairbond.List([some])
    some.mark = 1
    del some
    assert held[0].mark == 1
    assert held[0].tolist() == [1]


WITH_NUMPY = Path(__file__).with_name("arrays_numpy.py")
CASES = [node.name for node in ast.parse(WITH_NUMPY.read_text()).body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("case", [name for name in CASES if not name.startswith("_")])
def test_with_numpy(case):
    """In a process of its own: numpy cannot be in several interpreters, and other tests count memory."""
    if importlib.util.find_spec("numpy") is None:
        pytest.skip("numpy has no wheel for this interpreter")
    check(f"import arrays_numpy\narrays_numpy.{case}()\nprint('fine')")


class Tensor(ctypes.Structure):
    """`DLManagedTensor` of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint8 * 2),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


def tensor(shape, strides=None, dtype=(2, 64), lanes=1, ndim=None, data=True, without_shape=False):
    """An object whose `__dlpack__` gives a capsule with just that."""
    memory = (ctypes.c_double * 64)(*range(64))
    numbers = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    steps = None if strides is None else (ctypes.c_int64 * max(1, len(strides)))(*strides)
    made = Tensor(
        data=ctypes.addressof(memory) if data else None,
        device=(1, 0),
        ndim=len(shape) if ndim is None else ndim,
        dtype=dtype,
        lanes=lanes,
        shape=None if without_shape else ctypes.cast(numbers, ctypes.POINTER(ctypes.c_int64)),
        strides=None if steps is None else ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64)),
    )
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    class Lender:
        kept = memory, numbers, steps, made

        def __dlpack__(self, **_):
            return new(ctypes.addressof(made), b"dltensor", None)

    return Lender()


def test_a_tensor_that_can_be_believed():
    lender = tensor([2, 3], [3, 1])
    assert Array.from_dlpack(lender).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    lender = tensor([2, 3], [-1, 0], data=True)
    assert Array.from_dlpack(lender).shape == (2, 3)
    empty = Array.from_dlpack(tensor([0, 5], data=False))
    assert empty.shape == (0, 5)
    assert empty.tolist() == []
    assert Array.from_dlpack(tensor([], ndim=0, without_shape=True)).tolist() == 0.0


@pytest.mark.parametrize(
    "odd",
    [
        {"shape": [2], "ndim": -1},
        {"shape": [1] * 65},
        {"shape": [2], "without_shape": True},
        {"shape": [-1]},
        {"shape": [2**62, 2**62]},
        {"shape": [2**62]},
        {"shape": [3], "strides": [2**62]},
        {"shape": [2**31, 2**31], "strides": [2**40, 0]},
        {"shape": [3, 3], "strides": [2**59, 2**59]},
        {"shape": [3], "data": False},
        {"shape": [3], "dtype": (2, 3)},
        {"shape": [3], "lanes": 0},
    ],
    ids=str,
)
def test_a_tensor_that_cannot_be(odd):
    lender = tensor(**odd)
    with pytest.raises((BufferError, OverflowError, TypeError, ValueError)):
        Array.from_dlpack(lender)


def test_other_elements_of_the_same_memory():
    rows = pairbond.Array(list(range(12)), dtype="int64")
    grid = array_strided(rows, [3, 2], [4, 1], 1)
    assert memoryview(grid).tolist() == [[1, 2], [5, 6], [9, 10]]
    grid[1, 1] = -1
    assert rows[6] == -1
    # What lies side by side in another order of axes is numbered as it lies.
    turned = array_strided(array_strided(pairbond.Array(range(1, 7)), [3, 2], [1, 3], 0), [6], [1], 0)
    assert memoryview(turned).tolist() == [1, 2, 3, 4, 5, 6]
    assert memoryview(array_strided(rows, [0], [1 << 60], 1 << 60)).tolist() == []
    assert memoryview(array_strided(rows, [1], [1 << 62], 11)).tolist() == [11]
    for shape, strides, start in [([13], [1], 0), ([12], [1], 1), ([2], [12], 0), ([3], [1 << 63], 0), ([1], [1], 12)]:
        with pytest.raises(ValueError, match="not so many"):
            array_strided(rows, shape, strides, start)
    with pytest.raises(ValueError, match="as many strides"):
        array_strided(rows, [2], [], 0)
    for apart in [rows[::2], rows[::-1], array_strided(rows, [3], [0], 0)]:
        with pytest.raises(ValueError, match="side by side"):
            array_strided(apart, [1], [1], 0)
