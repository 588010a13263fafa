"""Operations of `cf`, which MLIR's bindings generate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._globals import register_dialect
from .._pairbond_ir import Attribute, Block, DenseI32ArrayAttr, OpView, StringAttr, Value
from ..declaring import Dialect, Trait
from ._making import attribute_of, declare, made, segmented, value_of


@register_dialect
class _Dialect(Dialect):
    """The dialect."""

    DIALECT_NAMESPACE = "cf"


class AssertOp(OpView):
    """The end of the program with a message, unless a value is true."""

    arg: Value
    msg: StringAttr


class BranchOp(OpView):
    """A jump to a block."""

    destOperands: Sequence[Value]
    dest: Block


class CondBranchOp(OpView):
    """A jump to the one or the other of two blocks."""

    condition: Value
    trueDestOperands: Sequence[Value]
    falseDestOperands: Sequence[Value]
    branch_weights: DenseI32ArrayAttr | None
    trueDest: Block
    falseDest: Block


class SwitchOp(OpView):
    """A jump to the block of a number, or to another one."""

    flag: Value
    defaultOperands: Sequence[Value]
    caseOperands: Sequence[Value]
    case_values: Attribute | None
    case_operand_segments: DenseI32ArrayAttr
    defaultDestination: Block
    caseDestinations: Sequence[Block]


def _assert(cls: type[AssertOp], arg: Any, msg: Any, *, loc: Any = None, ip: Any = None) -> Any:
    context = value_of(arg).context
    return made(cls, [arg], results=[], attributes={"msg": attribute_of("StrAttr", msg, context)}, loc=loc, ip=ip)


def _branch(cls: type[BranchOp], destOperands: Any, dest: Block, *, loc: Any = None, ip: Any = None) -> Any:
    (operands, _) = segmented(destOperands)
    return made(cls, operands, results=[], successors=[dest], loc=loc, ip=ip)


def _cond_branch(
    cls: type[CondBranchOp],
    condition: Any,
    trueDestOperands: Any,
    falseDestOperands: Any,
    trueDest: Block,
    falseDest: Block,
    *,
    branch_weights: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    context = value_of(condition).context
    operands, sizes = segmented([condition], trueDestOperands, falseDestOperands)
    attributes = {
        "branch_weights": attribute_of("DenseI32ArrayAttr", branch_weights, context),
        "operandSegmentSizes": DenseI32ArrayAttr.get(sizes, context),
    }
    return made(cls, operands, results=[], attributes=attributes, successors=[trueDest, falseDest], loc=loc, ip=ip)


def _switch(
    cls: type[SwitchOp],
    flag: Any,
    defaultOperands: Any,
    caseOperands: Any,
    case_operand_segments: Any,
    defaultDestination: Block,
    caseDestinations: Sequence[Block],
    *,
    case_values: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    context = value_of(flag).context
    operands, sizes = segmented([flag], defaultOperands, caseOperands)
    attributes = {
        "case_values": attribute_of("AnyIntElementsAttr", case_values, context),
        "case_operand_segments": attribute_of("DenseI32ArrayAttr", case_operand_segments, context),
        "operandSegmentSizes": DenseI32ArrayAttr.get(sizes, context),
    }
    successors = [defaultDestination, *caseDestinations]
    return made(cls, operands, results=[], attributes=attributes, successors=successors, loc=loc, ip=ip)


declare(_Dialect, AssertOp, "assert", _assert, lambda operands, attributes: [], Trait.NONE)
declare(_Dialect, BranchOp, "br", _branch, lambda operands, attributes: [], Trait.TERMINATOR)
declare(_Dialect, CondBranchOp, "cond_br", _cond_branch, lambda operands, attributes: [], Trait.TERMINATOR)
declare(_Dialect, SwitchOp, "switch", _switch, lambda operands, attributes: [], Trait.TERMINATOR)


def assert_(arg: Any, msg: Any, *, loc: Any = None, ip: Any = None) -> AssertOp:
    """Returns a new `cf.assert`."""
    return AssertOp(arg, msg, loc=loc, ip=ip)


def br(dest_operands: Any, dest: Block, *, loc: Any = None, ip: Any = None) -> BranchOp:
    """Returns a new `cf.br`."""
    return BranchOp(dest_operands, dest, loc=loc, ip=ip)


def cond_br(
    condition: Any,
    true_dest_operands: Any,
    false_dest_operands: Any,
    true_dest: Block,
    false_dest: Block,
    *,
    branch_weights: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> CondBranchOp:
    """Returns a new `cf.cond_br`."""
    return CondBranchOp(
        condition,
        true_dest_operands,
        false_dest_operands,
        true_dest,
        false_dest,
        branch_weights=branch_weights,
        loc=loc,
        ip=ip,
    )


def switch(
    flag: Any,
    default_operands: Any,
    case_operands: Any,
    case_operand_segments: Any,
    default_destination: Block,
    case_destinations: Sequence[Block],
    *,
    case_values: Any = None,
    loc: Any = None,
    ip: Any = None,
) -> SwitchOp:
    """Returns a new `cf.switch`."""
    return SwitchOp(
        flag,
        default_operands,
        case_operands,
        case_operand_segments,
        default_destination,
        case_destinations,
        case_values=case_values,
        loc=loc,
        ip=ip,
    )


__all__ = ["AssertOp", "BranchOp", "CondBranchOp", "SwitchOp", "assert_", "br", "cond_br", "switch"]
