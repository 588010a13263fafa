//! Tensors put together, taken apart and turned over.

use pairbond::memory::check_room;
use pairbond::memory::{Gather, Room};
use pairbond::prelude::*;

use super::arguments::{Ints, resolve_axes};
use super::common::in_order;
use super::{narrow, to_dtype, unsqueeze};
use crate::data::{DType, Element, dispatch, resolve_axis, room};
use crate::engine::{Tensors, record_op};
use crate::kernels::{self, Along};
use crate::tensor::{T, Tensor, from_vec};

/// Bytes that joining needs for each tensor, its record included.
const ROOM_FOR_EACH: usize = 192;

/// Behind each other along a dimension.
pub(crate) fn cat(all: &[T], dim: i64) -> Result<T> {
    check_room(all.len(), ROOM_FOR_EACH)?;
    // One without elements and with one dimension goes with everything.
    let some: Vec<&T> = all.iter().filter(|it| it.shape() != [0]).gather();
    let Some(first) = some.first().copied().or(all.first()) else {
        return Err(Error::value_error(
            "torch.cat(): expected a non-empty list of Tensors",
        ));
    };
    let axis = resolve_axis(dim, first.shape().len())?;
    if first.shape().is_empty() {
        return Err(Error::runtime_error(
            "zero-dimensional tensor (at position 0) cannot be concatenated",
        ));
    }
    let dtype = all
        .iter()
        .map(|it| it.dtype())
        .reduce(DType::promote_with)
        .unwrap_or(first.dtype());
    let mut shape = first.shape().to_vec();
    shape[axis] = some
        .iter()
        .map(|it| it.shape().get(axis).copied().unwrap_or(0))
        .sum();
    for (number, other) in some.iter().enumerate() {
        if other.shape().len() != shape.len() {
            return Err(Error::runtime_error(format!(
                "Tensors must have same number of dimensions: got {} and {}",
                shape.len(),
                other.shape().len()
            )));
        }
        let pairs = first.shape().iter().zip(other.shape()).enumerate();
        if let Some((_, (one, len))) = pairs
            .filter(|(i, _)| *i != axis)
            .find(|(_, (one, len))| one != len)
        {
            return Err(Error::runtime_error(format!(
                "Sizes of tensors must match except in dimension {axis}. Expected size {one} but got size {len} for tensor number {number} in the list."
            )));
        }
    }
    let parts: Vec<T> = some
        .iter()
        .map(|it| in_order(&super::to_dtype_untracked(it, dtype)))
        .gather();
    let whole = Along::for_axis(&shape, axis);
    let out = dispatch!(dtype, E => {
        let memories: Vec<_> = parts.iter().map(|part| part.storage().read_memory()).gather();
        let mut out: Vec<E> = room::vec_with_capacity(room::element_count(&shape));
        for outer in 0..whole.outer {
            for (part, memory) in parts.iter().zip(&memories) {
                let len = part.shape()[axis] * whole.inner;
                out.extend_from_slice(&memory.typed_slice::<E>()[outer * len..(outer + 1) * len]);
            }
        }
        from_vec(out, &shape)
    });
    // Of one that goes with everything there is no length.
    let len = |it: &T| (it.shape() != [0]).then(|| it.shape()[axis]);
    let params: (usize, Vec<(Option<usize>, DType)>) =
        (axis, all.iter().map(|it| (len(it), it.dtype())).gather());
    record_op("CatBackward0", all, &[], params, out, |g, (axis, parts)| {
        let mut start = 0;
        let mut grads = Vec::new();
        for (input, (len, dtype)) in parts.iter().enumerate() {
            grads.room().push(g.when(input, || match len {
                None => Ok(crate::tensor::filled_tensor(0.0, &[0], *dtype)),
                Some(len) => to_dtype(&narrow(&g.result_grad(), *axis as i64, start, *len)?, *dtype),
            })?);
            start += len.unwrap_or(0);
        }
        Ok(grads)
    })
}

