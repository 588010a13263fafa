"""Attributes from Python's values by the names that MLIR's dialects give them: `AttrBuilder.get("I32Attr")(5)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from . import _pairbond_ir as native
from ._pairbond_ir import Context

__all__ = ["AttrBuilder", "register_attribute_builder"]

_Builder = Callable[..., Any]
_B = TypeVar("_B", bound=_Builder)


class AttrBuilder:
    """What makes attributes of Python's values, by name: a function of the value and a context."""

    _all: ClassVar[dict[str, _Builder]] = {}

    @staticmethod
    def contains(attribute_kind: str) -> bool:
        """Whether there is one of that name."""
        return attribute_kind in AttrBuilder._all

    @staticmethod
    def get(attribute_kind: str) -> _Builder:
        """The one of that name."""
        return AttrBuilder._all[attribute_kind]

    @staticmethod
    def insert(
        attribute_kind: str, attr_builder: _Builder, replace: bool = False, allow_existing: bool = False
    ) -> None:
        """Adds one: it must be the first of its name, unless it may replace another, or the other may stay."""
        if not callable(attr_builder):
            raise TypeError(f"a builder is a callable, not {attr_builder!r}")
        if attribute_kind in AttrBuilder._all and not replace:
            if allow_existing:
                return
            message = f"Attribute builder for '{attribute_kind}' is already registered with func: "
            raise RuntimeError(f"{message}{AttrBuilder._all[attribute_kind]!r}; replace=True replaces it")
        AttrBuilder._all[attribute_kind] = attr_builder


def register_attribute_builder(kind: str, replace: bool = False, allow_existing: bool = False) -> Callable[[_B], _B]:
    """A decorator for what makes attributes of a name::

    @ir.register_attribute_builder("PairAttr")
    def pair(value, context=None):
        return ir.DenseI32ArrayAttr.get(value, context)
    """

    def decorate(builder: _B) -> _B:
        AttrBuilder.insert(kind, builder, replace=replace, allow_existing=allow_existing)
        return builder

    return decorate


def _integers(make: Callable[[int, Context | None], native.Type], bits: int) -> _Builder:
    return lambda x, context=None: native.IntegerAttr.get(make(bits, context), x)


def _several(one: _Builder) -> _Builder:
    return lambda x, context=None: native.ArrayAttr.get([one(it, context) for it in x], context)


def _plain(make: _Builder) -> _Builder:
    return lambda x, context=None: make(x, context)


def _symbol(x: Any, context: Context | None = None) -> Any:
    if isinstance(x, str):
        return native.FlatSymbolRefAttr.get(x, context)
    return native.SymbolRefAttr.get(list(x), context)


def _index(x: int, context: Context | None = None) -> Any:
    return native.IntegerAttr.get(native.IndexType.get(context), x)


def _unit(x: Any, context: Context | None = None) -> Any:
    return native.UnitAttr.get(context) if x else None


def _elements(make: _Builder, type_of: Callable[[Context | None], native.Type]) -> _Builder:
    def build(x: Any, context: Context | None = None) -> Any:
        # An array of numpy or pairbond, or lists in lists.
        rows = x.tolist() if hasattr(x, "tolist") else x
        shape, numbers, element = [], [rows], type_of(context)
        while numbers and isinstance(numbers[0], (list, tuple)):
            shape.append(len(numbers[0]))
            numbers = [number for row in numbers for number in row]
        shaped = native.RankedTensorType.get(shape, element)
        if not numbers:
            return native.Attribute.parse(f"dense<> : {shaped}", context)
        return native.DenseElementsAttr.get([make(element, it) for it in numbers], shaped)

    return build


#: Those of which there are arrays, too.
_ONE: dict[str, _Builder] = {
    "AffineMap": lambda x, context=None: native.AffineMapAttr.get(x),
    "Bool": _plain(native.BoolAttr.get),
    "Dict": _plain(native.DictAttr.get),
    "F32": _plain(native.FloatAttr.get_f32),
    "F64": _plain(native.FloatAttr.get_f64),
    "FlatSymbolRef": _plain(native.FlatSymbolRefAttr.get),
    "I32": _integers(native.IntegerType.get_signless, 32),
    "I64": _integers(native.IntegerType.get_signless, 64),
    "Str": _plain(native.StringAttr.get),
    "SymbolRef": _symbol,
    "Type": _plain(native.TypeAttr.get),
}
_ONLY: dict[str, _Builder] = {
    "ArrayAttr": _plain(native.ArrayAttr.get),
    "DictionaryAttr": _ONE["Dict"],
    "I64SmallVectorArrayAttr": _several(_ONE["I64"]),
    "IndexAttr": _index,
    "IndexListArrayAttr": _several(_several(_ONE["I64"])),
    "IntegerSetAttr": lambda x, context=None: native.IntegerSetAttr.get(x),
    "MemRefTypeAttr": _ONE["Type"],
    "SymbolNameAttr": _ONE["Str"],
    "UnitAttr": _unit,
    "F64ElementsAttr": _elements(native.FloatAttr.get, native.F64Type.get),
    "I32ElementsAttr": _elements(native.IntegerAttr.get, lambda it: native.IntegerType.get_signless(32, it)),
    "I64ElementsAttr": _elements(native.IntegerAttr.get, lambda it: native.IntegerType.get_signless(64, it)),
    "IndexElementsAttr": _elements(native.IntegerAttr.get, native.IndexType.get),
}
_MAKE = {
    "I": native.IntegerType.get_signless,
    "SI": native.IntegerType.get_signed,
    "UI": native.IntegerType.get_unsigned,
}
for _kind, _builder in _ONLY.items():
    AttrBuilder.insert(_kind, _builder)
for _kind, _builder in _ONE.items():
    AttrBuilder.insert(f"{_kind}Attr", _builder)
    AttrBuilder.insert(f"{_kind}ArrayAttr", _several(_builder))
for _sign, _make in _MAKE.items():
    for _bits in (1, 8, 16, 32, 64):
        AttrBuilder.insert(f"{_sign}{_bits}Attr", _integers(_make, _bits), allow_existing=True)
for _element in ("Bool", "I8", "I16", "I32", "I64", "F32", "F64"):
    AttrBuilder.insert(f"Dense{_element}ArrayAttr", _plain(getattr(native, f"Dense{_element}ArrayAttr").get))
