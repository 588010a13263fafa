"""Classes of operations, and the functions that make one and return what it computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._builders import AttrBuilder
from .._globals import instance_of
from .._inferring import RULES, Rule
from .._pairbond_ir import Attribute, Operation, OpView, Type, Value
from ..declaring import Dialect, Trait

__all__ = ["attribute_of", "declare", "made", "segmented", "value_of"]


def value_of(given: Any) -> Value:
    """A value, or the only result of an operation."""
    return given.result if isinstance(given, Operation) else given


def segmented(*groups: Any) -> tuple[list[Value], list[int]]:
    """Returns the values of all groups, and how many each has. An operation stands for its results."""
    several: list[Any] = [it.results if isinstance(it, Operation) else it for it in groups]
    values = [[value_of(it) for it in group] for group in several]
    return [it for group in values for it in group], [len(group) for group in values]


def attribute_of(kind: str, given: Any, context: Any) -> Attribute | None:
    """Returns what was given for an attribute, made by the builder of its kind if it is none and there is one."""
    if given is None or isinstance(given, Attribute) or not AttrBuilder.contains(kind):
        return given  # type: ignore[no-any-return]
    return AttrBuilder.get(kind)(given, context=context)  # type: ignore[no-any-return]


def made(cls: type[OpView], operands: Sequence[Any], **parts: Any) -> Any:
    """An operation of a class. Results are inferred unless their types are given."""
    results: Sequence[Type] | None = parts.pop("results", None)
    attributes: dict[str, Attribute] = {name: it for name, it in parts.pop("attributes", {}).items() if it is not None}
    values = [value_of(it) for it in operands]
    if results is None:
        results = list(RULES[cls.OPERATION_NAME](values, attributes))
    return Operation.create(cls.OPERATION_NAME, results, values, attributes, **parts)


def declare(
    dialect: type[Dialect],
    cls: type[OpView],
    mnemonic: str,
    make: Callable[..., Any],
    rule: Rule | None,
    traits: Trait,
) -> None:
    """Declares a class whose constructor is as that of MLIR's bindings."""
    instance_of(dialect).op(mnemonic, traits=traits)(cls)
    cls.__new__ = make  # type: ignore[method-assign]
    if rule is not None:
        RULES[cls.OPERATION_NAME] = rule
