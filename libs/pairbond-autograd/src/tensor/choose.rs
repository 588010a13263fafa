//! Elements that are chosen one by one: by integers for some dimensions, or by truth values.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::T;
use crate::data::{DType, Geometry, broadcast_shapes, room};

/// Elements of a view, counted in the order of its elements.
pub(crate) struct Chosen {
    pub(crate) places: Vec<usize>,
    pub(crate) shape: Vec<usize>,
}

/// Integers that index one dimension.
pub(super) struct Indices {
    pub(super) axis: usize,
    /// The same dimension, for errors.
    pub(super) dim: usize,
    pub(super) values: Vec<i64>,
    pub(super) shape: Vec<usize>,
}

/// A place that is counted from the end when it is negative.
pub(super) fn resolve_place(number: i64, len: usize, axis: usize) -> Result<usize> {
    let signed = i64::try_from(len)?;
    if (-signed..signed).contains(&number) {
        return Ok(usize::try_from(if number < 0 {
            number + signed
        } else {
            number
        })?);
    }
    Err(Error::index_error(format!(
        "index {number} is out of bounds for dimension {axis} with size {len}"
    )))
}

/// Returns the indices that a tensor in a subscript selects in the dimensions from `axis` on, and
/// their shape.
pub(super) fn tensor_indices(
    tensor: &T,
    (axis, dim): (usize, usize),
    shape: &[usize],
) -> Result<(Vec<Indices>, Vec<usize>)> {
    let memory = tensor.storage().read_memory();
    match tensor.dtype() {
        DType::Int64 => {
            let numbers = memory.typed_slice::<i64>();
            let values = room::collect_vec(tensor.geometry().element_places().map(|place| numbers[place]));
            let shape = tensor.shape().to_vec();
            Ok((
                vec![Indices {
                    axis,
                    dim,
                    values,
                    shape: shape.clone(),
                }],
                shape,
            ))
        }
        DType::Bool => {
            let rank = tensor.shape().len();
            if tensor.shape() != &shape[axis..axis + rank] {
                return Err(Error::index_error(format!(
                    "The shape of the mask {:?} at index 0 does not match the shape of the indexed tensor {shape:?} at index {dim}",
                    tensor.shape()
                )));
            }
            let truths = memory.typed_slice::<bool>();
            let order = Geometry::new_contiguous(tensor.shape());
            let places: Vec<usize> = tensor
                .geometry()
                .element_places()
                .enumerate()
                .filter(|(_, place)| truths[*place])
                .map(|(at, _)| at)
                .gather();
            let of = |inner: usize| {
                let value =
                    |&at: &usize| (at / order.strides[inner].max(1) % order.shape[inner].max(1)) as i64;
                places.iter().map(value).gather()
            };
            let shape = vec![places.len()];
            let indices = (0..rank).map(|inner| Indices {
                axis: axis + inner,
                dim: dim + inner,
                values: of(inner),
                shape: shape.clone(),
            });
            Ok((indices.gather(), shape))
        }
        other => Err(Error::index_error(format!(
            "tensors used as indices must be long, int, byte or bool tensors, not {}",
            other.name()
        ))),
    }
}

/// The shape of all that chooses.
pub(super) fn broadcast_indices(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    broadcast_shapes(a, b).map_err(|_| {
        Error::index_error(format!(
            "shape mismatch: indexing tensors could not be broadcast together with shapes {a:?}, {b:?}"
        ))
    })
}

/// The elements that indices choose, of a tensor of that shape.
pub(super) fn choose_elements(
    shape: &[usize],
    indices: Vec<Indices>,
    stretched: &[usize],
    adjacent: bool,
) -> Result<Chosen> {
    let order = Geometry::new_contiguous(shape);
    let mut starts = room::filled_vec(0, room::element_count(stretched));
    for Indices {
        axis,
        dim,
        values,
        shape: own,
    } in &indices
    {
        let own = Geometry::new_contiguous(own).broadcast_to(stretched);
        for (start, from) in starts.iter_mut().zip(own.element_places()) {
            *start += resolve_place(values[from], shape[*axis], *dim)? * order.strides[*axis];
        }
    }
    let free = |axis: &usize| !indices.iter().any(|indices| indices.axis == *axis);
    let first = indices.first().map_or(0, |indices| indices.axis);
    let split = if adjacent { first } else { 0 };
    let rest = |axes: std::ops::Range<usize>| {
        let axes: Vec<usize> = axes.filter(free).gather();
        Geometry {
            shape: axes.iter().map(|&axis| shape[axis]).collect(),
            strides: axes.iter().map(|&axis| order.strides[axis]).collect(),
            offset: 0,
        }
    };
    let (before, after) = (rest(0..split), rest(split..shape.len()));
    let after_places = room::collect_vec(after.element_places());
    let mut places = room::vec_with_capacity(room::element_count(&[
        before.numel(),
        starts.len(),
        after_places.len(),
    ]));
    for outer in before.element_places() {
        for start in &starts {
            places.extend(after_places.iter().map(|inner| outer + start + inner));
        }
    }
    Ok(Chosen {
        places,
        shape: [&before.shape, stretched, &after.shape].concat(),
    })
}
