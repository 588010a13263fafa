//! Operations along a dimension.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::arguments::Ints;
use super::common::{in_order, run_detached};
use super::{exp, flip, mul, squeeze_axes, sub, sum};
use crate::data::room::filled_vec;
use crate::data::{DType, Element, dispatch, dispatch_float, resolve_axis};
use crate::engine::{Out, Tensors, record_op};
use crate::kernels::{self, Along};
use crate::tensor::{T, from_vec};

fn rows_along(a: &T, dim: i64) -> Result<(usize, Along, T)> {
    let axis = resolve_axis(dim, a.shape().len())?;
    Ok((axis, Along::for_axis(a.shape(), axis), in_order(a)))
}

fn softmax_untracked(a: &T, dim: i64, log: bool) -> Result<T> {
    let (_, along, a) = rows_along(a, dim)?;
    let memory = a.storage().read_memory();
    dispatch_float!(a.dtype(), "softmax", E => Ok(run_detached(a.numel(), || {
        from_vec(kernels::softmax_rows(&memory.typed_slice::<E>()[..a.numel()], along, log), a.shape())
    })))
}

pub(crate) fn softmax(a: &T, dim: i64) -> Result<T> {
    let out = softmax_untracked(a, dim, false)?;
    record_op("SoftmaxBackward0", [a], &[Out], dim, out, |g, dim| {
        let out = g.saved_tensor(0)?;
        let part = mul(&g.result_grad(), &out)?;
        let whole = sum(&part, Some(&Ints(vec![*dim])), true)?;
        Ok([Some(sub(&part, &mul(&out, &whole)?)?)])
    })
}

pub(crate) fn log_softmax(a: &T, dim: i64) -> Result<T> {
    let out = softmax_untracked(a, dim, true)?;
    record_op("LogSoftmaxBackward0", [a], &[Out], dim, out, |g, dim| {
        let whole = sum(&g.result_grad(), Some(&Ints(vec![*dim])), true)?;
        Ok([Some(sub(
            &g.result_grad(),
            &mul(&exp(&g.saved_tensor(0)?)?, &whole)?,
        )?)])
    })
}

/// The place of the largest or smallest element along a dimension, or among all.
pub(crate) fn arg_extreme(a: &T, dim: Option<i64>, keepdim: bool, largest: bool, what: &str) -> Result<T> {
    if dim.is_none() && a.numel() == 0 {
        return Err(Error::index_error(format!(
            "{what}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        )));
    }
    let a = &match dim {
        Some(_) => a.clone(),
        None => super::without_recording(|| super::reshape(a, &[a.numel()]))?,
    };
    let (axis, along, a) = rows_along(a, dim.unwrap_or(0))?;
    if along.len == 0 {
        return Err(Error::index_error(format!(
            "{what}(): Expected reduction dim {axis} to have non-zero size."
        )));
    }
    let memory = a.storage().read_memory();
    let found = dispatch!(a.dtype(), E => run_detached(a.numel(), || {
        let numbers = &memory.typed_slice::<E>()[..a.numel()];
        if largest { kernels::best_in_rows(numbers, along, |v, w| v > w) } else { kernels::best_in_rows(numbers, along, |v, w| v < w) }
    }));
    let mut shape = a.shape().to_vec();
    match (shape.is_empty(), keepdim && dim.is_some()) {
        (true, _) => {}
        (false, true) => shape[axis] = 1,
        (false, false) => drop(shape.remove(axis)),
    }
    Ok(from_vec(found, &shape))
}

/// The largest or smallest elements along a dimension, and their places.
pub(crate) fn extreme_of_rows(a: &T, dim: i64, keepdim: bool, largest: bool) -> Result<(T, T)> {
    let what = if largest { "max" } else { "min" };
    let places = arg_extreme(a, Some(dim), true, largest, what)?;
    let values = super::gather(a, dim, &places)?;
    if keepdim || a.shape().is_empty() {
        return Ok((values, places));
    }
    let over = [resolve_axis(dim, a.shape().len())?];
    Ok((squeeze_axes(&values, &over)?, squeeze_axes(&places, &over)?))
}

/// The sums up to each element.
pub(crate) fn cumsum(a: &T, dim: i64) -> Result<T> {
    let a_long = &if a.dtype() == DType::Bool {
        super::to_dtype_untracked(a, DType::Int64)
    } else {
        a.clone()
    };
    let (_, along, b) = rows_along(a_long, dim)?;
    let memory = b.storage().read_memory();
    let out = match b.dtype() {
        // Accumulated in double precision.
        DType::Float32 => {
            let numbers = &memory.typed_slice::<f32>()[..b.numel()];
            let add = |sum, v| sum + f64::from(v);
            from_vec(
                kernels::cumulative_rows(numbers, along, 0.0, add, |sum| sum as f32),
                b.shape(),
            )
        }
        dtype => dispatch!(dtype, E => {
            let numbers = &memory.typed_slice::<E>()[..b.numel()];
            from_vec(kernels::cumulative_rows(numbers, along, E::ZERO, E::add, |sum| sum), b.shape())
        }),
    };
    record_op("CumsumBackward0", [a], &[], dim, out, |g, dim| {
        let dims = Ints(vec![*dim]);
        Ok([Some(flip(
            &cumsum(&flip(&g.result_grad(), &dims)?, *dim)?,
            &dims,
        )?)])
    })
}

/// The places of the elements of each row, in order of their values; equal ones stay in order.
pub(crate) fn argsort(a: &T, dim: i64, descending: bool) -> Result<T> {
    let (_, along, a) = rows_along(a, dim)?;
    let memory = a.storage().read_memory();
    let places = dispatch!(a.dtype(), E => {
        let numbers = &memory.typed_slice::<E>()[..a.numel()];
        let mut out = filled_vec(0_i64, numbers.len());
        for start in along.row_starts() {
            let mut row: Vec<usize> = (0..along.len).gather();
            let value = |&i: &usize| numbers[start + i * along.inner];
            // NaN is larger than any number.
            let order = |i: &usize, j: &usize| value(i).partial_cmp(&value(j)).unwrap_or_else(|| {
                value(i).to_f64().is_nan().cmp(&value(j).to_f64().is_nan())
            });
            row.sort_by(|i, j| if descending { order(j, i) } else { order(i, j) });
            row.into_iter().enumerate().for_each(|(i, place)| out[start + i * along.inner] = place as i64);
        }
        out
    });
    Ok(from_vec(places, a.shape()))
}

/// For each element of a matrix the product of the others in its row.
pub(crate) fn product_of_others(a: &T) -> Result<T> {
    let len = a.shape()[1];
    let mut columns = Vec::with_capacity(len);
    for column in 0..len {
        let others: Vec<i64> = (0..len)
            .filter(|&other| other != column)
            .map(|other| other as i64)
            .gather();
        let others = from_vec(others, &[len - 1]);
        columns.push(super::prod(&super::index_select(a, 1, &others)?, Some(1), false)?);
    }
    if columns.is_empty() {
        Ok(a.clone())
    } else {
        super::stack(&columns, 1)
    }
}
