"""Libraries of C++: classes, conversions, exceptions in both directions."""

import gc
import inspect
import sys
import threading
import weakref

import pairbond
import pytest
from c_libraries import build, source_of


def test_classes(graphs):
    node = graphs.Node("a")
    other = graphs.Node("b", 2.0, origin=node)
    assert (node.name, node.weight, other.origin) == ("a", 1.5, node)
    assert other.origin is node
    assert repr(node) == "<Node a>"
    node.name, node.weight = "c", 4
    assert (node.name, node.weight) == ("c", 4.0)
    assert graphs.Node.__doc__ == "A node."
    assert graphs.Node.length.__doc__ == "How long the list is."
    assert str(inspect.signature(graphs.Node)) == "(name, weight=1.5, *, origin=None)"
    with pytest.raises(AttributeError):
        node.number = 3
    with pytest.raises(AttributeError):
        node.origin = other


def test_one_self(graphs):
    node, other = graphs.Node("a"), graphs.Node("b")
    node.note = 1
    assert node.itself() is node
    assert node.me() is node
    node.next = other
    assert node.next is other
    node.others.append(other)
    assert node.others[0] is other
    node.join(None)
    assert node.next is None
    node.join(other)
    assert node.length() == 2
    assert graphs.weak(node) is node


def test_references_to_references(graphs):
    """What returns `const pb::Ref<T> &` shows the object, and has it still."""
    before = graphs.Node.alive()
    assert graphs.remembered() is None
    node = graphs.Node("a")
    graphs.remember(node)
    assert graphs.remembered() is node
    dead = weakref.ref(node)
    del node
    for _ in range(3):
        assert graphs.remembered().name == "a"
    graphs.remember(None)
    assert graphs.remembered() is None
    assert dead() is None
    assert graphs.Node.alive() == before


def test_cycles_are_collected(graphs):
    before = graphs.Node.alive()
    node, other = graphs.Node("a"), graphs.Node("b")
    node.next, other.next = other, node
    node.others.append(other)
    other.others.append(node)
    leaf = graphs.Leaf(1)
    leaf.next = leaf
    leaf.attribute = [leaf, node]
    references = [weakref.ref(it) for it in (node, other, leaf)]
    del node, other, leaf
    gc.collect()
    assert [reference() for reference in references] == [None] * 3
    assert graphs.Node.alive() == before


def test_an_object_that_fails_to_be_made_leaves_nothing(graphs):
    before = graphs.Node.alive()
    for _ in range(100):
        with pytest.raises(ValueError, match="a node needs a name"):
            graphs.Node("")
        with pytest.raises(ValueError, match="a node needs a name"):
            graphs.make("")
    assert graphs.Node.alive() == before


def test_bases(graphs):
    leaf = graphs.Leaf(3)
    assert isinstance(leaf, graphs.Node)
    assert (leaf.small, leaf.weight, leaf.name, leaf.length()) == (3, 3.0, "leaf", 1)
    assert graphs.is_leaf(leaf)
    assert not graphs.is_leaf(graphs.Node("a"))

    class Sub(graphs.Leaf):
        def __init__(self):
            super().__init__(5)

    assert Sub().small == 5


def test_values(graphs):
    point = graphs.Point(1, y=2.5)
    assert point == graphs.Point(1, 2.5)
    assert point != graphs.Point()
    assert point != 3
    assert graphs.middle(point, graphs.Point()).x == 0.5
    with pytest.raises(AttributeError):
        point.y = 1
    with pytest.raises(AttributeError):
        point.note = 1
    with pytest.raises(TypeError):
        graphs.Point.z = 1


def test_conversions(graphs):
    assert graphs.total([1, 2.5]) == 3.5
    assert graphs.total((1, 2)) == 3
    assert graphs.lengths({"a": [1, 2], "b": []}) == {"a": 2, "b": 0}
    assert type(graphs.lengths({})) is dict
    assert graphs.half(3) == 1.5
    assert graphs.half(None) is None
    assert graphs.either(3) == "int 3"
    assert graphs.either("x") == "str x"
    assert graphs.swap((1, "z")) == ("z", 1)
    assert graphs.bytes(b"a\0b") == b"a\0b"
    assert graphs.ANSWER == 42


def test_values_of_registered_classes(graphs):
    point, other = graphs.Point(1, 2), graphs.Point(3)
    assert graphs.points([point, other], point) == [point, other, point]
    assert graphs.points(points=(point,)) == [point]
    assert graphs.points([point])[0] is not point
    assert graphs.first_of({"a": other}, True) == other
    assert graphs.first_of({}, False) is None
    assert graphs.point_or_number(point) == point
    assert graphs.point_or_number(2.5) == 2.5
    assert (graphs.x_of(), graphs.x_of(other), graphs.x_of(point=point)) == (7.0, 3.0, 1.0)
    node = graphs.Node("a")
    assert graphs.pointer(node) is node
    assert graphs.pointer(None) is None
    with pytest.raises(TypeError, match=r"argument 'points': expected graphs\.Point, got int"):
        graphs.points([3])


