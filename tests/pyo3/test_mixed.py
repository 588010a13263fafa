"""Both libraries in one module: PyO3's functions with pairbond's values, and the other way round."""

from __future__ import annotations

import gc
import re
import sys
import threading
import weakref

import pairbond
import pymixed
import pytest
from pymixed import Cart, Leaf, Node


def test_a_module_of_pyo3_lists_both() -> None:
    assert {"Cart", "Node", "Leaf", "walk", "pass_node"} <= set(pymixed.__all__)
    assert isinstance(Node("a"), pairbond.Object)
    assert Node.__module__ == "pymixed"
    assert not isinstance(Cart(), pairbond.Object)


def test_objects_keep_their_identity() -> None:
    node = Node("a")
    assert pymixed.pass_node(node) is node
    assert pymixed.pass_optional(node) is node
    assert pymixed.pass_optional(None) is None
    assert pymixed.pass_any(node) is node
    assert all(a is b for a, b in zip(pymixed.pass_vec([node, node]), [node, node], strict=True))
    node.next = Node("b")
    assert pymixed.next_of(node) is node.next
    assert pymixed.weak_next(node) is node
    assert pymixed.name_of(node) == pymixed.detached_name(node) == "a"


def test_attributes_and_weak_references_last() -> None:
    node = Node("a")
    node.next = Node("b")
    node.next.colour = "red"
    reference = weakref.ref(node.next)
    gc.collect()
    assert pymixed.next_of(node).colour == "red"
    assert reference() is pymixed.next_of(node)


def test_new_objects_are_made_by_pyo3s_functions() -> None:
    leaf = pymixed.new_leaf()
    assert type(leaf) is Leaf
    assert leaf.value == 0


@pytest.mark.parametrize(
    ("function", "value"),
    [
        ("pass_any", 5),
        ("pass_any", None),
        ("pass_any", 2.5),
        ("pass_str", "é"),
        ("pass_bytes", b"\0a"),
        ("pass_big", 10**40),
        ("pass_big", -1),
        ("pass_dtype", pairbond.DType("float32")),
    ],
)
def test_values_come_back_equal(function: str, value: object) -> None:
    assert getattr(pymixed, function)(value) == value


def test_foreign_objects_come_back_as_themselves() -> None:
    value = object()
    assert pymixed.pass_any(value) is value
    assert pymixed.pass_foreign(value) is value
    function = lambda: 1  # noqa: E731
    assert pymixed.pass_function(function) is function


def test_containers() -> None:
    made = pymixed.pass_list([1, 2])
    assert list(made) == [1, 2]
    assert pymixed.pass_list(made) is made
    assert list(pymixed.pass_list((3, 4))) == [3, 4]
    assert list(pymixed.pass_tuple((1, "a"))) == [1, "a"]
    assert set(pymixed.pass_set({"a", "b"})) == {"a", "b"}
    assert dict(pymixed.pass_map({"a": 1})) == {"a": 1}
    assert dict(pymixed.pass_frozen({"a": 1})) == {"a": 1}
    node = Node("a")
    nodes = pymixed.pass_nodes([node])
    assert nodes[0] is node
    assert pymixed.pass_nodes(nodes) is nodes
    assert list(pymixed.pass_array(memoryview(b"ab").cast("B"))) == [97, 98]


