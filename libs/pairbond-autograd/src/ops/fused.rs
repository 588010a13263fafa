//! Operations that could be made of others, and are one node as in PyTorch: so they can be written
//! to a view, whose old value is the first input of one node.

use pairbond::prelude::*;

use super::arithmetic::{check_nonzero, zip_integers};
use super::common::{fit_grad, grad_like, map, promote_both, record_fit, zip};
use super::{
    add_number, choose_elements, eq, le, lt, masked_fill, mul, mul_number, neg, sub, where_passed, zero_grad,
};
use crate::data::{DType, dispatch_float};
use crate::engine::{For, In, Tensors, record_op};
use crate::tensor::{Operand, Scalar, T, filled_tensor};

/// So far on the way from `a` to `end`; from the nearer of both, so that they are met.
pub(crate) fn lerp(a: &T, end: &T, weight: Operand) -> Result<T> {
    let way = |weight: &T| super::without_recording(|| lerp_untracked(a, end, weight));
    match weight {
        Operand::Scalar(weight) => {
            let weight = weight.to_element::<f64>();
            let out = way(&filled_tensor(weight, &[], DType::Float64))?;
            let params = (weight, record_fit(a, &out), record_fit(end, &out));
            record_op(
                "LerpBackward0",
                [a, end],
                &[],
                params,
                out,
                |g, (weight, a, end)| {
                    Ok([
                        g.when(0, || fit_grad(&mul_number(&g.result_grad(), 1.0 - weight)?, a))?,
                        g.when(1, || fit_grad(&mul_number(&g.result_grad(), *weight)?, end))?,
                    ])
                },
            )
        }
        Operand::Tensor(weight) => {
            let (out, saves) = (way(&weight)?, [In(&weight), In(a), In(end)]);
            let saves = &saves[..if weight.requires_grad() { 3 } else { 1 }];
            let params = (record_fit(a, &out), record_fit(end, &out));
            record_op(
                "LerpBackward1",
                [a, end, &weight],
                saves,
                params,
                out,
                |g, (a, end)| {
                    let weight = g.saved_tensor(0)?;
                    Ok([
                        g.when(0, || {
                            fit_grad(&mul(&g.result_grad(), &add_number(&neg(&weight)?, 1.0)?)?, a)
                        })?,
                        g.when(1, || fit_grad(&mul(&g.result_grad(), &weight)?, end))?,
                        g.when(2, || {
                            grad_like(
                                &mul(&g.result_grad(), &sub(&g.saved_tensor(2)?, &g.saved_tensor(1)?)?)?,
                                &weight,
                            )
                        })?,
                    ])
                },
            )
        }
    }
}

fn lerp_untracked(a: &T, end: &T, weight: &T) -> Result<T> {
    let away = sub(end, a)?;
    let near = super::lt_scalar(&super::abs(weight)?, Scalar::Float(0.5))?;
    let from_end = sub(end, &mul(&away, &add_number(&neg(weight)?, 1.0)?)?)?;
    choose_elements(&near, &super::add(a, &mul(&away, weight)?)?, &from_end)
}

/// The rest of a division that rounds towards zero.
pub(crate) fn fmod(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let out = if dtype.is_float() {
        zip!(dispatch_float(dtype, "fmod"), &one, &other, |v, w| v % w)
    } else {
        let whole = |it| super::to_dtype_untracked(it, DType::Int64);
        check_nonzero(&whole(&other))?;
        zip_integers(&whole(&one), &whole(&other), i64::wrapping_rem)
    }?;
    let (params, saves) = (record_fit(a, &out), [For(1, a), For(1, b)]);
    record_op("FmodBackward1", [a, b], &saves, params, out, |g, fit| {
        Ok([
            g.when(0, || fit_grad(&g.result_grad(), fit))?,
            g.when(1, || {
                let (a, b) = (g.saved_tensor(0)?, g.saved_tensor(1)?);
                grad_like(
                    &neg(&mul(&g.result_grad(), &super::trunc(&super::div(&a, &b)?)?)?)?,
                    &b,
                )
            })?,
        ])
    })
}