def test_a_null_text_is_none(graphs):
    assert (graphs.text_or_none(True), graphs.text_or_none(False)) == ("text", None)


def test_functions_that_may_be_none(graphs):
    assert (graphs.calls(), graphs.calls(None), graphs.calls(lambda point: point.x)) == (-1, -1, 3)
    assert graphs.none() is None
    with pytest.raises(TypeError, match="expected a callable, got None"):
        graphs.apply(None, 1)
    offer = graphs.Offer(3)
    graphs.mover()(offer, 4)
    assert offer.price == 7


def test_containers(graphs):
    numbers = pairbond.List([1, 2])
    assert graphs.nth(numbers, 1) == 2
    with pytest.raises(IndexError, match="index 2 is out of range for 2 elements"):
        graphs.nth(numbers, 2)
    with pytest.raises(TypeError, match="expected int, got str"):
        graphs.nth(pairbond.List(["x"]), 0)
    assert graphs.value(pairbond.Map({"a": 5}), "a") == 5
    assert graphs.value(pairbond.Map({"a": 5}), "b") is None


def test_functions_by_name(graphs):
    double = graphs.doubler()
    graphs.publish(double, "test_cpp.double")
    try:
        assert pairbond.get_function("test_cpp.double")(4) == 8
        assert graphs.find("test_cpp.double")(5) == 10
        with pytest.raises(ValueError, match=r"test_cpp\.double"):
            graphs.publish(double, "test_cpp.double")
    finally:
        pairbond.remove_function("test_cpp.double")
    with pytest.raises(KeyError, match=r"test_cpp\.double"):
        graphs.find("test_cpp.double")


def test_functions(graphs):
    assert graphs.apply(lambda x: x * 3, 2) == 6
    assert graphs.call(max, 7) == 7
    double = graphs.doubler()
    assert double(4) == 8
    with pytest.raises(TypeError, match="expected int, got float"):
        graphs.apply(double, 5)
    with pytest.raises(TypeError, match="expected 1 arguments, got 2"):
        double(1, 2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda g: g.Leaf(1000),
            OverflowError,
            r"Leaf\(\) argument 'small': 1000 does not fit into an int from -128 to 127",
        ),
        (lambda g: g.Node("a", origin=3), TypeError, r"Node\(\) argument 'origin': expected graphs.Node, got int 3"),
        (lambda g: g.total([1, "x"]), TypeError, r"total\(\) argument 'numbers': expected float, got str"),
        (lambda g: g.total(3), TypeError, r"total\(\) argument 'numbers': expected a list, got int"),
        (lambda g: g.either(1.5), TypeError, "expected str, got float"),
        (lambda g: g.swap((1,)), ValueError, "expected 2 elements, got 1"),
        (lambda g: g.middle(g.Point(), None), TypeError, "expected graphs.Point, got None"),
        (lambda g: g.Node.length(g.Point()), TypeError, "descriptor 'length' for 'graphs.Node' objects"),
    ],
)
def test_bad_input_is_an_exception(graphs, call, error, words):
    with pytest.raises(error, match=words):
        call(graphs)


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (0, IndexError, "out"),
        (1, OverflowError, "over"),
        (2, MemoryError, "memory"),
        (3, RuntimeError, "no std::exception"),
        (5, KeyError, "key"),
        (6, RuntimeError, "run"),
        (7, OSError, "error"),
        (8, ValueError, "domain"),
    ],
)
def test_exceptions_of_cpp(graphs, number, kind, words):
    with pytest.raises(kind, match=words):
        graphs.fail(number)


@pytest.mark.parametrize("member", ["pb::Cell<pb::Ref<Other>>", "const pb::Ref<Other>"])
def test_a_reference_to_a_class_that_nobody_registers_is_refused(member):
    """Python could store any object there, which C++ would take for an Other."""
    name = "unregistered" + ("_cell" if "Cell" in member else "")
    text = f"""
#include <pairbond/pairbond.hpp>

struct Other {{}};
struct Thing {{
    {member} other;
}};
PB_MODULE({name}, m) {{
    pb::class_<Thing>(m, "Thing").def(pb::init<>()).field_readonly("other", &Thing::other);
}}
"""
    words = r"Thing\.other: no pb::class_ is registered for the class of its objects"
    with pytest.raises(TypeError, match=words):
        pairbond.load(build(source_of(f"{name}.cpp", text)))


