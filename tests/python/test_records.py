"""Structs that cross by their fields (`#[derive(pairbond::Record)]`), and what `#[pairbond::object]` offers besides."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import threading
import types
from collections import ChainMap, OrderedDict, namedtuple
from pathlib import Path
from typing import Any

import pairbond
import pairbond_testext as ext
import pytest
from records_in_python import Typed


@dataclasses.dataclass
class Limit:
    max: int
    step: int = 1


@dataclasses.dataclass
class Config:
    name: str
    limits: list[Limit] = dataclasses.field(default_factory=list)
    note: str | None = None


WHOLE = {
    "name": "x",
    "limits": [{"max": 1, "step": 2}],
    "note": "n",
    "ratio": 1.0,
    "by_name": {"a": {"max": 3, "step": 1}},
    "path": Path("/tmp"),
    "inner": {"max": 7, "step": 1},
}


def message(error: type[Exception], function: Any, *arguments: object, **keywords: object) -> str:
    with pytest.raises(error) as caught:
        function(*arguments, **keywords)
    return str(caught.value)


def test_from_a_dict_and_back() -> None:
    given = ext.configure(WHOLE)
    assert given == {**WHOLE, "path": str(Path("/tmp"))}
    assert list(given) == ["name", "limits", "note", "ratio", "by_name", "path", "inner"]
    assert type(given) is dict
    assert type(given["limits"]) is list
    assert type(given["by_name"]) is dict
    assert ext.configure(given) == given


def test_absent_fields_have_their_defaults() -> None:
    defaults = {"limits": [], "note": None, "ratio": 0.5, "by_name": {}, "path": None, "inner": None}
    assert ext.configure({"name": "x"}) == {"name": "x", **defaults}
    assert ext.configured({"name": "x", "limits": [{"max": 5}], "note": None}) == "x [(5, 1)] None 0.5 0 None 0"
    assert ext.configured(None) == ""


def test_from_dataclasses_and_other_objects() -> None:
    expected = "x [(1, 2)] None 0.5 0 None 0"
    assert ext.configured(Config("x", [Limit(1, 2)])) == expected
    assert ext.configured(types.SimpleNamespace(name="x", limits=({"max": 1, "step": 2},), other=3)) == expected
    pair = namedtuple("pair", "max step")
    assert ext.configured({"name": "x", "limits": [pair(1, 2)]}) == expected

    class Computed:
        name = "x"

        @property
        def limits(self) -> list[Limit]:
            return [Limit(1, 2)]

    assert ext.configured(Computed()) == expected
    # One of pairbond's own objects has attributes, too.
    node = ext.PicturedNode("x")
    assert ext.configured(node) == "x [] None 0.5 0 None 0"


@pytest.mark.parametrize("kind", [OrderedDict, ChainMap, types.MappingProxyType, pairbond.Map])
def test_from_other_mappings(kind: Any) -> None:
    assert ext.configured(kind({"name": "x", "limits": []})) == "x [] None 0.5 0 None 0"


def test_errors_name_the_path() -> None:
    place = "configure() argument 'config'"
    limits = [{"max": 1}, {"max": 2}, {"max": "3"}]
    assert message(TypeError, ext.configure, {"name": "x", "limits": limits}) == (
        f"{place}.limits[2].max: expected an int of 64 bits, got str '3'"
    )
    assert message(TypeError, ext.configure, Config("x", [Limit("1")])) == (  # type: ignore[arg-type]
        f"{place}.limits[0].max: expected an int of 64 bits, got str '1'"
    )
    by_name = {"name": "x", "by_name": {"a": {"max": 1 << 70}}}
    assert message(OverflowError, ext.configure, by_name).startswith(f"{place}.by_name[str 'a'].max: int 118")
    assert message(TypeError, ext.configure, {"name": "x", "inner": 3}) == (
        f"{place}.inner: expected Limit (a dict, or an object with such attributes) or None, got int 3"
    )
    assert message(TypeError, ext.configs, [{"name": "x"}, {"name": "y", "limits": [{}]}]) == (
        "configs() argument 'all'[1].limits[0]: Limit needs 'max'"
    )


def test_unknown_keys_are_named_with_the_nearest() -> None:
    place = "configure() argument 'config'"
    assert message(TypeError, ext.configure, {"name": "x", "limit": []}) == (
        f"{place}: Config has no key 'limit'; did you mean 'limits'?"
    )
    assert message(TypeError, ext.configure, {"name": "x", "colour": 1}) == f"{place}: Config has no key 'colour'"
    assert message(TypeError, ext.configure, {"name": "x", 3: 1}) == f"{place}: Config has no key int 3"
    assert message(TypeError, ext.configure, {"limits": []}) == f"{place}: Config needs 'name'"
    assert message(TypeError, ext.configure, Config) == f"{place}: Config needs 'name'"


@pytest.mark.parametrize("value", [3, 1.5, True, None, b"x", object(), [], set()])
def test_what_is_no_record(value: object) -> None:
    text = message(TypeError, ext.configure, value)
    assert text.startswith("configure() argument 'config': expected Config (a dict, or an object with such attributes)")


def test_what_an_attribute_raises_comes_out() -> None:
    class Broken:
        name = "x"

        @property
        def note(self) -> str:
            raise KeyError("note")

    with pytest.raises(KeyError, match="note"):
        ext.configure(Broken())

    class Hidden(Broken):
        @property
        def note(self) -> str:
            raise AttributeError("absent")

    assert ext.configured(Hidden()) == "x [] None 0.5 0 None 0"


def test_names_that_python_has_otherwise() -> None:
    value = {"maxSize": 3, "type": "t", "other": object()}
    assert ext.renamed(value, max=1) == ({"maxSize": 3, "type": "t"}, {"max": 1, "step": 1})
    assert "Recased needs 'maxSize'" in message(TypeError, ext.renamed, {"max_size": 3, "type": "t"}, max=1)


def test_keyword_arguments() -> None:
    assert ext.with_flags("n") == ("n", False, 0, [])
    assert ext.with_flags("n", level=3, names=["a"], deep=True) == ("n", True, 3, ["a"])
    text = "with_flags() argument 'flags'"
    assert message(TypeError, ext.with_flags, "n", depth=1) == (f"{text}: Flags has no key 'depth'")
    assert message(TypeError, ext.with_flags, "n", dep=1) == (f"{text}: Flags has no key 'dep'; did you mean 'deep'?")
    assert message(TypeError, ext.with_flags, "n", level="1").startswith(f"{text}.level: expected an int of 64 bits")
    assert (
        message(TypeError, ext.renamed, {"maxSize": 1, "type": ""}) == "renamed() argument 'limit': Limit needs 'max'"
    )


def test_given_as_an_instance_of_a_class() -> None:
    picture = ext.Pictured("p")
    given = ext.typed({"name": "x", "sizes": (1, 2), "of": picture})
    assert given == Typed("x", [1, 2], picture)
    assert type(given) is Typed
    assert type(given.sizes) is list
    assert given.of is picture
    assert ext.typed(given) == given
    space = ext.spaced({"x": 1, "y": 2.0})
    assert type(space) is types.SimpleNamespace
    assert ext.spaced(space) == space


def test_records_inside_of_themselves() -> None:
    given = ext.outline({"title": "a", "below": [{"title": "b", "next": {"title": "c"}}]})
    assert given["below"][0]["next"] == {"title": "c", "below": [], "next": None}
    cyclic: dict[str, object] = {"title": "x"}
    cyclic["next"] = cyclic
    assert message(RecursionError, ext.outline, cyclic)
    deep: dict[str, object] = {"title": "x"}
    for _ in range(100_000):
        deep = {"title": "x", "next": deep}
    assert message(RecursionError, ext.outline, deep)


def test_records_with_parameters() -> None:
    assert ext.pages({"number": 1, "items": ["a", "bc"]}) == {"number": 2, "items": [1, 2]}
    assert ".items[0]: expected str, got int 1" in message(TypeError, ext.pages, {"number": 1, "items": [1]})


def test_collections_of_records() -> None:
    assert ext.configs(iter([{"name": "x"}, Config("y")]))[1]["name"] == "y"
    assert ext.configs_by_name({"a": Limit(1)}) == {"a": {"max": 1, "step": 1}}


def test_through_values_of_any_type() -> None:
    assert ext.typed_from_python({"name": "x", "path": Path("/p")}) == 'x Some("/p")'
    assert ext.typed_from_python(Config("x")) == "x None"
    assert message(TypeError, ext.typed_from_python, {"nam": "x"}).endswith(
        "Config has no key 'nam'; did you mean 'name'?"
    )
    function = ext.read_later()
    assert dict(function({"max": 1, "step": 4})) == {"max": 2, "step": 4}
    assert dict(function(Limit(1))) == {"max": 2, "step": 1}


def test_in_fields() -> None:
    holder = ext.Holder(Limit(3))
    assert holder.limit == holder.first == {"max": 3, "step": 1}
    holder.limit = {"max": 4}
    holder.more = [Limit(1), {"max": 2}]
    assert holder.limit == {"max": 4, "step": 1}
    assert [it["max"] for it in holder.more] == [1, 2]
    assert message(TypeError, setattr, holder, "limit", {"min": 1}).startswith("Holder.limit: Limit has no key 'min'")
    assert holder.limit == {"max": 4, "step": 1}


def test_a_dict_that_changes_while_it_is_read() -> None:
    wicked: dict[str, object] = {"name": "x", "ratio": 1.0}

    class Changing(float):
        def __float__(self) -> float:
            return 1.0

    class Index:
        def __index__(self) -> int:
            wicked.clear()
            return 1

    wicked["limits"] = [{"max": Index()}]
    wicked["note"] = "n"
    with contextlib.suppress(RuntimeError, TypeError):
        ext.configure(wicked)
    assert wicked == {}


def test_threads_read_one_dict() -> None:
    shared = {"name": "x", "limits": [{"max": i} for i in range(20)]}
    found = []

    def read() -> None:
        for _ in range(50):
            found.append(len(ext.configure(shared)["limits"]))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [20] * 200


def test_sets() -> None:
    assert ext.hash_set([1, 2, 1]) == {1, 2}
    assert type(ext.hash_set([])) is set
    # Python cannot hash these.
    lists = ext.hash_set_of_lists([[1], [2, 3], [1]])
    assert type(lists) is list
    assert sorted(lists) == [[1], [2, 3]]


def test_repr_by_fields() -> None:
    one = ext.Pictured("it's", 3)
    assert repr(one) == """Pictured(name="it's", size=3, next=None, all=pairbond.List([]), any=None)"""
    child = ext.PicturedChild("x", 1.5)
    assert repr(child) == "PicturedChild(name='x', size=1, next=None, all=pairbond.List([]), any=None, more=1.5)"

    class Sub(ext.Pictured):
        size = "hidden"

    assert repr(Sub("x")).startswith("test_repr_by_fields.<locals>.Sub(name='x', size='hidden', ")


def test_repr_of_cycles() -> None:
    one, two = ext.Pictured("1"), ext.Pictured("2")
    one.next, two.next = two, one
    assert repr(one) == (
        "Pictured(name='1', size=0, next=Pictured(name='2', size=0, next=Pictured(...), all=pairbond.List([]), "
        "any=None), all=pairbond.List([]), any=None)"
    )
    one.all.append(one)
    assert "all=pairbond.List([Pictured(...)])" in repr(one)
    # The marks of a repr are gone after it.
    assert repr(one) == repr(one)
    one.next = two.next = None
    one.all.clear()


def test_repr_never_raises() -> None:
    class Unprintable:
        def __repr__(self) -> str:
            raise ValueError("no")

    one = ext.Pictured("x")
    one.any = Unprintable()
    assert repr(one).endswith("any=<ValueError>)")

    class Broken(ext.Pictured):
        @property
        def size(self) -> int:  # type: ignore[override]
            raise KeyError("size")

    assert "size=<KeyError>" in repr(Broken("x"))

    class Interrupted:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    one.any = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        repr(one)
    one.any = None
    assert repr(one).endswith("any=None)")
    half_made = ext.Pictured.__new__(ext.Pictured)
    assert "not initialised" in repr(half_made)


def test_repr_of_an_erased_node() -> None:
    node = ext.PicturedNode("x")
    assert repr(node) == "PicturedNode(name='x')"
    node.erase()
    assert "(erased)" in repr(node)


def test_repr_of_large_graphs_ends() -> None:
    first = last = ext.Pictured("0")
    for i in range(50_000):
        last.next = ext.Pictured(str(i))
        last = last.next
    assert repr(first).count("Pictured(") == 33
    wide = ext.Pictured("wide")
    wide.all.extend(ext.Pictured(str(i)) for i in range(5000))
    assert repr(wide).count("Pictured(name=") == 1000
    # Each is below twice: 2**40 of them.
    top = ext.Pictured("top")
    for i in range(20):
        over = ext.Pictured(str(i))
        over.all.extend([top, top])
        top = over
    assert len(repr(top)) < 1_000_000
    del first, last, top, over, wide
    gc.collect()


def test_generic_classes() -> None:
    numbers, texts = ext.GridF64(2, 3), ext.GridText(1, 2)
    assert (type(numbers).__name__, type(texts).__name__) == ("GridF64", "GridText")
    assert not issubclass(ext.GridF64, ext.GridText)
    numbers.put(1, 2, 2.5)
    texts.put(0, 1, "abc")
    assert (numbers.at(1, 2), texts.at(0, 1), numbers.at(5, 5)) == (2.5, "abc", None)
    assert (numbers.height, texts.height, numbers.width) == (3, 2, 2)
    assert numbers.sum() == 2.5
    assert not hasattr(texts, "sum")
    assert numbers.copied().cells == numbers.cells
    assert numbers.copied() is not numbers
    texts.cells = ["", "abcd"]
    other = ext.grid_of(texts)
    assert type(other) is ext.GridF64
    assert other.cells == [0.0, 4.0]
    assert ext.half_of(other) == 2.0
    texts.other = other
    assert texts.other is other
    assert repr(other) == "GridF64(width=1, cells=[0.0, 4.0], other=None)"
    assert message(TypeError, numbers.put, 0, 0, "x") == "GridF64.put() argument 'value': expected float, got str 'x'"
    assert message(TypeError, ext.half_of, texts).startswith(
        "half_of() argument 'grid': expected pairbond_testext.GridF64, got pairbond_testext.GridText"
    )
    assert message(TypeError, setattr, texts, "cells", [1]) == "GridText.cells[0]: expected str, got int 1"
    fixed = ext.Pair3({"a": 1}, (1, 2, 3))
    assert (fixed.first, fixed.rest) == ({"a": 1}, [1, 2, 3])


def test_generic_classes_are_written_each_as_itself() -> None:
    numbers = ext.GridF64(2, 1)
    numbers.put(0, 0, 1.5)
    again = pairbond.from_json(pairbond.to_json(numbers))
    assert type(again) is ext.GridF64
    assert again.cells == [1.5, 0.0]
    texts = ext.GridText(1, 1)
    texts.other = numbers
    copy = pairbond.deep_copy(texts) if hasattr(pairbond, "deep_copy") else __import__("copy").deepcopy(texts)
    assert type(copy) is ext.GridText
    assert copy.other.cells == numbers.cells
    assert copy.other is not numbers


def test_attributes_that_are_declared() -> None:
    noted = ext.Noted()
    noted.note = "x"
    assert noted.note == "x"
    assert not hasattr(noted, "marks")
    noted.parent = ext.Noted()
    assert noted.above is noted.parent
    assert ext.noted_as_any(noted) == [noted]


def test_slices() -> None:
    row = ext.Row(range(5))
    assert row[0] == [0]
    assert row[-1] == [4]
    ends = [None, -(10**30), -6, -5, -1, 0, 1, 4, 5, 6, 10**30]
    for start in ends:
        for stop in ends:
            for step in (None, 1, 2, 7, -1, -2, 10**30, -(10**30)):
                part = slice(start, stop, step)
                assert row[part] == list(range(5))[part]
                assert ext.sliced("abcde", part) == "abcde"[part]
    for index in (5, -6, 2**62):
        assert "out of range: there are 5" in message(IndexError, row.__getitem__, index)
    assert (
        message(TypeError, row.__getitem__, "x")
        == "Row.__getitem__() argument 'at': expected int or slice, got str 'x'"
    )
    assert message(TypeError, row.__getitem__, ...).endswith("expected int or slice, got ellipsis Ellipsis")
    assert message(TypeError, ext.sliced, "x", 1).endswith("expected a slice, got int 1")
    assert "zero" in message(ValueError, row.__getitem__, slice(None, None, 0))
