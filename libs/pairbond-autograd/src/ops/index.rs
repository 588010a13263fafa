//! Parts of a tensor, by what stands in brackets.

use pairbond::prelude::*;
use pairbond::trace::Untraced;

use super::places::take_as;
use super::{copy_untracked, put_part, reduce_to, reshape, take_places, to_dtype_untracked};
use crate::data::{Element, Geometry, broadcast_shapes, dispatch, room};
use crate::engine::{Tensors, record_in_place, record_op, record_view};
use crate::tensor::{Chosen, Key, Part, T};

/// A view where the key has numbers and slices only; a copy of the elements that it chooses
/// otherwise.
pub(crate) fn get_item(a: &T, key: Key) -> Result<T> {
    let Part {
        view,
        order,
        chosen,
        name,
    } = key.select_part(a.geometry())?;
    let view = if chosen.is_some() && view == *a.geometry() {
        a.clone()
    } else {
        view_of(name, a, view, order)?
    };
    match chosen {
        None => Ok(view),
        Some(chosen) => take_as("IndexBackward0", &view, &chosen.places, &chosen.shape),
    }
}

/// A view of part of the elements: those at `order` in the order of all.
fn view_of(name: &'static str, a: &T, view: Geometry, order: Geometry) -> Result<T> {
    let params = (Untraced(crate::part::Part::Strided(order)), a.shape().to_vec());
    record_view(name, a, view, params, |g, (part, whole)| {
        Ok([Some(put_part(&g.result_grad(), &part.0, whole)?)])
    })
}

/// Writes to the elements that a key means. A value of another shape is repeated.
pub(crate) fn set_item(a: &T, key: Key, value: &T) -> Result<()> {
    let Part {
        view,
        order,
        chosen,
        name,
    } = key.select_part(a.geometry())?;
    let target = if view == *a.geometry() {
        a.clone()
    } else {
        view_of(name, a, view, order)?
    };
    let shape = chosen.as_ref().map_or(target.shape(), |chosen| &chosen.shape);
    let value = squeeze_to_target(value, shape)?;
    let Some(Chosen { places, shape }) = chosen else {
        return super::replace_numbers(&target, &value, ("CopySlices", "copy_"));
    };
    let all = room::collect_vec(target.geometry().element_places());
    let memory = places.iter().map(|&place| all[place]).collect::<Vec<_>>();
    let to = shape.clone();
    record_in_place(
        ("IndexPutBackward0", "index_put_"),
        [&target, &value],
        (places, shape, value.shape().to_vec()),
        || write_places(&target, memory.into_iter(), &value, &to),
        |g, (places, shape, from)| {
            let written = |grad: &T| reduce_to(&take_places(grad, places, shape)?, from);
            Ok([
                g.when(0, || zero_places(&g.result_grad(), places))?,
                g.when(1, || written(&g.result_grad()))?,
            ])
        },
    )
}

/// A value without dimensions of length 1 that the target does not have.
fn squeeze_to_target(value: &T, shape: &[usize]) -> Result<T> {
    let more = value.shape().len().saturating_sub(shape.len());
    let fits = value.shape()[..more].iter().all(|&len| len == 1);
    let own = &value.shape()[if fits { more } else { 0 }..];
    if !fits
        || broadcast_shapes(own, shape).is_ok_and(|both| both != shape)
        || broadcast_shapes(own, shape).is_err()
    {
        return Err(Error::runtime_error(format!(
            "shape mismatch: value tensor of shape {:?} cannot be broadcast to indexing result of shape {shape:?}",
            value.shape()
        )));
    }
    reshape(value, own)
}

/// Writes numbers to places in memory, in the dtype that is there.
fn write_places(a: &T, places: impl Iterator<Item = usize>, value: &T, shape: &[usize]) -> Result<()> {
    let value = to_dtype_untracked(value, a.dtype());
    let from = value.geometry().broadcast_to(shape);
    let numbers = value.storage().read_memory();
    dispatch!(a.dtype(), E => {
        let numbers = numbers.typed_slice::<E>();
        a.storage().write_memory(|memory| {
            let memory = memory.slice_mut::<E>();
            for (place, from) in places.zip(from.element_places()) {
                memory[place] = numbers[from];
            }
        });
    });
    Ok(())
}

/// The same elements, but zeros at these places in the order of all.
fn zero_places(a: &T, places: &[usize]) -> Result<T> {
    let out = copy_untracked(a);
    dispatch!(a.dtype(), E => out.storage().write_memory(|memory| {
        let memory = memory.slice_mut::<E>();
        places.iter().for_each(|&place| memory[place] = E::ZERO);
    }));
    record_op("ClearBackward0", [a], &[], places.to_vec(), out, |g, places| {
        Ok([Some(zero_places(&g.result_grad(), places)?)])
    })
}

/// A copy whose elements lie behind each other.
pub(crate) fn copy_contiguous(a: &T) -> Result<T> {
    record_op("CloneBackward0", [a], &[], (), copy_untracked(a), |g, ()| {
        Ok([Some(g.result_grad())])
    })
}

/// The same tensor, if its elements lie behind each other.
pub(crate) fn make_contiguous(a: &T) -> Result<T> {
    if a.geometry().is_contiguous() {
        return Ok(a.clone());
    }
    copy_contiguous(a)
}
