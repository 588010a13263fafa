"""The constructors of declared operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ._fields import KINDS, MISSING, ONE, OPTIONAL, VARIADIC, Field, attribute
from ._pairbond_ir import (
    Context,
    DenseArrayAttr,
    IntegerAttr,
    IntegerType,
    Operation,
    Type,
    Value,
    _OperationBase,
)

Parameter = inspect.Parameter


def constructor(cls: type, name: str, fields: Sequence[Field], is_same_type: bool) -> Callable[..., Any]:
    """A `__new__` with a parameter for each part; results are given by their types, regions are empty."""
    operands, results, regions, successors, attributes = (
        [field for field in fields if field.kind == kind] for kind in KINDS
    )
    signature = _signature(fields)
    infer = getattr(cls, "infer_result_types", None)
    sizes_of_operands = _several(operands)
    sizes_of_results = _several(results)
    create = Operation.create

    def __new__(cls: type, *arguments: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(cls, *arguments, **named)
        except TypeError as error:
            raise TypeError(f"{cls.__name__}: {error}") from None
        bound.apply_defaults()
        given = bound.arguments
        values: list[Value] = []
        for field in operands:
            given[field.name] = _values(given[field.name], field)
        sizes = [_take(values, given[field.name], field) for field in operands]
        context = _context(values, given["loc"])
        made = {}
        for field in attributes:
            it = given[field.name]
            if it is None and field.arity != OPTIONAL:
                raise TypeError(f"{cls.__name__}: the attribute {field.native_name} is not optional")
            if it is not None:
                made[field.native_name] = attribute(it, field.plain, field.kinds, field.native_name, context)
        types: list[Type] = []
        if all(given[field.name] is None for field in results) and any(it.arity == ONE for it in results):
            types = _inferred(cls, results, values, infer, is_same_type, given, fields, context)
            counts = [1] * len(types)
        else:
            counts = [_take(types, given[field.name], field) for field in results]
        if sizes_of_operands:
            made["operandSegmentSizes"] = _array(sizes, context)
        if sizes_of_results:
            made["resultSegmentSizes"] = _array(counts, context)
        blocks: list[Any] = []
        for field in successors:
            _take(blocks, given[field.name], field)
        count = sum(given[field.name] if field.arity == VARIADIC else 1 for field in regions)
        return create(
            name,
            results=types,
            operands=values,
            attributes=made,
            successors=blocks,
            regions=count,
            loc=given["loc"],
            ip=given["ip"],
        )

    __new__.__signature__ = signature  # type: ignore[attr-defined]
    __new__.__doc__ = f"Makes a {name}, at `ip` or where the innermost insertion point is."
    __new__.__qualname__ = f"{cls.__qualname__}.__new__"
    return __new__


def _signature(fields: Sequence[Field]) -> inspect.Signature:
    """Operands, attributes and successors by position or name, what may be left out last; the rest by name."""
    first = [field for field in fields if field.kind in ("operand", "attribute", "successor")]
    needed = [field for field in first if not field.is_optional]
    others = [field for field in first if field.is_optional]
    parameters = [Parameter("cls", Parameter.POSITIONAL_ONLY)]
    parameters += [Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD) for field in needed]
    for field in others:
        default = None if field.default is MISSING else field.default
        parameters.append(Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
    for field in fields:
        if field.kind == "result":
            parameters.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=None))
        if field.kind == "region" and field.arity == VARIADIC:
            parameters.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=0))
    parameters += [Parameter(it, Parameter.KEYWORD_ONLY, default=None) for it in ("loc", "ip")]
    return inspect.Signature(parameters)


def _several(fields: Sequence[Field]) -> bool:
    """Whether an attribute has to say how many each of them is."""
    return sum(field.arity != ONE for field in fields) > 1


def _take(into: list[Any], given: Any, field: Field) -> int:
    """Puts what was given for a part to the others; how many it is."""
    several: list[Any] = [given] if field.arity != VARIADIC else list(given or ())
    if given is None and field.arity == OPTIONAL:
        several = []
    into += several
    return len(several)


def _value(given: Any) -> Any:
    """An operation stands for its only result, as in MLIR's bindings."""
    return given.result if isinstance(given, _OperationBase) else given


def _values(given: Any, field: Field) -> Any:
    """What was given for a part, as values."""
    return [_value(it) for it in given or ()] if field.arity == VARIADIC else _value(given)


def _context(values: Sequence[Value], loc: Any) -> Context | None:
    if values:
        return values[0].context
    return None if loc is None else loc.context


def _inferred(
    cls: type,
    results: Sequence[Field],
    values: Sequence[Value],
    infer: Callable[..., Any] | None,
    is_same_type: bool,
    given: dict[str, Any],
    fields: Sequence[Field],
    context: Context | None,
) -> list[Type]:
    """The types of results that were not given."""
    if infer is not None:
        parts = {field.name: given[field.name] for field in fields if field.kind in ("operand", "attribute")}
        found = infer(**parts)
        return [found] if isinstance(found, Type) else list(found)
    if is_same_type and values:
        return [values[0].type for _ in results]
    types = []
    for field in results:
        only = field.kinds[0] if len(field.kinds) == 1 else None
        get = getattr(only, "get", None)
        if get is None or list(inspect.signature(get).parameters) != ["context"]:
            raise TypeError(f"{cls.__name__}: the type of the result {field.name} is missing, and cannot be inferred")
        types.append(get(context))
    return types


def _array(sizes: Sequence[int], context: Context | None) -> Any:
    integer = IntegerType.get_signless(32, context)
    return DenseArrayAttr.get(integer, [IntegerAttr.get(integer, size) for size in sizes])