/// Behind each other along a new dimension.
pub(crate) fn stack(all: &[T], dim: i64) -> Result<T> {
    let Some(first) = all.first() else {
        return Err(Error::runtime_error("stack expects a non-empty TensorList"));
    };
    if let Some(place) = all.iter().position(|it| it.shape() != first.shape()) {
        return Err(Error::runtime_error(format!(
            "stack expects each tensor to be equal size, but got {:?} at entry 0 and {:?} at entry {place}",
            first.shape(),
            all[place].shape()
        )));
    }
    let place = resolve_axis(dim, first.shape().len() + 1)? as i64;
    check_room(all.len(), size_of::<Tensor>() + ROOM_FOR_EACH)?;
    let all = all
        .iter()
        .map(|it| unsqueeze(it, place))
        .collect::<Result<Vec<_>>>()?;
    cat(&all, place)
}

/// Parts of so many elements each along a dimension; the last may have less.
pub(crate) fn split(a: &T, sizes: &Ints, dim: i64) -> Result<Vec<T>> {
    let len = a.shape().get(resolve_axis(dim, a.shape().len())?).copied();
    let len = len.ok_or_else(|| Error::runtime_error("split expects at least a 1-dimensional tensor"))?;
    let size = |size: i64| {
        usize::try_from(size).map_err(|_| {
            Error::runtime_error(format!(
                "split expects split_size be non-negative, but got split_size={size}"
            ))
        })
    };
    let sizes = match sizes.0[..] {
        [0] if len != 0 => {
            return Err(Error::runtime_error(format!(
                "split_size can only be 0 if dimension size is 0, but got dimension size of {len}"
            )));
        }
        [each] if each > 0 => {
            let each = size(each)?;
            // The sizes, and a tensor of each.
            check_room(len.div_ceil(each), 256)?;
            (0..len.div_ceil(each).max(1))
                .map(|part| each.min(len - part * each))
                .gather()
        }
        _ => sizes
            .0
            .iter()
            .map(|&each| size(each))
            .collect::<Result<Vec<_>>>()?,
    };
    if sizes.iter().sum::<usize>() != len {
        return Err(Error::runtime_error(format!(
            "split_with_sizes expects split_sizes to sum exactly to {len} (input tensor's size at dimension {dim}), but got split_sizes={sizes:?}"
        )));
    }
    let mut start = 0;
    sizes
        .into_iter()
        .map(|len| {
            start += len;
            narrow(a, dim, start - len, len)
        })
        .gather_ok()
}

/// So many parts, or less.
pub(crate) fn chunk(a: &T, chunks: i64, dim: i64) -> Result<Vec<T>> {
    let len = a
        .shape()
        .get(resolve_axis(dim, a.shape().len())?)
        .copied()
        .unwrap_or(0);
    let Some(chunks) = usize::try_from(chunks).ok().filter(|&chunks| chunks > 0) else {
        return Err(Error::runtime_error(format!(
            "chunk expects `chunks` to be greater than 0, got: {chunks}"
        )));
    };
    let each = len.div_ceil(chunks).max(1);
    split(a, &Ints(vec![each as i64]), dim)
}

/// With some more of a number before and after a dimension.
pub(crate) fn pad_axis(a: &T, axis: usize, around: [usize; 2], number: f64) -> Result<T> {
    if around == [0, 0] {
        return Ok(a.clone());
    }
    let mut shape = a.shape().to_vec();
    shape[axis] += around[0] + around[1];
    let from = in_order(a);
    let memory = from.storage().read_memory();
    let along = Along::for_axis(a.shape(), axis);
    let out = dispatch!(a.dtype(), E => {
        let mut out = room::filled_vec(E::of_f64(number), room::element_count(&shape));
        let (part, whole) = (along.len * along.inner, shape[axis] * along.inner);
        for outer in 0..along.outer {
            let start = outer * whole + around[0] * along.inner;
            out[start..start + part].copy_from_slice(&memory.typed_slice::<E>()[outer * part..(outer + 1) * part]);
        }
        from_vec(out, &shape)
    });
    let params = (axis, (around[0], a.shape()[axis]));
    record_op(
        "ConstantPadNdBackward0",
        [a],
        &[],
        params,
        out,
        |g, (axis, (start, len))| Ok([Some(narrow(&g.result_grad(), *axis as i64, *start, *len)?)]),
    )
}

