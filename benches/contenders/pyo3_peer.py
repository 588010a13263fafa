"""PyO3: the value lives in the Python object, so there is no native object apart from it."""

from pyo3_peer import (  # noqa: F401
    PYO3_VERSION,
    FrozenNode,
    Node,
    apply,
    call0,
    call3,
    fail,
    make_list,
    make_node,
    make_parent,
    make_sequence,
    numbers,
)

VERSION = f"PyO3 {PYO3_VERSION}"
_INSIDE = "PyO3 keeps the value in the Python object: there is no native object without its wrapper"
NOTES = {
    "child_dropped": _INSIDE,
    "item_dropped": _INSIDE,
    "memory_native": _INSIDE,
    "fixed": "PyO3 needs a `frozen` class of its own for this",
}


def node_with_fixed(node):
    return FrozenNode(node)
