//! Functions of each element, one line each.

use pairbond::prelude::*;

use super::common::{map, to_floating};
use super::{add_number, div, mul, mul_number, neg, sub, where_passed};
use crate::data::{DType, dispatch, dispatch_float};
use crate::engine::{In, Out, Tensors, record_op};
use crate::kernels::{Erf, Logs, Vector};
use crate::tensor::{Scalar, T, Tensor, filled_tensor};

/// `how: name "GradFn" (saved) = |element| value, |gradient, saved| derivative;`
macro_rules! functions {
    ($how:ident: $($(#[$doc:meta])* $name:ident $node:literal ($save:ident) = |$v:ident| $value:expr, |$g:ident, $s:ident| $derivative:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(a: &T) -> Result<T> {
            let a_or_float = &to_floating(a);
            let out = map!($how: dispatch_float(a_or_float.dtype(), stringify!($name)), a_or_float, |$v| $value)?;
            record_op($node, [a], &[functions!(@$save a)], (), out, |g, ()| {
                let ($g, $s) = (&g.result_grad(), &g.saved_tensor(0)?);
                Ok([Some($derivative?)])
            })
        }
    )*};
    (@In $a:ident) => { In($a) };
    (@Out $a:ident) => { Out };
}

functions! { mapped_by_vectors:
    exp "ExpBackward0" (Out) = |v| Vector::exp(v), |g, y| mul(g, y);
    tanh "TanhBackward0" (Out) = |v| Vector::tanh(v), |g, y| mul(g, &one_less(&mul(y, y)?)?);
    sigmoid "SigmoidBackward0" (Out) = |v| 1.0 / (1.0 + Vector::exp(-v)), |g, y| mul(g, &mul(y, &one_less(y)?)?);
    sqrt "SqrtBackward0" (Out) = |v| v.sqrt(), |g, y| div(g, &mul_number(y, 2.0)?);
    rsqrt "RsqrtBackward0" (Out) = |v| v.sqrt().recip(), |g, y| mul_number(&mul(g, &mul(y, &mul(y, y)?)?)?, -0.5);
    expm1 "Expm1Backward0" (Out) = |v| Vector::exp_m1(v), |g, y| mul(g, &add_number(y, 1.0)?);
    log "LogBackward0" (In) = |v| Logs::ln(v), |g, x| div(g, x);
    log2 "Log2Backward0" (In) = |v| Logs::log2(v), |g, x| div(g, &mul_number(x, std::f64::consts::LN_2)?);
    log1p "Log1PBackward0" (In) = |v| Logs::ln_1p(v), |g, x| div(g, &add_number(x, 1.0)?);
    erf "ErfBackward0" (In) = |v| Erf::erf(v), |g, x| mul_number(&mul(g, &exp(&neg(&mul(x, x)?)?)?)?, std::f64::consts::FRAC_2_SQRT_PI);
    softplus "SoftplusBackward0" (In) = |v| {
        let soft = Logs::ln_1p(Vector::exp(v));
        if v > 20.0 { v } else { soft }
    }, |g, x| mul(g, &sigmoid(x)?);
    /// `x` times the part of a normal distribution that is below it.
    gelu "GeluBackward0" (In) = |v| 0.5 * v * (1.0 + Erf::erf(v * std::f64::consts::FRAC_1_SQRT_2 as E)), |g, x| {
        let below = mul_number(&add_number(&erf(&mul_number(x, std::f64::consts::FRAC_1_SQRT_2)?)?, 1.0)?, 0.5)?;
        let density = mul_number(&exp(&mul_number(&mul(x, x)?, -0.5)?)?, 0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2)?;
        mul(g, &super::add(&below, &mul(x, &density)?)?)
    };
}

