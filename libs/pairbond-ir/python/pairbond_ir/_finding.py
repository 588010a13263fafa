"""Operations by their class. `OpView` itself, which all declared classes extend, stands for every operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import pairbond

from ._pairbond_ir import Module, Operation, OpView

_Op = TypeVar("_Op", bound=OpView)


@overload
def get_ops_of_type(root: Operation | Module, op_class: type[_Op]) -> list[_Op]: ...
@overload
def get_ops_of_type(root: Operation | Module, op_class: None = None) -> list[Operation]: ...
def get_ops_of_type(root: Operation | Module, op_class: type[Any] | None = None) -> list[Any]:
    """The operations of a class in an operation, inner ones first, itself among them; all, if no class is given."""
    found: list[Any] = []

    def visit(op: Operation) -> None:
        if op_class is None or isinstance(op, op_class):
            found.append(op)

    root.operation.walk(visit)
    return found


def get_parent_of_type(op: Operation, op_class: type[_Op]) -> _Op | None:
    """The nearest operation around another that is of a class; None if there is none."""
    if not (isinstance(op_class, type) and issubclass(op_class, OpView)):
        raise TypeError(f"op_class is a subclass of OpView, not {op_class!r}")
    parent: Any = op.parent
    while parent is not None and not isinstance(parent, op_class):
        parent = parent.parent
    return parent


def _of_class(callback: Callable[[Any], Any], op_class: Any) -> Callable[[Any], Any]:
    """A callback of `walk` for operations of a class."""
    if not (isinstance(op_class, type) and issubclass(op_class, Operation)):
        raise TypeError(f"op_class is a class of operations, not {op_class!r}")
    return lambda op: callback(op) if isinstance(op, op_class) else None


pairbond.register_function("pairbond_ir.of_class", _of_class, True)