def test_subscripts(graphs):
    shelf = graphs.Shelf(["a", "b"])
    assert (shelf[0], shelf[True], list(shelf), "b" in shelf, len(shelf)) == ("a", "b", ["a", "b"], True, 2)
    for index in (2, -1):
        with pytest.raises(IndexError):
            shelf[index]
    with pytest.raises(TypeError, match=r"__getitem__\(\) argument 'at': expected an int of 64 bits, got str 'x'"):
        shelf["x"]
    assert graphs.Shelf.__getitem__(shelf, at=1) == "b"
    assert str(inspect.signature(graphs.Shelf.__getitem__)) == "(self, /, at)"
    assert graphs.Shelf.__getitem__.__doc__ == "One of its names."
    with pytest.raises(TypeError):
        graphs.Shelf.__getitem__(3, 1)


def test_subscripts_that_classes_of_python_change(graphs):
    class Inherits(graphs.Shelf):
        pass

    class Overrides(graphs.Shelf):
        def __getitem__(self, at):
            return super().__getitem__(at).upper()

    shelf = graphs.Shelf(["a"])
    assert (Inherits(["a"])[0], Overrides(["a"])[0], list(Overrides(["a"]))) == ("a", "A", ["A"])
    native = graphs.Shelf.__getitem__
    graphs.Shelf.__getitem__ = lambda self, at: "new"
    try:
        assert (shelf[0], Inherits(["a"])[0]) == ("new", "new")
    finally:
        graphs.Shelf.__getitem__ = native
    assert (shelf[0], Inherits(["a"])[0], list(shelf)) == ("a", "a", ["a"])


def test_an_exception_passes_through_cpp_as_it_is(graphs):
    raised = ZeroDivisionError("mine")

    def fail():
        raise raised

    with pytest.raises(ZeroDivisionError) as caught:
        graphs.passed_on(fail)
    assert caught.value is raised
    assert "mine" in graphs.caught(fail)
    with pytest.raises(Exception, match="custom") as caught:
        graphs.fail(4)
    assert caught.value.__notes__ == ["a note"]


def test_callbacks(graphs):
    seen = []

    def f(*arguments):
        seen.append(arguments)
        return 2 * arguments[0]

    assert graphs.sum_of_calls(f, 4) == 12
    assert seen == [(at, 0.5, "text") for at in range(4)]
    value = object()
    assert graphs.returned(lambda: value) is value
    assert graphs.returned(lambda: None) is None
    assert graphs.returned_with(str.upper, "a") == "A"
    graphs.call_later(lambda: value)
    assert graphs.now() is value
    for call in (lambda: graphs.returned(3), lambda: graphs.call_later(None)):
        with pytest.raises(TypeError, match="expected a callable, got"):
            call()
    with pytest.raises(TypeError, match="expected int, got str"):
        graphs.sum_of_calls(lambda *arguments: "x", 1)
    error = LookupError("mine")

    def fail():
        raise error

    with pytest.raises(LookupError) as caught:
        graphs.returned(fail)
    assert caught.value is error


def test_callbacks_keep_no_count(graphs):
    def f(*arguments):
        return 1

    before = sys.getrefcount(f)
    for _ in range(10):
        graphs.sum_of_calls(f, 3)
        graphs.returned(f)
        graphs.call_later(f)
        graphs.now()
    assert sys.getrefcount(f) == before


def test_shared_pointers(graphs):
    node = graphs.Leaf(3)
    node.note = "kept"
    graphs.hold(node)
    address = id(node)
    del node
    gc.collect()
    assert graphs.uses() == 1
    assert (id(graphs.held()), graphs.held().note, type(graphs.held())) == (address, "kept", graphs.Leaf)
    graphs.hold(None)
    gc.collect()
    assert graphs.held() is None
    assert graphs.Node.alive() == 0
    with pytest.raises(TypeError, match="a value that lies in no object: make it with"):
        graphs.not_in_an_object()
    with pytest.raises(TypeError, match=r"graphs\.Node"):
        graphs.hold(3)


def test_names_of_functions(graphs):
    graphs.publish(len, "graphs.len")
    try:
        assert graphs.names().count("graphs.len") == 1
    finally:
        pairbond.remove_function("graphs.len")


def test_causes(graphs):
    error = LookupError("mine")

    def fail():
        raise error

    with pytest.raises(RuntimeError, match="explained") as caught:
        graphs.explained(fail)
    assert caught.value.__cause__ is error
    assert graphs.causes() == ("why", False)


def test_events(graphs):
    before = graphs.observe(True)
    assert before[8] == 1
    graphs.Offer(1)
    after = graphs.observe(False)
    assert (after[0], after[1], after[2]) == (1, 1, 1)
    graphs.Offer(1)
    assert graphs.observe(False) == after


def test_threads(graphs):
    assert graphs.spin(1000) == 0
    before = graphs.Node.alive()
    shared = [graphs.Node("shared")]

    def work():
        for _ in range(1000):
            node = graphs.Node("a", 1.0, origin=shared[0])
            shared[0].next = node
            node.next = shared[0].next

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        gc.collect()
    for thread in threads:
        thread.join()
    shared.clear()
    gc.collect()
    assert graphs.Node.alive() == before
