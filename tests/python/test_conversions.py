"""Values there and back: exactly, or with an error that says what is wrong."""

from __future__ import annotations

import array
import collections
import contextlib
import decimal
import gc
import os
import pathlib
import sys
import threading
import types

import pairbond
import pairbond_testext as ext
import pytest

WIDTHS = [(getattr(ext, f"{s}{bits}_"), s == "i", bits) for bits in (8, 16, 32, 64, 128) for s in "iu"]


@pytest.mark.parametrize(("function", "signed", "bits"), WIDTHS)
def test_integers_are_exact(function, signed, bits):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    values = {low, low + 1, -256, -1, 0, 1, 255, 256, high - 1, high}
    values |= {(1 << 30) - 1, 1 << 30, 1 << 60, 1 << 63, -(1 << 63), 1 << 64}
    for value in values:
        if low <= value <= high:
            assert function(value) == value
            assert type(function(value)) is int
    for value in (low - 1, high + 1, 1 << 200, -(1 << 200)):
        with pytest.raises(OverflowError, match=r"argument 'value': .*does not fit into an"):
            function(value)


@pytest.mark.parametrize(("function", "signed", "bits"), WIDTHS)
def test_what_counts_as_an_integer(function, signed, bits):
    class Index:
        def __index__(self):
            return 7

    class Int(int):
        pass

    assert function(True) == 1
    assert function(Index()) == 7
    assert function(Int(7)) == 7
    for value in (1.0, "1", None, [], decimal.Decimal(1), b"1", 1j):
        with pytest.raises(TypeError, match=r"argument 'value': expected an"):
            function(value)


@pytest.mark.parametrize("function", [ext.i64_, ext.u64_, ext.i128_, ext.u128_, ext.i8_, ext.f64_])
def test_an_exception_of_index_is_kept(function):
    class Raises:
        def __index__(self):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        function(Raises())


def test_a_huge_integer_is_described_briefly():
    with pytest.raises(OverflowError) as caught:
        ext.i64_(10**100_000)
    assert str(caught.value) == "i64_() argument 'value': int does not fit into an int of 64 bits"


def test_floats():
    class Float:
        def __float__(self):
            return 2.5

    assert ext.f64_(1.5) == 1.5
    assert ext.f64_(3) == 3.0
    assert ext.f64_(-1) == -1.0
    assert ext.f64_(-1.0) == -1.0
    assert ext.f64_(True) == 1.0
    assert ext.f64_(Float()) == 2.5
    assert ext.f64_(decimal.Decimal("0.5")) == 0.5
    assert str(ext.f64_(float("nan"))) == "nan"
    assert ext.f64_(float("inf")) == float("inf")
    assert ext.f32_(0.5) == 0.5
    with pytest.raises(OverflowError):
        ext.f64_(10**400)
    for value in ("1.5", None, [], 1j):
        with pytest.raises(TypeError, match="expected float"):
            ext.f64_(value)


def test_bools():
    assert ext.bool_(True) is True
    assert ext.bool_(False) is False
    for value in (1, 0, None, "", []):
        with pytest.raises(TypeError, match="expected bool"):
            ext.bool_(value)


TEXTS = ["", "a", "äöü", "日本語", "🦀" * 3, "a\0b", "x" * 10_000]


@pytest.mark.parametrize("function", [ext.str_, ext.string, ext.text])
def test_strings(function):
    for text in TEXTS:
        assert function(text) == text

    class Text(str):
        __slots__ = ()

    assert function(Text("sub")) == "sub"
    with pytest.raises(ValueError, match=r"argument 'value': the str holds a lone surrogate"):
        function("a\udc80b")
    for value in (1, None, b"a", ["a"]):
        with pytest.raises(TypeError, match="expected str, got"):
            function(value)


def test_characters():
    assert ext.char_("a") == "a"
    assert ext.char_("🦀") == "🦀"
    for value in ("", "ab", 1):
        with pytest.raises(TypeError, match="a str of one character"):
            ext.char_(value)


@pytest.mark.parametrize("function", [ext.bytes_, ext.blob])
def test_bytes(function):
    for value in (b"", b"abc", bytes(range(256))):
        assert function(value) == value
        assert type(function(value)) is bytes
    for value in ("abc", [1], None, array.array("i", [1])):
        with pytest.raises(TypeError, match="expected bytes"):
            function(value)


