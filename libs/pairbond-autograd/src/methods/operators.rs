//! Operators.

use pairbond::Object;
use pairbond::prelude::*;

use super::whole;
use crate::ops;
use crate::tensor::{Operand, Scalar, T, Tensor, TensorOperators, given};

/// An operation with another tensor, or with a number.
#[inline]
pub(super) fn with<B: Object>(
    this: Borrow<'_, B>,
    other: Operand,
    tensor: fn(&T, &T) -> Result<T>,
    number: fn(&T, Scalar) -> Result<T>,
) -> Result<Ref<Tensor>> {
    let this = whole(this)?;
    given(match other {
        Operand::Tensor(other) => tensor(&this, &other.beside(&this)),
        Operand::Scalar(other) => number(&this, other),
    })
}

/// An operation with another tensor; a number becomes one.
pub(super) fn both<B: Object>(
    this: Borrow<'_, B>,
    other: Operand,
    operation: fn(&T, &T) -> Result<T>,
) -> Result<Ref<Tensor>> {
    let this = whole(this)?;
    given(operation(&this, &other.beside(&this)))
}

/// An operation with another tensor.
pub(super) fn two<B: Object>(
    this: Borrow<'_, B>,
    other: Ref<Tensor>,
    operation: fn(&T, &T) -> Result<T>,
) -> Result<Ref<Tensor>> {
    both(this, Operand::Tensor(T::now(other)), operation)
}

#[pairbond::methods]
impl TensorOperators {
    fn __add__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::add, ops::add_scalar)
    }

    fn __radd__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::add, ops::add_scalar)
    }

    fn __sub__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::sub, ops::sub_scalar)
    }

    fn __rsub__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(
            this,
            other,
            |a, b| ops::sub(b, a),
            |a, number| ops::scalar_sub(number, a),
        )
    }

    fn __mul__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::mul, ops::mul_scalar)
    }

    fn __rmul__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::mul, ops::mul_scalar)
    }

    fn __truediv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::div, ops::div_scalar)
    }

    fn __rtruediv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(
            this,
            other,
            |a, b| ops::div(b, a),
            |a, number| ops::scalar_div(number, a),
        )
    }

    fn __floordiv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, ops::floor_divide)
    }

    fn __rfloordiv__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::floor_divide(b, a))
    }

    fn __mod__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, ops::remainder)
    }

    fn __rmod__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::remainder(b, a))
    }

    fn __pow__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::pow, ops::pow_scalar)
    }

    fn __rpow__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::pow(b, a))
    }

    fn __lt__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::lt, ops::lt_scalar)
    }

    fn __le__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::le, ops::le_scalar)
    }

    fn __eq__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::eq, ops::eq_scalar)
    }

    fn __ne__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::ne, ops::ne_scalar)
    }

    fn __gt__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::gt, ops::gt_scalar)
    }

    fn __ge__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::ge, ops::ge_scalar)
    }

    fn __hash__(this: Borrow<'_, Self>) -> u64 {
        std::ptr::from_ref(this.to_ref().header()).addr() as u64
    }

    fn __and__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| {
            ops::bits(a, b, "bitwise_and", |v, w| v & w, |v, w| v & w)
        })
    }

    fn __or__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| {
            ops::bits(a, b, "bitwise_or", |v, w| v | w, |v, w| v | w)
        })
    }

    fn __xor__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| {
            ops::bits(a, b, "bitwise_xor", |v, w| v ^ w, |v, w| v ^ w)
        })
    }

    fn __lshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::shift(a, b, true))
    }

    fn __rlshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::shift(b, a, true))
    }

    fn __rshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::shift(a, b, false))
    }

    fn __rrshift__(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, |a, b| ops::shift(b, a, false))
    }

    fn __invert__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::invert(&whole(this)?))
    }

    fn __neg__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::neg(&whole(this)?))
    }

    fn __pos__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(whole(this))
    }

    fn __abs__(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::abs(&whole(this)?))
    }

    fn __matmul__(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::matmul)
    }
}
