//! Other ways to look at the same numbers.

use pairbond::prelude::*;
use pairbond::trace::Untraced;

use super::arguments::{Ints, resolve_axes};
use super::reduce_to;
use crate::data::{Geometry, resolve_axis, room};
use crate::engine::{Tensors, record_op, record_view};
use crate::part::Part;
use crate::tensor::{T, Tensor};

/// A view with the dimensions in another order.
pub(crate) fn permute(a: &T, order: &[i64]) -> Result<T> {
    let rank = a.shape().len();
    let from = order
        .iter()
        .map(|&dim| resolve_axis(dim, rank))
        .collect::<Result<Vec<_>>>()?;
    if order.len() != rank {
        return Err(Error::runtime_error(format!(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. \
             input.dim() = {rank} is not equal to len(dims) = {}",
            order.len()
        )));
    }
    let mut sorted = from.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::runtime_error("permute(): duplicate dims are not allowed."));
    }
    let geometry = Geometry {
        shape: from.iter().map(|&axis| a.shape()[axis]).collect(),
        strides: from.iter().map(|&axis| a.geometry().strides[axis]).collect(),
        offset: a.geometry().offset,
    };
    let mut back = vec![0_i64; rank];
    from.iter()
        .enumerate()
        .for_each(|(place, &axis)| back[axis] = place as i64);
    record_view("PermuteBackward0", a, geometry, back, |g, back| {
        Ok([Some(permute(&g.result_grad(), back)?)])
    })
}

/// A view with two dimensions exchanged.
pub(crate) fn transpose(a: &T, dim0: i64, dim1: i64) -> Result<T> {
    let (one, other) = (
        resolve_axis(dim0, a.shape().len())?,
        resolve_axis(dim1, a.shape().len())?,
    );
    let mut geometry = a.geometry().clone();
    if one != other {
        geometry.shape.swap(one, other);
        geometry.strides.swap(one, other);
    }
    record_view(
        "TransposeBackward0",
        a,
        geometry,
        (dim0, dim1),
        |g, (dim0, dim1)| Ok([Some(transpose(&g.result_grad(), *dim0, *dim1)?)]),
    )
}

/// A matrix with rows and columns exchanged.
pub(crate) fn transpose_matrix(a: &T) -> Result<T> {
    match a.shape().len() {
        0 | 1 => permute(a, if a.shape().is_empty() { &[] } else { &[0] }),
        2 => transpose(a, 0, 1),
        rank => Err(Error::runtime_error(format!(
            "t() expects a tensor with <= 2 dimensions, but self is {rank}D"
        ))),
    }
}

/// A view that repeats elements.
pub(crate) fn expand(a: &T, shape: &[usize]) -> Result<T> {
    let old = a.shape();
    let Some(more) = shape.len().checked_sub(old.len()) else {
        return Err(Error::runtime_error(format!(
            "expand: the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({}): {shape:?}, {old:?}",
            shape.len(),
            old.len()
        )));
    };
    if let Some(axis) = (more..shape.len()).find(|&axis| ![1, shape[axis]].contains(&old[axis - more])) {
        return Err(Error::runtime_error(format!(
            "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {axis}.  Target sizes: {shape:?}.  \
             Tensor sizes: {old:?}",
            shape[axis],
            old[axis - more]
        )));
    }
    room::check_size(shape)?;
    room::ask_for_dims(shape.len());
    let stride = |axis: usize| match axis.checked_sub(more) {
        Some(old) if a.shape()[old] == shape[axis] => a.geometry().strides[old],
        _ => 0,
    };
    let geometry = Geometry {
        shape: shape.into(),
        strides: (0..shape.len()).map(stride).collect(),
        offset: a.geometry().offset,
    };
    record_view("ExpandBackward0", a, geometry, a.shape().to_vec(), |g, shape| {
        Ok([Some(reduce_to(&g.result_grad(), shape)?)])
    })
}

/// As [`expand`], where -1 is the length that there is.
pub(crate) fn expand_to(a: &T, sizes: &[i64]) -> Result<T> {
    let more = sizes.len().saturating_sub(a.shape().len());
    let length = |(axis, &size): (usize, &i64)| {
        match (size, axis.checked_sub(more)) {
        (-1, Some(own)) => Ok(a.shape()[own]),
        _ => usize::try_from(size).map_err(|_| {
            Error::runtime_error(format!(
                "The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {axis}"
            ))
        }),
    }
    };
    let shape = sizes.iter().enumerate().map(length).collect::<Result<Vec<_>>>()?;
    expand(a, &shape)
}