def test_bytes_that_may_change():
    """What changes or moves is copied; it cannot be lent."""
    values = [bytearray(b"a\0c"), memoryview(b"a\0c"), memoryview(bytearray(b"xa\0cx"))[1:4], array.array("B", b"a\0c")]
    for value in values:
        assert ext.blob(value) == b"a\0c"
        with pytest.raises(TypeError, match="expected bytes, got"):
            ext.bytes_(value)
    assert ext.blob(bytearray()) == b""
    value = bytearray(b"abc")
    copy = ext.blob(value)
    value.append(1)  # nobody holds its buffer
    assert copy == b"abc"
    with pytest.raises((BufferError, ValueError)):
        ext.blob(memoryview(b"abcdef")[::2])
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(ValueError, match="released"):
        ext.blob(view)


def test_paths(tmp_path):
    class Path:
        def __init__(self, path):
            self.path = path

        def __fspath__(self):
            return self.path

    class Raises:
        def __fspath__(self):
            raise LookupError("mine")

    assert ext.path("a/b") == "a/b"
    assert ext.path(pathlib.Path("a/b")) == "a/b"
    assert ext.path(tmp_path) == os.fspath(tmp_path)
    assert ext.path(Path("x")) == "x"
    assert ext.path(Path(b"x")) == "x"
    assert ext.path(b"y") == "y"
    if os.name == "posix":
        assert ext.path(os.fsdecode(b"\xff")) == os.fsdecode(b"\xff")
    for value in (1, None, ["a"]):
        with pytest.raises(TypeError, match=r"expected str or os.PathLike"):
            ext.path(value)
    with pytest.raises(LookupError, match="mine"):
        ext.path(Raises())


def test_options_and_unit():
    assert ext.option(None) is None
    assert ext.option(3) == 3
    assert ext.unit(None) is None
    with pytest.raises(TypeError, match="expected an int of 64 bits or None, got str 'x'"):
        ext.option("x")
    with pytest.raises(TypeError, match="expected None"):
        ext.unit(0)


class Iterable:
    def __iter__(self):
        return iter((1, 2, 3))


class OldIterable:
    def __getitem__(self, index):
        if index == 3:
            raise IndexError
        return index + 1


class Listy(list):
    def __iter__(self):
        return iter((1, 2, 3))


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        (1, 2, 3),
        {1: 0, 2: 0, 3: 0}.keys(),
        range(1, 4),
        (i for i in (1, 2, 3)),
        array.array("q", [1, 2, 3]),
        collections.deque([1, 2, 3]),
        Iterable(),
        OldIterable(),
        Listy([7]),
    ],
)
def test_sequences(values):
    assert ext.vec(values) == [1, 2, 3]


def test_what_is_no_sequence():
    for value in ("123", b"123", bytearray(b"123"), {1: 2}, 3, None, object()):
        with pytest.raises(TypeError, match="expected a sequence of an int of 64 bits"):
            ext.vec(value)


def test_sequences_of_a_certain_length():
    assert ext.array([1, 2, 3]) == [1, 2, 3]
    with pytest.raises(TypeError, match="3 × an int"):
        ext.array([1, 2])
    assert ext.pair((1, "a")) == (1, "a")
    assert ext.pair([1, "a"]) == (1, "a")
    for value in ((1,), (1, "a", 2), ()):
        with pytest.raises(TypeError, match="a tuple"):
            ext.pair(value)
    assert ext.sized((-5, sys.maxsize)) == (-5, sys.maxsize)


def test_elements_that_do_not_fit_say_where():
    with pytest.raises(TypeError, match=r"vec\(\) argument 'value'\[1\]: expected an int of 64 bits, got str 'b'"):
        ext.vec([1, "b"])
    with pytest.raises(OverflowError, match=r"argument 'value'\[0\]"):
        ext.vec([1 << 70])
    with pytest.raises(TypeError, match=r"argument 'value'\[str 'a'\]: expected an int of 64 bits, got None"):
        ext.map({"a": None})
    with pytest.raises(TypeError, match=r"\[1\]"):
        ext.pair((1, 2))


