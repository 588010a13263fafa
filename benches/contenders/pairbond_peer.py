"""pairbond: everything comes from the crate `peers/pairbond_peer`, as the README of the benches asks for it."""

from pairbond import move  # noqa: F401
from pairbond_peer import (  # noqa: F401
    Leaf,
    Node,
    OpenNode,
    apply,
    asked_value_of,
    call0,
    call3,
    fail,
    make_closure,
    make_leaves,
    make_list,
    make_node,
    make_parent,
    make_sequence,
    numbers,
    value_of,
    value_out,
    version,
)

VERSION = f"pairbond {version()}"

closure = make_closure()
