"""pairbond in C++: `peers/pairbond_cpp_peer`, an extension module from the header alone."""

import pairbond
from pairbond_cpp_peer import (  # noqa: F401
    Leaf,
    Node,
    apply,
    call0,
    call3,
    fail,
    make_closure,
    make_leaves,
    make_list,
    make_node,
    make_parent,
    make_sequence,
    value_of,
)

VERSION = f"pairbond {pairbond.__version__}, C++"

closure = make_closure()