def test_an_iterator_that_raises():
    def numbers():
        yield 1
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ext.vec(numbers())

    class Raises:
        def __iter__(self):
            raise LookupError("mine too")

    with pytest.raises(LookupError, match="mine too"):
        ext.vec(Raises())


def test_a_list_that_changes_while_it_is_read():
    values = []

    class Clears:
        def __index__(self):
            values.clear()
            gc.collect()
            return 1

    values.extend([Clears(), *range(1000, 2000)])
    assert ext.walk(values) == 1

    class Grows:
        def __index__(self):
            if len(values) < 100:
                values.append(Grows())
            return 1

    values[:] = [Grows()]
    assert ext.walk(values) == 100


@contextlib.contextmanager
def unless_its_size_changed():
    """Reading a dict may fail with one certain error: free-threaded builds read a snapshot, the others notice."""
    try:
        yield
    except RuntimeError as error:
        if "the dict changed its size" not in str(error):
            raise


def test_a_dict_that_changes_while_it_is_read():
    values = {}

    class Clears:
        def __index__(self):
            values.clear()
            gc.collect()
            return 1

    values.update({str(i): Clears() for i in range(100)})
    with unless_its_size_changed():
        ext.map(values)
    assert values == {}


def test_lists_and_dicts_that_change_on_another_thread():
    values, table = list(range(100)), {str(i): i for i in range(100)}
    stop = threading.Event()

    def change():
        while not stop.is_set():
            values.clear()
            values.extend(range(100))
            table.clear()
            table.update({str(i): i for i in range(100)})

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(2000):
            assert ext.walk(values) <= 100
            with unless_its_size_changed():
                ext.map(table)
    finally:
        stop.set()
        thread.join()


def test_mappings():
    class Table:
        def __getitem__(self, key):
            raise KeyError(key)

        def items(self):
            return iter([("a", 1), ("b", 2)])

    class Broken(Table):
        def items(self):
            return [1]

    expected = {"a": 1, "b": 2}
    assert ext.map(expected) == expected
    assert ext.map(collections.OrderedDict(expected)) == expected
    assert ext.map(types.MappingProxyType(expected)) == expected
    assert ext.map(Table()) == expected
    with pytest.raises(TypeError, match="not a pair"):
        ext.map(Broken())
    for value in ([("a", 1)], "ab", 3, None):
        with pytest.raises(TypeError, match="expected a mapping from str to an int of 64 bits"):
            ext.map(value)
    with pytest.raises(TypeError, match="key"):
        ext.map({1: 1})


def test_nested_containers():
    value = {"x": [(1, "a"), (2, None)], "y": []}
    assert ext.nested(value) == value
    assert ext.set([3, 1, 3, 2]) == [1, 2, 3]
    assert ext.set({5}) == [5]


class Text(str):
    pass


class Number(int):
    pass


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "None"),
        (True, "bool"),
        (False, "bool"),
        (0, "int"),
        (-(1 << 63), "int"),
        (1.5, "float"),
        ("abc", "str"),
        (b"abc", "bytes"),
        (1 << 64, "int"),
        (-(1 << 200), "int"),
        ("\udc80", "object"),
        (Text("abc"), "object"),
        (Number(3), "object"),
        (bytearray(b"x"), "object"),
        ([], "object"),
        (object(), "object"),
        (len, "object"),
        (int, "object"),
    ],
)
def test_any(value, kind):
    assert ext.describe_any(value) == kind
    back = ext.any(value)
    assert back == value
    assert type(back) is type(value)
    if kind == "object":
        assert back is value
    assert ext.collect_anys([value, value]) == [value, value]


def test_any_knows_native_objects():
    package = ext.Package("a")
    assert ext.any(package) is package
    assert ext.describe_any(package) == "pairbond_testext.Package"
    function = ext.native_function()
    assert ext.any(function) is function
    assert ext.describe_any(function) == "function"


def test_foreign_objects_come_back():
    for value in (None, 1, "x", object(), [], ext.Package("a"), ext.Package):
        assert ext.foreign(value) is value


