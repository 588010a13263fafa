"""pybind11, nodes held by `std::shared_ptr`."""

from importlib.metadata import version

from pybind11_bench import (  # noqa: F401
    Node,
    apply,
    call0,
    call3,
    fail,
    make_list,
    make_node,
    make_parent,
    make_sequence,
    value_of,
)

VERSION = f"pybind11 {version('pybind11')}"
