"""nanobind, nodes counted by nanobind's `intrusive_base`."""

from importlib.metadata import version

from nanobind_intrusive import (  # noqa: F401
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

VERSION = f"nanobind {version('nanobind')}, intrusive"
