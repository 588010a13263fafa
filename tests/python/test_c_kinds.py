"""Every kind of value, number and error that `pairbond.h` has, and what else test_c.py leaves of it."""

import gc
import random
import weakref
from concurrent.futures import ThreadPoolExecutor

import pairbond
import pytest
from c_libraries import build


@pytest.fixture(scope="module")
def kinds():
    return pairbond.load(build("kinds.c"))


@pytest.mark.parametrize(
    ("make", "number", "name"),
    [
        (lambda _: None, 0, "None"),
        (lambda _: True, 1, "bool"),
        (lambda _: -3, 2, "int"),
        (lambda _: 2**100, 3, "int"),
        (lambda _: 1.5, 4, "float"),
        (lambda _: "ä" * 40, 5, "str"),
        (lambda _: b"a\0b", 6, "bytes"),
        (lambda kinds: kinds.Numbers(), 7, "kinds.Numbers"),
        (lambda _: pairbond.List([1]), 7, "pairbond.List"),
        (lambda _: object(), 9, "object"),
        (lambda _: ValueError("x"), 9, "object"),
        (lambda _: pairbond.Array([1.0]).dtype, 10, "dtype"),
        (lambda _: pairbond.Device("cpu"), 11, "device"),
    ],
)
def test_kinds_of_values(kinds, make, number, name):
    value = make(kinds)
    assert kinds.kind(value) == (number, name)
    again = kinds.same(value)
    assert type(again) is type(value)
    assert again == value
    if number in (7, 9):
        assert again is value


def test_numbers_of_every_width(kinds):
    it = kinds.Numbers()
    for name, least, most in (
        ("short_one", -(2**15), 2**15 - 1),
        ("int_one", -(2**31), 2**31 - 1),
        ("unsigned_short", 0, 2**16 - 1),
        ("unsigned_int", 0, 2**32 - 1),
    ):
        for number in (least, most):
            setattr(it, name, number)
            assert getattr(it, name) == number
        for number in (least - 1, most + 1):
            with pytest.raises(OverflowError, match=rf"Numbers\.{name}: int {number} does not fit"):
                setattr(it, name, number)
        assert getattr(it, name) == most
    # What lies beside a field is not touched.
    assert (it.short_one, it.int_one, it.unsigned_short, it.unsigned_int) == (
        2**15 - 1,
        2**31 - 1,
        2**16 - 1,
        2**32 - 1,
    )
    assert kinds.large() == 2**64 - 1


def test_class_methods(kinds):
    class Sub(kinds.Numbers):
        pass

    assert kinds.Numbers.named(3.5).int_one == 3
    assert kinds.Numbers.named.__self__ is kinds.Numbers
    assert type(Sub.named(4)) is kinds.Numbers
    assert kinds.Numbers().named(5).int_one == 5
    with pytest.raises(TypeError, match="expected float, got str"):
        kinds.Numbers.named("x")


def test_a_field_that_is_exchanged(kinds):
    it, first = kinds.Numbers(), object()
    assert it.exchange(first) is None
    assert it.exchange([it]) is first
    it.anything = None


def test_a_reference_that_changes(kinds, shapes):
    a, b = kinds.Knot(), kinds.Knot()
    assert a.other is None
    assert kinds.Knot(a).other is a
    a.other = b
    assert a.other is b
    b.mark = 1
    del b  # its wrapper is made again
    assert (a.other.mark, a.last() is a.other) == (1, True)
    with pytest.raises(TypeError, match=r"Knot\.other: expected kinds\.Knot or None, got kinds\.Numbers"):
        a.other = kinds.Numbers()
    for wrong in (1, "x", [a], object()):
        with pytest.raises(TypeError, match=r"Knot\.other: expected kinds\.Knot or None, got "):
            a.other = wrong
        with pytest.raises(TypeError, match=r"Knot\.any: expected a native object or None, got "):
            a.any = wrong
    assert a.other.mark == 1
    a.any = node = shapes.Node("x")
    assert a.any is node
    a.any = None
    assert a.any is None

    class Sub(kinds.Knot):
        pass

    c = Sub()
    assert a.exchange(c).mark == 1
    assert a.other is c
    a.forget()
    assert a.other is None
    a.other = None


