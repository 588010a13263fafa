//! Other ways to look at the same numbers.

use pairbond::prelude::*;

use super::{put, reduce_to};
use crate::engine::record_view;
use crate::kernels;
use crate::tensor::{Geometry, Memory, T, Tensor, axis, dispatch};

/// A view with two dimensions exchanged.
pub(crate) fn transpose(a: &T, dim0: i64, dim1: i64) -> Result<T> {
    let (one, other) = (axis(dim0, a.shape().len())?, axis(dim1, a.shape().len())?);
    let mut geometry = a.geometry.clone();
    if one != other {
        geometry.shape.swap(one, other);
        geometry.strides.swap(one, other);
    }
    record_view(
        "TransposeBackward0",
        a,
        geometry,
        (dim0, dim1),
        |g, (dim0, dim1)| Ok([Some(transpose(g.grad(), *dim0, *dim1)?)]),
    )
}

/// A view that repeats elements.
pub(crate) fn expand(a: &T, shape: &[usize]) -> Result<T> {
    let more = shape.len().checked_sub(a.shape().len());
    let fits =
        |more| (more..shape.len()).all(|axis: usize| [1, shape[axis]].contains(&a.shape()[axis - more]));
    let Some(more) = more.filter(|&more| fits(more)) else {
        return Err(Error::runtime_error(format!(
            "The expanded size of the tensor {shape:?} must match the existing size {:?}",
            a.shape()
        )));
    };
    let stride = |axis: usize| match axis.checked_sub(more) {
        Some(old) if a.shape()[old] == shape[axis] => a.geometry.strides[old],
        _ => 0,
    };
    let geometry = Geometry {
        shape: shape.to_vec(),
        strides: (0..shape.len()).map(stride).collect(),
        offset: a.geometry.offset,
    };
    record_view("ExpandBackward0", a, geometry, a.shape().to_vec(), |g, shape| {
        Ok([Some(reduce_to(g.grad(), shape)?)])
    })
}

/// The same elements in another shape: a view where that is possible.
pub(crate) fn reshape(a: &T, shape: &[usize]) -> Result<T> {
    if a.shape() == shape {
        return Ok(a.clone());
    }
    if a.numel() != shape.iter().product::<usize>() {
        return Err(Error::runtime_error(format!(
            "shape '{shape:?}' is invalid for input of size {}",
            a.numel()
        )));
    }
    if let Some(geometry) = a.geometry.reshaped(shape) {
        return record_view("ViewBackward0", a, geometry, a.shape().to_vec(), |g, shape| {
            Ok([Some(reshape(g.grad(), shape)?)])
        });
    }
    let memory = a.storage.read();
    let copy = dispatch!(a.dtype(), E => {
        Memory::of(kernels::map(&a.geometry.view(memory.slice::<E>()), |v| v))
    });
    let out = Tensor::of(copy, shape);
    crate::engine::record(
        "UnsafeViewBackward0",
        [a],
        &[],
        a.shape().to_vec(),
        out,
        |g, shape| Ok([Some(reshape(g.grad(), shape)?)]),
    )
}

/// A view in which only one place of a dimension is left.
pub(crate) fn select(a: &T, dim: i64, index: i64) -> Result<T> {
    let dim = axis(dim, a.shape().len())?;
    let mut geometry = a.geometry.clone();
    let Some(&len) = geometry.shape.get(dim) else {
        return Err(Error::index_error(
            "select() cannot be applied to a 0-dim tensor.",
        ));
    };
    let signed = i64::try_from(len)?;
    if !(-signed..signed).contains(&index) {
        return Err(Error::index_error(format!(
            "index {index} is out of bounds for dimension {dim} with size {len}"
        )));
    }
    let place = usize::try_from(if index < 0 { index + signed } else { index })?;
    geometry.offset += place * geometry.strides[dim];
    geometry.shape.remove(dim);
    geometry.strides.remove(dim);
    let params = (a.shape().to_vec(), dim, place);
    record_view(
        "SelectBackward0",
        a,
        geometry,
        params,
        |g, (shape, dim, place)| {
            let inner: usize = shape[dim + 1..].iter().product();
            let outer: usize = shape[..*dim].iter().product();
            let places =
                (0..outer).flat_map(|o| (0..inner).map(move |i| (o * shape[*dim] + place) * inner + i));
            Ok([Some(put(g.grad(), &places.collect::<Vec<_>>(), shape)?)])
        },
    )
}