/// The same elements in another shape, as a view; `None`: they would have to be moved.
fn try_view(a: &T, shape: &[usize]) -> Option<Result<T>> {
    let geometry = a.geometry().reshape_view(shape)?;
    Some(record_view(
        "ViewBackward0",
        a,
        geometry,
        a.shape().to_vec(),
        |g, shape| Ok([Some(reshape(&g.result_grad(), shape)?)]),
    ))
}

fn check_numel(a: &T, shape: &[usize]) -> Result<()> {
    if a.numel() == room::element_count(shape) {
        return Ok(());
    }
    Err(Error::runtime_error(format!(
        "shape '{shape:?}' is invalid for input of size {}",
        a.numel()
    )))
}

/// The same elements in another shape: a view where that is possible.
pub(crate) fn reshape(a: &T, shape: &[usize]) -> Result<T> {
    check_numel(a, shape)?;
    if a.shape() == shape {
        return Ok(a.clone());
    }
    if let Some(view) = try_view(a, shape) {
        return view;
    }
    let out = Tensor::from_memory(super::copy_untracked(a).storage().read_memory(), shape);
    record_op(
        "UnsafeViewBackward0",
        [a],
        &[],
        a.shape().to_vec(),
        out,
        |g, shape| Ok([Some(reshape(&g.result_grad(), shape)?)]),
    )
}

/// As [`reshape`], for callers that get another tensor also if the shape is the same.
pub(crate) fn view_or_copy(a: &T, shape: &[usize]) -> Result<T> {
    if a.shape() == shape {
        view(a, shape)
    } else {
        reshape(a, shape)
    }
}

/// The same elements in another shape, as a view.
pub(crate) fn view(a: &T, shape: &[usize]) -> Result<T> {
    check_numel(a, shape)?;
    try_view(a, shape).unwrap_or_else(|| {
        Err(Error::runtime_error(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). \
             Use .reshape(...) instead.",
        ))
    })
}

/// Dimensions as one.
pub(crate) fn flatten(a: &T, start: i64, end: i64) -> Result<T> {
    let rank = a.shape().len();
    let (start, end) = (resolve_axis(start, rank)?, resolve_axis(end, rank)?);
    if start > end {
        return Err(Error::runtime_error(
            "flatten() has invalid args: start_dim cannot come after end_dim",
        ));
    }
    let Some(inner) = a.shape().get(start..=end) else {
        return reshape(a, &[1]);
    };
    let shape = [
        &a.shape()[..start],
        &[inner.iter().product()],
        &a.shape()[end + 1..],
    ]
    .concat();
    reshape(a, &shape)
}

/// Without those of these dimensions that have length 1.
pub(crate) fn squeeze_axes(a: &T, axes: &[usize]) -> Result<T> {
    let stays = |axis: &usize| a.shape()[*axis] != 1 || !axes.contains(axis);
    let stay: Vec<usize> = (0..a.shape().len()).filter(stays).collect();
    let geometry = Geometry {
        shape: stay.iter().map(|&axis| a.shape()[axis]).collect(),
        strides: stay.iter().map(|&axis| a.geometry().strides[axis]).collect(),
        offset: a.geometry().offset,
    };
    record_view("SqueezeBackward0", a, geometry, a.shape().to_vec(), |g, shape| {
        Ok([Some(reshape(&g.result_grad(), shape)?)])
    })
}

pub(crate) fn squeeze(a: &T, dims: Option<&Ints>) -> Result<T> {
    squeeze_axes(a, &resolve_axes(dims, a.shape().len())?)
}

/// With one more dimension of length 1.
pub(crate) fn unsqueeze(a: &T, dim: i64) -> Result<T> {
    let place = resolve_axis(dim, a.shape().len() + 1)?;
    let mut geometry = a.geometry().clone();
    let stride = a
        .geometry()
        .strides
        .get(place)
        .map_or(1, |stride| stride * a.shape()[place]);
    geometry.shape.insert(place, 1);
    geometry.strides.insert(place, stride);
    record_view("UnsqueezeBackward0", a, geometry, place, |g, place| {
        Ok([Some(squeeze_axes(&g.result_grad(), &[*place])?)])
    })
}

