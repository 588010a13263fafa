"""Classes of operations, declared in Python.

What a class says of its operations is told to the native side, where `verify` and passes look it up, and the class
becomes that of all operations of its name, by whomever they are made.
"""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar, overload

import pairbond

from ._constructing import constructor
from ._dialects import KNOWN, DialectDescriptor
from ._fields import KINDS, ONE, Field, fields_of
from ._inferring import RULES, declared, like_first
from ._pairbond_ir import OpView, _declare

__all__ = ["Dialect", "OpView", "Trait"]

_Class = TypeVar("_Class", bound="type[OpView]")


class Trait(enum.Flag):
    """What operations promise; `verify` and passes rely on it."""

    NONE = 0
    #: A block may end with it, and nothing comes behind it.
    TERMINATOR = 1
    #: Nothing in its regions uses what is defined outside.
    ISOLATED_FROM_ABOVE = 1 << 1
    #: It does nothing but compute: it may be erased when nobody uses its results, and equal ones are one.
    PURE = 1 << 2
    #: The order of its operands does not matter.
    COMMUTATIVE = 1 << 3
    SAME_TYPE_OPERANDS = 1 << 4
    #: The result types need not be given.
    SAME_OPERANDS_AND_RESULT_TYPE = 1 << 5
    #: It has an attribute `sym_name`, by which others refer to it.
    SYMBOL = 1 << 6
    #: Its symbols are looked up in it, and no two are called the same.
    SYMBOL_TABLE = 1 << 7
    #: Its regions have one block at most.
    SINGLE_BLOCK = 1 << 8
    #: A region's only block needs no terminator.
    NO_TERMINATOR = 1 << 9
    #: The order of operations in its regions means nothing.
    GRAPH_REGION = 1 << 10
    #: Its regions' first blocks have no arguments.
    NO_REGION_ARGUMENTS = 1 << 11


def _refuse(cls: type, *arguments: Any, **named: Any) -> Any:
    """Replaced by the constructor of each declared class."""
    raise TypeError(f"{cls.__qualname__} is not declared: decorate it with the op of a dialect")


#: The stub has no constructor: a signature here would be another one.
_refuse.__signature__ = NotImplemented  # type: ignore[attr-defined]
_cls: Any = OpView
_cls.__new__ = _refuse