/// With some more of a number around the last dimensions: pairs, the last dimension's first.
pub(crate) fn pad_constant(a: &T, around: &Ints, number: f64) -> Result<T> {
    let rank = a.shape().len();
    if around.0.len() % 2 == 1 || around.0.len() / 2 > rank {
        return Err(Error::runtime_error(
            "Padding length must be divisible by 2 and at most twice the number of dimensions of the input",
        ));
    }
    if around.0.iter().all(|&size| size == 0) {
        return super::copy_contiguous(a);
    }
    let mut out = a.clone();
    for (place, pair) in around.0.chunks_exact(2).enumerate() {
        let axis = rank - 1 - place;
        let len = |size: i64| usize::try_from(size.max(0)).unwrap_or(0);
        out = pad_axis(&out, axis, [len(pair[0]), len(pair[1])], number)?;
        // Less than nothing more is cut away.
        let cut = [len(-pair[0]), len(-pair[1])];
        if cut != [0, 0] {
            let left = out.shape()[axis].checked_sub(cut[0] + cut[1]);
            let left = left.ok_or_else(|| Error::runtime_error("narrow(): length must be non-negative."))?;
            out = narrow(&out, axis as i64, cut[0], left)?;
        }
    }
    Ok(out)
}

/// With the elements of these dimensions in the opposite order.
pub(crate) fn flip(a: &T, dims: &Ints) -> Result<T> {
    let over = resolve_axes(Some(dims), a.shape().len())?;
    let mut from = in_order(a);
    for &axis in &over {
        let along = Along::for_axis(a.shape(), axis);
        let back = room::collect_vec((0..along.len).rev());
        let memory = from.storage().read_memory();
        from = dispatch!(a.dtype(), E => from_vec(kernels::select_slices(&memory.typed_slice::<E>()[..a.numel()], along, &back), a.shape()));
    }
    let out = if over.is_empty() {
        super::copy_untracked(a)
    } else {
        from
    };
    record_op("FlipBackward0", [a], &[], dims.0.clone(), out, |g, dims| {
        Ok([Some(flip(&g.result_grad(), &Ints(dims.clone()))?)])
    })
}

/// Behind each other along a dimension, several times.
pub(crate) fn repeat(a: &T, times: &[i64]) -> Result<T> {
    let more = times.len().checked_sub(a.shape().len()).ok_or_else(|| {
        Error::runtime_error(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        )
    })?;
    let count = |&times: &i64| usize::try_from(times).or_raise(ErrorKind::Runtime);
    let times = times.iter().map(count).collect::<Result<Vec<_>>>()?;
    let lens = [vec![1; more], a.shape().to_vec()].concat();
    // Each dimension becomes two, the first of which is repeated.
    let pairs = |first: &[usize]| -> Vec<usize> {
        let both = first.iter().zip(&lens);
        both.flat_map(|(&first, &len)| [first, len]).gather()
    };
    let repeated = super::expand(&super::reshape(a, &pairs(&vec![1; lens.len()]))?, &pairs(&times))?;
    let whole = |(&times, &len): (&usize, &usize)| room::element_count(&[times, len]);
    let shape: Vec<usize> = times.iter().zip(&lens).map(whole).gather();
    let out = super::reshape(&repeated, &shape)?;
    // It is a tensor of its own, as in PyTorch, also where nothing is repeated.
    if out.storage().is(a.storage()) {
        super::copy_contiguous(&out)
    } else {
        Ok(out)
    }
}

/// The part of a matrix, or of each in a batch, on one side of a diagonal; zero elsewhere.
pub(crate) fn keep_triangle(a: &T, diagonal: i64, lower: bool) -> Result<T> {
    let &[.., rows, columns] = a.shape() else {
        let name = if lower { "tril" } else { "triu" };
        return Err(Error::runtime_error(format!(
            "{name}: input tensor must have at least 2 dimensions"
        )));
    };
    let cell = |place: usize| {
        let (row, column) = ((place / columns) as i64, (place % columns) as i64);
        if lower {
            column - row <= diagonal
        } else {
            column - row >= diagonal
        }
    };
    // The mask, and the result.
    check_room(rows.saturating_mul(columns), 16)?;
    let mask = from_vec(
        (0..rows * columns)
            .map(|place| !cell(place))
            .collect::<Vec<bool>>(),
        &[rows, columns],
    );
    super::masked_fill(a, &mask, 0.0)
}
