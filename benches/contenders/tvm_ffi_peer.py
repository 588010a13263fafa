"""apache-tvm-ffi, told to keep the GIL during calls: that is its faster setting and what all the others do."""

import os
import sys
from importlib.metadata import version
from pathlib import Path

os.environ["TVM_FFI_RELEASE_GIL_BY_DEFAULT"] = "0"

import tvm_ffi

_library = next(p for p in (Path(d) / "tvm_ffi_bench.so" for d in sys.path) if p.exists())
_keep = tvm_ffi.load_module(str(_library))

VERSION = f"apache-tvm-ffi {version('apache-tvm-ffi')}"
NOTES = {
    "bulk_off": "a tvm-ffi Array made native and turned into a list",
    "bulk_on": "a tvm-ffi Array made native and turned into a list",
}


@tvm_ffi.register_object("bench.Node")
class Node(tvm_ffi.Object):
    __slots__ = ("__dict__", "__weakref__")


def _function(name):
    return tvm_ffi.get_global_func(f"bench.{name}")


call0, call3, make_node, apply, fail = map(_function, ("call0", "call3", "make_node", "apply", "fail"))
closure, value_of = map(_function, ("call0", "value_of"))
make_parent, make_sequence, node_with_fixed = map(_function, ("make_parent", "make_array", "node_with_fixed"))


def make_list(n):
    return list(make_sequence(n))
