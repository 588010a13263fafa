"""The constructors of declared operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ._fields import KINDS, MISSING, ONE, OPTIONAL, VARIADIC, Field, attribute
from ._pairbond_ir import (
    Context,
    DenseI32ArrayAttr,
    Operation,
    Type,
    Value,
)


def constructor(cls: type, name: str, fields: Sequence[Field], is_same_type: bool) -> Callable[..., Any]:
    """A `__new__` with a parameter for each part; results are given by their types, regions are empty."""
    operands, results, regions, successors, attributes = (
        [field for field in fields if field.kind == kind] for kind in KINDS
    )
    infer = getattr(cls, "infer_result_types", None)
    sizes_of_operands = _several(operands)
    sizes_of_results = _several(results)
    needs_context = bool(attributes or sizes_of_operands or sizes_of_results or any(it.kinds for it in results))
    create = Operation.create

    def make(cls: type, given: dict[str, Any]) -> Any:
        if "OPERATION_NAME" not in cls.__dict__:
            raise TypeError(f"{cls.__qualname__} is not declared: decorate it with the op of a dialect")
        values: list[Value] = []
        for field in operands:
            given[field.name] = _values(given[field.name], field)
        sizes = [_take(values, given[field.name], field) for field in operands]
        context = _context(values, given["loc"]) if needs_context else None
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

    is_simple = not (attributes or successors or regions) and all(it.arity == ONE for it in fields)
    quick = None
    if is_simple and infer is None and is_same_type and operands:
        quick = (cls, create, name, [it.name for it in operands], [it.name for it in results])
    made_new = _function(fields, make, quick)
    made_new.__doc__ = f"Makes a {name}, at `ip` or where the innermost insertion point is."
    made_new.__module__ = cls.__module__
    made_new.__qualname__ = f"{cls.__qualname__}.__new__"
    return made_new


Quick = tuple[type, Callable[..., Any], str, list[str], list[str]]


def _function(fields: Sequence[Field], make: Callable[..., Any], quick: Quick | None) -> Callable[..., Any]:
    """A function with the parameters of a class, which CPython binds: it knows how to, and says what is missing.

    Operands, attributes and successors by position or name, what may be left out last; the rest by name. `quick` is of
    classes with operands and results of their type alone: what is given as usual goes to `create` at once.
    """
    first = [field for field in fields if field.kind in ("operand", "attribute", "successor")]
    named = [field for field in fields if field.kind == "result" or (field.kind, field.arity) == ("region", VARIADIC)]
    defaults: dict[str, Any] = {"make": make}
    parameters = ["_class", "/", *(field.name for field in first if not field.is_optional)]
    for field in first:
        if field.is_optional:
            defaults[f"default_{field.name}"] = None if field.default is MISSING else field.default
            parameters.append(f"{field.name}=default_{field.name}")
    parameters += ["*", *(f"{field.name}={0 if field.kind == 'region' else None}" for field in named)]
    parameters += ["loc=None", "ip=None"]
    given = ", ".join(f"{name!r}: {name}" for name in [*(field.name for field in [*first, *named]), "loc", "ip"])
    body = f"return make(_class, {{{given}}})"
    if quick is not None:
        declared, create, name, operands, results = quick
        defaults |= {
            "__declared": declared,
            "__create": create,
            "__name": name,
            "__isinstance": isinstance,
            "__Value": Value,
        }
        usual = [
            "_class is __declared",
            *(f"__isinstance({it}, __Value)" for it in operands),
            *(f"{it} is None" for it in results),
        ]
        types = ", ".join([f"{operands[0]}.type"] * len(results))
        call = f"__create(__name, [{types}], [{', '.join(operands)}], None, None, 0, loc, ip)"
        body = f"return {call} if {' and '.join(usual)} else {body.removeprefix('return ')}"
    source = f"def __new__({', '.join(parameters)}): {body}"
    exec(compile(source, "<pairbond_ir constructor>", "exec"), defaults)  # names of annotations
    made: Callable[..., Any] = defaults["__new__"]
    return made


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
    return given.result if isinstance(given, Operation) else given


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
    return DenseI32ArrayAttr.get(sizes, context)
