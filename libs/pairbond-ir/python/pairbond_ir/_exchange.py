"""Modules and operations go to MLIR's own bindings and come from there, as texts in the generic form."""

from __future__ import annotations

import sys
from typing import Any

from ._pairbond_ir import Context, Module, Operation

__all__ = ["from_mlir", "to_mlir"]


def from_mlir(module: Any, context: Context | None = None) -> Any:
    """A module or operation of MLIR's bindings as one of this library's, with its locations and resources.

    It is of `context`, or of that of the innermost `with`. It is a copy: neither knows of edits of the other.
    """
    operation = module.operation
    text = operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    if operation.name == "builtin.module":
        return Module.parse(text, context)
    return Operation.parse(text, context=context)


def to_mlir(operation: Operation, context: Any) -> Any:
    """A module or operation as one of MLIR's bindings, of a context of theirs.

    The context has to know its dialects, or to allow unregistered ones. It is a copy: neither knows of edits of the
    other. What MLIR finds wrong in it is MLIR's error.
    """
    # Their package may derive its own class of contexts.
    modules = (sys.modules[cls.__module__] for cls in type(context).__mro__)
    bindings: Any = next((it for it in modules if hasattr(it, "Module") and hasattr(it, "Operation")), None)
    if bindings is None:
        raise TypeError(f"a context of MLIR's bindings is wanted, not {type(context).__name__}")
    text = operation.get_asm(enable_debug_info=True)
    if isinstance(operation, Module):
        return bindings.Module.parse(text, context)
    return bindings.Operation.parse(text, context=context)