def test_nothing_is_leaked_or_lost():
    values = [object() for _ in range(10)]
    before = [sys.getrefcount(value) for value in values]
    for _ in range(100):
        for value in values:
            ext.any(value)
            ext.foreign(value)
            ext.collect_anys([value, value])
            with pytest.raises(TypeError):
                ext.vec([1, value])
            with pytest.raises(TypeError):
                ext.pair((1, value))
    del value
    gc.collect()
    assert [sys.getrefcount(value) for value in values] == before


def test_descriptions_neither_raise_nor_take_long():
    class Raises:
        def __repr__(self):
            raise LookupError

    class Long:
        def __repr__(self):
            return "x" * 1000

    def message(value):
        with pytest.raises(TypeError) as caught:
            ext.i64_(value)
        return str(caught.value).split("got ", 1)[1]

    assert message(Raises()).endswith("Raises")
    assert message(Long()).endswith("Long " + "x" * 60 + "…")
    assert message(list(range(10**6))) == "list of 1000000"
    assert message("y" * 10**6) == "str 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…"
    assert message("\udc80") == "str '\\udc80'"
    assert message(None) == "None"
    assert message(object()) == "object"
    assert message({}) == "dict of 0"
    assert message(b"abc") == "bytes b'abc'"


def test_unfinished_containers_are_never_seen():
    """A callback of the collector looks into every list and tuple while Rust fills some."""
    seen = 0

    def look(phase, info):
        nonlocal seen
        for value in gc.get_objects():
            if type(value) in (list, tuple):
                seen += len(value) and value[-1] is not None

    packages = [ext.Package(str(i)) for i in range(300)]
    gc.callbacks.append(look)
    before = gc.get_threshold()
    gc.set_threshold(10)
    try:
        for _ in range(3):
            assert len(ext.names(packages)) == 300
            assert ext.any([1]) == [1]
            ext.nested({str(i): [(i, "x")] * 3 for i in range(50)})
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(look)


# ---- integers of any size, and what arrays are made of ----


@pytest.mark.parametrize("bits", [7, 8, 15, 16, 31, 62, 63, 64, 65, 127, 128, 129, 255, 256, 1000, 100_000])
def test_large_integers(bits):
    for value in (1 << bits, (1 << bits) - 1, (1 << bits) + 1):
        for number in (value, -value):
            assert ext.big(number) == number
            assert ext.any(number) == number
            assert type(ext.any(number)) is int
            kind, words = ext.any_kind(number)
            assert kind == "int"
            assert words.startswith("int")


def test_integers_of_other_classes():
    class Index:
        def __index__(self):
            return 1 << 70

    class Raises:
        def __index__(self):
            raise LookupError("mine")

    class Int(int):
        pass

    assert ext.big(Index()) == 1 << 70
    assert ext.big(True) == 1
    assert ext.big(Int(1 << 70)) == 1 << 70
    assert type(ext.any(Int(1 << 70))) is Int
    with pytest.raises(LookupError, match="mine"):
        ext.big(Raises())
    with pytest.raises(TypeError, match=r"big\(\) argument 'value': expected int, got float 1.5"):
        ext.big(1.5)


def test_dtypes():
    half = pairbond.DType("float16")
    assert (half.code, half.bits, half.lanes) == (2, 16, 1)
    assert ext.any(half) == half == ext.dtype(half) == ext.dtype("float16")
    assert hash(half) == hash(ext.any(half))
    assert str(half) == "float16"
    assert repr(pairbond.DType("int8x4")) == "pairbond.DType('int8x4')"
    assert half != pairbond.DType("bfloat16")
    assert half != "float16"
    for name in ("bool", "complex64", "complex128x2", "uint8", "handle64", "int4x8", "bool1"):
        assert str(pairbond.DType(name)) == name
    assert ext.any_kind(half) == ("dtype", "dtype float16")
    for name in ("float", "complex", "int8x", "xint8", "", "int999", "float16x99999"):
        with pytest.raises(ValueError, match="unknown dtype"):
            pairbond.DType(name)
    with pytest.raises(ValueError, match="unknown dtype"):
        ext.dtype("thing")
    with pytest.raises(TypeError, match=r"pairbond\.DType or its name"):
        ext.dtype(5)