/// The part behind the point.
pub(crate) fn frac(a: &T) -> Result<T> {
    let out = map!(dispatch_float(a.dtype(), "frac"), a, |v| v - v.trunc())?;
    record_op("FracBackward0", [a], &[], (), out, |g, ()| {
        Ok([Some(g.result_grad())])
    })
}

/// The nearest number with so many decimals; halves to the even one.
pub(crate) fn round_to(a: &T, decimals: i32) -> Result<T> {
    let scale = 10_f64.powi(decimals.abs());
    let out = map!(dispatch_float(a.dtype(), "round"), a, |v| if decimals > 0 {
        (v * scale as E).round_ties_even() / scale as E
    } else {
        (v / scale as E).round_ties_even() * scale as E
    })?;
    record_op("RoundBackward1", [a], &[], (), out, |g, ()| {
        Ok([Some(zero_grad(&g.result_grad()))])
    })
}

/// Finite numbers in place of those that are not.
pub(crate) fn nan_to_num(a: &T, nan: f64, most: Option<f64>, least: Option<f64>) -> Result<T> {
    if !a.dtype().is_float() {
        return super::copy_contiguous(a);
    }
    let out = map!(dispatch_float(a.dtype(), "nan_to_num"), a, |v| if v.is_nan() {
        nan as E
    } else if v == E::INFINITY {
        most.map_or(E::MAX, |most| most as E)
    } else if v == E::NEG_INFINITY {
        least.map_or(E::MIN, |least| least as E)
    } else {
        v
    })?;
    record_op("NanToNumBackward0", [a], &[In(a)], (), out, |g, ()| {
        Ok([Some(where_passed(
            &g.result_grad(),
            &g.saved_tensor(0)?,
            f64::is_finite,
        )?)])
    })
}

/// As [`super::clamp`], with tensors as bounds. An equal bound has half of the gradient, and none
/// if both bounds are.
pub(super) fn clamp_between(a: &T, min: &T, max: &T) -> Result<T> {
    let out = super::without_recording(|| super::minimum(&super::maximum(a, min)?, max))?;
    let saves = [In(a), In(min), In(max)];
    record_op("ClampBackward0", [a, min, max], &saves, (), out, |g, ()| {
        let (a, min, max) = (g.saved_tensor(0)?, g.saved_tensor(1)?, g.saved_tensor(2)?);
        let (apart, ordered) = (lt(&min, &max)?, le(&min, &max)?);
        let (below, above) = (lt(&a, &min)?, lt(&max, &a)?);
        let (low, high) = (
            logical_and(&eq(&a, &min)?, &apart)?,
            logical_and(&eq(&a, &max)?, &apart)?,
        );
        let share = |whole: &T, half: &T, input: &T| {
            let halves = masked_fill(
                &mul_number(&g.result_grad(), 0.5)?,
                &super::bitwise_not(half)?,
                0.0,
            )?;
            grad_like(&choose_elements(whole, &g.result_grad(), &halves)?, input)
        };
        Ok([
            g.when(0, || {
                let half = logical_or(&low, &high)?;
                let outside = logical_or(&logical_or(&below, &above)?, &half)?;
                share(
                    &super::bitwise_not(&outside)?,
                    &logical_and(&half, &super::bitwise_not(&logical_or(&below, &above)?)?)?,
                    &a,
                )
            })?,
            g.when(1, || share(&logical_and(&below, &ordered)?, &low, &min))?,
            g.when(2, || {
                let crossed = lt(&max, &min)?;
                share(
                    &logical_or(&logical_and(&above, &ordered)?, &crossed)?,
                    &high,
                    &max,
                )
            })?,
        ])
    })
}

fn logical_and(a: &T, b: &T) -> Result<T> {
    super::bitwise_op(a, b, "bitwise_and", |v, w| v & w, |v, w| v & w)
}

fn logical_or(a: &T, b: &T) -> Result<T> {
    super::bitwise_op(a, b, "bitwise_or", |v, w| v | w, |v, w| v | w)
}
