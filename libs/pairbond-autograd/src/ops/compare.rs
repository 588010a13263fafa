//! Comparisons, and choosing by them.

use pairbond::prelude::*;

use super::common::{alike, fit, fitted, like, map, zip};
use super::to_dtype_untracked;
use crate::data::{DType, Element, broadcast, dispatch, dispatch_float};
use crate::engine::{In, Tensors, record};
use crate::kernels::{self, Work};
use crate::tensor::{Operand, Scalar, T, from_vec};

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
    let (left, right) = (a.storage().read(), b.storage().read());
    let (one, other) = (&a, &b);
    match dtype {
        DType::Bool => {
            let (left, right) = (
                super::common::of!(one, left, bool),
                super::common::of!(other, right, bool),
            );
            Ok(from_vec(
                kernels::zip(left, right, &shape, Work::Light, truth),
                &shape,
            ))
        }
        DType::Int64 => {
            let (left, right) = (
                super::common::of!(one, left, i64),
                super::common::of!(other, right, i64),
            );
            Ok(from_vec(
                kernels::zip(left, right, &shape, Work::Light, int),
                &shape,
            ))
        }
        _ => Err(Error::new(
            ErrorKind::NotImplemented,
            format!("\"{what}_cpu\" not implemented for '{}'", dtype.name()),
        )),
    }
}

/// Integers times a power of two, rounded down if it is negative: bits moved to the left or to the
/// right.
pub(crate) fn shift(a: &T, b: &T, left: bool) -> Result<T> {
    /// Further away no bits are left but those of the sign.
    fn within(by: i64) -> Option<u32> {
        u32::try_from(by).ok().filter(|by| *by < i64::BITS)
    }
    let what = if left { "lshift" } else { "rshift" };
    match (super::common::dtype_of(a, b), left) {
        (DType::Int64, true) => bits(a, b, what, |v, _| v, |v, by| within(by).map_or(0, |by| v << by)),
        (DType::Int64, false) => bits(a, b, what, |v, _| v, |v, by| v >> within(by).unwrap_or(63)),
        (dtype, _) => Err(Error::new(
            ErrorKind::NotImplemented,
            format!("\"{what}_cpu\" not implemented for '{}'", dtype.name()),
        )),
    }
}

pub(crate) fn invert(a: &T) -> Result<T> {
    match a.dtype() {
        DType::Bool => eq_scalar(a, Scalar::Bool(false)),
        DType::Int64 => super::add_scalar(&super::neg(a)?, Scalar::Int(-1)),
        dtype => Err(Error::type_error(format!(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors, not on {}",
            dtype.name()
        ))),
    }
}

/// The gradient of what passes on the elements of `a` that stand a test: zero for the others, also
/// where it is not finite.
pub(crate) fn where_passed(grad: &T, a: &T, test: impl Fn(f64) -> bool + Sync) -> Result<T> {
    let passed = map!(dispatch_float(a.dtype(), "compare"), a, |v| test(v.to_f64()))?;
    choose(&passed, grad, &crate::tensor::filled(0.0, &[], grad.dtype()))
}

/// The elements of `a` where `choose`, else those of `b`.
pub(crate) fn choose(choose: &T, a: &T, b: &T) -> Result<T> {
    let out = chosen(choose, a, b)?;
    let fits = (fit(a, &out), fit(b, &out));
    record("WhereBackward0", [a, b], &[In(choose)], fits, out, |g, (a, b)| {
        let chosen = g.tensor(0)?;
        Ok([
            g.when(0, || fitted(&kept(&chosen, &g.gradient(), true)?, a))?,
            g.when(1, || fitted(&kept(&chosen, &g.gradient(), false)?, b))?,
        ])
    })
}

/// As [`choose`], without a history.
fn chosen(choose: &T, a: &T, b: &T) -> Result<T> {
    if choose.dtype() != DType::Bool {
        return Err(Error::runtime_error(format!(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            choose.dtype().name()
        )));
    }
    let (one, other, dtype) = alike(a, b);
    let shape = broadcast(choose.shape(), &broadcast(a.shape(), b.shape())?)?;
    let (chosen, left, right) = (
        choose.storage().read(),
        one.storage().read(),
        other.storage().read(),
    );
    Ok(dispatch!(dtype, E => {
        let numbers = kernels::choose(
            super::common::of!(choose, chosen, bool),
            super::common::of!(one, left, E),
            super::common::of!(other, right, E),
            &shape,
        );
        from_vec(numbers, &shape)
    }))
}