/// A part of a dimension.
pub(crate) fn narrow(a: &T, dim: i64, start: usize, len: usize) -> Result<T> {
    let axis = resolve_axis(dim, a.shape().len())?;
    let whole = a.shape().get(axis).copied().unwrap_or(0);
    if start + len > whole {
        return Err(Error::runtime_error(format!(
            "start ({start}) + length ({len}) exceeds dimension size ({whole})."
        )));
    }
    let mut geometry = a.geometry().clone();
    geometry.shape[axis] = len;
    geometry.offset += start * geometry.strides[axis];
    let params = (a.shape().to_vec(), (axis, start));
    record_view(
        "SliceBackward0",
        a,
        geometry,
        params,
        |g, (shape, (axis, start))| {
            let after = shape[*axis] - *start - g.result_grad().shape()[*axis];
            Ok([Some(super::pad_axis(
                &g.result_grad(),
                *axis,
                [*start, after],
                0.0,
            )?)])
        },
    )
}

/// As [`narrow`], where a place may be counted from the end.
pub(crate) fn narrow_from(a: &T, dim: i64, start: i64, len: i64) -> Result<T> {
    let whole = a.shape().get(resolve_axis(dim, a.shape().len())?).copied();
    let Some(whole) = whole else {
        return Err(Error::runtime_error(
            "narrow() cannot be applied to a 0-dim tensor.",
        ));
    };
    let Ok(len) = usize::try_from(len) else {
        return Err(Error::runtime_error("narrow(): length must be non-negative."));
    };
    let signed = i64::try_from(whole)?;
    if !(-signed..=signed).contains(&start) {
        return Err(Error::index_error(format!(
            "Dimension out of range (expected to be in range of [{}, {signed}], but got {start})",
            -signed
        )));
    }
    let from = if start < 0 { start + signed } else { start };
    narrow(a, dim, usize::try_from(from)?, len)
}

/// A view in which only one place of a dimension is left.
pub(crate) fn select(a: &T, dim: i64, index: i64) -> Result<T> {
    let dim = resolve_axis(dim, a.shape().len())?;
    let mut geometry = a.geometry().clone();
    let Some(&len) = geometry.shape.get(dim) else {
        return Err(Error::index_error(
            "select() cannot be applied to a 0-dim tensor.",
        ));
    };
    let signed = i64::try_from(len)?;
    if !(-signed..signed).contains(&index) {
        return Err(Error::index_error(format!(
            "select(): index {index} out of range for tensor of size {:?} at dimension {dim}",
            a.shape()
        )));
    }
    let place = usize::try_from(index.rem_euclid(signed))?;
    geometry.offset += place * geometry.strides[dim];
    geometry.shape.remove(dim);
    geometry.strides.remove(dim);
    record_view(
        "SelectBackward0",
        a,
        geometry,
        (dim, (place, len)),
        |g, (dim, (place, len))| {
            let grad = unsqueeze(&g.result_grad(), *dim as i64)?;
            Ok([Some(super::pad_axis(
                &grad,
                *dim,
                [*place, len - place - 1],
                0.0,
            )?)])
        },
    )
}

/// The part of a tensor of that geometry where the places in two dimensions are the same, but for
/// `offset`: as the last dimension.
fn diagonal_of(whole: &Geometry, offset: i64, [row, column]: [usize; 2]) -> Geometry {
    let away = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let (down, right) = if offset < 0 { (away, 0) } else { (0, away) };
    let rows = whole.shape[row].saturating_sub(down);
    let len = rows.min(whole.shape[column].saturating_sub(right));
    let mut part = whole.clone();
    if len > 0 {
        part.offset += down * whole.strides[row] + right * whole.strides[column];
    }
    for axis in [row.max(column), row.min(column)] {
        part.shape.remove(axis);
        part.strides.remove(axis);
    }
    part.shape.push(len);
    part.strides.push(whole.strides[row] + whole.strides[column]);
    part
}

/// A view of the elements whose places in two dimensions are the same, but for `offset`.
pub(crate) fn diagonal_view(a: &T, offset: i64, dim1: i64, dim2: i64) -> Result<T> {
    let axes = [
        resolve_axis(dim1, a.shape().len())?,
        resolve_axis(dim2, a.shape().len())?,
    ];
    if a.shape().len() < 2 || axes[0] == axes[1] {
        return Err(Error::runtime_error(format!(
            "diagonal dimensions cannot be identical {dim1}, {dim2}"
        )));
    }
    let part = Part::Strided(diagonal_of(&Geometry::new_contiguous(a.shape()), offset, axes));
    let view = diagonal_of(a.geometry(), offset, axes);
    let params = (Untraced(part), a.shape().to_vec());
    record_view("DiagonalBackward0", a, view, params, |g, (part, whole)| {
        Ok([Some(super::put_part(&g.result_grad(), &part.0, whole)?)])
    })
}
