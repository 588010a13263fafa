"""Operations of `func` that MLIR's bindings generate and do not extend by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._globals import register_dialect
from .._pairbond_ir import Operation, OpView, Value
from ..declaring import Dialect, Trait
from ._making import declare, made


@register_dialect
class _Dialect(Dialect):
    """The dialect."""

    DIALECT_NAMESPACE = "func"


class ReturnOp(OpView):
    """The end of a function."""

    operands_: Sequence[Value]


def _return(cls: type[ReturnOp], operands_: Sequence[Any] = (), *, loc: Any = None, ip: Any = None) -> Any:
    return made(cls, list(operands_), results=[], loc=loc, ip=ip)


declare(_Dialect, ReturnOp, "return", _return, lambda operands, attributes: [], Trait.TERMINATOR)


def return_(operands_: Sequence[Any] = (), *, loc: Any = None, ip: Any = None) -> Operation:
    """A new `func.return`."""
    return ReturnOp(operands_, loc=loc, ip=ip)
