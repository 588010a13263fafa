"""What is measured: one entry per row of the table.

A statement sees the contender's module as `C` and, as locals, what its setup assigned. Statements are repeated inside
the loop (`timing.UNROLL`), so they must leave things as they found them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    key: str
    title: str
    statement: str
    setup: str = "pass"


# Born in native code, since a child that was ever passed from Python is held through its wrapper by some bindings.
_CHILD = "a = C.make_parent()"
_RAISER = "def raiser(): raise ValueError('failed')"

CASES = [
    Case("loop", "the loop itself (`a`)", "a", "a = None"),
    Case("call0", "`call0()`, function", "f()", "f = C.call0"),
    Case("method0", "`a.call0()`, method", "a.call0()", "a = C.Node(1, 2.0)"),
    Case("call3", "`call3(1, 2, 3)`, function", "f(1, 2, 3)", "f = C.call3"),
    Case("method3", "`a.call3(1, 2, 3)`, method", "a.call3(1, 2, 3)", "a = C.Node(1, 2.0)"),
    Case("child_alive", "`a.child`, wrapper alive", "a.child", f"{_CHILD}; keep = a.child"),
    Case("child_dropped", "`a.child`, wrapper dropped before", "a.child", _CHILD),
    Case("fixed", "`a.fixed`, immutable field", "a.fixed", "b = C.make_node(); a = C.node_with_fixed(b)"),
    Case("construct", "`Node(1, 2.0)` and its end", "Node(1, 2.0)", "Node = C.Node"),
    Case(
        "construct_open",
        "the same of a class that can be changed",
        "Node(1, 2.0)",
        "Node = getattr(C, 'OpenNode', C.Node)",
    ),
    Case(
        "construct_leaf",
        "`Leaf(1, 2.0)`, a type without references",
        "Leaf(1, 2.0)",
        "Leaf = getattr(C, 'Leaf', C.Node)",
    ),
    Case("from_native", "`make_node()` and its end", "f()", "f = C.make_node"),
    Case("item_alive", "`s[7]`, wrapper alive", "s[7]", "s = C.make_sequence(100); keep = s[7]"),
    Case("item_dropped", "`s[7]`, wrapper dropped before", "s[7]", "s = C.make_sequence(100)"),
    Case(
        "iterate",
        "`for x in numbers(100)`, a native iterator",
        "for _x in numbers(100): pass",
        "numbers = C.numbers",
    ),
    Case("closure", "a native closure as an object, `f()`", "f()", "f = C.closure"),
    Case("object_argument", "`value_of(a)`, an object as argument", "f(a)", "f = C.value_of; a = C.Node(1, 2.0)"),
    Case("asked", "the same, if Python classes may take it over", "f(a)", "f = C.asked_value_of; a = C.Node(1, 2.0)"),
    Case(
        "asked_subclass",
        "the same, of a Python subclass that does not",
        "f(a)",
        "f = C.asked_value_of; is_base = C.Node.__flags__ & 1 << 10"
        "\nSub = type('Sub', (C.Node,), {}) if is_base else C.Node\na = Sub(1, 2.0)",
    ),
    Case(
        "move",
        "`value_out(move(make_node()))`, by value",
        "out(move(make()))",
        "out, move, make = C.value_out, C.move, C.make_node",
    ),
    Case("callback", "Python callback through native", "apply(f)", "apply = C.apply\ndef f(): pass"),
    Case("error_native", "native error, caught in Python", "try: fail()\nexcept ValueError: pass", "fail = C.fail"),
    Case(
        "error_through",
        "Python error through native and back",
        "try: apply(raiser)\nexcept ValueError: pass",
        f"apply = C.apply\n{_RAISER}",
    ),
]

# What a contender needs for a row that not all have.
NEEDS = {
    "iterate": "numbers",
    "closure": "closure",
    "object_argument": "value_of",
    "asked": "asked_value_of",
    "asked_subclass": "asked_value_of",
    "move": "move",
}

# Rows that are not a statement: `worker.py` has a procedure for each.
BULK = [
    Case("bulk_off", "`make_list(n)`, collector off, per object", ""),
    Case("bulk_on", "`make_list(n)`, collector on, per object", ""),
]
BULK_RATIO = Case("bulk_ratio", "collector on ÷ off, same contender", "")
# The same for a type that reaches no Python object, where a contender tells such types apart.
LEAVES = [
    Case("leaf_off", "list of leaves, collector off, per object", ""),
    Case("leaf_on", "list of leaves, collector on, per object", ""),
]
LEAF_RATIO = Case("leaf_ratio", "leaves: collector on ÷ off, same contender", "")
MEMORY = [
    Case("memory_pair", "bytes per pair", ""),
    Case("memory_native", "bytes per object held natively", ""),
    Case("memory_wrapper", "bytes of a wrapper, collector's header included", ""),
]
# What a contender gives for its price; without it the ratios compare different goods.
PROMISES = [
    Case("same_self", "`a.child is a.child`", ""),
    Case("keeps_attributes", "attributes survive a drop of the wrapper", ""),
    Case("keeps_weakref", "a weak reference survives it", ""),
]
EVERY = [*CASES, *BULK, BULK_RATIO, *MEMORY, *PROMISES]
