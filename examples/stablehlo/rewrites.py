"""Rewrites of StableHLO, written in Python. Each keeps what the program computes, to the bit."""

import pairbond_ir as ir
from dialect import Constant, Multiply, Reshape


def splat(value):
    """The number that all elements of a value are, as far as a constant says so."""
    owner = value.owner
    return owner.number if isinstance(owner, Constant) else None


@ir.pattern("stablehlo.broadcast_in_dim")
def broadcast_of_a_splat(op, rewriter):
    """The same number everywhere is a constant of the larger type."""
    if splat(op.operand) is not None:
        element = op.operand.owner.value.get_splat_value()
        value = ir.DenseElementsAttr.get_splat(op.output.type, element)
        rewriter.replace_op(op, Constant(value, loc=op.location, ip=rewriter))


@ir.pattern("stablehlo.multiply")
def multiplication_by_one(op, rewriter):
    """x · 1 is x, for every x."""
    if splat(op.rhs) == 1:
        rewriter.replace_op(op, [op.lhs])
    elif splat(op.lhs) == 1:
        rewriter.replace_op(op, [op.rhs])


@ir.pattern("stablehlo.divide")
def division_by_a_power_of_two(op, rewriter):
    """x / 64 is x · 1/64, which is exact and cheaper."""
    number = splat(op.rhs)
    if isinstance(number, float) and number in (2.0**n for n in range(-20, 21)):
        kind = op.rhs.owner.value.get_splat_value().type
        element = ir.FloatAttr.get(kind, 1.0 / number)
        inverse = ir.DenseElementsAttr.get_splat(op.rhs.type, element)
        constant = Constant(inverse, loc=op.location, ip=rewriter)
        rewriter.replace_op(op, Multiply(op.lhs, constant, loc=op.location, ip=rewriter))


@ir.pattern("stablehlo.reshape")
def reshape_of_a_reshape(op, rewriter):
    """Only the last shape counts."""
    if op.operand.type is op.output.type:
        rewriter.replace_op(op, [op.operand])
    elif isinstance(op.operand.owner, Reshape):
        rewriter.modify_op_in_place(op, lambda: setattr(op, "operand", op.operand.owner.operand))


@ir.pattern("chlo.square")
def square(op, rewriter):
    """x² is x · x, which others know."""
    rewriter.replace_op(op, Multiply(op.operand, op.operand, loc=op.location, ip=rewriter))


ALL = [broadcast_of_a_splat, multiplication_by_one, division_by_a_power_of_two, reshape_of_a_reshape, square]
