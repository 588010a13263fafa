//! Elements by their numbers.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::common::in_order;
use crate::data::{DType, Element, dispatch, resolve_axis};
use crate::engine::{For, In, Tensors, record_op};
use crate::kernels::{self, Along, Work};
use crate::tensor::{T, filled_tensor, from_vec};

fn out_of_range((index, len): (i64, usize)) -> Error {
    Error::index_error(format!(
        "index out of range in self: {index}, where there are {len}"
    ))
}

/// The numbers of an index, in order.
fn index_of(index: &T, what: &str) -> Result<Vec<i64>> {
    if index.dtype() != DType::Int64 {
        return Err(Error::runtime_error(format!(
            "{what}: Expected dtype int32/int64 for index, but it is {}",
            index.dtype().name()
        )));
    }
    let memory = index.storage().read_memory();
    Ok(kernels::map_elements(
        super::common::of!(index, memory, i64),
        Work::Light,
        |v| v,
    ))
}

/// Where in a tensor of that shape the elements are that the index means.
fn index_places(shape: &[usize], axis: usize, index: &T, what: &str) -> Result<Vec<usize>> {
    if index.shape().len().max(1) != shape.len().max(1) {
        return Err(Error::runtime_error(
            "Index tensor must have the same number of dimensions as input tensor",
        ));
    }
    let fits = |other: usize| other == axis || index.shape()[other] <= shape[other];
    if index.shape().len() != shape.len() || !(0..shape.len()).all(fits) {
        return Err(Error::runtime_error(format!(
            "Size does not match at dimension {axis}: expected index {:?} to be no larger than self {shape:?} apart from dimension {axis}",
            index.shape()
        )));
    }
    kernels::gather_places(&index_of(index, what)?, index.shape(), shape, axis).map_err(|(index, len)| {
        Error::runtime_error(format!(
            "index {index} is out of bounds for dimension {axis} with size {len}"
        ))
    })
}

/// For each element of `index` the one that it means along a dimension.
pub(crate) fn gather(a: &T, dim: i64, index: &T) -> Result<T> {
    let axis = resolve_axis(dim, a.shape().len())?;
    let from = in_order(a);
    let places = index_places(a.shape(), axis, index, "gather()")?;
    let memory = from.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.typed_slice::<E>();
        from_vec(places.iter().map(|&place| numbers[place]).gather(), index.shape())
    });
    record_op(
        "GatherBackward0",
        [a],
        &[In(index)],
        (a.shape().to_vec(), dim),
        out,
        |g, (shape, dim)| {
            let zeros = filled_tensor(0.0, shape, g.result_grad().dtype());
            Ok([Some(scatter_add(
                &zeros,
                *dim,
                &g.saved_tensor(0)?,
                &g.result_grad(),
            )?)])
        },
    )
}

/// `a`, and each element of `from` added to the one that the index means.
pub(crate) fn scatter_add(a: &T, dim: i64, index: &T, from: &T) -> Result<T> {
    let axis = resolve_axis(dim, a.shape().len())?;
    let places = index_places(a.shape(), axis, index, "scatter_add()")?;
    let part = super::without_recording(|| part_of(from, index.shape()))?;
    let part = in_order(&super::to_dtype_untracked(&part, a.dtype()));
    let (memory, to) = (part.storage().read_memory(), in_order(a).storage().read_memory());
    let out = dispatch!(a.dtype(), E => {
        let mut out = to.typed_slice::<E>()[..a.numel()].to_vec();
        kernels::add_at(&mut out, places.len(), places.iter().copied(), memory.typed_slice::<E>().iter().copied());
        from_vec(out, a.shape())
    });
    record_op(
        "ScatterAddBackward0",
        [a, from],
        &[For(1, index)],
        (dim, from.shape().to_vec()),
        out,
        |g, (dim, shape)| {
            Ok([
                Some(g.result_grad()),
                g.when(1, || {
                    whole_of(&gather(&g.result_grad(), *dim, &g.saved_tensor(0)?)?, shape)
                })?,
            ])
        },
    )
}

