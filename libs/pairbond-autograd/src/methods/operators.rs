//! Operators.

use pairbond::Object;
use pairbond::prelude::*;

use super::whole_tensor;
use crate::ops;
use crate::tensor::{Operand, Scalar, T, Tensor, TensorOperators, into_tensor_result};

/// An operation with another tensor, or with a number.
#[inline]
pub(super) fn with_operand<B: Object>(
    this: Borrow<'_, B>,
    other: Operand,
    tensor: fn(&T, &T) -> Result<T>,
    number: fn(&T, Scalar) -> Result<T>,
) -> Result<Ref<Tensor>> {
    let this = whole_tensor(this)?;
    into_tensor_result(match other {
        Operand::Tensor(other) => tensor(&this, &other.unify_with(&this)),
        Operand::Scalar(other) => number(&this, other),
    })
}

/// An operation with another tensor; a number becomes one.
pub(super) fn with_both<B: Object>(
    this: Borrow<'_, B>,
    other: Operand,
    operation: fn(&T, &T) -> Result<T>,
) -> Result<Ref<Tensor>> {
    let this = whole_tensor(this)?;
    into_tensor_result(operation(&this, &other.into_tensor_beside(&this)))
}

/// An operation with another tensor.
pub(super) fn with_tensor<B: Object>(
    this: Borrow<'_, B>,
    other: Ref<Tensor>,
    operation: fn(&T, &T) -> Result<T>,
) -> Result<Ref<Tensor>> {
    with_both(this, Operand::Tensor(T::from_tensor(other)), operation)
}

#[pairbond::methods]
impl TensorOperators {
    fn __add__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::add, ops::add_scalar)
    }

    fn __radd__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::add, ops::add_scalar)
    }

    fn __sub__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::sub, ops::sub_scalar)
    }

    fn __rsub__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(
            this,
            other,
            |a, b| ops::sub(b, a),
            |a, number| ops::scalar_sub(number, a),
        )
    }

    fn __mul__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::mul, ops::mul_scalar)
    }

    fn __rmul__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::mul, ops::mul_scalar)
    }

    fn __truediv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::div, ops::div_scalar)
    }

    fn __rtruediv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(
            this,
            other,
            |a, b| ops::div(b, a),
            |a, number| ops::scalar_div(number, a),
        )
    }

    fn __floordiv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, ops::floor_divide)
    }

    fn __rfloordiv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::floor_divide(b, a))
    }

    fn __mod__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, ops::remainder)
    }

    fn __rmod__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::remainder(b, a))
    }

    fn __pow__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::pow, ops::pow_scalar)
    }

    fn __rpow__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::pow(b, a))
    }

    fn __lt__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::lt, ops::lt_scalar)
    }

    fn __le__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::le, ops::le_scalar)
    }

    fn __eq__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::eq, ops::eq_scalar)
    }

    fn __ne__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::ne, ops::ne_scalar)
    }

    fn __gt__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::gt, ops::gt_scalar)
    }

    fn __ge__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::ge, ops::ge_scalar)
    }

    fn __hash__(this: Borrow<'_, Self>) -> u64 {
        std::ptr::from_ref(this.to_ref().header()).addr() as u64
    }

    fn __and__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| {
            ops::bitwise_op(a, b, "bitwise_and", |v, w| v & w, |v, w| v & w)
        })
    }

    fn __or__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| {
            ops::bitwise_op(a, b, "bitwise_or", |v, w| v | w, |v, w| v | w)
        })
    }

    fn __xor__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| {
            ops::bitwise_op(a, b, "bitwise_xor", |v, w| v ^ w, |v, w| v ^ w)
        })
    }

    fn __lshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::shift_bits(a, b, true))
    }

    fn __rlshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::shift_bits(b, a, true))
    }

    fn __rshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::shift_bits(a, b, false))
    }

    fn __rrshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, |a, b| ops::shift_bits(b, a, false))
    }

    fn __invert__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::bitwise_not(&whole_tensor(this)?))
    }

    fn __neg__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::neg(&whole_tensor(this)?))
    }

    fn __pos__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(whole_tensor(this))
    }

    fn __abs__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::abs(&whole_tensor(this)?))
    }

    fn __matmul__(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::matmul)
    }
}