def test_functions_are_called() -> None:
    assert pymixed.apply(lambda it: it + 1, 4) == 5
    assert pymixed.apply(len, [1, 2]) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pymixed.pass_node(5), "expected pymixed.Node, got int 5"),
        (lambda: pymixed.pass_node(Leaf(1)), "expected pymixed.Node, got pymixed.Leaf"),
        (lambda: pymixed.pass_list(["a"]), "[0]: expected int, got str 'a'"),
        (lambda: Node("a").text(5), "expected"),
    ],
)
def test_wrong_arguments_are_named(call: object, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()  # type: ignore[operator]
    assert message in str(raised.value)
    # PyO3 names its argument in the message, or in a note since 0.30; pairbond in the message.
    assert re.search(
        "argument 'value'|argument 'text'|while processing 'value'",
        "\n".join([str(raised.value), *notes(raised.value)]),
    )


def notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def test_pyo3s_types_in_pairbonds_functions() -> None:
    node = Node("a")
    assert node.describe([1]) == "a: [1]"
    value = object()
    assert node.give_back(value) is value
    assert node.give_back(node) is node
    assert node.text("é") == "é"
    assert node.evaluate("1 + 1") == 2
    with pytest.raises(ZeroDivisionError):
        node.evaluate("1 / 0")
    assert node.count(10) == 45
    seen = []
    node.next = Node("b")
    assert pymixed.walk(node, seen.append) == 2
    assert seen == [node, node.next]


def test_values_of_native_threads_become_python_objects() -> None:
    node = Node("a")
    assert pymixed.call_on_thread(lambda it: it * 2, 21) == 42
    assert pymixed.call_on_thread(node.give_back, "text") == "text"
    assert pymixed.call_on_thread(node.give_back, node) is node
    with pytest.raises(TypeError):
        pymixed.call_on_thread(node.text, 5)


def test_a_python_object_in_a_static() -> None:
    value = object()
    pymixed.keep(value)
    assert pymixed.kept() is value
    pymixed.keep(None)
    assert pymixed.kept() is None


class Note:
    """Something with a weak reference."""


def collect() -> None:
    for _ in range(4):
        gc.collect()


def test_a_field_owns_a_python_object() -> None:
    node, note = Node("a"), Note()
    reference = weakref.ref(note)
    node.note = note
    del note
    collect()
    assert node.note is reference()
    node.note = None
    collect()
    assert reference() is None


def test_a_field_of_one_type() -> None:
    node = Node("a")
    table = {"a": 1}
    node.table = table
    assert node.table is table
    node.set("b", 2)
    assert table == {"a": 1, "b": 2}
    with pytest.raises(TypeError, match="dict"):
        node.table = [1]
    other = Node("b")
    other.set("c", 3)
    assert other.table == {"c": 3}


def test_cycles_through_a_field_are_collected() -> None:
    node, note = Node("a"), Note()
    node.note, note.node = note, node
    references = [weakref.ref(node), weakref.ref(note)]
    del node, note
    collect()
    assert [it() for it in references] == [None, None]


@pytest.mark.parametrize("store", ["attribute", "hold"])
def test_cycles_through_both_are_collected(store: str) -> None:
    """A cart refers to a node, which refers to another, which refers to the cart."""
    cart, first, last = Cart(), Node("a"), Node("b")
    if store == "attribute":
        cart.first = first
    else:
        cart.hold(first)
    first.next = last
    last.note = cart
    assert cart.name() == "a"
    references = [weakref.ref(it) for it in (cart, first, last)]
    del first
    collect()
    assert cart.first.next is last
    assert cart.taken() is cart.first
    del cart, last
    collect()
    assert [it() for it in references] == [None] * 3


def test_cycles_through_an_attribute_of_the_class_of_pyo3() -> None:
    alone = Cart()
    alone.me = alone
    reference = weakref.ref(alone)
    del alone
    collect()
    if reference() is not None:
        pytest.skip("this PyO3 does not show the __dict__ of its objects to CPython's collector")
    cart, node = Cart(), Node("a")
    cart.node, node.cart = node, cart
    references = [weakref.ref(cart), weakref.ref(node)]
    del cart, node
    collect()
    assert [it() for it in references] == [None, None]


def test_a_native_reference_in_a_class_of_pyo3_is_a_root() -> None:
    cart, node = Cart(), Node("a")
    cart.add(node)
    node.mark = 1
    reference = weakref.ref(node)
    del node
    collect()
    assert cart.nodes()[0].mark == 1
    assert reference() is cart.nodes()[0]
    del cart
    collect()
    assert reference() is None


def test_a_held_object_cannot_be_moved_away() -> None:
    cart, leaf = Cart(), Node("a")
    cart.first = leaf
    moved = pairbond.move(leaf)
    assert moved is not None
    assert cart.name() == "a"


def test_exceptions_keep_class_object_and_traceback() -> None:
    error = KeyError("x")

    def raises() -> None:
        raise error

    for through in (pymixed.call, pymixed.call_natively, lambda it: Node("a").describe(Reprless(it))):
        with pytest.raises(KeyError) as raised:
            through(raises)
        assert raised.value is error
        names = [entry.name for entry in raised.traceback]
        assert "raises" in names
    assert pymixed.words(raises) == "Foreign KeyError: 'x'"


class Reprless:
    def __init__(self, function: object) -> None:
        self.function = function

    def __repr__(self) -> str:
        self.function()  # type: ignore[operator]
        return ""


def test_errors_of_either_become_exceptions() -> None:
    with pytest.raises(KeyError, match="x"):
        pymixed.fail("x")
    with pytest.raises(IndexError, match="far") as raised:
        pymixed.fail_natively("far")
    assert raised.value.__notes__ == ["a note"]
    assert isinstance(raised.value.__cause__, ValueError)


def test_exceptions_are_not_kept() -> None:
    note = Note()
    reference = weakref.ref(note)

    def raises(held: object = note) -> None:
        raise ValueError(held)

    for through in (pymixed.call, pymixed.call_natively):
        with pytest.raises(ValueError, match="Note"):
            through(raises)
    pymixed.words(raises)
    del note, raises, through
    collect()
    assert reference() is None


def test_threads() -> None:
    """Nodes and carts are made, passed and dropped by several threads while another collects."""
    failures: list[BaseException] = []
    stop = threading.Event()

    def work() -> None:
        try:
            for i in range(300):
                cart, node = Cart(), Node(str(i))
                cart.first, node.note = node, cart
                assert pymixed.pass_node(node) is node
                assert cart.name() == str(i)
                assert pymixed.call_on_thread(node.give_back, i) == i
        except BaseException as error:
            failures.append(error)

    def churn() -> None:
        while not stop.is_set():
            gc.collect()

    threads = [threading.Thread(target=work) for _ in range(4)]
    collector = threading.Thread(target=churn)
    for thread in (collector, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    collector.join()
    assert not failures


def test_nothing_is_left() -> None:
    def count() -> int:
        collect()
        return sum(it["objects"] for key, it in pairbond.stats()["types"].items() if key.startswith("pymixed."))

    before = count()
    for _ in range(100):
        cart, node = Cart(), Node("a")
        cart.first, node.note = node, cart
        cart.add(Node("b"))
        pymixed.pass_vec([node, node])
        pymixed.new_leaf()
    del cart, node
    assert count() == before


def test_references_are_balanced() -> None:
    """An object that crosses a thousand times is as often referred to as before."""
    value, node = Note(), Node("a")
    before = sys.getrefcount(value)
    for _ in range(1000):
        pymixed.pass_any(value)
        pymixed.pass_foreign(value)
        node.give_back(value)
        node.note = value
    node.note = None
    collect()
    assert sys.getrefcount(value) == before
