"""Functions as values: what crosses, what comes back, what Rust closures look like from Python."""

import functools
import gc
import inspect
import subprocess
import sys
import threading
import weakref

import pairbond
import pairbond_testext as ext
import pytest
from ids import without_address
from promises import at_once, collect_until, in_a_process, nothing_stays


class Callable:
    def __call__(self, *args):
        return args

    def method(self, *args):
        return args


CALLABLES = [
    lambda *args: args,
    Callable(),
    Callable().method,
    Callable,
    len,
    functools.partial(max, 3),
    ext.add3,
    "text".upper,
]


@pytest.mark.parametrize("f", CALLABLES, ids=without_address)
def test_the_same_object_comes_back(f):
    assert ext.function(f) is f
    assert ext.any(f) is f
    assert ext.keep_function(f, 3) == 3
    assert ext.drop_functions() is f
    assert ext.same_function(f, f) == (True, True)
    assert ext.same_function(f, lambda: 0) == (False, True)


@pytest.mark.parametrize("f", CALLABLES, ids=without_address)
def test_a_callback_is_called_as_a_function_is(f):
    def outcome(call, *arguments):
        try:
            return call(f, *arguments)
        except Exception as error:
            return type(error), str(error)

    for arguments in ((), (3,), (3, 4, 5)):
        result, expected = outcome(ext.call_back, *arguments), outcome(ext.apply, *arguments)
        assert type(result) is type(expected)
        assert type(f) is type or result == expected


def test_a_callback_gets_names_and_returns_errors_as_they_are():
    def f(*args, **kwargs):
        return args, kwargs

    assert ext.call_back(f, 1, 2, name="three") == ((1,), {"three": 2})
    assert ext.call_back(ext.built(), 2, 5, name="start") == 9
    with pytest.raises(pairbond.PanicError, match="each name belongs to a value"):
        ext.call_back(f, name="nothing")
    raised = KeyError("mine")

    def fails():
        raise raised

    with pytest.raises(KeyError) as caught:
        ext.call_back(fails)
    assert caught.value is raised
    for nothing in (None, 3, "text", ext.package("p")):
        with pytest.raises(TypeError, match="a callable"):
            ext.call_back(nothing)


def test_a_callback_is_not_kept_unless_it_is_asked_to_be():
    class Called:
        def __call__(self, *args):
            return args

    called = Called()
    reference, before = weakref.ref(called), sys.getrefcount(called)
    assert ext.call_back(called, 1) == (1,)
    assert sys.getrefcount(called) == before
    result, kept = ext.keep_callback(called)
    assert result == (1,)
    assert kept is called
    del called, kept
    ext.nothing()
    gc.collect()
    assert reference() is None
    result, kept = ext.keep_callback(ext.built())
    assert (result, kept(1)) == (2.0, 2.0)


def test_crossing_makes_nothing_native():
    before = pairbond.live_objects()
    seen = []

    def f():
        seen.append(pairbond.live_objects() == before)

    ext.apply(f)
    ext.function(f)
    assert seen == [True]
    # Clones are one native object, however many there are.
    assert ext.keep_function(f, 1000) == 1000
    now = pairbond.live_objects()
    assert {key: n for key in before | now if (n := now.get(key, 0) - before.get(key, 0))} == {"pairbond.Foreign": 1}
    ext.drop_functions()
    collect_until(lambda: pairbond.live_objects() == before)
    assert pairbond.live_objects() == before


@pytest.mark.parametrize("elsewhere", [False, True])
def test_it_is_let_go(elsewhere):
    def f():
        pass

    reference = weakref.ref(f)
    ext.function(f)
    ext.keep_function(f, 3)
    del f
    gc.collect()
    assert reference() is not None
    ext.drop_functions(elsewhere)
    ext.nothing()  # releases what another thread left behind
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("where", ["fixed", "hook", "value"])
def test_cycles_through_functions_are_collected(where):
    with nothing_stays():

        class Owner:
            def method(self):
                return self

        def cycle():
            owner = Owner()
            owner.caller = ext.Caller(owner.method if where == "fixed" else len)
            if where != "fixed":
                setattr(owner.caller, where, owner.method)
            return weakref.ref(owner)

        references = [cycle() for _ in range(3)]
        gc.collect()
        assert [r() for r in references] == [None] * 3


def test_clones_in_cycles_are_collected():
    with nothing_stays():

        def cycle():
            def f():
                return caller

            caller = ext.Caller(f)
            caller.hook = f
            caller.value = f
            assert caller.clone_fixed(5)
            assert caller.fixed is f
            return weakref.ref(f)

        references = [cycle() for _ in range(3)]
        gc.collect()
        gc.collect()
        assert [r() for r in references] == [None] * 3


