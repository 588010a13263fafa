r"""nanobind, nodes held by \`std::shared_ptr\`."""

from importlib.metadata import version

from nanobind_shared import (  # noqa: F401
    Node,
    apply,
    call0,
    call3,
    fail,
    make_list,
    make_node,
    make_parent,
    make_sequence,
)

VERSION = f"nanobind {version('nanobind')}, std::shared_ptr"
