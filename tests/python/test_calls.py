"""Arguments onto parameters, and what is said when they do not fit."""

from __future__ import annotations

import functools
import gc
import inspect
import threading
import weakref

import pairbond
import pairbond_testext as ext
import pytest


def test_no_arguments():
    assert ext.nothing() is None
    with pytest.raises(TypeError, match=r"nothing\(\) takes no arguments \(1 given\)"):
        ext.nothing(1)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        ext.nothing(a=1)


def test_by_position_and_by_keyword():
    assert ext.add3(1, 2, 3) == 6
    assert ext.add3(1, c=3, b=2) == 6
    assert ext.add3(a=1, b=2, c=3) == 6
    assert ext.add3(*(1, 2), c=3) == 6
    assert functools.partial(ext.add3, 1, c=3)(2) == 6


def test_a_keyword_that_is_not_interned():
    name = "".join(["gree", "ting"])
    assert ext.greet("you", **{name: "Bye"}) == "Bye, you!"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ext.add3(1, 2, 3, 4), "add3() takes 3 positional arguments but 4 were given"),
        (lambda: ext.add3(1, 2), "add3() missing 1 required positional argument: 'c'"),
        (lambda: ext.add3(1), "add3() missing 2 required positional arguments: 'b' and 'c'"),
        (lambda: ext.add3(), "add3() missing 3 required positional arguments: 'a', 'b', and 'c'"),
        (lambda: ext.add3(1, 2, 3, a=1), "add3() got multiple values for argument 'a'"),
        (
            lambda: ext.add3(1, 2, z=3),
            "add3() got an unexpected keyword argument 'z' (it takes 'a', 'b', and 'c')",
        ),
        (lambda: ext.add3(1, 2, **{"\udc80": 3}), "add3() got an unexpected keyword argument '?'"),
        (lambda: ext.one(1, 2), "one() takes 1 positional argument but 2 were given"),
        (lambda: ext.defaults(1, 2, 3, 4), "defaults() takes from 1 to 3 positional arguments but 4 were given"),
        (lambda: ext.keyword_only(1, 2), "keyword_only() takes 1 positional argument but 2 were given"),
        (lambda: ext.keyword_only(1), "keyword_only() missing 1 required keyword-only argument: 'key'"),
        (lambda: ext.rest(), "rest() missing 1 required positional argument: 'first'"),
        (lambda: ext.rest(1, others=2), "rest() got an unexpected keyword argument 'others'"),
        (lambda: ext.Package(), "Package() missing 1 required positional argument: 'name'"),
        (lambda: ext.Package("a", 1, "b"), "Package() takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: ext.Package("a").add3(1, 2), "Package.add3() missing 1 required positional argument: 'c'"),
        (lambda: ext.Adder(1)(), "Adder.__call__() missing 1 required positional argument: 'value'"),
        (lambda: ext.Adder(1)(1, 2, 3), "takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: ext.add3(1, "2", 3), "add3() argument 'b': expected an int of 64 bits, got str '2'"),
        (lambda: ext.add3(1, b=2.5, c=3), "add3() argument 'b': expected an int of 64 bits, got float 2.5"),
        (lambda: ext.rest(1, 2, "x"), "rest() argument 'others': expected an int of 64 bits, got str 'x'"),
    ],
)
def test_arguments_that_do_not_fit(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)


def test_defaults():
    assert ext.greet("you") == "Hello, you!"
    assert ext.greet("you", "Hi") == "Hi, you!"
    assert ext.defaults(1) == (1, 2, -3)
    assert ext.defaults(1, c=7) == (1, 2, 7)
    assert ext.options() == (None, None)
    assert ext.options(None, "x") == (None, "x")
    assert ext.options(b="x") == (None, "x")


def test_keyword_only():
    assert ext.keyword_only(1, key=2) == (1, 2, 5)
    assert ext.keyword_only(key=2, a=1, other=3) == (1, 2, 3)


def test_rest():
    assert ext.rest(1) == 1
    assert ext.rest(1, 2, 3) == 6
    assert ext.rest(1, 2, 3, start=10) == 16
    assert ext.rest(first=1) == 1
    assert ext.mixed("a", 2, "c", "d", d="e") == ("a", 2, ["c", "d"], "e", None)
    assert ext.mixed("a", d="e", e=[1]) == ("a", 1, [], "e", [1])


def test_more_parameters_than_are_bound_on_the_stack():
    assert ext.many(*range(14)) == list(range(14))
    assert ext.many(*range(10), **{name: i for i, name in enumerate("klmn", 10)}) == list(range(14))


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (ext.nothing, "()"),
        (ext.add3, "(a, b, c)"),
        (ext.greet, "(name, greeting='Hello')"),
        (ext.defaults, "(a, b=2, c=-3)"),
        (ext.options, "(a=None, b=None)"),
        (ext.keyword_only, "(a, *, key, other=5)"),
        (ext.rest, "(first, *others, start=0)"),
        (ext.mixed, "(a, b=1, *c, d, e=None)"),
        (ext.Package, "(name, count=0, *, note=None)"),
        (ext.Package.add3, "(self, /, a, b, c)"),
        (ext.Package.stat, "(value)"),
        (ext.Package.make, "(name)"),
    ],
)
def test_signatures(function, signature):
    assert str(inspect.signature(function)) == signature


