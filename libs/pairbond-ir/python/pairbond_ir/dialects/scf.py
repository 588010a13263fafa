"""`scf`: loops and branches that have regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._fields import Result
from .._pairbond_ir import (
    ArrayAttr,
    Attribute,
    Block,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    IndexType,
    InsertionPoint,
    OpView,
    Region,
    Type,
    Value,
)
from ..declaring import Trait
from . import arith
from ._making import attribute_of, declare, made, segmented, value_of
from ._ods_common import _dispatch_dynamic_index_list, get_default_loc_context, get_op_result_or_op_results
from ._scf_ops_gen import *  # noqa: F403
from ._scf_ops_gen import _Dialect


class ForOp(OpView):
    """A loop over a range of numbers."""

    lowerBound: Value
    upperBound: Value
    step: Value
    initArgs: Sequence[Value]
    unsignedCmp: Attribute | None
    results_: Sequence[Result[Type]]
    region: Region

    @property
    def body(self) -> Block:
        """Its block."""
        return self.regions[0].blocks[0]  # type: ignore[no-any-return]

    @property
    def induction_variable(self) -> Value:
        """The number that it is at."""
        number: Value = self.body.arguments[0]
        return number

    @property
    def inner_iter_args(self) -> Any:
        """What it carries from one round to the next, as its body has it."""
        return self.body.arguments[1:]


class ForallOp(OpView):
    """A loop whose rounds may run at the same time."""

    dynamicLowerBound: Sequence[Value]
    dynamicUpperBound: Sequence[Value]
    dynamicStep: Sequence[Value]
    outputs: Sequence[Value]
    staticLowerBound: DenseI64ArrayAttr
    staticUpperBound: DenseI64ArrayAttr
    staticStep: DenseI64ArrayAttr
    mapping: ArrayAttr | None
    results_: Sequence[Result[Type]]
    region: Region

    @property
    def body(self) -> Block:
        """Its block."""
        return self.regions[0].blocks[0]  # type: ignore[no-any-return]

    @property
    def rank(self) -> int:
        """How many numbers it counts."""
        return len(self.staticLowerBound)

    @property
    def induction_variables(self) -> Any:
        """The numbers that it is at."""
        return self.body.arguments[: self.rank]

    @property
    def inner_iter_args(self) -> Any:
        """The shared tensors, as its body has them."""
        return self.body.arguments[self.rank :]

    def terminator(self) -> InParallelOp:
        """Returns the operation that it ends with, which is new unless there is one."""
        last = self.body.operations[-1] if len(self.body.operations) else None
        if isinstance(last, InParallelOp):
            return last
        return InParallelOp(ip=InsertionPoint(self.body))


class InParallelOp(OpView):
    """The end of a `forall`: what its rounds write to shared tensors."""

    region: Region

    @property
    def block(self) -> Block:
        """Its block."""
        return self.regions[0].blocks[0]  # type: ignore[no-any-return]


class IfOp(OpView):
    """The one or the other of two regions."""

    condition: Value
    results_: Sequence[Result[Type]]
    thenRegion: Region
    elseRegion: Region

    @property
    def then_block(self) -> Block:
        """The block of what is done if the condition is true."""
        return self.regions[0].blocks[0]  # type: ignore[no-any-return]

    @property
    def else_block(self) -> Block | None:
        """The block of what is done otherwise; None if there is none."""
        blocks = self.regions[1].blocks
        return blocks[0] if len(blocks) else None


class IndexSwitchOp(OpView):
    """The region of a number, or another one."""

    arg: Value
    cases: DenseI64ArrayAttr
    results_: Sequence[Result[Type]]
    defaultRegion: Region
    caseRegions: Sequence[Region]

    @property
    def default_region(self) -> Region:
        """The region of all other numbers."""
        return self.regions[0]  # type: ignore[no-any-return]

    @property
    def default_block(self) -> Block:
        """The block of all other numbers."""
        return self.default_region.blocks[0]  # type: ignore[no-any-return]

    @property
    def case_regions(self) -> Any:
        """The regions of numbers."""
        return self.regions[1:]

    def case_region(self, i: int) -> Region:
        """Returns the region of a number by its place."""
        return self.case_regions[i]  # type: ignore[no-any-return]

    @property
    def case_blocks(self) -> list[Block]:
        """The blocks of numbers."""
        return [it.blocks[0] for it in self.case_regions]

    def case_block(self, i: int) -> Block:
        """Returns the block of a number by its place."""
        return self.case_region(i).blocks[0]  # type: ignore[no-any-return]


def _for(
    cls: Any, lower_bound: Any, upper_bound: Any, step: Any, iter_args: Any = None, *, loc: Any = None, ip: Any = None
) -> Any:
    operands, _ = segmented([lower_bound, upper_bound, step], iter_args or [])
    carried = [it.type for it in operands[3:]]
    op = made(cls, operands, results=carried, regions=1, loc=loc, ip=ip)
    op.regions[0].blocks.append(operands[0].type, *carried)
    return op


def _forall(
    cls: Any,
    lower_bounds: Any,
    upper_bounds: Any,
    steps: Any,
    shared_outs: Any = None,
    *,
    mapping: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    if not len(lower_bounds) == len(upper_bounds) == len(steps):
        raise ValueError("lower bounds, upper bounds and steps are not equally many")
    bounds = [_dispatch_dynamic_index_list(it) for it in (lower_bounds, upper_bounds, steps)]
    operands, sizes = segmented(*(values for values, _, _ in bounds), shared_outs or [])
    context = operands[0].context if operands else get_default_loc_context(loc)
    names = ("staticLowerBound", "staticUpperBound", "staticStep")
    attributes: dict[str, Any] = {
        name: DenseI64ArrayAttr.get(numbers, context) for name, (_, numbers, _) in zip(names, bounds, strict=True)
    }
    attributes["mapping"] = mapping if mapping is None else attribute_of("ArrayAttr", mapping, context)
    attributes["operandSegmentSizes"] = DenseI32ArrayAttr.get(sizes, context)
    shared = [it.type for it in operands[len(operands) - sizes[3] :]]
    op = made(cls, operands, results=shared, attributes=attributes, regions=1, loc=loc, ip=ip)
    op.regions[0].blocks.append(*[IndexType.get(context)] * len(steps), *shared)
    return op


def _in_parallel(cls: Any, loc: Any = None, ip: Any = None) -> Any:
    op = made(cls, [], results=[], regions=1, loc=loc, ip=ip)
    op.regions[0].blocks.append()
    return op


def _if(cls: Any, cond: Any, results_: Any = None, *, has_else: bool = False, loc: Any = None, ip: Any = None) -> Any:
    op = made(cls, [cond], results=list(results_ or []), regions=2, loc=loc, ip=ip)
    for region in op.regions[: 1 + bool(has_else)]:
        region.blocks.append()
    return op


def _index_switch(
    cls: Any,
    results: Any,
    arg: Any,
    cases: Any,
    case_body_builder: Any = None,
    default_body_builder: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    cases = attribute_of("DenseI64ArrayAttr", cases, value_of(arg).context)
    regions = 1 + len(cases)
    op = made(cls, [arg], results=list(results), attributes={"cases": cases}, regions=regions, loc=loc, ip=ip)
    for region in op.regions:
        region.blocks.append()
    if default_body_builder is not None:
        with InsertionPoint(op.default_block):
            default_body_builder(op)
    if case_body_builder is not None:
        for place, case in enumerate(cases):
            with InsertionPoint(op.case_block(place)):
                case_body_builder(op, place, case)
    return op


for _cls, _mnemonic, _make, _traits in (
    (ForOp, "for", _for, Trait.SINGLE_BLOCK),
    (ForallOp, "forall", _forall, Trait.SINGLE_BLOCK),
    (IfOp, "if", _if, Trait.SINGLE_BLOCK | Trait.NO_REGION_ARGUMENTS),
    (InParallelOp, "forall.in_parallel", _in_parallel, Trait.TERMINATOR | Trait.NO_TERMINATOR | Trait.GRAPH_REGION),
    (IndexSwitchOp, "index_switch", _index_switch, Trait.SINGLE_BLOCK),
):
    declare(_Dialect, _cls, _mnemonic, _make, None, _traits)


def for_(
    start: Any,
    stop: Any = None,
    step: Any = None,
    iter_args: Any = None,
    *,
    loc: Any = None,
    ip: Any = None,
) -> Iterator[Any]:
    """Makes a loop, and returns an iterator whose only round is its body: `for i in scf.for_(10): …`.

    With `iter_args` the round has the number, what is carried and what the loop computes: `for i, x, y in …`.
    """
    bounds = [0, start, 1 if step is None else step] if stop is None else [start, stop, 1 if step is None else step]
    for place, it in enumerate(bounds):
        if isinstance(it, float):
            raise ValueError(f"p={it!r} must be int.")
        if isinstance(it, int):
            bounds[place] = arith.constant(IndexType.get(), it)
    op: Any = ForOp(*bounds, iter_args, loc=loc, ip=ip)
    carried = tuple(op.inner_iter_args)
    with InsertionPoint(op.body):
        if len(carried) > 1:
            yield op.induction_variable, carried, op.results
        elif carried:
            yield op.induction_variable, carried[0], op.results[0]
        else:
            yield op.induction_variable


def forall_in_parallel(*, loc: Any = None, ip: Any = None) -> InParallelOp:
    """Returns a new `scf.forall.in_parallel`."""
    return InParallelOp(loc=loc, ip=ip)


def if_(results_: Any, condition: Any, *, loc: Any = None, ip: Any = None) -> Any:
    """Returns what a new `scf.if` without blocks computes: its result, or several; itself if it has none."""
    return get_op_result_or_op_results(made(IfOp, [condition], results=list(results_), regions=2, loc=loc, ip=ip))


def index_switch(
    results: Any,
    arg: Any,
    cases: Any,
    case_body_builder: Any = None,
    default_body_builder: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    """Returns what a new `scf.index_switch` computes: its result, or several; itself if it has none."""
    op = IndexSwitchOp(results, arg, cases, case_body_builder, default_body_builder, loc, ip)
    return get_op_result_or_op_results(op)
