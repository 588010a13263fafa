"""Any value there and back, found by Hypothesis: the same value, exactly."""

from __future__ import annotations

import contextlib
import math
import struct

import pairbond
import pairbond_testext as ext
from hypothesis import given, settings
from hypothesis import strategies as st

INTEGERS = st.one_of(
    st.integers(),
    st.integers(0, 2000).flatmap(lambda bits: st.integers(-(1 << bits) - 1, (1 << bits) + 1)),
)
FLOATS = st.one_of(
    st.floats(),
    st.integers(0, (1 << 64) - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]),
)
TEXTS = st.one_of(st.text(), st.text(st.characters()))
ATOMS = st.one_of(st.none(), st.booleans(), INTEGERS, FLOATS, TEXTS, st.binary())
DTYPES = st.builds(
    lambda name, bits, lanes: f"{name}{bits}" + (f"x{lanes}" if lanes != 1 else ""),
    st.sampled_from(["int", "uint", "float", "handle", "bfloat", "complex"]),
    st.integers(0, 255),
    st.integers(0, 65535),
)


def same(one: object, other: object) -> bool:
    """Equal, of the same type, and bit by bit where that is more."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    return one == other


@given(ATOMS)
def test_atoms(value):
    assert same(ext.any(value), value)
    assert same(ext.apply(lambda x: x, value), value)
    assert same(ext.collect_anys([value, value])[1], value)


@given(INTEGERS)
def test_integers(value):
    assert same(ext.big(value), value)
    assert ext.any_kind(value)[0] == "int"
    for bits in (8, 16, 32, 64, 128):
        for sign in "iu":
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
            convert = getattr(ext, f"{sign}{bits}_")
            if low <= value <= high:
                assert same(convert(value), value)
            else:
                try:
                    convert(value)
                except OverflowError:
                    continue
                raise AssertionError(f"{value} is no {sign}{bits}")


@given(INTEGERS)
def test_integers_as_floats(value):
    try:
        expected = float(value)
    except OverflowError:
        expected = None
    try:
        assert ext.f64_(value) == expected
    except OverflowError:
        assert expected is None


@given(FLOATS)
def test_floats(value):
    assert same(ext.f64_(value), value)
    single = ext.f32_(value)
    try:
        expected = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:  # of which Rust makes an infinity
        expected = math.copysign(math.inf, value)
    assert math.isnan(single) if math.isnan(value) else single == expected


@given(st.text(st.characters(codec=None, categories=None)))
def test_texts_with_surrogates(value):
    """What is no UTF-8 is refused, or stays a Python object."""
    assert ext.any(value) == value
    try:
        value.encode()
    except UnicodeEncodeError:
        for convert in (ext.str_, ext.string, ext.text):
            try:
                convert(value)
            except ValueError as error:
                assert "surrogate" in str(error)  # noqa: PT017
                continue
            raise AssertionError("not refused") from None
    else:
        assert ext.str_(value) == ext.string(value) == ext.text(value) == value


@given(st.binary(), st.integers(0, 20), st.integers(0, 20))
def test_buffers(value, start, length):
    view = memoryview(value)[start : start + length]
    assert ext.blob(view) == bytes(view)
    assert ext.blob(bytearray(value)) == value


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)), st.dictionaries(st.text(), st.integers(-5, 5)))
def test_containers(items, mapping):
    assert ext.vec(items) == items
    assert ext.vec(tuple(items)) == items
    assert ext.map(mapping) == mapping


@given(DTYPES)
def test_dtypes(name):
    dtype = pairbond.DType(name)
    assert str(dtype) == name
    assert ext.dtype(name) == ext.any(dtype) == dtype


@given(st.text())
@settings(max_examples=200)
def test_no_name_is_too_strange(name):
    for convert in (pairbond.DType, pairbond.Device):
        with contextlib.suppress(ValueError):
            assert str(convert(name))


@given(st.lists(ATOMS, max_size=6), st.dictionaries(st.sampled_from(["factor", "start", "y"]), ATOMS))
def test_arguments_never_crash(args, kwargs):
    """Whatever is given: a result, or an error that names the function."""
    try:
        assert isinstance(ext.built()(*args, **kwargs), float)
    except (TypeError, OverflowError) as error:
        assert "scale()" in str(error)  # noqa: PT017