def test_a_reference_that_changes_keeps_and_is_traced(kinds):
    a, b = kinds.Knot(), kinds.Knot()
    lone = kinds.Knot(kinds.Knot())
    gone = [weakref.ref(it) for it in (a, b, lone, lone.other)]
    a.other, b.other, a.any = b, a, b
    del b, lone
    assert [it() is None for it in gone] == [False, False, True, True]
    a.attribute = a
    gc.collect()
    assert a.other.other is a
    del a
    gc.collect()
    assert [it() for it in gone] == [None] * 4


def test_threads_change_a_reference(kinds):
    knots = [kinds.Knot() for _ in range(4)]
    seen = set()

    def change(seed):
        numbers = random.Random(seed)
        for _ in range(2000):
            one, other = numbers.choices(knots, k=2)
            one.other = numbers.choice((other, None))
            found = one.other
            seen.add(found is None)
            if found is not None and found not in knots:
                raise AssertionError(found)
            # Knots that nobody has: the last reference may be any of these threads'.
            one.any = kinds.Knot(other)
            found = one.any.other
            if found not in knots:
                raise AssertionError(found)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(change, seed) for seed in range(4)]:
            done.result()
    assert seen == {True, False}
    gone = [weakref.ref(it) for it in knots]
    knots.clear()
    gc.collect()
    assert [it() for it in gone] == [None] * 4


def test_keywords(kinds):
    assert kinds.keywords() is None
    assert dict(kinds.keywords(a=1, b="x")) == {"a": 1, "b": "x"}
    with pytest.raises(TypeError):
        kinds.keywords(1)
    assert kinds.call_named(lambda a, *, b: (a, b)) == (1, 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'b'"):
        kinds.call_named(lambda a: a)


def test_containers_and_bytes(kinds):
    made = kinds.data([1, {"a": (1, [2])}])
    assert type(made) is pairbond.List
    assert type(made[1]) is pairbond.Map
    assert list(made[1]["a"][1]) == [2]
    assert kinds.backwards(b"a\0b") == b"b\0a"
    with pytest.raises(TypeError, match="16 bytes at most"):
        kinds.backwards("text")
    assert kinds.contains(1, "x", 1.0)
    assert not kinds.contains(2, 1)
    with pytest.raises(TypeError, match="unhashable"):
        kinds.contains(1, [])


def test_types(kinds, shapes):
    class Sub(kinds.Numbers):
        pass

    assert kinds.type_of(kinds.Numbers()) == ("kinds.Numbers", True)
    assert kinds.type_of(Sub()) == ("kinds.Numbers", True)
    assert kinds.type_of(shapes.Leaf(1.0)) == ("shapes.Leaf", False)
    assert kinds.type_of(pairbond.List()) == ("pairbond.List", False)


ERRORS = {
    1: TypeError,
    2: ValueError,
    3: KeyError,
    4: IndexError,
    5: AttributeError,
    6: OverflowError,
    7: ZeroDivisionError,
    8: RuntimeError,
    9: NotImplementedError,
    10: StopIteration,
    11: MemoryError,
    12: OSError,
    13: FileNotFoundError,
    14: PermissionError,
    15: TimeoutError,
    16: UnicodeError,
    17: ImportError,
    18: pairbond.InterpreterError,
    19: pairbond.ClosedError,
    20: pairbond.InvalidatedError,
}


@pytest.mark.parametrize("number", ERRORS)
def test_kinds_of_errors(kinds, shapes, number):
    with pytest.raises(ERRORS[number]) as caught:
        shapes.fail(number, "what happened")
    assert type(caught.value) is ERRORS[number]
    assert "what happened" in str(caught.value)

    def fail():
        raise ERRORS[number]("in Python")

    # An exception of Python is of a kind of its own, whoever raised it first.
    assert kinds.raised(fail) == (24, None)
    assert kinds.raised(lambda: shapes.fail(number, "what happened")) == (24, None)


def test_a_node_is_checked(kinds, shapes):
    branch = shapes.Branch("a")
    assert kinds.check(branch)
    assert kinds.check(kinds.Numbers())
    kept = pairbond.List([branch])
    branch.erase("a pass")
    with pytest.raises(pairbond.InvalidatedError, match=r"shapes\.Branch a was erased, by a pass"):
        kinds.check(kept[0])
