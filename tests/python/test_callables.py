"""Calling objects: functions of Rust, and objects with `__call__`, whichever way CPython takes."""

import functools

import pairbond
import pytest
from pairbond_testext import Adder, built, native_function, plain_closure

pytestmark = pytest.mark.usefixtures("no_leak")


class Counting(Adder):
    """A subclass that overrides what calls it."""

    def __call__(self, value):
        return super().__call__(value, times=2) + 1000


class Plain(Adder):
    pass


def every_way(f, *args, **kwargs):
    """The same call by the interpreter's loop, by unpacking, and by CPython's functions for calls."""
    direct = f(*args, **kwargs)
    assert functools.partial(f, *args, **kwargs)() == direct
    assert [f(*args, **kwargs) for _ in range(3)] == [direct] * 3
    if len(args) == 1 and not kwargs:
        assert f(args[0]) == direct
        assert list(map(f, args)) == [direct]
        assert [f(one) for one in args * 20] == [direct] * 20
    assert type(f).__call__(f, *args, **kwargs) == direct
    return direct


def test_objects_with_a_call_method():
    adder = Adder(1)
    assert every_way(adder, 2) == 3
    assert every_way(adder, 2, 3) == 5
    assert every_way(adder, value=2, times=3) == 5
    assert every_way(Plain(1), 2) == 3
    assert every_way(Counting(1), 2) == 1004
    for wrong in [(), (1, 2, 3), ("x",)]:
        with pytest.raises(TypeError):
            adder(*wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        adder(1, other=2)


def test_a_class_that_gets_another_call_method():
    made = Plain(1)
    assert [made(2) for _ in range(20)] == [3] * 20
    Plain.__call__ = lambda self, value: "other"
    try:
        assert [made(2) for _ in range(20)] == ["other"] * 20
    finally:
        del Plain.__call__
    assert [made(2) for _ in range(20)] == [3] * 20
    try:
        Adder.__call__, before = lambda self, value: "other", Adder.__call__
    except TypeError:
        return  # a class that cannot be changed
    try:
        assert [made(2) for _ in range(20)] == ["other"] * 20
        assert [Adder(1)(2) for _ in range(20)] == ["other"] * 20
    finally:
        Adder.__call__ = before
    assert [made(2) for _ in range(20)] == [3] * 20
    assert [Adder(1)(2) for _ in range(20)] == [3] * 20


def test_functions_of_rust():
    assert every_way(plain_closure(), 2, "x") == plain_closure()(arg0=2, arg1="x")
    assert every_way(built(), 2.0) == built()(x=2.0, factor=2.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        built()()
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        built()(1.0, x=2.0)


def test_the_class_of_functions_cannot_be_changed():
    with pytest.raises(TypeError, match="immutable type"):
        pairbond.Function.__call__ = print
    assert isinstance(native_function(), pairbond.Function)
