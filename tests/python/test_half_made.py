"""Objects whose `__init__` is not through, abstract classes, and nodes that are no more."""

import copy
import pickle
from abc import ABC, abstractmethod

import pairbond
import pairbond_holders as holders
import pairbond_testext as ext
import pytest

Node = holders.Node


class Registered(Node):
    def __init__(self, registry, key=None):
        registry(self)
        super().__init__(1)


@pytest.mark.parametrize(
    "register",
    [
        pytest.param(lambda it: pairbond.Map().__setitem__(it, 1), id="map"),
        pytest.param(lambda it: pairbond.Map({it: 1}), id="map of a dict"),
        pytest.param(lambda it: pairbond.Map().setdefault(it, 1), id="setdefault"),
        pytest.param(lambda it: it in pairbond.Map({1: 1}), id="in"),
        pytest.param(lambda it: pairbond.Map({1: 1}).get(it), id="get"),
        pytest.param(lambda it: pairbond.Set().add(it), id="set"),
        pytest.param(lambda it: pairbond.Set([it]), id="set of a list"),
        pytest.param(lambda it: pairbond.FrozenMap({it: 1}), id="frozen"),
        pytest.param(lambda it: hash(pairbond.Tuple([it])), id="tuple"),
    ],
)
def test_a_key_that_is_not_there_yet_is_refused(register):
    """Its hash would be another one when it is there."""
    with pytest.raises(RuntimeError, match=r"Node\.__init__\(\) was not called"):
        Registered(register)
    # As a value it is what it is, and as a key as soon as it is there.
    values = pairbond.List()
    it = Registered(values.append)
    assert values[0] is it
    assert pairbond.Map({it: 1})[it] == 1
    assert {it: 2}[it] == 2


def test_a_forgotten_init_names_the_class_whose_it_is():
    class Base(Node):
        def __init__(self):
            pass

    class Sub(Base):
        def __init__(self):
            super().__init__()

    with pytest.raises(RuntimeError) as error:
        Sub().number
    assert "Node.__init__() was not called" in str(error.value)
    assert "behind this Sub" in str(error.value)
    assert "Sub.__init__() was not called" not in str(error.value)
    assert "super().__init__()" in str(error.value)
    with pytest.raises(RuntimeError) as error:
        Node.__new__(Node).number
    assert "Node.__init__() was not called" in str(error.value)
    assert "super" not in str(error.value)


@pytest.mark.parametrize("base", [Node, pairbond.List, pairbond.Map, pairbond.Set, pairbond.Tuple, ext.Section])
def test_abstract_methods(base):
    arguments = ("title",) if base is ext.Section else ()

    class Abstract(base, ABC):
        @abstractmethod
        def area(self): ...

        @property
        @abstractmethod
        def name(self): ...

    class Half(Abstract):
        def area(self):
            return 1

    class Whole(Half):
        name = "whole"

    for cls in (Abstract, Half):
        with pytest.raises(TypeError, match="abstract"):
            cls(*arguments)
        with pytest.raises(TypeError, match="abstract"):
            cls.__new__(cls)
    assert Whole(*arguments).name == "whole"
    Half.name = "patched"
    # As for other classes: what is abstract is found out when the class is made.
    with pytest.raises(TypeError, match="abstract"):
        Half(*arguments)


def test_abstract_objects_are_not_loaded_either():
    whole = WholeNode(1)
    assert pickle.loads(pickle.dumps(whole)).area() == 1
    assert copy.deepcopy(whole).area() == 1


class AbstractNode(Node, ABC):
    @abstractmethod
    def area(self): ...


class WholeNode(AbstractNode):
    def area(self):
        return 1


class Titled(ext.Section):
    def __repr__(self):
        return f"<{self.title}, {self.note}>"


class Inherited(Titled):
    pass


class Patched(ext.Section):
    pass


class Leaving(ext.Section):
    def __repr__(self):
        raise KeyboardInterrupt if self.leaves else LookupError("none")


class Pictured(ext.PicturedNode):
    def __repr__(self):
        return f"<{self.name}>"


@pytest.mark.parametrize("cls", [ext.PicturedNode, Pictured])
def test_repr_of_an_erased_node_with_a_repr_in_rust(cls):
    node = cls("title")
    assert repr(node) == ("PicturedNode(name='title')" if cls is ext.PicturedNode else "<title>")
    node.erase()
    assert "(erased)" in repr(node)
    assert "(erased)" in ext.PicturedNode.__repr__(node)


@pytest.mark.parametrize("cls", [ext.Package, ext.Vector, ext.Pictured])
def test_repr_before_init(cls):
    class Sub(cls):
        def __init__(self):
            pass

    for half_made in (cls.__new__(cls), Sub()):
        assert f"{type(half_made).__qualname__} object at 0x" in repr(half_made)
        assert "(not initialised)" in repr(half_made)
        assert "(not initialised)" in cls.__repr__(half_made)
        assert "(not initialised)" in f"{[half_made]}"


@pytest.mark.parametrize("cls", [ext.Section, Titled, Inherited, Patched])
def test_repr_of_an_erased_node(cls):
    node = cls("title")
    node.note = "note"
    Patched.__repr__ = Titled.__repr__
    other = cls("other")
    other.note = "note"
    if cls is not ext.Section:
        assert repr(other) == "<other, note>"
    node = cls("title")
    node.note = "note"
    node.erase("a pass")
    for show in (repr, str, "{!r}".format, "{}".format, ascii):
        text = show(node)
        assert f"{cls.__qualname__} object at 0x" in text
        assert "(erased), by a pass" in text
    assert "(erased)" in repr([node])
    assert "(erased)" in repr(pairbond.List([node]))
    if cls is not ext.Section:
        assert repr(other) == "<other, note>"


def test_repr_that_fails_for_other_reasons():
    node = Leaving("title")
    node.leaves = False
    with pytest.raises(LookupError, match="none"):
        repr(node)
    node.erase()
    assert "(erased), by erase()" in repr(node)
    node.leaves = True
    with pytest.raises(KeyboardInterrupt):
        repr(node)
