"""The operations of StableHLO that the rewrites look at. What is not named here stays what it is."""

import pairbond_ir as ir

Splat = ir.DenseElementsAttr
Tensor = ir.RankedTensorType

stablehlo = ir.Dialect("stablehlo")
chlo = ir.Dialect("chlo")
BINARY = ir.Trait.PURE | ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE


@stablehlo.op
class Constant(ir.OpView):
    value: ir.Attribute
    output: ir.Result[Tensor]

    @staticmethod
    def infer_result_types(value):
        return value.type

    @property
    def number(self):
        """The number that all elements are; None if there are several."""
        return self.value.get_splat_value().value if isinstance(self.value, Splat) and self.value.is_splat else None


@stablehlo.op
class BroadcastInDimOp(ir.OpView):
    operand: ir.Operand[Tensor]
    broadcast_dimensions: ir.DenseArrayAttr
    output: ir.Result[Tensor]


@stablehlo.op(traits=BINARY | ir.Trait.COMMUTATIVE)
class Add(ir.OpView):
    lhs: ir.Operand[Tensor]
    rhs: ir.Operand[Tensor]
    output: ir.Result[Tensor]


@stablehlo.op(traits=BINARY | ir.Trait.COMMUTATIVE)
class Multiply(ir.OpView):
    lhs: ir.Operand[Tensor]
    rhs: ir.Operand[Tensor]
    output: ir.Result[Tensor]


@stablehlo.op(traits=BINARY)
class Subtract(ir.OpView):
    lhs: ir.Operand[Tensor]
    rhs: ir.Operand[Tensor]
    output: ir.Result[Tensor]


@stablehlo.op(traits=BINARY)
class Divide(ir.OpView):
    lhs: ir.Operand[Tensor]
    rhs: ir.Operand[Tensor]
    output: ir.Result[Tensor]


@stablehlo.op(traits=ir.Trait.PURE)
class Reshape(ir.OpView):
    operand: ir.Operand[Tensor]
    output: ir.Result[Tensor]


@chlo.op(traits=BINARY)
class Square(ir.OpView):
    operand: ir.Operand[Tensor]
    output: ir.Result[Tensor]
