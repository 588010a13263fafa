"""Operations of `arith` that MLIR's bindings generate and do not extend by hand."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._globals import register_dialect
from .._inferring import like_first
from .._pairbond_ir import (
    Attribute,
    IntegerAttr,
    IntegerType,
    OpaqueAttr,
    OpView,
    RankedTensorType,
    Type,
    UnrankedTensorType,
    Value,
    VectorType,
)
from ..declaring import Dialect, Trait
from ._arith_enum_gen import FastMathFlags, IntegerOverflowFlags
from ._making import declare, made, value_of


@register_dialect
class _Dialect(Dialect):
    """The dialect."""

    DIALECT_NAMESPACE = "arith"


#: Attributes that have a default, `none`: what they are called in a text, between flags, and the flags.
_FLAGS: dict[str, tuple[str, str, type[enum.IntFlag]]] = {
    "overflowFlags": ("overflow", ", ", IntegerOverflowFlags),
    "fastmath": ("fastmath", ",", FastMathFlags),
}


@functools.cache
def _text(kind: str, given: int | None) -> bytes:
    """Returns the text of flags behind the dialect; for None that of none."""
    called, between, all_flags = _FLAGS[kind]
    wanted = all_flags(given or 0)
    whole = [name for name, it in all_flags.__members__.items() if it == wanted]
    names = whole or [name for name, it in all_flags.__members__.items() if it and it in wanted]
    return f"{called}<{between.join(names)}>".encode()


def _flags(kind: str, given: Any, context: Any) -> Attribute:
    """Returns an attribute for flags; for None the one that MLIR writes where nothing was given.

    The context finds it by its text, which needs no parsing; nothing here keeps it, or the context.
    """
    return given if isinstance(given, Attribute) else OpaqueAttr.get("arith", _text(kind, given), context=context)


def _class(name: str, parts: dict[str, Any], doc: str, module: str = __name__) -> type[OpView]:
    return type(name, (OpView,), {"__annotations__": parts, "__doc__": doc, "__module__": module})


_Op = type[OpView]
_Builder = Callable[..., Value]


def _builder(cls: _Op, name: str) -> _Builder:
    def build(*arguments: Any, **named: Any) -> Value:
        found: Value = cls(*arguments, **named).result
        return found

    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"The value of a new `arith.{name}`."
    return build


def _given_for(cls: str, extra: str | None, named: dict[str, Any], context: Any) -> dict[str, Attribute]:
    """Returns the flags among named arguments, as an attribute; TypeError if anything else is there."""
    given = None
    if extra is not None:
        other = "overflow_flags" if extra == "overflowFlags" else extra
        given = named.pop(extra, named.pop(other, None))
    if named:
        raise TypeError(f"{cls} has no argument {next(iter(named))!r}")
    return {} if extra is None else {extra: _flags(extra, given, context)}


def _binary(mnemonic: str, name: str, extra: str | None = None, commutes: bool = False) -> tuple[_Op, _Builder]:
    from .._fields import Result

    flags = {extra: Attribute | None} if extra else {}
    parts: dict[str, Any] = {"lhs": Value, "rhs": Value, **flags, "result": Result}
    cls = _class(name, parts, f"`arith.{mnemonic}`")

    def make(
        cls: _Op, lhs: Any, rhs: Any, *, results: Any = None, loc: Any = None, ip: Any = None, **named: Any
    ) -> Any:
        first = value_of(lhs)
        attributes = _given_for(name, extra, named, first.context)
        return made(cls, [first, rhs], results=results, attributes=attributes, loc=loc, ip=ip)

    traits = Trait.PURE | Trait.SAME_OPERANDS_AND_RESULT_TYPE
    declare(_Dialect, cls, mnemonic, make, like_first(1), traits | Trait.COMMUTATIVE if commutes else traits)
    return cls, _builder(cls, mnemonic)


def _cast(mnemonic: str, name: str, extra: str | None = None) -> tuple[_Op, _Builder]:
    from .._fields import Result

    flags = {extra: Attribute | None} if extra else {}
    cls = _class(name, {"in_": Value, **flags, "out": Result}, f"`arith.{mnemonic}`")

    def make(cls: _Op, out: Type, in_: Any, *, loc: Any = None, ip: Any = None, **named: Any) -> Any:
        attributes = _given_for(name, extra, named, out.context)
        return made(cls, [in_], results=[out], attributes=attributes, loc=loc, ip=ip)

    declare(_Dialect, cls, mnemonic, make, None, Trait.PURE)
    return cls, _builder(cls, mnemonic)


AddIOp, addi = _binary("addi", "AddIOp", "overflowFlags", commutes=True)
SubIOp, subi = _binary("subi", "SubIOp", "overflowFlags")
MulIOp, muli = _binary("muli", "MulIOp", "overflowFlags", commutes=True)
ShLIOp, shli = _binary("shli", "ShLIOp", "overflowFlags")
DivSIOp, divsi = _binary("divsi", "DivSIOp")
DivUIOp, divui = _binary("divui", "DivUIOp")
RemSIOp, remsi = _binary("remsi", "RemSIOp")
RemUIOp, remui = _binary("remui", "RemUIOp")
CeilDivSIOp, ceildivsi = _binary("ceildivsi", "CeilDivSIOp")
CeilDivUIOp, ceildivui = _binary("ceildivui", "CeilDivUIOp")
FloorDivSIOp, floordivsi = _binary("floordivsi", "FloorDivSIOp")
AndIOp, andi = _binary("andi", "AndIOp", commutes=True)
OrIOp, ori = _binary("ori", "OrIOp", commutes=True)
XOrIOp, xori = _binary("xori", "XOrIOp", commutes=True)
ShRSIOp, shrsi = _binary("shrsi", "ShRSIOp")
ShRUIOp, shrui = _binary("shrui", "ShRUIOp")
MaxSIOp, maxsi = _binary("maxsi", "MaxSIOp", commutes=True)
MaxUIOp, maxui = _binary("maxui", "MaxUIOp", commutes=True)
MinSIOp, minsi = _binary("minsi", "MinSIOp", commutes=True)
MinUIOp, minui = _binary("minui", "MinUIOp", commutes=True)
AddFOp, addf = _binary("addf", "AddFOp", "fastmath", commutes=True)
SubFOp, subf = _binary("subf", "SubFOp", "fastmath")
MulFOp, mulf = _binary("mulf", "MulFOp", "fastmath", commutes=True)
DivFOp, divf = _binary("divf", "DivFOp", "fastmath")
RemFOp, remf = _binary("remf", "RemFOp", "fastmath")
MaximumFOp, maximumf = _binary("maximumf", "MaximumFOp", "fastmath", commutes=True)
MinimumFOp, minimumf = _binary("minimumf", "MinimumFOp", "fastmath", commutes=True)
MaxNumFOp, maxnumf = _binary("maxnumf", "MaxNumFOp", "fastmath", commutes=True)
MinNumFOp, minnumf = _binary("minnumf", "MinNumFOp", "fastmath", commutes=True)
ExtFOp, extf = _cast("extf", "ExtFOp")
ExtSIOp, extsi = _cast("extsi", "ExtSIOp")
ExtUIOp, extui = _cast("extui", "ExtUIOp")
TruncFOp, truncf = _cast("truncf", "TruncFOp")
TruncIOp, trunci = _cast("trunci", "TruncIOp", "overflowFlags")
SIToFPOp, sitofp = _cast("sitofp", "SIToFPOp")
UIToFPOp, uitofp = _cast("uitofp", "UIToFPOp")
FPToSIOp, fptosi = _cast("fptosi", "FPToSIOp")
FPToUIOp, fptoui = _cast("fptoui", "FPToUIOp")
IndexCastOp, index_cast = _cast("index_cast", "IndexCastOp")
IndexCastUIOp, index_castui = _cast("index_castui", "IndexCastUIOp")
BitcastOp, bitcast = _cast("bitcast", "BitcastOp")


def _truth_like(it: Type) -> Type:
    """The type of truth values in the shape of a type."""
    i1 = IntegerType.get_signless(1, it.context)
    if isinstance(it, VectorType):
        return VectorType.get(it.shape, i1, scalable=it.scalable_dims if it.scalable else None)
    if isinstance(it, RankedTensorType):
        return RankedTensorType.get(it.shape, i1, it.encoding)
    return UnrankedTensorType.get(i1) if isinstance(it, UnrankedTensorType) else i1


def _compared(operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> Sequence[Type]:
    return [_truth_like(operands[0].type)]


def _comparison(mnemonic: str, name: str) -> tuple[_Op, _Builder]:
    from .._fields import Result

    parts = {"predicate": IntegerAttr, "lhs": Value, "rhs": Value, "fastmath": Attribute | None, "result": Result}
    if mnemonic == "cmpi":
        del parts["fastmath"]
    cls = _class(name, parts, f"`arith.{mnemonic}`")

    extra = "fastmath" if "fastmath" in parts else None

    def make(
        cls: _Op,
        predicate: Any,
        lhs: Any,
        rhs: Any,
        *,
        results: Any = None,
        loc: Any = None,
        ip: Any = None,
        **named: Any,
    ) -> Any:
        first = value_of(lhs)
        attributes = _given_for(name, extra, named, first.context)
        if not isinstance(predicate, Attribute):
            predicate = IntegerAttr.get(IntegerType.get_signless(64, first.context), int(predicate))
        attributes["predicate"] = predicate
        return made(cls, [first, rhs], results=results, attributes=attributes, loc=loc, ip=ip)

    declare(_Dialect, cls, mnemonic, make, _compared, Trait.PURE | Trait.SAME_TYPE_OPERANDS)
    return cls, _builder(cls, mnemonic)


CmpIOp, cmpi = _comparison("cmpi", "CmpIOp")
CmpFOp, cmpf = _comparison("cmpf", "CmpFOp")


def _select() -> tuple[_Op, _Builder]:
    from .._fields import Result

    parts = {"condition": Value, "true_value": Value, "false_value": Value, "result": Result}
    cls = _class("SelectOp", parts, "`arith.select`")

    def make(
        cls: _Op,
        condition: Any,
        true_value: Any,
        false_value: Any,
        *,
        results: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> Any:
        return made(cls, [condition, true_value, false_value], results=results, loc=loc, ip=ip)

    def rule(operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> Sequence[Type]:
        return [operands[1].type]

    declare(_Dialect, cls, "select", make, rule, Trait.PURE)
    return cls, _builder(cls, "select")


SelectOp, select = _select()


def _negated() -> tuple[_Op, _Builder]:
    from .._fields import Result

    cls = _class("NegFOp", {"operand": Value, "fastmath": Attribute | None, "result": Result}, "`arith.negf`")

    def make(cls: _Op, operand: Any, *, results: Any = None, loc: Any = None, ip: Any = None, **named: Any) -> Any:
        first = value_of(operand)
        attributes = _given_for("NegFOp", "fastmath", named, first.context)
        return made(cls, [first], results=results, attributes=attributes, loc=loc, ip=ip)

    declare(_Dialect, cls, "negf", make, like_first(1), Trait.PURE | Trait.SAME_OPERANDS_AND_RESULT_TYPE)
    return cls, _builder(cls, "negf")


NegFOp, negf = _negated()