def test_what_is_cloned_during_collections_lives():
    """Threads that Python does not know clone a function out of immutable fields while Python collects."""
    done = threading.Event()
    rounds = []

    def collect():
        while not done.is_set():
            gc.collect()
            rounds.append(1)

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        for i in range(60):
            cell = []

            def f(value=i, cell=cell):
                return value + len(cell)

            caller = ext.Caller(f)
            cell += [caller, caller]
            assert caller.clone_fixed(300)
            assert ext.clone_elsewhere(f, 100)
            assert caller.call() == i + 2
            ext.keep_function(caller.fixed)
            del caller, cell[:], f
            kept = ext.drop_functions()
            assert kept() == i
    finally:
        done.set()
        thread.join()
    assert rounds


def test_many_threads_clone_one_function():
    def f():
        return 7

    results = at_once(6, lambda i: [ext.clone_elsewhere(f, 200), ext.same_function(f, f), ext.apply(f)])
    assert results == [[True, (True, True), 7]] * 6


# ---- Rust closures in Python ----


def test_name_and_documentation():
    scale = ext.built()
    assert scale.__name__ == scale.__qualname__ == "scale"
    assert scale.__doc__ == "Multiplies, and adds."
    assert scale.__module__ == "pairbond"
    assert repr(scale) == "<pairbond.Function scale>"
    assert isinstance(scale, pairbond.Function)
    assert callable(scale)
    assert ext.native_function().__doc__ is None


def test_arguments():
    scale = ext.built()
    assert scale(3) == 6.0
    assert scale(3, 1) == 3.0
    assert scale(3, factor=4) == 12.0
    assert scale(x=3, factor=4, start=0.5) == 12.5
    assert scale(1, 2, 3, 4, start=5) == 14.0


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "scale() missing 1 required positional argument: 'x'"),
        ((1,), {"x": 2}, "scale() got multiple values for argument 'x'"),
        ((1,), {"y": 2}, "scale() got an unexpected keyword argument 'y'"),
        (("a",), {}, "scale() argument 'x': expected float, got str 'a'"),
        ((1, 2, "b"), {}, "scale() argument 'more'[0]: expected float, got str 'b'"),
    ],
)
def test_wrong_arguments(args, kwargs, message):
    with pytest.raises(TypeError) as error:
        ext.built()(*args, **kwargs)
    assert str(error.value) == message


def test_positional_only_closure():
    double = ext.native_function()
    assert double(4) == 8
    with pytest.raises(TypeError, match=r"double\(\) takes no keyword arguments"):
        double(x=4)
    with pytest.raises(TypeError, match=r"plain\(\) takes 2 positional arguments but 3 were given"):
        ext.plain_closure()(1, 2, 3)


def test_signatures():
    assert str(inspect.signature(ext.built())) == "(x, factor=2.0, *more, start=0)"
    assert str(inspect.signature(ext.native_function())) == "(*args)"
    assert str(inspect.signature(ext.plain_closure())) == "(arg0, arg1)"
    assert str(inspect.signature(ext.of_marker())) == "(a, b=1, *c, d, e=None)"
    bound = inspect.signature(ext.built()).bind(1, 2, 3)
    assert bound.arguments == {"x": 1, "factor": 2, "more": (3,)}


def test_functools():
    scale = ext.built()
    triple = functools.partial(scale, factor=3)
    assert triple(5) == 15.0
    assert "factor=3" in str(inspect.signature(triple))

    @functools.wraps(scale)
    def wrapper(*args, **kwargs):
        return scale(*args, **kwargs)

    assert wrapper.__name__ == "scale"
    assert wrapper.__doc__ == scale.__doc__
    assert functools.reduce(scale, [1, 2, 3]) == 6.0
    assert list(map(scale, [1, 2])) == [2.0, 4.0]


def test_a_marker_as_a_value():
    mixed = ext.of_marker()
    assert mixed.__name__ == "mixed"
    thing = object()
    a, b, c, d, e = mixed(1, 2, 3, d=thing)
    assert (a, b, list(c), e) == (1, 2, [3], None)
    assert d is thing


def test_native_functions_have_one_self():
    scale = ext.built()
    number = id(scale)
    scale.note = "mine"
    ext.keep_function(scale, 2)
    del scale
    gc.collect()
    back = ext.drop_functions()
    assert id(back) == number
    assert back.note == "mine"


def test_keywords_reach_python():
    assert ext.call_named(dict, 5, name="key") == {"key": 5}
    assert ext.call_named(ext.built(), 3, 4, name="factor") == 12.0
    with pytest.raises(TypeError):
        ext.call_named(len, [], name="obj")


# ---- the registry ----


@pytest.fixture
def names():
    before = set(pairbond.function_names())
    yield
    for name in set(pairbond.function_names()) - before:
        pairbond.remove_function(name)


