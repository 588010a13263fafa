//! Comparisons, and choosing by them.

use pairbond::prelude::*;

use super::common::{fit_grad, grad_like, map, promote_both, record_fit, zip};
use super::to_dtype_untracked;
use crate::data::{DType, Element, broadcast_shapes, dispatch, dispatch_float};
use crate::engine::{In, Tensors, record_op};
use crate::kernels::{self, Work};
use crate::tensor::{Operand, Scalar, T, from_vec};

/// `name name_scalar = |element, other| value;`
macro_rules! comparisons {
    ($($name:ident $scalar:ident = |$v:ident, $w:ident| $value:expr;)*) => {$(
        pub(crate) fn $name(a: &T, b: &T) -> Result<T> {
            let (a, b, dtype) = promote_both(a, b);
            zip!(dispatch(dtype), &a, &b, |$v, $w| $value)
        }

        pub(crate) fn $scalar(a: &T, number: Scalar) -> Result<T> {
            let a = to_dtype_untracked(a, number.dtype_with(a.dtype()));
            map!(dispatch(a.dtype()), &a, |$v| {
                let $w = number.to_element::<E>();
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
pub(crate) fn bitwise_op(
    a: &T,
    b: &T,
    what: &str,
    truth: fn(bool, bool) -> bool,
    int: fn(i64, i64) -> i64,
) -> Result<T> {
    let (a, b, dtype) = promote_both(a, b);
    let shape = super::common::shape_of(&a, &b)?;
    let (left, right) = (a.storage().read_memory(), b.storage().read_memory());
    let (one, other) = (&a, &b);
    match dtype {
        DType::Bool => {
            let (left, right) = (
                super::common::of!(one, left, bool),
                super::common::of!(other, right, bool),
            );
            Ok(from_vec(
                kernels::zip_elements(left, right, &shape, Work::Light, truth),
                &shape,
            ))
        }
        DType::Int64 => {
            let (left, right) = (
                super::common::of!(one, left, i64),
                super::common::of!(other, right, i64),
            );
            Ok(from_vec(
                kernels::zip_elements(left, right, &shape, Work::Light, int),
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
pub(crate) fn shift_bits(a: &T, b: &T, left: bool) -> Result<T> {
    /// Further away no bits are left but those of the sign.
    fn shift_in_range(by: i64) -> Option<u32> {
        u32::try_from(by).ok().filter(|by| *by < i64::BITS)
    }
    let what = if left { "lshift" } else { "rshift" };
    match (super::common::dtype_of(a, b), left) {
        (DType::Int64, true) => bitwise_op(
            a,
            b,
            what,
            |v, _| v,
            |v, by| shift_in_range(by).map_or(0, |by| v << by),
        ),
        (DType::Int64, false) => bitwise_op(
            a,
            b,
            what,
            |v, _| v,
            |v, by| v >> shift_in_range(by).unwrap_or(63),
        ),
        (dtype, _) => Err(Error::new(
            ErrorKind::NotImplemented,
            format!("\"{what}_cpu\" not implemented for '{}'", dtype.name()),
        )),
    }
}

pub(crate) fn bitwise_not(a: &T) -> Result<T> {
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
    choose_elements(
        &passed,
        grad,
        &crate::tensor::filled_tensor(0.0, &[], grad.dtype()),
    )
}

/// The elements of `a` where `choose`, else those of `b`.
pub(crate) fn choose_elements(choose: &T, a: &T, b: &T) -> Result<T> {
    let out = choose_untracked(choose, a, b)?;
    let fits = (record_fit(a, &out), record_fit(b, &out));
    record_op("WhereBackward0", [a, b], &[In(choose)], fits, out, |g, (a, b)| {
        let chosen = g.saved_tensor(0)?;
        Ok([
            g.when(0, || fit_grad(&mask_grad(&chosen, &g.result_grad(), true)?, a))?,
            g.when(1, || fit_grad(&mask_grad(&chosen, &g.result_grad(), false)?, b))?,
        ])
    })
}

/// As [`choose_elements`], without a history.
fn choose_untracked(choose: &T, a: &T, b: &T) -> Result<T> {
    if choose.dtype() != DType::Bool {
        return Err(Error::runtime_error(format!(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            choose.dtype().name()
        )));
    }
    let (one, other, dtype) = promote_both(a, b);
    let shape = broadcast_shapes(choose.shape(), &broadcast_shapes(a.shape(), b.shape())?)?;
    let (chosen, left, right) = (
        choose.storage().read_memory(),
        one.storage().read_memory(),
        other.storage().read_memory(),
    );
    Ok(dispatch!(dtype, E => {
        let numbers = kernels::choose_elements(
            super::common::of!(choose, chosen, bool),
            super::common::of!(one, left, E),
            super::common::of!(other, right, E),
            &shape,
        );
        from_vec(numbers, &shape)
    }))
}

/// A gradient where a condition is as wanted, else zero.
fn mask_grad(condition: &T, grad: &T, wanted: bool) -> Result<T> {
    let zero = crate::tensor::filled_tensor(0.0, &[], grad.dtype());
    match wanted {
        true => choose_elements(condition, grad, &zero),
        false => choose_elements(condition, &zero, grad),
    }
}

/// `a`, but a number where `mask` is true.
pub(crate) fn masked_fill(a: &T, mask: &T, number: f64) -> Result<T> {
    fill_masked(a, mask, &crate::tensor::filled_tensor(number, &[], a.dtype()))
}

/// `a`, but a tensor of one number where `mask` is true. `a` is the first input, as of all
/// operations that may be written to it: its gradient goes to its old value.
fn fill_masked(a: &T, mask: &T, number: &T) -> Result<T> {
    let out = choose_untracked(mask, number, a)?;
    let fits = (record_fit(a, &out), record_fit(number, &out));
    record_op(
        "MaskedFillBackward0",
        [a, number],
        &[In(mask)],
        fits,
        out,
        |g, (a, number)| {
            let mask = g.saved_tensor(0)?;
            Ok([
                g.when(0, || fit_grad(&mask_grad(&mask, &g.result_grad(), false)?, a))?,
                g.when(1, || fit_grad(&mask_grad(&mask, &g.result_grad(), true)?, number))?,
            ])
        },
    )
}

/// As [`masked_fill`], with a number or a tensor of one, which gets its gradient.
pub(crate) fn masked_by(a: &T, mask: &T, number: Operand) -> Result<T> {
    if let Operand::Tensor(tensor) = &number
        && !tensor.shape().is_empty()
    {
        return Err(Error::runtime_error(format!(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            tensor.shape().len()
        )));
    }
    let number = super::to_dtype(&number.into_tensor(a.dtype()), a.dtype())?;
    fill_masked(a, mask, &number)
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
    let tensor = |bound: Operand| bound.into_tensor(a.dtype());
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
            let (one, other, dtype) = promote_both(a, b);
            #[allow(clippy::eq_op)]
            let out = zip!(dispatch(dtype), &one, &other, |$v, $w| $value)?;
            record_op(node, [a, b], &[In(a), In(b)], (), out, |g, ()| {
                let (a, b) = (g.saved_tensor(0)?, g.saved_tensor(1)?);
                let share = choose_elements(&eq(&a, &b)?, &super::mul_number(&g.result_grad(), 0.5)?, &g.result_grad())?;
                Ok([
                    g.when(0, || grad_like(&masked_fill(&share, &$worse(&a, &b)?, 0.0)?, &a))?,
                    g.when(1, || grad_like(&masked_fill(&share, &$better(&a, &b)?, 0.0)?, &b))?,
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
        .reduce(DType::promote_with)
    else {
        return Err(Error::runtime_error(
            "torch.clamp: At least one of 'min' or 'max' must not be None",
        ));
    };
    let one = to_dtype_untracked(a, dtype);
    let out = map!(dispatch(dtype), &one, |v| {
        let v = min
            .map(|min| min.to_element::<E>())
            .map_or(v, |min| if v < min { min } else { v });
        max.map(|max| max.to_element::<E>())
            .map_or(v, |max| if v > max { max } else { v })
    })?;
    let params = (
        min.map(|min| min.to_element::<f64>()),
        max.map(|max| max.to_element::<f64>()),
    );
    record_op("ClampBackward1", [a], &[In(a)], params, out, |g, (min, max)| {
        let inside = |v: f64| min.is_none_or(|min| v > min) && max.is_none_or(|max| v < max);
        Ok([Some(where_passed(&g.result_grad(), &g.saved_tensor(0)?, inside)?)])
    })
}
