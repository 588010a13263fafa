"""Helpers of classes of operations, by the names that MLIR's bindings have for them.

Programs that define their own classes with MLIR's bindings import these from `dialects._ods_common`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

import pairbond_ir

from .. import _globals
from .._pairbond_ir import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    Context,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    IntegerAttr,
    IntegerType,
    Location,
    Operation,
    OpResultList,
    OpView,
    ShapedType,
    Value,
)

__all__ = [
    "equally_sized_accessor",
    "get_default_loc_context",
    "get_op_result_or_op_results",
    "get_op_result_or_value",
    "get_op_results_or_values",
    "segmented_accessor",
]

#: The package, where MLIR's bindings have their extension module.
_cext = SimpleNamespace(
    ir=pairbond_ir,
    globals=_globals.globals,
    register_dialect=_globals.register_dialect,
    register_operation=_globals.register_operation,
)

SubClassValueT = TypeVar("SubClassValueT", bound=Value)

ResultValueTypeTuple = Operation, OpView, Value
ResultValueT = Operation | OpView | Value
VariadicResultValueT = ResultValueT | Sequence[ResultValueT]
StaticIntLike = int | IntegerAttr
ValueLike = Operation | OpView | Value
MixedInt = StaticIntLike | ValueLike
IntOrAttrList = Sequence[IntegerAttr | int]
OptionalIntList = ArrayAttr | IntOrAttrList | None
BoolOrAttrList = Sequence[BoolAttr | bool]
OptionalBoolList = ArrayAttr | BoolOrAttrList | None
MixedValues = Sequence[StaticIntLike | ValueLike] | ArrayAttr | ValueLike
DynamicIndexList = Sequence[MixedInt | Sequence[MixedInt]]


def segmented_accessor(elements: Any, raw_segments: Any, idx: int) -> Any:
    """Returns the operands or results of a group; `raw_segments` is the attribute that has the groups' sizes."""
    groups: Any = DenseI32ArrayAttr(raw_segments)
    sizes: list[int] = list(groups)
    start = sum(sizes[:idx])
    return elements[start : start + sizes[idx]]


def equally_sized_accessor(
    elements: Sequence[Any], n_simple: int, n_variadic: int, n_preceding_simple: int, n_preceding_variadic: int
) -> tuple[int, int]:
    """Returns where a group starts, and how many elements each variadic group has, if these are equally large."""
    total = len(elements) - n_simple
    assert total % n_variadic == 0, "groups are not equally large"
    size = total // n_variadic
    return n_preceding_simple + n_preceding_variadic * size, size


def get_default_loc_context(location: Location | None = None) -> Context | None:
    """Returns the context of a location, of the current one if it is None; None if there is none."""
    if location is None:
        location = Location.current
    return None if location is None else location.context


def get_op_result_or_value(arg: Any) -> Value:
    """Returns a value, or the only result of an operation.

    ValueError: if an operation does not have one result.
    """
    if isinstance(arg, Operation):
        found: Value = arg.result
        return found
    if isinstance(arg, OpResultList):
        first: Value = arg[0]
        return first
    assert isinstance(arg, Value), f"expects Value, got {type(arg)}"
    return arg


def get_op_results_or_values(arg: Any) -> Any:
    """Returns a sequence of values as it is, or the results of an operation."""
    return arg.results if isinstance(arg, Operation) else arg


def get_op_result_or_op_results(op: Any) -> Any:
    """Returns the only result of an operation, its results if it has several, or itself if it has none."""
    results = op.results
    return results[0] if len(results) == 1 else results if len(results) else op


def _dispatch_dynamic_index_list(indices: Any) -> tuple[list[Any], list[int], list[bool]]:
    """Returns the indices that are values, all as numbers, and which are scalable: in a list of one element."""
    values, numbers, scalable = [], [], []
    for index in indices:
        is_scalable = not isinstance(index, (int, IntegerAttr, Operation, Value))
        if is_scalable:
            (index,) = index
        scalable.append(is_scalable)
        if isinstance(index, (Operation, Value)):
            values.append(index)
            numbers.append(ShapedType.get_dynamic_size())
        else:
            numbers.append(_get_value_or_attribute_value(index))
    return values, numbers, scalable


def _dispatch_mixed_values(values: Any) -> tuple[list[Any], Any, Any]:
    """Returns the elements that are values, one value that stands for all, and all as numbers."""
    if isinstance(values, ArrayAttr):
        return [], None, values
    if isinstance(values, (Operation, Value)):
        return [], values, None
    dynamic, numbers, _ = _dispatch_dynamic_index_list(list(values or []))
    return dynamic, None, DenseI64ArrayAttr.get(numbers)


def _get_value_or_attribute_value(value_or_attr: Any) -> Any:
    if isinstance(value_or_attr, ArrayAttr):
        return _get_value_list(value_or_attr)
    if isinstance(value_or_attr, Attribute):
        return getattr(value_or_attr, "value", value_or_attr)
    return value_or_attr


def _get_value_list(sequence_or_array_attr: Any) -> list[Any]:
    return [_get_value_or_attribute_value(it) for it in sequence_or_array_attr]


def _get_int_array_attr(values: Any) -> ArrayAttr | None:
    """Returns an array of integers of 64 bits."""
    if values is None:
        return None
    i64 = IntegerType.get_signless(64)
    return ArrayAttr.get([IntegerAttr.get(i64, it) for it in _get_value_list(values)])


def _get_int_array_array_attr(values: Any) -> ArrayAttr | None:
    """Returns an array of arrays of integers of 64 bits."""
    if values is None:
        return None
    return ArrayAttr.get([_get_int_array_attr(it) for it in _get_value_list(values)])  # type: ignore[misc]