def _name_of(cls: type) -> str:
    """`AddOp` → `add`, `LoopEnd` → `loop_end`."""
    name = cls.__name__.removesuffix("Op") or cls.__name__
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Dialect:
    """Operations with a common first part of their names, each a class that derives from `OpView`::

    toy = ir.Dialect("toy")


    @toy.op(traits=ir.Trait.PURE | ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE)
    class Add(ir.OpView):
        lhs: ir.Operand
        rhs: ir.Operand
        rounding: ir.StringAttr | None
        result: ir.Result


    Add(a, b).result

    A class may have a method `verify_invariants`, which `verify` calls after it has checked what was declared: it
    raises, or returns False, if something is wrong. A static method `infer_result_types`, called with what the
    constructor got, says the types of results when they are not given.
    """

    #: The namespace of a subclass, whose only instance `_cext.register_dialect` makes.
    DIALECT_NAMESPACE: ClassVar[str]

    def __init__(self, namespace: str | None = None) -> None:
        if namespace is None:
            namespace = type(self).DIALECT_NAMESPACE
        if not re.fullmatch(r"[A-Za-z_][\w$]*", namespace):
            raise ValueError(f"no name of a dialect: {namespace!r}")
        self.namespace = namespace
        #: By the names of the operations, the dialect's included.
        self.operations: dict[str, type[OpView]] = {}
        KNOWN[namespace] = self

    @property
    def descriptor(self) -> DialectDescriptor:
        return DialectDescriptor(self.namespace)

    def __getattr__(self, name: str) -> type[OpView]:
        """Returns the class of operations that is called so."""
        for cls in self.__dict__.get("operations", {}).values():
            if cls.__name__ == name:
                return cls  # type: ignore[no-any-return]
        raise AttributeError(f"the dialect has no class {name!r}")

    def __repr__(self) -> str:
        return f"<Dialect {self.namespace} (class {type(self).__module__}.{type(self).__qualname__})>"

    @overload
    def op(self, name: _Class, /) -> _Class: ...
    @overload
    def op(
        self,
        name: str | None = None,
        *,
        traits: Trait | Iterable[Trait] = ...,
        parents: Iterable[str | type[OpView]] = ...,
    ) -> Callable[[_Class], _Class]: ...
    def op(
        self,
        name: str | type | None = None,
        *,
        traits: Trait | Iterable[Trait] = Trait.NONE,
        parents: Iterable[str | type[OpView]] = (),
    ) -> Any:
        """Declares a class of operations, which derives from `OpView`; its annotations say what they consist of.

        The name is that of the class in lower case unless it is given, without the dialect's. `parents` are the
        operations, as names or classes, that one may stand directly in.
        """
        if isinstance(name, type):
            return self._declared(name, None, Trait.NONE, (), sys._getframe(1).f_locals)
        promised = Trait.NONE
        for trait in (traits,) if isinstance(traits, Trait) else traits:
            promised |= trait
        around = tuple(it if isinstance(it, str) else it.OPERATION_NAME for it in parents)
        scope = sys._getframe(1).f_locals

        def declare(cls: _Class) -> _Class:
            self._declared(cls, name, promised, around, scope)
            return cls

        return declare

    def _declared(
        self, cls: Any, name: str | None, traits: Trait, parents: tuple[str, ...], scope: dict[str, Any]
    ) -> Any:
        if not (isinstance(cls, type) and issubclass(cls, OpView)):
            raise TypeError(f"a class of operations derives from OpView: {cls!r}")
        full = f"{self.namespace}.{name or _name_of(cls)}"
        fields = fields_of(cls, scope)
        cls.OPERATION_NAME = full
        # The only result is what `op.result` is anyway.
        made = [(field.name, field.arity) for field in fields if field.kind == "result"]
        is_known = made == [("result", ONE)]
        told = [field for field in fields if not (is_known and field.kind == "result")]
        members: dict[str, Any] = {field.name: field.property() for field in told}
        members["__new__"] = constructor(cls, full, fields, Trait.SAME_OPERANDS_AND_RESULT_TYPE in traits)
        # The constructor made all; `object`'s takes any arguments beside a `__new__`, and takes no time.
        members["__init__"] = object.__init__
        members["__match_args__"] = tuple(field.name for field in fields if field.kind != "result")
        for member, value in members.items():
            setattr(cls, member, value)
        pairbond.class_for(OpView, full)(cls)
        operands, results, regions, successors, attributes = (
            [_told(field) for field in fields if field.kind == kind] for kind in KINDS
        )
        verifier = getattr(cls, "verify_invariants", None)
        _declare(full, operands, results, regions, successors, attributes, traits.value, parents, verifier)
        _declare_rule(cls, full, fields, traits)
        self.operations[full] = cls
        return cls


def _declare_rule(cls: Any, full: str, fields: Sequence[Field], traits: Trait) -> None:
    """How the types of results of a class follow from the rest, for `Operation.create(…, infer_type=True)`."""
    RULES.pop(full, None)
    operands = [field.name for field in fields if field.kind == "operand"]
    infer = getattr(cls, "infer_result_types", None)
    count = sum(field.kind == "result" for field in fields)
    if infer is not None:
        RULES[full] = declared(operands, infer)
    elif Trait.SAME_OPERANDS_AND_RESULT_TYPE in traits or not count:
        RULES[full] = like_first(count) if count else lambda operands, attributes: []


def _told(field: Field) -> tuple[str, int, list[str]]:
    arity = 1 if field.kind == "attribute" and field.is_optional else field.arity
    return field.native_name, arity, [f"{kind.__module__}.{kind.__qualname__}" for kind in field.kinds]
