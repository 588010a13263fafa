//! Other ways to look at the same numbers.

use pairbond::prelude::*;

use super::reduce_to;
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
