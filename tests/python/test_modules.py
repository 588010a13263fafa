"""What modules hold beside classes and functions, further keyword arguments, and several blocks of methods."""

from __future__ import annotations

import configparser
import gc
import inspect
import subprocess
import sys
import weakref

import pairbond
import pairbond_testext as ext
import pytest


def test_constants() -> None:
    assert ext.LIMIT == 42
    assert ext.NAMES == ["a", "b"]
    assert {"LIMIT", "NAMES", "inner", "ParseError"} <= set(ext.__all__)


def test_modules_inside() -> None:
    import pairbond_testext.inner.deeper as deeper
    from pairbond_testext.inner import Inner

    assert ext.inner.__name__ == "pairbond_testext.inner"
    assert ext.inner.__doc__ == "A module inside."
    assert ext.inner.NAME == "inner"
    assert Inner is ext.inner.Inner
    assert Inner.__module__ == "pairbond_testext.inner"
    assert not hasattr(ext, "Inner")
    assert deeper.VALUE == 1.5
    inner = Inner()
    inner.value = 3
    assert ext.inner.deep(inner) is inner


def test_exceptions_are_classes_of_the_module() -> None:
    assert ext.ParseError.__name__ == "ParseError"
    assert ext.ParseError.__module__ == "pairbond_testext"
    assert ext.ParseError.__doc__ == "The text cannot be read."
    assert ext.ParseError.__bases__ == (ValueError,)
    assert ext.EndError.__bases__ == (ext.ParseError,)
    assert ext.PlainError.__bases__ == (Exception,)


def test_exceptions_are_raised() -> None:
    with pytest.raises(ext.ParseError, match="line 3") as raised:
        ext.raise_defined("parse")
    assert type(raised.value) is ext.ParseError
    assert raised.value.line == 3
    assert raised.value.__notes__ == ["a note"]
    with pytest.raises(ext.ParseError, match="the end") as raised:
        ext.raise_defined("end")
    assert type(raised.value) is ext.EndError
    with pytest.raises(ext.PlainError):
        ext.raise_defined("plain")


def test_an_exception_of_no_module_is_made_when_it_is_raised() -> None:
    classes = set()
    for _ in range(2):
        with pytest.raises(configparser.Error, match="hidden") as raised:
            ext.raise_defined("hidden")
        classes.add(type(raised.value))
    assert [it.__name__ for it in classes] == ["HiddenError"]
    assert "pairbond_nowhere" not in sys.modules


def test_exceptions_are_pickled_by_their_module() -> None:
    import pickle

    with pytest.raises(ext.ParseError) as raised:
        ext.raise_defined("parse")
    assert type(pickle.loads(pickle.dumps(raised.value))) is ext.ParseError


def test_a_module_that_is_imported_again_has_the_same_exceptions() -> None:
    code = """
import sys, pairbond_testext as one
del sys.modules["pairbond_testext"]
import pairbond_testext as two
assert one is not two
assert one.ParseError is two.ParseError
try:
    one.raise_defined("parse")
except two.ParseError:
    print("caught")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "caught\n", done.stderr


def test_further_keywords() -> None:
    assert ext.keywords(1) == (1, {})
    assert ext.keywords(1, b=2, a=3) == (1, {"a": 3, "b": 2})
    assert ext.keywords(first=1, x=2) == (1, {"x": 2})
    assert ext.keywords(first=1, others=5) == (1, {"others": 5})
    assert str(inspect.signature(ext.keywords)) == "(first, **others)"
    with pytest.raises(TypeError, match=r"'others'.*expected an int"):
        ext.keywords(1, a="x")
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        ext.keywords(a=1)
    with pytest.raises(TypeError, match="multiple values for argument 'first'"):
        ext.keywords(1, first=2)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        ext.keywords(1, 2)
    assert ext.keywords(1, **{f"k{i}": i for i in range(100)})[1]["k99"] == 99


def test_parameters_of_all_kinds() -> None:
    assert str(inspect.signature(ext.everything)) == "(a, b=2, *c, d, **e)"
    a, b, c, d, e = ext.everything(1, d=4)
    assert (a, b, c, d, dict(e)) == (1, 2, [], 4, {})
    note = object()
    a, b, c, d, e = ext.everything(1, 5, 6, 7, d=4, x=note, y=None)
    assert (a, b, c, d) == (1, 5, [6, 7], 4)
    assert e["x"] is note
    assert e["y"] is None
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'd'"):
        ext.everything(1, x=3)


def test_native_functions_take_further_keywords() -> None:
    later = ext.keywords_later()
    assert later(1) == (1, {})
    assert later(1, x=2, y=3) == (1, {"x": 2, "y": 3})
    assert later(a=1, b=2) == (1, {"b": 2})
    assert str(inspect.signature(later)) == "(a, **rest)"
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        later(x=1)


def test_keyword_arguments_are_not_kept() -> None:
    class Note:
        pass

    note = Note()
    reference = weakref.ref(note)
    assert ext.Blocks().second(note=note) == 1
    del note
    gc.collect()
    assert reference() is None


def test_several_blocks_of_methods() -> None:
    blocks = ext.Blocks(a=1, b=2)
    assert blocks.values == {"a": 1, "b": 2}
    assert blocks.first() == 1
    assert blocks.second(x=1) == 1
    assert blocks.total == 3
    assert len(blocks) == 2
    assert blocks == ext.Blocks(b=2, a=1)
    assert isinstance(blocks, pairbond.Object)


def test_derived_comparisons() -> None:
    one, same, other = ext.Derived(1, "a"), ext.Derived(1, "a"), ext.Derived(1, "b")
    assert one == same
    assert one != other
    assert hash(one) == hash(same)
    assert {one, same, other} == {one, other}
    assert one < other
    assert other >= one
    assert sorted([other, one]) == [one, other]
    assert one != 1
    with pytest.raises(TypeError):
        one < 1
    assert (one.major, one.name) == (1, "a")


def test_all_fields_are_shown() -> None:
    shown = ext.Shown(1)
    assert (shown.fixed, shown.changing, shown.other) == (1, 0, 0)
    shown.changing = 2
    assert shown.changing == 2
    for name in ("fixed", "other"):
        with pytest.raises(AttributeError):
            setattr(shown, name, 3)
