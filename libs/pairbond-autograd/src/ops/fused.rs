//! Operations that could be made of others, and are one node as in PyTorch: so they can be written
//! to a view, whose old value is the first input of one node.

use pairbond::prelude::*;

use super::arithmetic::{integers, nonzero};
use super::common::{alike, fit, fitted, like, map, zip};
use super::{choose, eq, le, lt, masked, mul, neg, nothing, plus, sub, times, where_passed};
use crate::data::{DType, dispatch_float};
use crate::engine::{For, In, Tensors, record};
use crate::tensor::{Operand, Scalar, T, filled};

/// So far on the way from `a` to `end`; from the nearer of both, so that they are met.
pub(crate) fn lerp(a: &T, end: &T, weight: Operand) -> Result<T> {
    let way = |weight: &T| super::untracked(|| between(a, end, weight));
    match weight {
        Operand::Scalar(weight) => {
            let weight = weight.to::<f64>();
            let out = way(&filled(weight, &[], DType::Float64))?;
            let params = (weight, fit(a, &out), fit(end, &out));
            record(
                "LerpBackward0",
                [a, end],
                &[],
                params,
                out,
                |g, (weight, a, end)| {
                    Ok([
                        g.when(0, || fitted(&times(&g.gradient(), 1.0 - weight)?, a))?,
                        g.when(1, || fitted(&times(&g.gradient(), *weight)?, end))?,
                    ])
                },
            )
        }
        Operand::Tensor(weight) => {
            let (out, saves) = (way(&weight)?, [In(&weight), In(a), In(end)]);
            let saves = &saves[..if weight.requires_grad() { 3 } else { 1 }];
            let params = (fit(a, &out), fit(end, &out));
            record(
                "LerpBackward1",
                [a, end, &weight],
                saves,
                params,
                out,
                |g, (a, end)| {
                    let weight = g.tensor(0)?;
                    Ok([
                        g.when(0, || fitted(&mul(&g.gradient(), &plus(&neg(&weight)?, 1.0)?)?, a))?,
                        g.when(1, || fitted(&mul(&g.gradient(), &weight)?, end))?,
                        g.when(2, || {
                            like(&mul(&g.gradient(), &sub(&g.tensor(2)?, &g.tensor(1)?)?)?, &weight)
                        })?,
                    ])
                },
            )
        }
    }
}

fn between(a: &T, end: &T, weight: &T) -> Result<T> {
    let away = sub(end, a)?;
    let near = super::lt_scalar(&super::abs(weight)?, Scalar::Float(0.5))?;
    let from_end = sub(end, &mul(&away, &plus(&neg(weight)?, 1.0)?)?)?;
    choose(&near, &super::add(a, &mul(&away, weight)?)?, &from_end)
}

/// The rest of a division that rounds towards zero.
pub(crate) fn fmod(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = alike(a, b);
    let out = if dtype.is_float() {
        zip!(dispatch_float(dtype, "fmod"), &one, &other, |v, w| v % w)
    } else {
        let whole = |it| super::to_dtype_untracked(it, DType::Int64);
        nonzero(&whole(&other))?;
        integers(&whole(&one), &whole(&other), i64::wrapping_rem)
    }?;
    let (params, saves) = (fit(a, &out), [For(1, a), For(1, b)]);
    record("FmodBackward1", [a, b], &saves, params, out, |g, fit| {
        Ok([
            g.when(0, || fitted(&g.gradient(), fit))?,
            g.when(1, || {
                let (a, b) = (g.tensor(0)?, g.tensor(1)?);
                like(
                    &neg(&mul(&g.gradient(), &super::trunc(&super::div(&a, &b)?)?)?)?,
                    &b,
                )
            })?,
        ])
    })
}

/// The part behind the point.
pub(crate) fn frac(a: &T) -> Result<T> {
    let out = map!(dispatch_float(a.dtype(), "frac"), a, |v| v - v.trunc())?;
    record("FracBackward0", [a], &[], (), out, |g, ()| {
        Ok([Some(g.gradient())])
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
    record("RoundBackward1", [a], &[], (), out, |g, ()| {
        Ok([Some(nothing(&g.gradient()))])
    })
}

/// Finite numbers in place of those that are not.
pub(crate) fn nan_to_num(a: &T, nan: f64, most: Option<f64>, least: Option<f64>) -> Result<T> {
    if !a.dtype().is_float() {
        return super::clone(a);
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
    record("NanToNumBackward0", [a], &[In(a)], (), out, |g, ()| {
        Ok([Some(where_passed(&g.gradient(), &g.tensor(0)?, f64::is_finite)?)])
    })
}

/// As [`super::clamp`], with tensors as bounds. An equal bound has half of the gradient, and none
/// if both bounds are.
pub(super) fn clamp_between(a: &T, min: &T, max: &T) -> Result<T> {
    let out = super::untracked(|| super::minimum(&super::maximum(a, min)?, max))?;
    let saves = [In(a), In(min), In(max)];
    record("ClampBackward0", [a, min, max], &saves, (), out, |g, ()| {
        let (a, min, max) = (g.tensor(0)?, g.tensor(1)?, g.tensor(2)?);
        let (apart, ordered) = (lt(&min, &max)?, le(&min, &max)?);
        let (below, above) = (lt(&a, &min)?, lt(&max, &a)?);
        let (low, high) = (both(&eq(&a, &min)?, &apart)?, both(&eq(&a, &max)?, &apart)?);
        let share = |whole: &T, half: &T, input: &T| {
            let halves = masked(&times(&g.gradient(), 0.5)?, &super::invert(half)?, 0.0)?;
            like(&choose(whole, &g.gradient(), &halves)?, input)
        };
        Ok([
            g.when(0, || {
                let half = either(&low, &high)?;
                let outside = either(&either(&below, &above)?, &half)?;
                share(
                    &super::invert(&outside)?,
                    &both(&half, &super::invert(&either(&below, &above)?)?)?,
                    &a,
                )
            })?,
            g.when(1, || share(&both(&below, &ordered)?, &low, &min))?,
            g.when(2, || {
                let crossed = lt(&max, &min)?;
                share(&either(&both(&above, &ordered)?, &crossed)?, &high, &max)
            })?,
        ])
    })
}

fn both(a: &T, b: &T) -> Result<T> {
    super::bits(a, b, "bitwise_and", |v, w| v & w, |v, w| v & w)
}

fn either(a: &T, b: &T) -> Result<T> {
    super::bits(a, b, "bitwise_or", |v, w| v | w, |v, w| v | w)
}
