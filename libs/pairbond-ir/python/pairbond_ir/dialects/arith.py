"""`arith`: numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._inferring import Rule
from .._pairbond_ir import (
    Attribute,
    BoolAttr,
    FloatAttr,
    FloatType,
    IntegerAttr,
    IntegerType,
    ShapedType,
    Type,
    Value,
)
from ..declaring import Trait
from ._arith_enum_gen import *  # noqa: F403
from ._arith_ops_gen import *  # noqa: F403
from ._arith_ops_gen import _Builder, _builder, _class, _Dialect, _Op
from ._making import declare, made


def _attribute(kind: Type, value: Any) -> Attribute:
    """The attribute of a type for a number of Python's."""
    if isinstance(value, Attribute):
        return value
    if isinstance(kind, IntegerType) and kind.width == 1 and kind.is_signless:
        return BoolAttr.get(bool(value), kind.context)
    if isinstance(kind, FloatType):
        return FloatAttr.get(kind, value)
    if isinstance(kind, ShapedType):
        from .._pairbond_ir import DenseElementsAttr

        return DenseElementsAttr.get(value, type=kind)
    return IntegerAttr.get(kind, value)


def _constant() -> tuple[_Op, _Builder]:
    from .._fields import Result

    def value_from(self: Any) -> Any:
        return self.value.value

    cls = _class("ConstantOp", {"value": Attribute, "result": Result}, "`arith.constant`", __name__)

    def make(cls: _Op, result: Type, value: Any, *, loc: Any = None, ip: Any = None) -> Any:
        return made(cls, [], results=[result], attributes={"value": _attribute(result, value)}, loc=loc, ip=ip)

    def rule(operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> Sequence[Type]:
        return [attributes["value"].type]

    found: Rule = rule
    declare(_Dialect, cls, "constant", make, found, Trait.PURE)
    cls.literal_value = property(value_from, doc="The number, as Python has it.")  # type: ignore[attr-defined]
    cls.type = property(lambda self: self.result.type, doc="Its result's type.")  # type: ignore[attr-defined]
    return cls, _builder(cls, "constant")


ConstantOp, constant = _constant()
