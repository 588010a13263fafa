"""Classes of operations, and the functions that make one and return what it computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._inferring import RULES, Rule
from .._pairbond_ir import Attribute, Operation, Type, Value, _OperationBase
from ..declaring import Dialect, OpView, Trait

__all__ = ["declare", "made", "value_of"]


def value_of(given: Any) -> Value:
    """A value, or the only result of an operation."""
    return given.result if isinstance(given, _OperationBase) else given


def made(cls: type[OpView], operands: Sequence[Any], **parts: Any) -> Any:
    """An operation of a class. Results are inferred unless their types are given."""
    results: Sequence[Type] | None = parts.pop("results", None)
    attributes: dict[str, Attribute] = {name: it for name, it in parts.pop("attributes", {}).items() if it is not None}
    values = [value_of(it) for it in operands]
    if results is None:
        results = list(RULES[cls.OPERATION_NAME](values, attributes))
    return Operation.create(cls.OPERATION_NAME, results, values, attributes, **parts)


def declare(
    dialect: Dialect, cls: type[OpView], mnemonic: str, make: Callable[..., Any], rule: Rule | None, traits: Trait
) -> None:
    """Declares a class whose constructor is as that of MLIR's bindings."""
    dialect.op(mnemonic, traits=traits)(cls)
    cls.__new__ = make  # type: ignore[method-assign]
    if rule is not None:
        RULES[cls.OPERATION_NAME] = rule
