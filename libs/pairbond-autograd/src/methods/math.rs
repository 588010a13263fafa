//! Arithmetic, comparisons and functions of each element, by their names.

use pairbond::prelude::*;

use super::operators::{both, two, with};
use super::whole;
use crate::ops;
use crate::tensor::{Operand, Scalar, T, Tensor, TensorMath, given};

/// So many times.
fn scaled(other: Operand, alpha: Option<Scalar>) -> Result<Operand> {
    let Some(alpha) = alpha else { return Ok(other) };
    Ok(match other {
        Operand::Tensor(tensor) => Operand::Tensor(ops::mul_scalar(&tensor, alpha)?),
        Operand::Scalar(number) => Operand::Scalar(Scalar::Float(number.to::<f64>() * alpha.to::<f64>())),
    })
}

#[pairbond::methods]
impl TensorMath {
    /// The sum; `other` counts `alpha` times.
    fn add(this: Borrow<'_, Self>, other: Operand, #[keyword] alpha: Option<Scalar>) -> Result<Ref<Tensor>> {
        with(this, scaled(other, alpha)?, ops::add, ops::add_scalar)
    }

    /// The difference; `other` counts `alpha` times.
    fn sub(this: Borrow<'_, Self>, other: Operand, #[keyword] alpha: Option<Scalar>) -> Result<Ref<Tensor>> {
        with(this, scaled(other, alpha)?, ops::sub, ops::sub_scalar)
    }

    fn mul(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::mul, ops::mul_scalar)
    }

    fn div(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::div, ops::div_scalar)
    }

    fn pow(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::pow, ops::pow_scalar)
    }

    /// The root of the sum of both squares, also where a square would overflow.
    fn hypot(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::hypot)
    }

    /// The quotient, rounded down.
    fn floor_divide(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, ops::floor_divide)
    }

    /// The remainder of a division, with the sign of the divisor.
    fn remainder(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, ops::remainder)
    }

    /// The rest of a division that rounds towards zero.
    fn fmod(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        both(this, other, ops::fmod)
    }

    /// So far on the way to the end.
    fn lerp(this: Borrow<'_, Self>, end: Ref<Tensor>, weight: Operand) -> Result<Ref<Tensor>> {
        given(ops::lerp(&whole(this)?, &T::now(end), weight))
    }

    fn lt(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::lt, ops::lt_scalar)
    }

    fn le(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::le, ops::le_scalar)
    }

    fn eq(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::eq, ops::eq_scalar)
    }

    fn ne(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::ne, ops::ne_scalar)
    }

    fn gt(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::gt, ops::gt_scalar)
    }

    fn ge(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with(this, other, ops::ge, ops::ge_scalar)
    }

    fn maximum(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::maximum)
    }

    fn minimum(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::minimum)
    }

    fn matmul(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::matmul)
    }

    /// The product of two matrices.
    fn mm(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::mm)
    }

    /// The products of two batches of as many matrices.
    fn bmm(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        two(this, other, ops::bmm)
    }

    fn neg(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::neg(&whole(this)?))
    }

    fn exp(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::exp(&whole(this)?))
    }

    fn expm1(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::expm1(&whole(this)?))
    }

    fn log(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::log(&whole(this)?))
    }

    fn log2(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::log2(&whole(this)?))
    }

    fn log10(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::log10(&whole(this)?))
    }

    fn log1p(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::log1p(&whole(this)?))
    }

    fn sqrt(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::sqrt(&whole(this)?))
    }

    fn rsqrt(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::rsqrt(&whole(this)?))
    }

    fn reciprocal(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::reciprocal(&whole(this)?))
    }

    fn sin(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::sin(&whole(this)?))
    }

    fn cos(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::cos(&whole(this)?))
    }

    fn tan(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::tan(&whole(this)?))
    }

    fn asin(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::asin(&whole(this)?))
    }

    fn acos(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::acos(&whole(this)?))
    }

    fn atan(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::atan(&whole(this)?))
    }

    fn sinh(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::sinh(&whole(this)?))
    }

    fn cosh(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::cosh(&whole(this)?))
    }

    fn tanh(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::tanh(&whole(this)?))
    }

    fn sigmoid(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::sigmoid(&whole(this)?))
    }

    fn erf(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::erf(&whole(this)?))
    }

    fn relu(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::relu(&whole(this)?))
    }

    fn abs(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::abs(&whole(this)?))
    }

    fn sign(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::sign(&whole(this)?))
    }

    fn floor(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::floor(&whole(this)?))
    }

    fn ceil(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::ceil(&whole(this)?))
    }

    /// The nearest whole number, or that with so many decimals; halves to the even one.
    fn round(
        this: Borrow<'_, Self>,
        #[keyword]
        #[default(0)]
        decimals: i32,
    ) -> Result<Ref<Tensor>> {
        given(match decimals {
            0 => ops::round(&whole(this)?),
            _ => ops::round_to(&whole(this)?, decimals),
        })
    }

    /// The part behind the point.
    fn frac(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::frac(&whole(this)?))
    }

    /// Finite numbers in place of those that are not.
    fn nan_to_num(
        this: Borrow<'_, Self>,
        nan: Option<f64>,
        posinf: Option<f64>,
        neginf: Option<f64>,
    ) -> Result<Ref<Tensor>> {
        given(ops::nan_to_num(&whole(this)?, nan.unwrap_or(0.0), posinf, neginf))
    }

    fn trunc(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::trunc(&whole(this)?))
    }

    fn square(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::pow_scalar(&whole(this)?, Scalar::Int(2)))
    }

    /// Within bounds.
    fn clamp(this: Borrow<'_, Self>, min: Option<Operand>, max: Option<Operand>) -> Result<Ref<Tensor>> {
        given(ops::clamp_by(&whole(this)?, min, max))
    }

    fn logical_not(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        given(ops::eq_scalar(&whole(this)?, Scalar::Int(0)))
    }

    fn isnan(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        let a = whole(this)?;
        given(ops::ne(&a, &a))
    }
}