/// A gradient where a condition is as wanted, else zero.
fn kept(condition: &T, grad: &T, wanted: bool) -> Result<T> {
    let zero = crate::tensor::filled(0.0, &[], grad.dtype());
    match wanted {
        true => choose(condition, grad, &zero),
        false => choose(condition, &zero, grad),
    }
}

/// `a`, but a number where `mask` is true.
pub(crate) fn masked(a: &T, mask: &T, number: f64) -> Result<T> {
    fill(a, mask, &crate::tensor::filled(number, &[], a.dtype()))
}

/// `a`, but a tensor of one number where `mask` is true. `a` is the first input, as of all
/// operations that may be written to it: its gradient goes to its old value.
fn fill(a: &T, mask: &T, number: &T) -> Result<T> {
    let out = chosen(mask, number, a)?;
    let fits = (fit(a, &out), fit(number, &out));
    record(
        "MaskedFillBackward0",
        [a, number],
        &[In(mask)],
        fits,
        out,
        |g, (a, number)| {
            let mask = g.tensor(0)?;
            Ok([
                g.when(0, || fitted(&kept(&mask, &g.gradient(), false)?, a))?,
                g.when(1, || fitted(&kept(&mask, &g.gradient(), true)?, number))?,
            ])
        },
    )
}

/// As [`masked`], with a number or a tensor of one, which gets its gradient.
pub(crate) fn masked_by(a: &T, mask: &T, number: Operand) -> Result<T> {
    if let Operand::Tensor(tensor) = &number
        && !tensor.shape().is_empty()
    {
        return Err(Error::runtime_error(format!(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            tensor.shape().len()
        )));
    }
    let number = super::to_dtype(&number.tensor(a.dtype()), a.dtype())?;
    fill(a, mask, &number)
}

/// As [`clamp`], with numbers or tensors as bounds.
pub(crate) fn clamp_by(a: &T, min: Option<Operand>, max: Option<Operand>) -> Result<T> {
    let number = |bound: &Option<Operand>| match bound {
        Some(Operand::Scalar(number)) => Ok(Some(*number)),
        Some(Operand::Tensor(_)) => Err(()),
        None => Ok(None),
    };
    if let (Ok(min), Ok(max)) = (number(&min), number(&max)) {
        return clamp(a, min, max);
    }
    let tensor = |bound: Operand| bound.tensor(a.dtype());
    match (min.map(tensor), max.map(tensor)) {
        (Some(min), Some(max)) => super::fused::clamp_between(a, &min, &max),
        (Some(min), None) => maximum_as("ClampBackward0", a, &min),
        (None, Some(max)) => minimum_as("ClampBackward0", a, &max),
        (None, None) => clamp(a, None, None),
    }
}

/// `name name_as "GradFn" better worse = |element, other| value;`: of both the one; the gradient
/// goes to it, and half and half if they are equal.
macro_rules! extremes {
    ($($name:ident $named:ident $node:literal $better:ident $worse:ident = |$v:ident, $w:ident| $value:expr;)*) => {$(
        pub(crate) fn $name(a: &T, b: &T) -> Result<T> {
            $named($node, a, b)
        }

        fn $named(node: &'static str, a: &T, b: &T) -> Result<T> {
            let (one, other, dtype) = alike(a, b);
            #[allow(clippy::eq_op)]
            let out = zip!(dispatch(dtype), &one, &other, |$v, $w| $value)?;
            record(node, [a, b], &[In(a), In(b)], (), out, |g, ()| {
                let (a, b) = (g.tensor(0)?, g.tensor(1)?);
                let share = choose(&eq(&a, &b)?, &super::times(&g.gradient(), 0.5)?, &g.gradient())?;
                Ok([
                    g.when(0, || like(&masked(&share, &$worse(&a, &b)?, 0.0)?, &a))?,
                    g.when(1, || like(&masked(&share, &$better(&a, &b)?, 0.0)?, &b))?,
                ])
            })
        }
    )*};
}

extremes! {
    maximum maximum_as "MaximumBackward0" gt lt = |v, w| if v > w || v != v { v } else { w };
    minimum minimum_as "MinimumBackward0" lt gt = |v, w| if v < w || v != v { v } else { w };
}

/// Within bounds; the gradient passes strictly between them.
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
        let inside = |v: f64| min.is_none_or(|min| v > min) && max.is_none_or(|max| v < max);
        Ok([Some(where_passed(&g.gradient(), &g.tensor(0)?, inside)?)])
    })
}