/// `a`, but each element of `from` in the place of the one that the index means.
pub(crate) fn scatter(a: &T, dim: i64, index: &T, from: &T) -> Result<T> {
    let axis = resolve_axis(dim, a.shape().len())?;
    let places = index_places(a.shape(), axis, index, "scatter()")?;
    let part = super::without_recording(|| part_of(from, index.shape()))?;
    let part = in_order(&super::to_dtype_untracked(&part, a.dtype()));
    let (memory, to) = (part.storage().read_memory(), in_order(a).storage().read_memory());
    let out = dispatch!(a.dtype(), E => {
        let mut out = to.typed_slice::<E>()[..a.numel()].to_vec();
        places.iter().zip(memory.typed_slice::<E>()).for_each(|(&place, &value)| out[place] = value);
        from_vec(out, a.shape())
    });
    record_op(
        "ScatterBackward0",
        [a, from],
        &[In(index)],
        (dim, from.shape().to_vec()),
        out,
        |g, (dim, shape)| {
            let index = g.saved_tensor(0)?;
            let zeros = filled_tensor(0.0, index.shape(), g.result_grad().dtype());
            Ok([
                g.when(0, || scatter(&g.result_grad(), *dim, &index, &zeros))?,
                g.when(1, || whole_of(&gather(&g.result_grad(), *dim, &index)?, shape))?,
            ])
        },
    )
}

/// The first elements of each dimension; one number is there as often as it is needed.
fn part_of(a: &T, shape: &[usize]) -> Result<T> {
    if a.shape().is_empty() {
        return super::expand(a, shape);
    }
    (0..shape.len()).try_fold(a.clone(), |a, axis| {
        super::narrow(&a, axis as i64, 0, shape[axis])
    })
}

/// The opposite: what else there was gets zero.
fn whole_of(a: &T, shape: &[usize]) -> Result<T> {
    if shape.is_empty() {
        return super::sum(a, None, false);
    }
    let more = |a: T, axis: usize| super::pad_axis(&a, axis, [0, shape[axis] - a.shape()[axis]], 0.0);
    (0..shape.len()).try_fold(a.clone(), more)
}

/// The slices along a dimension that the index means.
pub(crate) fn index_select(a: &T, dim: i64, index: &T) -> Result<T> {
    let axis = resolve_axis(dim, a.shape().len())?;
    if index.shape().len() > 1 {
        return Err(Error::index_error(
            "index_select(): Index is supposed to be a vector",
        ));
    }
    let along = Along::for_axis(a.shape(), axis);
    let chosen =
        kernels::resolve_indices(&index_of(index, "index_select()")?, along.len).map_err(out_of_range)?;
    let mut shape = a.shape().to_vec();
    if let Some(len) = shape.get_mut(axis) {
        *len = chosen.len();
    }
    let from = in_order(a);
    let memory = from.storage().read_memory();
    let out = dispatch!(a.dtype(), E => from_vec(kernels::select_slices(memory.typed_slice::<E>(), along, &chosen), &shape));
    record_op(
        "IndexSelectBackward0",
        [a],
        &[In(index)],
        (a.shape().to_vec(), dim),
        out,
        |g, (shape, dim)| {
            let zeros = filled_tensor(0.0, shape, g.result_grad().dtype());
            Ok([Some(index_add(
                &zeros,
                *dim,
                &g.saved_tensor(0)?,
                &g.result_grad(),
            )?)])
        },
    )
}

/// `a`, and slices added to those that the index means.
pub(crate) fn index_add(a: &T, dim: i64, index: &T, from: &T) -> Result<T> {
    let axis = resolve_axis(dim, a.shape().len())?;
    let along = Along::for_axis(a.shape(), axis);
    let chosen =
        kernels::resolve_indices(&index_of(index, "index_add()")?, along.len).map_err(out_of_range)?;
    let mut expected = a.shape().to_vec();
    if let Some(len) = expected.get_mut(axis) {
        *len = chosen.len();
    }
    if expected != from.shape() && !(a.shape().is_empty() && from.numel() == chosen.len()) {
        return Err(Error::runtime_error(format!(
            "index_add_(): Number of indices ({}) should be equal to source.size(dim), which has the shape {:?}",
            chosen.len(),
            from.shape()
        )));
    }
    let part = in_order(&super::to_dtype_untracked(from, a.dtype()));
    let (memory, to) = (part.storage().read_memory(), in_order(a).storage().read_memory());
    let out = dispatch!(a.dtype(), E => {
        let mut out = to.typed_slice::<E>()[..a.numel()].to_vec();
        let numbers = memory.typed_slice::<E>();
        kernels::with_sums(
            &mut out,
            part.numel(),
            |sums| kernels::add_slices(sums, along, &chosen, numbers, E::add),
            |sums| kernels::add_slices(sums, along, &chosen, numbers, |sum, v| sum + v.to_f64()),
        );
        from_vec(out, a.shape())
    });
    record_op(
        "IndexAddBackward0",
        [a, from],
        &[For(1, index)],
        dim,
        out,
        |g, dim| {
            Ok([
                Some(g.result_grad()),
                g.when(1, || index_select(&g.result_grad(), *dim, &g.saved_tensor(0)?))?,
            ])
        },
    )
}
