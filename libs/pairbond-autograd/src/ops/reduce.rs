//! Many elements into one: sums, products, means.

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond_tape::Value;

use super::arguments::{Ints, resolve_axes};
use super::common::{of, run_detached, to_floating};
use super::{
    add, bitwise_op, div, div_scalar, eq, expand, log, mul, mul_number, ne, reshape, sqrt, squeeze_axes, sub,
    to_dtype_untracked,
};
use crate::data::{DType, Element, Memory, dispatch, dispatch_float};
use crate::engine::{In, Out, Tensors, record_op};
use crate::kernels::{self, Work};
use crate::tensor::{Scalar, T, Tensor, from_vec};

/// The shape with length 1 in these dimensions.
pub(super) fn kept_shape(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut shape = shape.to_vec();
    axes.iter().for_each(|&axis| shape[axis] = 1);
    shape
}

/// The sums over some dimensions, kept with length 1.
fn sum_axes(a: &T, axes: &[usize]) -> T {
    let memory = a.storage().read_memory();
    let shape = kept_shape(a.shape(), axes);
    if a.numel() == 1 && a.dtype().is_float() {
        return dispatch!(a.dtype(), E => Tensor::from_memory(Memory::from_scalar(memory.typed_slice::<E>()[a.geometry().offset]), &shape));
    }
    run_detached(a.numel(), || match a.dtype() {
        DType::Bool => from_vec(
            kernels::fold_axes(of!(a, memory, bool), &shape, Work::Light, 0, i64::from, |v, w| {
                v + w
            }),
            &shape,
        ),
        DType::Int64 => from_vec(
            kernels::fold_axes(of!(a, memory, i64), &shape, Work::Light, 0, |v| v, i64::add),
            &shape,
        ),
        DType::Float32 => round_to_float(kernels::sum_axes(of!(a, memory, f32), &shape), &shape),
        DType::Float64 => from_vec(
            kernels::fold_axes(of!(a, memory, f64), &shape, Work::Light, 0.0, |v| v, |v, w| v + w),
            &shape,
        ),
    })
}

/// Numbers accumulated in double precision, so that many small numbers do not get lost beside
/// their sum.
fn round_to_float(numbers: Vec<f64>, shape: &[usize]) -> T {
    from_vec(numbers.into_iter().map(|v| v as f32).collect(), shape)
}

/// Without the dimensions that were summed up, if they are not to be kept. Untracked.
fn drop_kept_dims(out: T, axes: &[usize], keepdim: bool) -> T {
    if keepdim || axes.is_empty() {
        return out;
    }
    let shape: Vec<usize> = (0..out.shape().len())
        .filter(|axis| !axes.contains(axis))
        .map(|axis| out.shape()[axis])
        .gather();
    Tensor::from_memory(out.storage().read_memory(), &shape)
}

/// A gradient of a result, as large as the reduced tensor.
fn expand_grad(grad: &T, kept: &[usize], shape: &[usize]) -> Result<T> {
    expand(&reshape(grad, kept)?, shape)
}

/// The sum over dimensions, or over all.
pub(crate) fn sum(a: &T, dims: Option<&Ints>, keepdim: bool) -> Result<T> {
    let over = resolve_axes(dims, a.shape().len())?;
    let out = drop_kept_dims(sum_axes(a, &over), &over, keepdim);
    let name = if dims.is_some() {
        "SumBackward1"
    } else {
        "SumBackward0"
    };
    let params = (kept_shape(a.shape(), &over), a.shape().to_vec());
    record_op(name, [a], &[], params, out, |g, (kept, shape)| {
        Ok([Some(expand_grad(&g.result_grad(), kept, shape)?)])
    })
}

pub(crate) fn mean(a: &T, dims: Option<&Ints>, keepdim: bool) -> Result<T> {
    if !a.dtype().is_float() {
        return Err(Error::new(
            ErrorKind::NotImplemented,
            format!(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
                a.dtype().name()
            ),
        ));
    }
    let over = resolve_axes(dims, a.shape().len())?;
    let count: usize = over.iter().map(|&axis| a.shape()[axis]).product();
    let memory = a.storage().read_memory();
    let shape = kept_shape(a.shape(), &over);
    // Sums of doubles: the mean of equal numbers is exactly that number, so subtracting it leaves
    // zero.
    let means: Result<T> = dispatch_float!(a.dtype(), "mean", E => {
        let sums = run_detached(a.numel(), || kernels::fold_axes(of!(a, memory, E), &shape, Work::Light, 0.0, |v| v.to_f64(), |v, w| v + w));
        Ok(from_vec(sums.into_iter().map(|sum| E::of_f64(sum / count as f64)).gather(), &shape))
    });
    let params = ((kept_shape(a.shape(), &over), a.shape().to_vec()), count as f64);
    let name = if dims.is_some() {
        "MeanBackward1"
    } else {
        "MeanBackward0"
    };
    record_op(
        name,
        [a],
        &[],
        params,
        drop_kept_dims(means?, &over, keepdim),
        |g, ((kept, shape), count)| {
            Ok([Some(expand_grad(
                &div_scalar(&g.result_grad(), Scalar::Float(*count))?,
                kept,
                shape,
            )?)])
        },
    )
}

