"""One native object, one Python self.

pairbond binds Rust objects to Python. Libraries built with it share this package: their classes derive from
:class:`Object`, and what they promise is promised here.

* Identity, attributes, subclass and weak references of an object last as long as the native object, however often
  Python lets go of it and gets it back.
* What nobody can reach is collected, also when a cycle runs through native references. Cycles through native objects
  are found by full collections (``gc.collect()`` and CPython's own full ones).
* A native object belongs to the interpreter that wrapped it first. Another gets a guest of it, if the object can lead
  to no Python object (:func:`share` and :func:`receive` hand it over without copying), and an
  :class:`InterpreterError` otherwise.
"""

import sys

if "_pairbond" in sys.builtin_module_names:
    # A program that embeds Python brings its own copy, in charge since before Python was started.
    import _pairbond  # type: ignore[import-not-found]

    sys.modules["pairbond._pairbond"] = _pairbond

from pairbond._attributes import attributes
from pairbond._erasing import erasing
from pairbond._leaks import Leak, Leaks, leaks
from pairbond._load import load
from pairbond._move import move
from pairbond._node_classes import class_for
from pairbond._pairbond import (
    Array,
    ClosedError,
    Device,
    DType,
    Error,
    FrozenMap,
    Function,
    InterpreterError,
    InvalidatedError,
    List,
    Map,
    Moved,
    Object,
    PanicError,
    Record,
    Set,
    Tuple,
    ancestors,
    collect,
    collector_stats,
    descendants,
    from_json,
    function_names,
    get_function,
    is_dormant,
    is_erased,
    live_objects,
    native_id,
    receive,
    register_function,
    remove_function,
    share,
    stats,
    structural_compare,
    structural_equal,
    structural_hash,
    to_json,
    trim,
)
from pairbond._trace import Event, trace

__all__ = [
    "KW_ONLY",
    "Array",
    "ClosedError",
    "DType",
    "Device",
    "Error",
    "Event",
    "FrozenMap",
    "Function",
    "Graph",
    "GraphEdge",
    "GraphNode",
    "InitVar",
    "InterpreterError",
    "InvalidatedError",
    "Leak",
    "Leaks",
    "List",
    "Map",
    "Moved",
    "Object",
    "PanicError",
    "Record",
    "Set",
    "Tuple",
    "ancestors",
    "attributes",
    "class_for",
    "collect",
    "collector_stats",
    "descendants",
    "erasing",
    "field",
    "from_json",
    "function_names",
    "get_function",
    "graph",
    "is_dormant",
    "is_erased",
    "leaks",
    "live_objects",
    "load",
    "move",
    "native_id",
    "receive",
    "register_function",
    "remove_function",
    "share",
    "stats",
    "structural_compare",
    "structural_equal",
    "structural_hash",
    "to_json",
    "trace",
    "trim",
]

__version__ = "0.1.0"

# What defines types in Python comes with `dataclasses` and `inspect`, which take as long to import as all else, and
# pictures with `pathlib`: not before they are needed. Type checkers, which take a variable of this name for true, see
# plain imports.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import KW_ONLY, InitVar

    from pairbond._define import field
    from pairbond._define import object_ as object  # noqa: F401 (not for `import *`: it would hide Python's own)
    from pairbond._graph import Graph, GraphEdge, GraphNode, graph
else:
    _LATER = {
        "Graph": ("pairbond._graph", "Graph"),
        "GraphEdge": ("pairbond._graph", "GraphEdge"),
        "GraphNode": ("pairbond._graph", "GraphNode"),
        "graph": ("pairbond._graph", "graph"),
        "KW_ONLY": ("dataclasses", "KW_ONLY"),
        "InitVar": ("dataclasses", "InitVar"),
        "field": ("pairbond._define", "field"),
        "object": ("pairbond._define", "object_"),
    }

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _LATER[name]
        value = globals()[name] = getattr(import_module(module), attribute)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER})
