"""pairbond: everything comes from the crate `peers/pairbond_peer`, as the README of the benches asks for it."""

from pairbond_peer import (  # noqa: F401
    Leaf,
    Node,
    OpenNode,
    apply,
    call0,
    call3,
    fail,
    make_leaves,
    make_list,
    make_node,
    make_parent,
    make_sequence,
    version,
)

VERSION = f"pairbond {version()}"
