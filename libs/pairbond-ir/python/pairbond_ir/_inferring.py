"""The types of results that follow from what an operation is made of: `Operation.create(…, infer_type=True)`."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pairbond

from ._pairbond_ir import Attribute, Type, Value

__all__ = ["RULES", "Rule"]

#: From operands and attributes to the types of results.
Rule = Callable[[Sequence[Value], Mapping[str, Attribute]], Sequence[Type]]
#: By the names of operations: those that were declared, and those of `pairbond_ir.dialects`.
RULES: dict[str, Rule] = {}


def _infer(name: str, operands: Sequence[Value], attributes: Mapping[str, Attribute] | None) -> list[Type]:
    if name not in RULES:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(f"pairbond_ir.dialects.{name.partition('.')[0]}")
    rule = RULES.get(name)
    if rule is None:
        raise ValueError(
            f"result type inference was requested for the operation {name}, but the operation does not support result "
            "type inference"
        )
    return list(rule(list(operands), dict(attributes or {})))


def declared(names: Sequence[str], infer: Callable[..., Any]) -> Rule:
    """The rule of a declared class from its `infer_result_types`, which takes its operands and attributes by name."""

    def rule(operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> Sequence[Type]:
        found = infer(**dict(zip(names, operands, strict=True)), **attributes)
        return [found] if isinstance(found, Type) else list(found)

    return rule


def like_first(count: int) -> Rule:
    """So many results of the type of the first operand."""

    def rule(operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> Sequence[Type]:
        if not operands:
            raise ValueError("there is no operand whose type results could have")
        return [operands[0].type] * count

    return rule


pairbond.register_function("pairbond_ir.infer", _infer, True)