def test_documentation():
    assert ext.add3.__doc__ == "Adds three numbers."
    assert ext.add3.__module__ == "pairbond_testext"
    assert ext.add3.__name__ == "add3"
    assert ext.__doc__ == "Everything that the tests need."
    assert ext.Package.__doc__ == "A package of a lock file."
    assert ext.Package.hello.__doc__ == "The name, given out again."
    assert ext.Package.name.__doc__ == "Its name."
    assert ext.Package.length.__doc__ == "How long the name is."
    assert ext.Package.count.__doc__ is None
    assert set(ext.__all__) <= set(dir(ext))
    assert {"add3", "Package", "Special"} <= set(ext.__all__)


def test_detached_functions_let_others_run():
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(ext.parallel())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == [True, True]


def test_a_detached_function_gives_back_its_arguments():
    value = object()
    assert ext.sleep(0.001, value) is value
    assert ext.Package("abc").slow() == 3


def test_what_a_detached_function_drops_goes_before_it_returns():
    class Called:
        def __call__(self) -> None: ...

    called = Called()
    seen = weakref.ref(called)
    ext.clone_elsewhere(called, 1)
    del called
    assert seen() is None


def test_class_and_static_methods():
    assert ext.Package.stat(1) == 2
    assert ext.Package("x").stat(1) == 2
    assert ext.Package.make("a").name == "a"
    assert type(ext.Special.make("a")) is ext.Package


def test_callables_in_both_directions():
    assert ext.apply(lambda: 1) == 1
    assert ext.apply(lambda *a: a, 1, "x", None, [2]) == (1, "x", None, [2])
    assert ext.apply(lambda *a: len(a), *range(20)) == 20
    assert ext.apply_later(lambda x: x + 1, 41) == 42
    double = ext.native_function()
    assert double(21) == 42
    assert double("ab") == "abab"
    assert ext.function(double) is double
    assert ext.apply(double, 4) == 8
    with pytest.raises(TypeError, match="takes an int or a str"):
        double(None)
    with pytest.raises(TypeError, match=r"apply\(\) argument 'function': expected a callable, got int 3"):
        ext.apply(3)


def test_the_same_callable_comes_back():
    def callback():
        return callback

    assert ext.function(callback) is callback
    assert ext.apply(callback) is callback
    assert ext.function(len) is len
    assert ext.function(ext.Package) is ext.Package


def test_recursion_through_rust_ends_in_an_exception():
    def again():
        return ext.apply(again)

    with pytest.raises(RecursionError):
        again()
    assert ext.apply(lambda: 1) == 1


class Changing:
    """Compared with nothing: what it is to Rust changes from call to call."""


@pytest.mark.parametrize("call_each", [ext.call_each, ext.call_each_later])
def test_calls_in_a_row(call_each):
    assert call_each(lambda x: x + 1, []) == []
    assert call_each(lambda x: x + 1, [1, 2.5, 3]) == [2, 3.5, 4]
    assert call_each(ext.native_function(), [1, "a"]) == [2, "aa"]
    same = ["a list that changes"]

    def append(x):
        same.append(x)
        return same if x != 2 else "another"

    # Each time what the list was to Rust then, and the same object each time.
    found = call_each(append, [1, 2, 3])
    assert found[1] == "another"
    assert found[2] == same
    assert call_each(append, [4, 5])[1] == same
    thing = Changing()
    assert call_each(lambda _: thing, [1, 2]) == [thing, thing]
    word = "".join(["one ", "object"])
    assert call_each(lambda _: word, [None] * 5) == [word] * 5


@pytest.mark.parametrize("call_each", [ext.call_each, ext.call_each_later])
def test_calls_in_a_row_end_with_an_error(call_each):
    seen = []

    def fail(x):
        seen.append(x)
        if x == 2:
            raise KeyError(x)
        return x

    with pytest.raises(KeyError, match="2"):
        call_each(fail, [1, 2, 3])
    assert seen == [1, 2]
    with pytest.raises(ValueError, match="refused"):
        call_each(lambda x: x, [1, "refused", 3])
    with pytest.raises(TypeError):
        call_each(ext.native_function(), [None])


def test_calls_in_a_row_stop_when_they_are_told_to():
    seen = []
    assert ext.call_each(lambda x: seen.append(x) or x, [1, "a", 2], "str") == [1, "a"]
    assert seen == [1, "a"]


def test_a_panic_between_calls_comes_out():
    alive = Changing()
    weak = weakref.ref(alive)
    with pytest.raises(pairbond.PanicError, match="a value that panics"):
        ext.call_each(lambda x: x, [alive, "panic"])
    del alive
    gc.collect()
    assert weak() is None


def test_each_call_may_do_anything():
    other = threading.Event()

    def wait(x):
        if x == 1:
            threading.Thread(target=other.set).start()
            assert other.wait(10)
        return ext.call_each(lambda y: y * 2, [x, x])

    assert ext.call_each(wait, [1, 2]) == [[2, 2], [4, 4]]