def test_registry(names):
    def f(x):
        return x + 1

    assert pairbond.register_function("test.f", f) is f
    assert pairbond.get_function("test.f") is f
    assert "test.f" in pairbond.function_names()
    assert pairbond.function_names() == sorted(pairbond.function_names())
    assert ext.call_global("test.f", 4) == 5
    assert pairbond.remove_function("test.f") is f
    assert "test.f" not in pairbond.function_names()


def test_registering_twice(names):
    pairbond.register_function("test.f", len)
    with pytest.raises(ValueError, match=r"'test\.f' is registered already; pass override=True to replace it"):
        pairbond.register_function("test.f", max)
    assert pairbond.get_function("test.f") is len
    assert pairbond.register_function("test.f", max, override=True) is max
    assert pairbond.get_function("test.f") is max


def test_decorator(names):
    @pairbond.register_function("test.decorated")
    def f():
        return "decorated"

    assert f() == "decorated"
    assert pairbond.get_function("test.decorated") is f

    @pairbond.register_function("test.decorated", override=True)
    def g():
        return "again"

    assert pairbond.get_function("test.decorated") is g


def test_unknown_names(names):
    pairbond.register_function("test.transform", len)
    with pytest.raises(
        KeyError, match=r"no function named 'test.tranform' is registered; did you mean 'test.transform'\?"
    ):
        pairbond.get_function("test.tranform")
    with pytest.raises(KeyError, match="no function named 'nothing like it' is registered"):
        pairbond.get_function("nothing like it")
    with pytest.raises(KeyError, match="no function named 'absent'"):
        pairbond.remove_function("absent")
    with pytest.raises(KeyError):
        ext.call_global("absent")
    with pytest.raises(ValueError, match="needs a name"):
        pairbond.register_function("", len)
    with pytest.raises(TypeError, match="a callable"):
        pairbond.register_function("test.number", 5)


def test_static_initialisers_register():
    add3 = pairbond.get_function("pairbond_testext.add3")
    assert add3(1, 2, c=3) == 6
    assert str(inspect.signature(add3)) == "(a, b, c)"
    assert add3.__doc__ == "Adds three numbers."
    assert pairbond.get_function("pairbond_testext.add3") is add3
    assert pairbond.get_function("pairbond_testext.seven")() == 7


def test_native_functions_in_the_registry_have_one_self(names):
    ext.register_native("test.native", 12)
    f = pairbond.get_function("test.native")
    assert f() == 12
    number = id(f)
    f.mark = [1]
    del f
    gc.collect()
    assert id(pairbond.get_function("test.native")) == number
    assert pairbond.get_function("test.native").mark == [1]


def test_a_removed_function_is_let_go(names):
    def f():
        pass

    reference = weakref.ref(f)
    pairbond.register_function("test.f", f)
    del f
    gc.collect()
    assert reference() is not None
    pairbond.remove_function("test.f")
    assert reference() is None
    f = lambda: 0  # noqa: E731
    reference = weakref.ref(f)
    pairbond.register_function("test.f", f)
    del f
    pairbond.register_function("test.f", len, override=True)
    assert reference() is None


def test_registry_from_many_threads(names):
    def work(i):
        for j in range(100):
            name = f"test.{i}.{j}"
            f = functools.partial(max, i)
            pairbond.register_function(name, f)
            assert pairbond.get_function(name) is f
            assert name in pairbond.function_names()
            assert pairbond.remove_function(name) is f

    at_once(8, work)


def test_a_function_outlives_no_interpreter():
    out = in_a_process(
        """
        import pairbond_testext as ext
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        new = hasattr(interpreters, "new_config")
        def create():
            return interpreters.create("legacy") if new else interpreters.create(isolated=False)
        interp = create()
        result = interpreters.run_string(interp, '''if True:
            import pairbond, weakref
            def f():
                return "mine"
            pairbond.register_function("of the other", f)
            assert pairbond.get_function("of the other") is f
        ''')
        assert result is None, result
        def expect(error, call):
            try:
                call()
            except error as caught:
                return str(caught)
            raise AssertionError(f"not raised: {error}")
        print(expect(pairbond.InterpreterError, lambda: pairbond.get_function("of the other")))
        interpreters.destroy(interp)
        print(expect(pairbond.ClosedError, lambda: pairbond.get_function("of the other")))
        print(expect(pairbond.ClosedError, lambda: ext.call_global("of the other")))
        assert "of the other" not in pairbond.function_names()
        pairbond.register_function("of the other", len)
        assert pairbond.get_function("of the other") is len
        """
    )
    first, second, third = out.strip().splitlines()
    assert "cannot be used in another" in first
    assert second == third == "the interpreter that registered the function 'of the other' has ended"


def test_functions_at_exit():
    """What is kept and registered when Python ends is no trouble."""
    source = (
        "import pairbond, pairbond_testext as ext\n"
        "class K:\n    def m(self): pass\n"
        "ext.keep_function(K().m, 3)\n"
        "pairbond.register_function('at exit', K().m)\n"
        "pairbond.register_function('native', ext.built())\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
