"""Native code that drives Python: attributes, items, methods, iteration, imports."""

from __future__ import annotations

import math
import threading

import pairbond
import pairbond_holders as native
import pytest


class Thing:
    """Something with attributes and items."""

    colour = "red"

    def __init__(self) -> None:
        self.items: dict[object, object] = {}

    def __getitem__(self, key: object) -> object:
        return self.items[key]

    def __setitem__(self, key: object, value: object) -> None:
        self.items[key] = value

    def __delitem__(self, key: object) -> None:
        del self.items[key]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> object:
        return iter(self.items)

    def __call__(self, *args: object, **kwargs: object) -> object:
        return (args, kwargs)

    def __str__(self) -> str:
        return "a thing"

    def add(self, a: int, b: int) -> int:
        return a + b


@pytest.fixture(params=["here", "elsewhere"])
def operate(request: pytest.FixtureRequest) -> object:
    return native.operate if request.param == "here" else native.operate_elsewhere


def test_attributes(operate) -> None:
    thing = Thing()
    assert operate("get_attr", thing, "colour") == "red"
    operate("set_attr", thing, "size", thing)
    assert thing.size is thing
    operate("del_attr", thing, "size")
    with pytest.raises(AttributeError, match="size"):
        operate("get_attr", thing, "size")
    with pytest.raises(AttributeError):
        operate("del_attr", thing, "size")


def test_items(operate) -> None:
    thing, value = Thing(), object()
    operate("set_item", thing, "key", value)
    assert operate("get_item", thing, "key") is value
    assert operate("count", thing) == 1
    assert list(operate("iterate", thing)) == ["key"]
    operate("del_item", thing, "key")
    with pytest.raises(KeyError, match="key"):
        operate("get_item", thing, "key")
    with pytest.raises(TypeError):
        operate("count", lambda: 1)
    with pytest.raises(TypeError, match="not iterable"):
        operate("iterate", lambda: 1)


def test_calls(operate) -> None:
    thing = Thing()
    assert operate("call_method", thing, "add", 1, 2) == 3
    assert operate("call", thing, 1, 2) == ((1, 2), {})
    assert operate("call_named", thing, 1, 2) == ((1,), {"key": 2})
    assert operate("text", thing) == "a thing"
    assert operate("is_instance", thing, Thing) is True
    assert operate("is_instance", thing, int) is False
    with pytest.raises(TypeError):
        operate("is_instance", thing, 5)


def test_the_iteration_ends_with_the_first_error(operate) -> None:
    class Ends:
        def __iter__(self) -> object:
            yield 1
            raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        operate("iterate", Ends())


def test_objects_of_both_sides() -> None:
    node = native.Node()
    native.operate("set_attr", node, "note", 5)
    assert node.note == 5
    assert native.operate("count", "text") == 4
    assert native.operate("get_item", pairbond.List([1, 2]), 1) == 2
    assert list(native.operate("iterate", pairbond.List([1, 2]))) == [1, 2]
    assert native.operate("call_method", "a,b", "split", ",") == ["a", "b"]


def test_imports() -> None:
    assert native.import_module("math") is math
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        native.import_module("nowhere")
    import os.path

    assert native.import_module("os.path") is os.path


def test_values_of_no_interpreter_need_an_attached_thread() -> None:
    with pytest.raises(RuntimeError, match="not attached"):
        native.operate_elsewhere("count", "text")


def test_threads() -> None:
    thing, failures = Thing(), []

    def work() -> None:
        try:
            for i in range(200):
                assert native.operate_elsewhere("call_method", thing, "add", i, 1) == i + 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_attributes_that_are_computed() -> None:
    dynamic = native.Dynamic()
    assert dynamic.made_up == "up"
    with pytest.raises(AttributeError, match="no other"):
        dynamic.other
    assert getattr(dynamic, "other", 1) == 1
    dynamic.note = 5
    assert dynamic.note == 5
    del dynamic.note
    with pytest.raises(AttributeError, match="no note"):
        dynamic.note
    assert list(dynamic.log) == ["set note", "del note"]


def test_attributes_of_subclasses_that_are_computed() -> None:
    class Child(native.Dynamic):
        def __getattr__(self, name: str) -> str:
            return "child" if name == "mine" else super().__getattr__(name)

    child = Child()
    assert child.mine == "child"
    assert child.made_x == "x"
    child.note = 1
    assert list(child.log) == ["set note"]


def test_descriptors() -> None:
    class Owner:
        size = native.Described()

    owner = Owner()
    owner.size = 3
    assert owner._size == owner.size == 3
    assert isinstance(Owner.size, native.Described)
    del owner.size
    with pytest.raises(AttributeError, match="_size"):
        owner.size