def test_devices():
    gpu = pairbond.Device("cuda:1")
    assert (gpu.kind, gpu.index) == (2, 1)
    assert ext.any(gpu) == gpu == ext.device(gpu) == ext.device("cuda:1")
    assert str(ext.device("cpu")) == "cpu:0"
    assert {gpu: 1}[pairbond.Device("cuda:1")] == 1
    assert str(pairbond.Device("device99:3")) == "device99:3"
    for name in ("gpu", "cuda:x", ""):
        with pytest.raises(ValueError, match="unknown device"):
            pairbond.Device(name)


def test_floats_bit_by_bit():
    import struct

    for bits in (0x8000000000000000, 0x7FF8000000000001, 0xFFF8DEADBEEF0001, 0x7FF0000000000000, 1):
        value = struct.unpack("<d", struct.pack("<Q", bits))[0]
        for function in (ext.any, ext.f64_):
            assert struct.pack("<d", function(value)) == struct.pack("<Q", bits)


def test_long_texts_are_not_cut():
    text = "x\0y" * (1 << 20)
    assert ext.any(text) == text
    assert ext.any(text.encode()) == text.encode()


OVER_4_GIB = (1 << 32) + 5


def test_lengths_over_4_gib():
    """Zeros that nobody has written take no memory."""
    try:
        zeros = bytes(OVER_4_GIB)
    except MemoryError:
        pytest.skip("the system does not promise 4 GiB of memory")
    assert ext.end_of_bytes(zeros) == (OVER_4_GIB, 0)


@pytest.mark.skipif("not os.environ.get('PAIRBOND_LONG')", reason="takes 14 GiB of memory: PAIRBOND_LONG=1")
def test_contents_over_4_gib():
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    if available < 14 << 30:
        pytest.skip(f"14 GiB of memory are needed, {available >> 30} are available")
    text = "x" * (OVER_4_GIB - 1) + "y"
    assert ext.end_of_text(text) == (OVER_4_GIB, "y")
    assert ext.len_of_any(text) == OVER_4_GIB
    assert ext.any(text) == text
    del text
    blob = b"x" * (OVER_4_GIB - 1) + b"y"
    assert ext.len_of_any(blob) == OVER_4_GIB
    assert ext.any(blob) == blob


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_characters(text):
    """As a text they are refused; as a value of any kind they come back as the same object."""
    for function in (ext.str_, ext.string, ext.text, ext.path if os.name != "posix" else ext.str_):
        with pytest.raises(ValueError, match="lone surrogate"):
            function(text)
    assert ext.any(text) is text
    assert ext.collect_anys([text])[0] is text


@pytest.mark.parametrize("text", ["\0", "a\0b", "\0" * 100, "\0é😀\0"])
def test_zeros_in_the_middle(text):
    for function in (ext.str_, ext.string, ext.text, ext.any):
        assert function(text) == text
    blob = text.encode()
    for function in (ext.bytes_, ext.blob, ext.any):
        assert function(blob) == blob


def test_results_of_closures():
    """What Rust hands to a function of any kind keeps its form."""
    pair = ext.plain_closure()(1, "two")
    assert isinstance(pair, pairbond.Tuple)
    assert pair == (1, "two")
    table = ext.table_of()(3)
    assert isinstance(table, pairbond.Map)
    assert table == {"n": 3}


def test_subscripts():
    """What stands in brackets, in a sequence of five: a slice is its start, step and count."""
    assert ext.subscripts(3) == "3"
    assert ext.subscripts(...) == "..."
    assert ext.subscripts((1, ..., (2,))) == "(1 ... (2))"
    assert ext.subscripts(()) == "()"
    ends = [None, -(10**30), -7, -6, -5, -1, 0, 1, 4, 5, 6, 10**30]
    for start in ends:
        for stop in ends:
            for step in [None, 1, 2, 7, -1, -2, -7, 10**30, -(10**30)]:
                places = range(5)[start:stop:step]
                text = ext.subscripts(slice(start, stop, step))
                got = [int(part) for part in text.removeprefix("Some((").removesuffix("))").split(", ")]
                assert got[2] == len(places)
                if places:
                    assert got[0] == places[0]
                if len(places) > 1:
                    assert got[1] == places.step
    with pytest.raises(ValueError, match="zero"):
        ext.subscripts(slice(None, None, 0))
    with pytest.raises(TypeError):
        ext.subscripts("a")
    with pytest.raises(TypeError):
        ext.subscripts(slice("a"))
