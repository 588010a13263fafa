//! Arithmetic, comparisons and functions of each element, by their names.

use pairbond::prelude::*;

use super::operators::{with_both, with_operand, with_tensor};
use super::whole_tensor;
use crate::ops;
use crate::tensor::{Operand, Scalar, T, Tensor, TensorMath, into_tensor_result};

/// So many times.
fn scale_operand(other: Operand, alpha: Option<Scalar>) -> Result<Operand> {
    let Some(alpha) = alpha else { return Ok(other) };
    Ok(match other {
        Operand::Tensor(tensor) => Operand::Tensor(ops::mul_scalar(&tensor, alpha)?),
        Operand::Scalar(number) => Operand::Scalar(Scalar::Float(
            number.to_element::<f64>() * alpha.to_element::<f64>(),
        )),
    })
}

#[pairbond::methods]
impl TensorMath {
    /// The sum; `other` counts `alpha` times.
    fn add(this: Borrow<'_, Self>, other: Operand, #[keyword] alpha: Option<Scalar>) -> Result<Ref<Tensor>> {
        with_operand(this, scale_operand(other, alpha)?, ops::add, ops::add_scalar)
    }

    /// The difference; `other` counts `alpha` times.
    fn sub(this: Borrow<'_, Self>, other: Operand, #[keyword] alpha: Option<Scalar>) -> Result<Ref<Tensor>> {
        with_operand(this, scale_operand(other, alpha)?, ops::sub, ops::sub_scalar)
    }

    fn mul(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::mul, ops::mul_scalar)
    }

    fn div(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::div, ops::div_scalar)
    }

    fn pow(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::pow, ops::pow_scalar)
    }

    /// The root of the sum of both squares, also where a square would overflow.
    fn hypot(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::hypot)
    }

    /// The quotient, rounded down.
    fn floor_divide(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, ops::floor_divide)
    }

    /// The remainder of a division, with the sign of the divisor.
    fn remainder(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, ops::remainder)
    }

    /// The rest of a division that rounds towards zero.
    fn fmod(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_both(this, other, ops::fmod)
    }

    /// So far on the way to the end.
    fn lerp(this: Borrow<'_, Self>, end: Ref<Tensor>, weight: Operand) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::lerp(&whole_tensor(this)?, &T::from_tensor(end), weight))
    }

    fn lt(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::lt, ops::lt_scalar)
    }

    fn le(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::le, ops::le_scalar)
    }

    fn eq(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::eq, ops::eq_scalar)
    }

    fn ne(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::ne, ops::ne_scalar)
    }

    fn gt(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::gt, ops::gt_scalar)
    }

    fn ge(this: Borrow<'_, Self>, other: Operand) -> Result<Ref<Tensor>> {
        with_operand(this, other, ops::ge, ops::ge_scalar)
    }

    fn maximum(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::maximum)
    }

    fn minimum(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::minimum)
    }

    fn matmul(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::matmul)
    }

    /// The product of two matrices.
    fn mm(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::mm)
    }

    /// The products of two batches of as many matrices.
    fn bmm(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        with_tensor(this, other, ops::bmm)
    }

    fn neg(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::neg(&whole_tensor(this)?))
    }

    fn exp(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::exp(&whole_tensor(this)?))
    }

    fn expm1(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::expm1(&whole_tensor(this)?))
    }

    fn log(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::log(&whole_tensor(this)?))
    }

    fn log2(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::log2(&whole_tensor(this)?))
    }

    fn log10(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::log10(&whole_tensor(this)?))
    }

    fn log1p(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::log1p(&whole_tensor(this)?))
    }

    fn sqrt(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::sqrt(&whole_tensor(this)?))
    }

    fn rsqrt(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::rsqrt(&whole_tensor(this)?))
    }

    fn reciprocal(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::reciprocal(&whole_tensor(this)?))
    }

    fn sin(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::sin(&whole_tensor(this)?))
    }

    fn cos(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::cos(&whole_tensor(this)?))
    }

    fn tan(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::tan(&whole_tensor(this)?))
    }

    fn asin(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::asin(&whole_tensor(this)?))
    }

    fn acos(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::acos(&whole_tensor(this)?))
    }

    fn atan(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::atan(&whole_tensor(this)?))
    }

    fn sinh(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::sinh(&whole_tensor(this)?))
    }

    fn cosh(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::cosh(&whole_tensor(this)?))
    }

    fn tanh(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::tanh(&whole_tensor(this)?))
    }

    fn sigmoid(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::sigmoid(&whole_tensor(this)?))
    }

    fn erf(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::erf(&whole_tensor(this)?))
    }

    fn relu(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::relu(&whole_tensor(this)?))
    }

    fn abs(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::abs(&whole_tensor(this)?))
    }

    fn sign(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::sign(&whole_tensor(this)?))
    }

    fn floor(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::floor(&whole_tensor(this)?))
    }

    fn ceil(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::ceil(&whole_tensor(this)?))
    }

    /// The nearest whole number, or that with so many decimals; halves to the even one.
    fn round(
        this: Borrow<'_, Self>,
        #[keyword]
        #[default(0)]
        decimals: i32,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(match decimals {
            0 => ops::round(&whole_tensor(this)?),
            _ => ops::round_to(&whole_tensor(this)?, decimals),
        })
    }

    /// The part behind the point.
    fn frac(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::frac(&whole_tensor(this)?))
    }

    /// Finite numbers in place of those that are not.
    fn nan_to_num(
        this: Borrow<'_, Self>,
        nan: Option<f64>,
        posinf: Option<f64>,
        neginf: Option<f64>,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::nan_to_num(
            &whole_tensor(this)?,
            nan.unwrap_or(0.0),
            posinf,
            neginf,
        ))
    }

    fn trunc(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::trunc(&whole_tensor(this)?))
    }

    fn square(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::pow_scalar(&whole_tensor(this)?, Scalar::Int(2)))
    }

    /// Within bounds.
    fn clamp(this: Borrow<'_, Self>, min: Option<Operand>, max: Option<Operand>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::clamp_by(&whole_tensor(this)?, min, max))
    }

    fn logical_not(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::eq_scalar(&whole_tensor(this)?, Scalar::Int(0)))
    }

    fn isnan(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        into_tensor_result(ops::ne(&a, &a))
    }
}