/// The opposite of stretching: a tensor that was stretched to the shape of `a` gets the sum of all
/// its copies.
pub(crate) fn reduce_to(a: &T, shape: &[usize]) -> Result<T> {
    if a.shape() == shape {
        return Ok(a.clone());
    }
    let more = a.shape().len().checked_sub(shape.len()).filter(|&more| {
        let mut pairs = a.shape()[more..].iter().zip(shape);
        pairs.all(|(&len, &own)| len == own || own == 1)
    });
    let more = more.ok_or_else(|| {
        Error::runtime_error(format!(
            "a gradient of shape {:?} is not of what was stretched from shape {shape:?}",
            a.shape()
        ))
    })?;
    let over: Vec<usize> = (0..a.shape().len())
        .filter(|&axis| axis < more || shape[axis - more] == 1 && a.shape()[axis] != 1)
        .gather();
    let out = Tensor::from_memory(sum_axes(a, &over).storage().read_memory(), shape);
    record_op(
        "SumToSizeBackward0",
        [a],
        &[],
        a.shape().to_vec(),
        out,
        |g, shape| Ok([Some(expand(&g.result_grad(), shape)?)]),
    )
}

/// The variance; `correction` 1 divides by one less than there are elements.
pub(crate) fn var(a: &T, dims: Option<&Ints>, correction: f64, keepdim: bool) -> Result<T> {
    let over = resolve_axes(dims, a.shape().len())?;
    if !a.dtype().is_float() {
        return Err(Error::new(
            ErrorKind::NotImplemented,
            "std and var only support floating point and complex dtypes",
        ));
    }
    let all = Ints(over.iter().map(|&axis| axis as i64).gather());
    let count: usize = over.iter().map(|&axis| a.shape()[axis]).product();
    let away = sub(a, &mean(a, Some(&all), true)?)?;
    let squares = sum(&mul(&away, &away)?, Some(&all), keepdim)?;
    div_scalar(&squares, Scalar::Float((count as f64 - correction).max(0.0)))
}

pub(crate) fn std(a: &T, dims: Option<&Ints>, correction: f64, keepdim: bool) -> Result<T> {
    let var = var(a, dims, correction, keepdim)?;
    let none = super::without_recording(|| super::eq_scalar(&var, Scalar::Int(0)))?;
    let is_any = none.storage().read_memory().typed_slice::<bool>().contains(&true);
    if !is_any {
        return sqrt(&var);
    }
    // Where nothing varies the derivative of the root is infinite, and that of the variance zero:
    // together they are zero.
    super::masked_fill(&sqrt(&super::masked_fill(&var, &none, 1.0)?)?, &none, 0.0)
}

/// The product of a dimension, or of all elements.
pub(crate) fn prod(a: &T, dim: Option<i64>, keepdim: bool) -> Result<T> {
    let dims = dim.map(|dim| Ints(vec![dim]));
    let over = resolve_axes(dims.as_ref(), a.shape().len())?;
    let shape = kept_shape(a.shape(), &over);
    let memory = a.storage().read_memory();
    let whole = match a.dtype() {
        DType::Bool => from_vec(
            kernels::fold_axes(of!(a, memory, bool), &shape, Work::Light, 1, i64::from, |v, w| {
                v * w
            }),
            &shape,
        ),
        DType::Float32 => round_to_float(
            kernels::fold_axes(
                of!(a, memory, f32),
                &shape,
                Work::Light,
                1.0,
                f64::from,
                |v, w| v * w,
            ),
            &shape,
        ),
        dtype => dispatch!(dtype, E => {
            from_vec(kernels::fold_axes(of!(a, memory, E), &shape, Work::Light, E::of_i64(1), |v| v, E::mul), &shape)
        }),
    };
    let params = (shape, over.clone());
    record_op(
        "ProdBackward0",
        [a],
        &[In(a)],
        params,
        drop_kept_dims(whole, &over, keepdim),
        |g, (kept, over)| {
            let a = g.saved_tensor(0)?;
            let grad = reshape(&g.result_grad(), kept)?;
            // All dimensions that were joined as one at the end: for each element the product of
            // those before and after it.
            let mut order: Vec<i64> = (0..a.shape().len())
                .filter(|axis| !over.contains(axis))
                .map(|axis| axis as i64)
                .gather();
            order.extend(over.iter().map(|&axis| axis as i64));
            let turned = super::permute(&a, &order)?;
            let rows = a.numel() / over.iter().map(|&axis| a.shape()[axis]).product::<usize>().max(1);
            let row = reshape(&turned, &[rows, a.numel() / rows.max(1)])?;
            let others = reshape(&super::product_of_others(&row)?, turned.shape())?;
            let mut back = vec![0; order.len()];
            order
                .iter()
                .enumerate()
                .for_each(|(place, &axis)| back[axis as usize] = place as i64);
            Ok([Some(mul(&grad, &super::permute(&others, &back)?)?)])
        },
    )
}

