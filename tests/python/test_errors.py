"""Errors in both directions."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import pickle
import subprocess
import sys
import traceback
import weakref

import pairbond
import pairbond_testext as ext
import pytest

KINDS = {
    "type": TypeError,
    "value": ValueError,
    "key": KeyError,
    "index": IndexError,
    "attribute": AttributeError,
    "overflow": OverflowError,
    "zero_division": ZeroDivisionError,
    "runtime": RuntimeError,
    "not_implemented": NotImplementedError,
    "stop_iteration": StopIteration,
    "memory": MemoryError,
    "os": OSError,
    "file_not_found": FileNotFoundError,
    "permission": PermissionError,
    "timeout": TimeoutError,
    "unicode": UnicodeError,
    "import": ImportError,
    "interpreter": pairbond.InterpreterError,
    "closed": pairbond.ClosedError,
    "panic": pairbond.PanicError,
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind):
    with pytest.raises(KINDS[kind]) as caught:
        ext.raise_kind(kind, "the message")
    assert type(caught.value) is KINDS[kind]
    assert caught.value.args == ("the message",)
    assert caught.value.__cause__ is None


def test_text_of_every_kind():
    for text in ("", "äöü", "🦀", "a\0b"):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            ext.raise_kind("value", text)
        assert caught.value.args == (text,)


def test_io_errors_keep_their_number():
    with pytest.raises(FileNotFoundError) as caught:
        ext.raise_io("/does/not/exist")
    assert caught.value.errno == errno.ENOENT
    assert "(os error" not in str(caught.value)
    with pytest.raises(OSError) as caught:  # noqa: PT011
        ext.raise_io("/")
    assert type(caught.value) is IsADirectoryError
    assert caught.value.__cause__ is None


def test_causes():
    with pytest.raises(RuntimeError, match="outer") as caught:
        ext.raise_chain()
    middle = caught.value.__cause__
    assert (type(middle), str(middle)) == (RuntimeError, "middle")
    inner = middle.__cause__
    assert str(inner) == "inner"
    assert inner.__cause__ is None


def test_context_is_what_was_being_handled():
    def handle():
        try:
            raise first
        except LookupError:
            ext.raise_kind("value", "second")

    first = LookupError("first")
    with pytest.raises(ValueError, match="second") as caught:
        handle()
    assert caught.value.__context__ is first


def test_notes():
    with pytest.raises(ValueError, match="with notes") as caught:
        ext.raise_note()
    assert caught.value.__notes__ == ["first note", "second note"]


class OwnError(Exception):
    pass


def test_classes_of_the_users_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "test_errors_own", sys.modules[__name__])
    with pytest.raises(OwnError, match="a class of its own"):
        ext.raise_custom("test_errors_own.OwnError")


def test_a_class_whose_module_is_not_imported_yet(tmp_path, monkeypatch):
    """As Python would: the module is imported when the error is raised."""
    package = tmp_path / "own_errors"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parsing.py").write_text("class ParseError(ValueError):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="a class of its own") as caught:
        ext.raise_custom("own_errors.parsing.ParseError")
    assert type(caught.value) is sys.modules["own_errors.parsing"].ParseError
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no.such.Error", "ModuleNotFoundError: No module named 'no'"),
        ("NoModule", "it names no module"),
        ("builtins.int", "no class of exceptions"),
        ("sys.path", "no class of exceptions"),
        ("sys.NoSuchError", "AttributeError"),
        ("broken_on_import.Error", "ZeroDivisionError"),
    ],
)
def test_a_class_that_cannot_be_had(name, why, tmp_path, monkeypatch):
    (tmp_path / "broken_on_import.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RuntimeError, match="a class of its own") as caught:
        ext.raise_custom(name)
    (note,) = caught.value.__notes__
    assert name in note
    assert why in note


@pytest.mark.parametrize("make", [int, str, bytes, object, lambda: None, lambda: ext.Package("a")])
def test_fields_are_attributes(make, monkeypatch):
    value = make()
    monkeypatch.setitem(sys.modules, "test_errors_own", sys.modules[__name__])
    with pytest.raises(OwnError, match="with fields") as caught:
        ext.raise_fields("test_errors_own.OwnError", value)
    assert vars(caught.value) == {"text": "some", "nothing": None, "value": value}
    assert caught.value.value is value or make in (bytes, str)


class Refuses(Exception):
    value = property(lambda self: "its own")

    def __setattr__(self, name, value):
        raise RuntimeError(name)


def test_fields_that_a_class_does_not_take_are_left_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "test_errors_own", sys.modules[__name__])
    with pytest.raises(Refuses, match="with fields") as caught:
        ext.raise_fields("test_errors_own.Refuses", 1)
    assert (caught.value.value, caught.value.__context__) == ("its own", None)


def test_operations_that_do_not_exist():
    with pytest.raises(TypeError, match="not supported"):
        ext.not_implemented()


def test_panics():
    with pytest.raises(pairbond.PanicError) as caught:
        ext.panic("this was {not} expected")
    assert str(caught.value).startswith("this was {not} expected (Rust panicked at ")
    assert "errors.rs:" in str(caught.value)
    with pytest.raises(pairbond.PanicError, match=r"while detached .*errors\.rs"):
        ext.panic_in_detached()
    package = ext.Package("p")
    with pytest.raises(pairbond.PanicError, match="p panics"):
        package.fail()
    assert package.hello() == "hello from p"
    assert issubclass(pairbond.PanicError, RuntimeError)


def test_errors_that_unwind_are_what_they_are():
    with pytest.raises(MemoryError) as caught:
        ext.unwind("no room")
    assert type(caught.value) is MemoryError
    assert caught.value.args == ("no room",)
    with pytest.raises(pairbond.PanicError, match=r"^next \(Rust panicked at .*errors\.rs"):
        ext.panic("next")


def test_panics_are_silent_and_name_their_frames_on_request():
    script = "import pairbond_testext as e\ntry: e.panic('quiet')\nexcept Exception as x: print(*x.__notes__)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=with_backtrace("1"))
    assert run.stderr == ""
    assert "Rust frames" in run.stdout
    assert "panic" in run.stdout
    script = script.replace("*x.__notes__", "getattr(x, '__notes__', None)")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=with_backtrace("0"))
    assert (run.stderr, run.stdout) == ("", "None\n")


def with_backtrace(value):
    return {**os.environ, "RUST_BACKTRACE": value}


def test_exceptions_come_back_as_themselves():
    error = LookupError("mine")

    def fail():
        raise error

    with pytest.raises(LookupError) as caught:
        ext.apply(fail)
    assert caught.value is error
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "fail"
    assert frames.count("fail") == 1


def test_exceptions_kept_in_rust():
    def fail():
        raise LookupError("mine")

    assert ext.call_and_catch(fail) == "LookupError: mine"
    with pytest.raises(LookupError) as caught:
        ext.reraise()
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-1] == "fail"
    assert ext.reraise() is None
    assert ext.call_and_catch(fail) == "LookupError: mine"
    with pytest.raises(LookupError) as caught:
        ext.reraise(note="seen by Rust")
    assert caught.value.__notes__ == ["seen by Rust"]
    assert caught.value.seen == "seen by Rust"


def test_exceptions_from_another_thread():
    class MineError(Exception):
        pass

    def fail(argument):
        raise MineError(argument)

    with pytest.raises(MineError, match="7"):
        ext.apply_later(fail, 7)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_exceptions_that_are_no_errors_pass_through(error):
    def fail():
        raise error("x")

    with pytest.raises(error):
        ext.apply(fail)


def test_an_exception_whose_text_raises():
    class SillyError(Exception):
        def __str__(self):
            raise ValueError("no text")

    def fail():
        raise SillyError

    with pytest.raises(SillyError):
        ext.apply(fail)
    assert ext.call_and_catch(fail).endswith("SillyError")
    with pytest.raises(SillyError):
        ext.reraise()


def test_exceptions_that_only_pass_through_are_not_asked_what_they_say():
    asked = []

    class CountingError(Exception):
        def __str__(self):
            asked.append(1)
            return "asked"

    def fail():
        raise CountingError

    with pytest.raises(CountingError):
        ext.apply(fail)
    assert asked == []
    assert ext.call_and_catch(fail).endswith("CountingError: asked")
    assert asked == [1]
    with pytest.raises(CountingError):
        ext.reraise()
    assert ext.catch_later(fail).endswith("CountingError: asked")


def test_exceptions_leave_no_cycles():
    class Canary:
        pass

    def run():
        canary = Canary()
        references.append(weakref.ref(canary))

        def fail():
            raise ValueError(canary)

        for call in (lambda: ext.apply(fail), lambda: ext.raise_kind("value", "x"), lambda: ext.panic("x")):
            with contextlib.suppress(Exception):
                call()
        ext.call_and_catch(fail)
        with contextlib.suppress(ValueError):
            ext.reraise()

    references: list[weakref.ref] = []
    gc.collect()
    gc.disable()
    try:
        run()
        assert references[0]() is None
    finally:
        gc.enable()


def test_many_errors_do_not_leak():
    tracked = len(gc.get_objects())
    for _ in range(1000):
        for kind in ("value", "key", "panic", "os"):
            with contextlib.suppress(Exception):
                ext.raise_kind(kind, "x")
    gc.collect()
    assert len(gc.get_objects()) - tracked < 100


# ---- files, causes, backtraces, pickles, cycles ----


def test_errors_say_which_file(tmp_path):
    path = tmp_path / "absent"
    with pytest.raises(FileNotFoundError) as caught:
        ext.raise_at_path(path)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(path))
    assert caught.value.strerror == os.strerror(errno.ENOENT)
    with pytest.raises(IsADirectoryError) as caught:
        ext.raise_at_path(tmp_path)
    assert (caught.value.errno, caught.value.filename) == (errno.EISDIR, str(tmp_path))
    for name, cls, number in (
        ("file_not_found", FileNotFoundError, errno.ENOENT),
        ("permission", PermissionError, errno.EACCES),
        ("timeout", TimeoutError, errno.ETIMEDOUT),
    ):
        with pytest.raises(cls) as caught:
            ext.raise_kind_at_path(name, path)
        assert type(caught.value) is cls
        assert (caught.value.errno, caught.value.strerror, caught.value.filename) == (
            number,
            "no such thing",
            str(path),
        )
    with pytest.raises(ValueError, match="no such thing"):
        ext.raise_kind_at_path("value", path)


def test_an_exception_as_a_cause():
    mine = LookupError("mine")

    def raises():
        raise mine

    with pytest.raises(ValueError, match="wrapped") as caught:
        ext.raise_with_cause(raises, "wrapped")
    assert caught.value.__cause__ is mine
    assert mine.__traceback__ is not None

    def nested():
        ext.raise_with_cause(raises, "inner")

    with pytest.raises(ValueError, match="outer") as caught:
        ext.raise_with_cause(nested, "outer")
    assert str(caught.value.__cause__) == "inner"
    assert caught.value.__cause__.__cause__ is mine

    with pytest.raises(ValueError, match="outer") as caught:
        ext.raise_with_cause(ext.raise_note, "outer")
    assert caught.value.__cause__.__notes__ == ["first note", "second note"]


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("RUST_LIB_BACKTRACE", "1", True),
        ("RUST_BACKTRACE", "full", True),
        ("RUST_BACKTRACE", "1", False),
        ("RUST_LIB_BACKTRACE", "0", False),
    ],
)
def test_rust_frames(variable, value, expected):
    source = (
        "import pairbond_testext as ext\n"
        "try: ext.raise_kind('value', 'x')\n"
        "except ValueError as e: print(getattr(e, '__notes__', []))\n"
    )
    env = {key: value for key, value in os.environ.items() if not key.startswith("RUST_")} | {variable: value}
    out = subprocess.run([sys.executable, "-c", source], env=env, capture_output=True, text=True, check=True).stdout
    if expected:
        assert "Rust frames:" in out
        assert "raise_kind" in out
        assert "Python" not in out
    else:
        assert out == "[]\n"


@pytest.mark.parametrize("name", ["type", "value", "key", "os", "file_not_found", "interpreter", "closed", "panic"])
def test_exceptions_are_pickled(name, tmp_path):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        ext.raise_kind(name, "a message")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is type(caught.value)
    assert copy.args == caught.value.args
    with pytest.raises(FileNotFoundError) as caught:
        ext.raise_at_path(tmp_path / "absent")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.errno, copy.filename) == (caught.value.errno, caught.value.filename)


class Watched(Exception):
    pass


ERROR_PATHS = [
    lambda f: ext.apply(f),
    lambda f: ext.apply_later(f, None),
    lambda f: ext.raise_with_cause(f, "x"),
    lambda f: (ext.call_and_catch(f), ext.reraise()),
    lambda f: ext.apply(f, 1, 2),
    lambda f: ext.vec([1, f]),
]


@pytest.mark.parametrize("path", ERROR_PATHS)
def test_error_paths_leave_no_cycles(path):
    """Without the collector everything goes by reference counts."""
    references = []

    def run():
        witness = Watched("witness")
        references.append(weakref.ref(witness))

        def f(*_, exception=witness):
            raise exception

        witness = None
        try:
            path(f)
        except Exception as error:
            if isinstance(error, Watched):
                references.append(weakref.ref(error))
            # Not ours: an exception refers to the frames that it went through, and they to it.
            while error is not None:
                error.__traceback__, error = None, error.__cause__ or error.__context__
        f = None

    gc.collect()
    gc.disable()
    try:
        run()
        ext.nothing()
        left = [r() for r in references]
    finally:
        gc.enable()
    assert left == [None] * len(left)


@pytest.fixture
def unraisable(monkeypatch):
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: caught.append(str(info.exc_value)))
    return caught


@pytest.mark.parametrize("end", ["reference", "cycle", "in a call"])
def test_a_destructor_that_panics(unraisable, end):
    class Kept:
        pass

    kept = Kept()
    gone = weakref.ref(kept)
    if end == "reference":
        fragile = ext.Fragile(kept)
        del kept, fragile
    elif end == "cycle":
        kept.fragile = ext.Fragile(kept)
        del kept
        gc.collect()
    else:
        ext.break_one(kept)
        del kept
    gc.collect()
    assert unraisable == ["the destructor of pairbond_testext.Fragile panicked: it broke"]
    assert gone() is None


def test_a_destructor_that_panics_leaves_the_exception_that_is_under_way(unraisable):
    def fail():
        fragile = ext.Fragile(None)  # noqa: F841
        raise LookupError("first")

    with pytest.raises(LookupError, match="first"):
        fail()
    gc.collect()
    assert len(unraisable) == 1


def test_a_destructor_that_panics_on_a_native_thread_unwinds_there(unraisable, capfd):
    assert ext.break_elsewhere()
    assert unraisable == []
    assert "it broke" in capfd.readouterr().err
