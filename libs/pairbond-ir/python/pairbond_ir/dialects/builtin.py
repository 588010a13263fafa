"""`builtin`: modules by the name that MLIR's bindings have for their class."""

from __future__ import annotations

from typing import Any

from .._errors import IRError
from .._pairbond_ir import Context, InsertionPoint, Location, Module, Operation

__all__ = ["ModuleOp"]


class _OfModules(type):
    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, Module)


class ModuleOp(metaclass=_OfModules):
    """Another name of `Module`, which is the operation itself: `isinstance` and `match` take it for that."""

    OPERATION_NAME = "builtin.module"

    def __new__(cls, *, loc: Location | None = None, ip: InsertionPoint | None = None) -> Any:
        """An empty module."""
        module = Module.create(loc)
        if ip is not None:
            ip.insert(module)
        return module

    @staticmethod
    def parse(source: str | bytes, *, source_name: str = "", context: Context | None = None) -> Any:
        """Reads a module, and refuses any other operation."""
        op = Operation.parse(source, source_name=source_name, context=context)
        if not isinstance(op, Module):
            raise IRError(f"Expected a 'builtin.module' op, got: '{op.name}'")
        return op