functions! { heavy:
    log10 "Log10Backward0" (In) = |v| v.log10(), |g, x| div(g, &mul_number(x, std::f64::consts::LN_10)?);
    sin "SinBackward0" (In) = |v| v.sin(), |g, x| mul(g, &cos(x)?);
    cos "CosBackward0" (In) = |v| v.cos(), |g, x| neg(&mul(g, &sin(x)?)?);
    tan "TanBackward0" (Out) = |v| v.tan(), |g, y| mul(g, &add_number(&mul(y, y)?, 1.0)?);
    asin "AsinBackward0" (In) = |v| v.asin(), |g, x| mul(g, &rsqrt(&one_less(&mul(x, x)?)?)?);
    acos "AcosBackward0" (In) = |v| v.acos(), |g, x| neg(&mul(g, &rsqrt(&one_less(&mul(x, x)?)?)?)?);
    atan "AtanBackward0" (In) = |v| v.atan(), |g, x| div(g, &add_number(&mul(x, x)?, 1.0)?);
    sinh "SinhBackward0" (In) = |v| v.sinh(), |g, x| mul(g, &cosh(x)?);
    cosh "CoshBackward0" (In) = |v| v.cosh(), |g, x| mul(g, &sinh(x)?);
}

/// `1 - a`.
fn one_less(a: &T) -> Result<T> {
    add_number(&neg(a)?, 1.0)
}

pub(crate) fn relu(a: &T) -> Result<T> {
    let out = map!(dispatch(a.dtype()), a, |v| if v < E::default() {
        E::default()
    } else {
        v
    })?;
    record_op("ReluBackward0", [a], &[Out], (), out, |g, ()| {
        let out = g.saved_tensor(0)?;
        let passed = where_passed(&g.result_grad(), &out, |v| v > 0.0 || v.is_nan())?;
        Ok([Some(flat_in(passed, &out, "ThresholdBackwardBackward0")?)])
    })
}

/// A gradient that does not change with `x`, and yet depends on it: who asks for its derivative
/// gets zeros.
pub(crate) fn flat_in(grad: T, x: &T, name: &'static str) -> Result<T> {
    if !x.requires_grad() {
        return Ok(grad);
    }
    let out = Tensor::new_detached(&grad);
    let params = (x.shape().to_vec(), x.dtype() == DType::Float64);
    record_op(name, [&grad, x], &[], params, out, |g, (shape, double)| {
        let dtype = if *double { DType::Float64 } else { DType::Float32 };
        Ok([
            Some(g.result_grad()),
            g.when(1, || Ok(filled_tensor(0.0, shape, dtype)))?,
        ])
    })
}

pub(crate) fn abs(a: &T) -> Result<T> {
    let out = match a.dtype() {
        DType::Bool => a.clone(),
        DType::Int64 => super::maximum(a, &neg(a)?)?,
        dtype => map!(dispatch_float(dtype, "abs"), a, |v| v.abs())?,
    };
    record_op("AbsBackward0", [a], &[In(a)], (), out, |g, ()| {
        Ok([Some(mul(&g.result_grad(), &sign(&g.saved_tensor(0)?)?)?)])
    })
}

pub(crate) fn sign(a: &T) -> Result<T> {
    let zero = Scalar::Int(0);
    let (above, below) = (super::gt_scalar(a, zero)?, super::lt_scalar(a, zero)?);
    let dtype = a.dtype();
    let out = sub(
        &super::to_dtype_untracked(&above, dtype),
        &super::to_dtype_untracked(&below, dtype),
    )?;
    record_op("SignBackward0", [a], &[], (), out, |g, ()| {
        Ok([Some(zero_grad(&g.result_grad()))])
    })
}

/// The gradient of a function that is constant nearly everywhere, also where `grad` is not finite.
pub(crate) fn zero_grad(grad: &T) -> T {
    filled_tensor(0.0, grad.shape(), grad.dtype())
}

/// Functions that are constant nearly everywhere: `name = |element| value`, whose derivative is
/// zero.
macro_rules! steps {
    ($($name:ident $node:literal = |$v:ident| $value:expr;)*) => {$(
        pub(crate) fn $name(a: &T) -> Result<T> {
            if !a.dtype().is_float() {
                return Ok(a.clone());
            }
            let out = map!(dispatch_float(a.dtype(), stringify!($name)), a, |$v| $value)?;
            record_op($node, [a], &[], (), out, |g, ()| Ok([Some(zero_grad(&g.result_grad()))]))
        }
    )*};
}

steps! {
    floor "FloorBackward0" = |v| v.floor();
    ceil "CeilBackward0" = |v| v.ceil();
    round "RoundBackward0" = |v| v.round_ties_even();
    trunc "TruncBackward0" = |v| v.trunc();
}
