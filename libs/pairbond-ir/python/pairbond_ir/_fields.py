"""What the annotations of a class of operations say."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._pairbond_ir import (
    Attribute,
    Block,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    Operation,
    OpResult,
    Region,
    StringAttr,
    Type,
    Value,
    _attribute,
    _part,
    _parts,
    _set_attribute,
    _set_part,
)

_T = TypeVar("_T")

if TYPE_CHECKING:

    class Operand(Value, Generic[_T]):
        """An operand, perhaps of some class of types: `Operand`, `Operand[ir.IntegerType]`."""

    class Result(OpResult, Generic[_T]):
        """A result, perhaps of some class of types."""

else:

    class Operand:
        """An operand, perhaps of some class of types: `Operand`, `Operand[ir.IntegerType]`."""

        __class_getitem__ = classmethod(types.GenericAlias)

    class Result:
        """A result, perhaps of some class of types."""

        __class_getitem__ = classmethod(types.GenericAlias)


KINDS = ("operand", "result", "region", "successor", "attribute")
ONE, OPTIONAL, VARIADIC = range(3)
MISSING: Any = object()
#: Python's own values, and the attributes that stand for them.
_PLAIN: dict[Any, type[Attribute]] = {int: IntegerAttr, float: FloatAttr, str: StringAttr, bool: BoolAttr}


@dataclass(frozen=True)
class Field:
    """A part of an operation: operands, results, regions, successors, or an attribute."""

    name: str
    kind: str
    arity: int
    kinds: tuple[type, ...]
    #: The how manyth it is of its kind.
    number: int
    #: int, float, str or bool, if the attribute is to be one of these in Python.
    plain: Any = None
    default: Any = MISSING

    @property
    def native_name(self) -> str:
        """Without the `_` that keeps it apart from Python's and the operation's own names."""
        return self.name.removesuffix("_")

    @property
    def is_optional(self) -> bool:
        return self.arity == OPTIONAL or self.default is not MISSING

    def property(self) -> property:
        """What `op.name` reads and writes."""
        if self.kind == "attribute":
            return _attribute_property(self)
        kind, number = self.kind, self.number
        get = _parts if self.arity == VARIADIC else _part

        def read(op: Any) -> Any:
            return get(op, kind, number)

        def write(op: Any, value: Any) -> None:
            _set_part(op, kind, number, value)

        return property(read, write if kind in ("operand", "successor") else None, doc=f"The {kind} {self.name}.")


def _attribute_property(field: Field) -> property:
    name, plain, wanted = field.native_name, field.plain, field.kinds

    def read(op: Any) -> Any:
        found: Any = _attribute(op, name)
        return found if found is None or plain is None else found.value

    def write(op: Any, value: Any) -> None:
        _set_attribute(op, name, None if value is None else attribute(value, plain, wanted, name, op.context))

    def delete(op: Any) -> None:
        _set_attribute(op, name, None)

    return property(read, write, delete, f"The attribute {name}.")


def attribute(value: Any, plain: Any, wanted: tuple[type, ...], name: str, context: Any) -> Any:
    """An attribute from what was given for it."""
    if isinstance(value, Attribute):
        if wanted and not isinstance(value, wanted):
            kinds = " or ".join(kind.__name__ for kind in wanted)
            raise TypeError(f"the attribute {name} is {kinds}, not {type(value).__name__}")
        return value
    kind = plain or next((kind for kind in (bool, int, float, str) if isinstance(value, kind)), None)
    if kind is bool and isinstance(value, bool):
        return BoolAttr.get(value, context)
    if kind is int and isinstance(value, int):
        return IntegerAttr.get(_integer(context), value)
    if kind is float and isinstance(value, (int, float)):
        return FloatAttr.get_f64(value, context)
    if kind is str and isinstance(value, str):
        return StringAttr.get(value, context)
    raise TypeError(f"the attribute {name} cannot be made from {value!r}")


def _integer(context: Any) -> Type:
    from ._pairbond_ir import IntegerType

    return IntegerType.get_signless(64, context)


def fields_of(cls: type, scope: dict[str, Any]) -> list[Field]:
    """What the annotations of a class say, those of its bases included, in order."""
    annotations: dict[str, Any] = {}
    for base in reversed(cls.__mro__[: cls.__mro__.index(Operation)]):
        names = scope | {base.__name__: base} if base is cls else {}
        module = vars(sys.modules.get(base.__module__, types))
        annotations |= inspect.get_annotations(base, eval_str=True, locals=names or None, globals=dict(module))
    counts: dict[str, int] = {}
    fields = []
    for name, annotation in annotations.items():
        if typing.get_origin(annotation) is typing.ClassVar or annotation is typing.ClassVar or name.isupper():
            continue
        kind, arity, kinds, plain = _read(cls, name, annotation)
        default = cls.__dict__.get(name, MISSING)
        if isinstance(default, property):
            default = MISSING
        if default is not MISSING and kind != "attribute":
            raise TypeError(f"{cls.__qualname__}.{name}: only attributes have defaults")
        number = counts.get(kind, 0)
        counts[kind] = number + 1
        if name in _TAKEN and not (name == "result" and kind == "result"):
            raise TypeError(f"{cls.__qualname__}.{name}: operations have that already; call it {name}_")
        fields.append(Field(name, kind, arity, kinds, number, plain, default))
    _order(cls, fields)
    return fields


_TAKEN = frozenset(dir(Operation)) | {"loc", "ip", "verify_invariants", "infer_result_types"}


def _order(cls: type, fields: list[Field]) -> None:
    """Two names must not be one."""
    seen: set[tuple[bool, str]] = set()
    for field in fields:
        key = (field.kind == "attribute", field.native_name)
        if key in seen:
            raise TypeError(f"{cls.__qualname__}: two parts are called {field.native_name}")
        seen.add(key)


def _read(cls: type, name: str, annotation: Any) -> tuple[str, int, tuple[type, ...], Any]:
    """The kind of part, its arity, its classes, and Python's own type that it stands for."""
    arity, inner = ONE, annotation
    if typing.get_origin(inner) in (typing.Union, types.UnionType) and type(None) in typing.get_args(inner):
        arity = OPTIONAL
        rest = tuple(it for it in typing.get_args(inner) if it is not type(None))
        inner = rest[0] if len(rest) == 1 else typing.Union[rest]  # noqa: UP007 (made at run time)
    elif typing.get_origin(inner) in (list, Sequence):
        arity, (inner,) = VARIADIC, typing.get_args(inner)
    origin = typing.get_origin(inner) or inner
    if origin in (Operand, Value):
        return "operand", arity, _kinds(typing.get_args(inner)), None
    if origin in (Result, OpResult):
        return "result", arity, _kinds(typing.get_args(inner)), None
    if inner is Region:
        return "region", arity, (), None
    if inner is Block:
        return "successor", arity, (), None
    kinds = _kinds((inner,))
    if arity != VARIADIC and kinds and all(isinstance(it, type) and issubclass(it, Attribute) for it in kinds):
        return "attribute", arity, tuple(kinds), None
    if arity != VARIADIC and inner in _PLAIN:
        return "attribute", arity, (_PLAIN[inner],), inner
    raise TypeError(
        f"{cls.__qualname__}.{name}: expected Operand, Result, Region, Block, a class of attributes, int, float, str "
        f"or bool, perhaps optional or a Sequence, got {annotation!r}"
    )


def _kinds(of: tuple[Any, ...]) -> tuple[type, ...]:
    """The classes that a union, or one class, stands for; `Attribute` and `Type` are all."""
    flat: list[type] = []
    for it in of:
        flat += typing.get_args(it) if typing.get_origin(it) in (typing.Union, types.UnionType) else (it,)
    if IntegerAttr in flat:
        flat.append(BoolAttr)
    return tuple(flat)
