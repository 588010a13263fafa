"""Operations of `scf` that MLIR's bindings generate and do not extend by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._fields import Result
from .._globals import register_dialect
from .._pairbond_ir import Attribute, DenseI32ArrayAttr, OpView, Region, Type, UnitAttr, Value
from ..declaring import Dialect, Trait
from ._making import declare, made, segmented
from ._ods_common import get_default_loc_context, get_op_result_or_op_results


@register_dialect
class _Dialect(Dialect):
    """The dialect."""

    DIALECT_NAMESPACE = "scf"


def _unit(given: Any, loc: Any) -> Attribute | None:
    return UnitAttr.get(get_default_loc_context(loc)) if given else None


class ConditionOp(OpView):
    """Whether a `while` goes on, and what with."""

    condition: Value
    args: Sequence[Value]


class ExecuteRegionOp(OpView):
    """A region of several blocks where one operation stands."""

    no_inline: Attribute | None
    results_: Sequence[Result[Type]]
    region: Region


class ParallelOp(OpView):
    """Loops whose rounds may run at the same time, and reductions of what they compute."""

    lowerBound: Sequence[Value]
    upperBound: Sequence[Value]
    step: Sequence[Value]
    initVals: Sequence[Value]
    results_: Sequence[Result[Type]]
    region: Region


class ReduceOp(OpView):
    """The end of a `parallel`: how what its rounds compute becomes one."""

    operands_: Sequence[Value]
    reductions: Sequence[Region]


class ReduceReturnOp(OpView):
    """What a reduction makes of two values."""

    result_: Value


class WhileOp(OpView):
    """A loop whose first region decides whether the second is run."""

    inits: Sequence[Value]
    results_: Sequence[Result[Type]]
    before: Region
    after: Region


class YieldOp(OpView):
    """The end of a region, and what it computes."""

    results_: Sequence[Value]


def _condition(cls: Any, condition: Any, args: Any, *, loc: Any = None, ip: Any = None) -> Any:
    operands, _ = segmented([condition], args)
    return made(cls, operands, results=[], loc=loc, ip=ip)


def _execute_region(cls: Any, result: Any, *, no_inline: Any = None, loc: Any = None, ip: Any = None) -> Any:
    attributes = {"no_inline": _unit(no_inline, loc)}
    return made(cls, [], results=list(result), attributes=attributes, regions=1, loc=loc, ip=ip)


def _parallel(
    cls: Any,
    results_: Any,
    lowerBound: Any,
    upperBound: Any,
    step: Any,
    initVals: Any,
    *,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    operands, sizes = segmented(lowerBound, upperBound, step, initVals)
    context = operands[0].context if operands else get_default_loc_context(loc)
    attributes = {"operandSegmentSizes": DenseI32ArrayAttr.get(sizes, context)}
    return made(cls, operands, results=list(results_), attributes=attributes, regions=1, loc=loc, ip=ip)


def _reduce(cls: Any, operands_: Any, num_reductions: int, *, loc: Any = None, ip: Any = None) -> Any:
    operands, _ = segmented(operands_)
    return made(cls, operands, results=[], regions=num_reductions, loc=loc, ip=ip)


def _reduce_return(cls: Any, result: Any, *, loc: Any = None, ip: Any = None) -> Any:
    return made(cls, [result], results=[], loc=loc, ip=ip)


def _while(cls: Any, results_: Any, inits: Any, *, loc: Any = None, ip: Any = None) -> Any:
    operands, _ = segmented(inits)
    return made(cls, operands, results=list(results_), regions=2, loc=loc, ip=ip)


def _yield(cls: Any, results_: Any = (), *, loc: Any = None, ip: Any = None) -> Any:
    operands, _ = segmented(results_)
    return made(cls, operands, results=[], loc=loc, ip=ip)


for _cls, _mnemonic, _make, _traits in (
    (ConditionOp, "condition", _condition, Trait.TERMINATOR),
    (ExecuteRegionOp, "execute_region", _execute_region, Trait.NONE),
    (ParallelOp, "parallel", _parallel, Trait.SINGLE_BLOCK),
    (ReduceOp, "reduce", _reduce, Trait.TERMINATOR),
    (ReduceReturnOp, "reduce.return", _reduce_return, Trait.TERMINATOR),
    (WhileOp, "while", _while, Trait.SINGLE_BLOCK),
    (YieldOp, "yield", _yield, Trait.TERMINATOR),
):
    declare(_Dialect, _cls, _mnemonic, _make, None, _traits)


def condition(condition: Any, args: Any, *, loc: Any = None, ip: Any = None) -> ConditionOp:
    """Returns a new `scf.condition`."""
    return ConditionOp(condition, args, loc=loc, ip=ip)


def execute_region(result: Any, *, no_inline: Any = None, loc: Any = None, ip: Any = None) -> Any:
    """Returns what a new `scf.execute_region` computes: its result, or several; itself if it has none."""
    return get_op_result_or_op_results(ExecuteRegionOp(result, no_inline=no_inline, loc=loc, ip=ip))


def parallel(
    results_: Any,
    lower_bound: Any,
    upper_bound: Any,
    step: Any,
    init_vals: Any,
    *,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    """Returns what a new `scf.parallel` computes: its result, or several; itself if it has none."""
    return get_op_result_or_op_results(ParallelOp(results_, lower_bound, upper_bound, step, init_vals, loc=loc, ip=ip))


def reduce(operands_: Any, num_reductions: int, *, loc: Any = None, ip: Any = None) -> ReduceOp:
    """Returns a new `scf.reduce`."""
    return ReduceOp(operands_, num_reductions, loc=loc, ip=ip)


def reduce_return(result: Any, *, loc: Any = None, ip: Any = None) -> ReduceReturnOp:
    """Returns a new `scf.reduce.return`."""
    return ReduceReturnOp(result, loc=loc, ip=ip)


def while_(results_: Any, inits: Any, *, loc: Any = None, ip: Any = None) -> Any:
    """Returns what a new `scf.while` computes: its result, or several; itself if it has none."""
    return get_op_result_or_op_results(WhileOp(results_, inits, loc=loc, ip=ip))


def yield_(results_: Any = (), *, loc: Any = None, ip: Any = None) -> YieldOp:
    """Returns a new `scf.yield`."""
    return YieldOp(results_, loc=loc, ip=ip)
