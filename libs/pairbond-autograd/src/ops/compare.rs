//! Comparisons, and choosing by them.

use pairbond::prelude::*;

use super::common::{alike, like, map, zip};
use super::{mul, sub, to_dtype_untracked};
use crate::engine::{In, record};
use crate::kernels;
use crate::tensor::{DType, Element, Scalar, T, broadcast, dispatch, dispatch_float, from_vec};

/// `name name_scalar = |element, other| value;`
macro_rules! comparisons {
    ($($name:ident $scalar:ident = |$v:ident, $w:ident| $value:expr;)*) => {$(
        pub(crate) fn $name(a: &T, b: &T) -> Result<T> {
            let (a, b, dtype) = alike(a, b);
            zip!(dispatch(dtype), &a, &b, |$v, $w| $value)
        }

        pub(crate) fn $scalar(a: &T, number: Scalar) -> Result<T> {
            let a = to_dtype_untracked(a, number.dtype_with(a.dtype()));
            map!(dispatch(a.dtype()), &a, |$v| {
                let $w = number.to::<E>();
                $value
            })
        }
    )*};
}

comparisons! {
    eq eq_scalar = |v, w| v == w;
    ne ne_scalar = |v, w| v != w;
    lt lt_scalar = |v, w| v < w;
    le le_scalar = |v, w| v <= w;
    gt gt_scalar = |v, w| v > w;
    ge ge_scalar = |v, w| v >= w;
}

/// Truth values of both, or bits of integers.
pub(crate) fn bits(
    a: &T,
    b: &T,
    what: &str,
    truth: fn(bool, bool) -> bool,
    int: fn(i64, i64) -> i64,
) -> Result<T> {
    let (a, b, dtype) = alike(a, b);
    let shape = super::common::shape_of(&a, &b)?;
    let (left, right) = (a.storage.read(), b.storage.read());
    let (one, other) = (&a, &b);
    match dtype {
        DType::Bool => {
            let (left, right) = (
                super::common::of!(one, left, bool),
                super::common::of!(other, right, bool),
            );
            Ok(from_vec(kernels::zip(left, right, &shape, truth), &shape))
        }
        DType::Int64 => {
            let (left, right) = (
                super::common::of!(one, left, i64),
                super::common::of!(other, right, i64),
            );
            Ok(from_vec(kernels::zip(left, right, &shape, int), &shape))
        }
        _ => Err(Error::runtime_error(format!(
            "\"{what}\" not implemented for '{}'",
            dtype.name()
        ))),
    }
}

pub(crate) fn invert(a: &T) -> Result<T> {
    match a.dtype() {
        DType::Bool => eq_scalar(a, Scalar::Bool(false)),
        DType::Int64 => super::add_scalar(&super::neg(a)?, Scalar::Int(-1)),
        dtype => Err(Error::type_error(format!(
            "~ (operator.invert) is not implemented for {}",
            dtype.name()
        ))),
    }
}

/// One where it is so, zero elsewhere, in the dtype of `a`: what a gradient is multiplied by.
pub(crate) fn cmp_mask(a: &T, test: impl Fn(f64) -> bool) -> Result<T> {
    map!(dispatch_float(a.dtype(), "compare"), a, |v| E::of_f64(f64::from(
        u8::from(test(v.to_f64()))
    )))
}

/// The elements of `a` where `choose`, else those of `b`.
pub(crate) fn choose(choose: &T, a: &T, b: &T) -> Result<T> {
    if choose.dtype() != DType::Bool {
        return Err(Error::runtime_error(format!(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            choose.dtype().name()
        )));
    }
    let (one, other, dtype) = alike(a, b);
    let shape = broadcast(choose.shape(), &broadcast(a.shape(), b.shape())?)?;
    let (chosen, left, right) = (choose.storage.read(), one.storage.read(), other.storage.read());
    let out = dispatch!(dtype, E => {
        let numbers = kernels::choose(
            super::common::of!(choose, chosen, bool),
            super::common::of!(one, left, E),
            super::common::of!(other, right, E),
            &shape,
        );
        from_vec(numbers, &shape)
    });
    record(
        "WhereBackward0",
        [choose, a, b],
        &[In(choose), In(a), In(b)],
        (),
        out,
        |g, ()| {
            let (chosen, a, b) = (g.saved(0)?, g.saved(1)?, g.saved(2)?);
            let zero = crate::tensor::filled(0.0, &[], g.grad().dtype());
            Ok([
                None,
                g.when(1, || like(&self::choose(&chosen, g.grad(), &zero)?, &a))?,
                g.when(2, || like(&self::choose(&chosen, &zero, g.grad())?, &b))?,
            ])
        },
    )
}

/// `a`, but a number where `mask` is true.
pub(crate) fn masked(a: &T, mask: &T, number: f64) -> Result<T> {
    choose(mask, &crate::tensor::filled(number, &[], a.dtype()), a)
}

/// `name "GradFn" better = |element, other| value;`: of both the one; the gradient goes to it, and half and half if they are equal.
macro_rules! extremes {
    ($($name:ident $node:literal $better:ident = |$v:ident, $w:ident| $value:expr;)*) => {$(
        pub(crate) fn $name(a: &T, b: &T) -> Result<T> {
            let (one, other, dtype) = alike(a, b);
            #[allow(clippy::eq_op)]
            let out = zip!(dispatch(dtype), &one, &other, |$v, $w| $value)?;
            record($node, [a, b], &[In(a), In(b)], (), out, |g, ()| {
                let (a, b) = (g.saved(0)?, g.saved(1)?);
                let dtype = g.grad().dtype();
                let half = super::times(&to_dtype_untracked(&eq(&a, &b)?, dtype), 0.5)?;
                let first = super::add(&to_dtype_untracked(&$better(&a, &b)?, dtype), &half)?;
                let to_a = mul(g.grad(), &first)?;
                Ok([g.when(0, || like(&to_a, &a))?, g.when(1, || like(&sub(g.grad(), &to_a)?, &b))?])
            })
        }
    )*};
}

extremes! {
    maximum "MaximumBackward0" gt = |v, w| if v > w || v != v { v } else { w };
    minimum "MinimumBackward0" lt = |v, w| if v < w || v != v { v } else { w };
}

/// Within bounds; the gradient passes where nothing was cut.
pub(crate) fn clamp(a: &T, min: Option<Scalar>, max: Option<Scalar>) -> Result<T> {
    let bounds = [min, max];
    let Some(dtype) = bounds
        .iter()
        .flatten()
        .map(|number| number.dtype_with(a.dtype()))
        .reduce(DType::with)
    else {
        return Err(Error::runtime_error(
            "torch.clamp: At least one of 'min' or 'max' must not be None",
        ));
    };
    let one = to_dtype_untracked(a, dtype);
    let out = map!(dispatch(dtype), &one, |v| {
        let v = min
            .map(|min| min.to::<E>())
            .map_or(v, |min| if v < min { min } else { v });
        max.map(|max| max.to::<E>())
            .map_or(v, |max| if v > max { max } else { v })
    })?;
    let params = (min.map(|min| min.to::<f64>()), max.map(|max| max.to::<f64>()));
    record("ClampBackward1", [a], &[In(a)], params, out, |g, (min, max)| {
        let inside = |v: f64| min.is_none_or(|min| v >= min) && max.is_none_or(|max| v <= max);
        Ok([Some(mul(g.grad(), &cmp_mask(&g.saved(0)?, inside)?)?)])
    })
}