/// The logarithm of the sum of powers.
pub(crate) fn logsumexp(a: &T, dims: &Ints, keepdim: bool) -> Result<T> {
    let a = &if a.dtype().is_float() {
        a.clone()
    } else {
        to_floating(a)
    };
    let over = resolve_axes(Some(dims), a.shape().len())?;
    let all = Ints(over.iter().map(|&axis| axis as i64).gather());
    if over.iter().any(|&axis| a.shape()[axis] == 0) {
        return log(&sum(a, Some(&all), keepdim)?);
    }
    let most = super::without_recording(|| {
        let most = super::amax(a, Some(&all), true)?;
        // Of infinities the difference would be no number.
        let finite = super::lt_scalar(&super::abs(&most)?, Scalar::Float(f64::INFINITY))?;
        super::choose_elements(
            &finite,
            &most,
            &mul_number(&most, 0.0)
                .and_then(|zero| super::masked_fill(&zero, &super::bitwise_not(&finite)?, 0.0))?,
        )
    })?;
    let sums = log(&sum(&super::exp(&sub(a, &most)?)?, Some(&all), true)?)?;
    let out = add(&sums, &most)?;
    if keepdim {
        Ok(out)
    } else {
        squeeze_axes(&out, &over)
    }
}

/// The largest or smallest over dimensions; the gradient is divided among those that are equal.
pub(crate) fn extreme_dims(a: &T, dims: Option<&Ints>, keepdim: bool, largest: bool) -> Result<T> {
    let over = resolve_axes(dims, a.shape().len())?;
    if over.iter().any(|&axis| a.shape()[axis] == 0) {
        return Err(Error::runtime_error(
            "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
        ));
    }
    let shape = kept_shape(a.shape(), &over);
    let memory = a.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        // From the first element of each place: a fold that begins with any of them.
        let first = memory.typed_slice::<E>().get(a.geometry().offset).copied().unwrap_or(E::ZERO);
        #[allow(clippy::eq_op)]
        let join = |v: Option<E>, w: Option<E>| match (v, w) {
            (Some(v), Some(w)) if v != v || (if largest { v > w } else { v < w }) => Some(v),
            (v, None) => v,
            (_, w) => w,
        };
        let found = kernels::fold_axes(of!(a, memory, E), &shape, Work::Heavy, None, Some, join);
        from_vec(found.into_iter().map(|value| value.unwrap_or(first)).gather(), &shape)
    });
    let name = if largest { "AmaxBackward0" } else { "AminBackward0" };
    record_op(
        name,
        [a],
        &[In(a), Out],
        shape,
        drop_kept_dims(out, &over, keepdim),
        |g, kept| {
            let (a, out) = (g.saved_tensor(0)?, reshape(&g.saved_tensor(1)?, kept)?);
            let mut equal = eq(&a, &out)?;
            if out.has_nan()? {
                // The result is no number where one of the elements is none.
                let none = bitwise_op(&ne(&a, &a)?, &ne(&out, &out)?, "and", |v, w| v & w, |v, w| v & w)?;
                equal = bitwise_op(&equal, &none, "or", |v, w| v | w, |v, w| v | w)?;
            }
            let mask = to_dtype_untracked(&equal, a.dtype());
            let count = reduce_to(&mask, kept)?;
            Ok([Some(mul(
                &div(&reshape(&g.result_grad(), kept)?, &count)?,
                &mask,
            )?)])
        },
    )
}

pub(crate) fn amax(a: &T, dims: Option<&Ints>, keepdim: bool) -> Result<T> {
    extreme_dims(a, dims, keepdim, true)
}

pub(crate) fn amin(a: &T, dims: Option<&Ints>, keepdim: bool) -> Result<T> {
    extreme_dims(a, dims, keepdim, false)
}

/// Whether all are true, or any is.
pub(crate) fn reduce_truth(a: &T, dims: Option<&Ints>, keepdim: bool, all: bool) -> Result<T> {
    let over = resolve_axes(dims, a.shape().len())?;
    let shape = kept_shape(a.shape(), &over);
    let memory = a.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        let numbers = kernels::fold_axes(of!(a, memory, E), &shape, Work::Light, all, |v| v != E::ZERO, |v, w| if all { v & w } else { v | w });
        from_vec(numbers, &shape)
    });
    Ok(drop_kept_dims(out, &over, keepdim))
}
