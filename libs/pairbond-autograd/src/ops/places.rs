//! Single places of a tensor, taken out and put back: what views are, in terms of operations.

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::trace::Untraced;

use super::common::in_order;
use crate::data::{Element, Geometry, Memory, Part, dispatch, room};
use crate::engine::{Tensors, record};
use crate::kernels::{self, Of, Work};
use crate::tensor::{T, Tensor, from_vec};

/// The elements at these places, counted in the order of the elements, in that shape.
pub(crate) fn take(a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    take_as("AsStridedBackward0", a, places, shape)
}

/// As [`take`]; `name` is that of the step on the way back.
pub(super) fn take_as(name: &'static str, a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    let memory = a.storage().read();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.slice::<E>();
        let all: Vec<usize> = if a.geometry().is_contiguous() { Vec::new() } else { room::collect(a.geometry().places()) };
        let at = |place: usize| all.get(place).copied().unwrap_or(a.geometry().offset + place);
        Tensor::of(Memory::of(places.iter().map(|&place| numbers[at(place)]).gather()), shape)
    });
    let params = (places.to_vec(), a.shape().to_vec());
    record(name, [a], &[], params, out, |g, (places, shape)| {
        Ok([Some(put(&g.gradient(), places, shape)?)])
    })
}

/// Zeros of that shape, with the elements of `a` added at these places.
pub(crate) fn put(a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    let memory = a.storage().read();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.slice::<E>();
        let mut sums = room::filled(E::ZERO, room::count(shape));
        let values = a.geometry().places().map(|from| numbers[from]);
        kernels::add_at(&mut sums, places.len(), places.iter().copied(), values);
        Tensor::of(Memory::of(sums), shape)
    });
    let params = (places.to_vec(), a.shape().to_vec());
    record("PutBackward0", [a], &[], params, out, |g, (places, shape)| {
        Ok([Some(take(&g.gradient(), places, shape)?)])
    })
}

/// A part of the elements of `a`, by itself.
pub(crate) fn take_part(a: &T, part: &Part) -> Result<T> {
    let geometry = match part {
        Part::Listed(places, shape) => return take(a, places, shape),
        Part::Strided(geometry) => geometry,
    };
    let from = in_order(a);
    let memory = from.storage().read();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.slice::<E>();
        from_vec(kernels::map(Of { numbers, geometry }, Work::Light, |v| v), &geometry.shape)
    });
    let params = (Untraced(part.clone()), a.shape().to_vec());
    record("AsStridedBackward0", [a], &[], params, out, |g, (part, shape)| {
        Ok([Some(put_part(&g.gradient(), &part.0, shape)?)])
    })
}

/// Zeros of that shape, with the elements of `a` added to those of a part.
pub(crate) fn put_part(a: &T, part: &Part, shape: &[usize]) -> Result<T> {
    let geometry = match part {
        Part::Listed(places, _) => return put(a, places, shape),
        Part::Strided(geometry) => geometry,
    };
    let memory = a.storage().read();
    let out = dispatch!(a.dtype(), E => {
        let mut sums = room::filled(E::ZERO, room::count(shape));
        let numbers = memory.slice::<E>();
        if geometry.repeats() {
            let values = a.geometry().places().map(|from| numbers[from]);
            kernels::add_at(&mut sums, geometry.numel(), geometry.places(), values);
        } else {
            kernels::update(&mut sums, geometry, Of { numbers, geometry: a.geometry() }, E::add);
        }
        from_vec(sums, shape)
    });
    let params = Untraced(part.clone());
    record("PutBackward0", [a], &[], params, out, |g, part| {
        Ok([Some(take_part(&g.gradient(), &part.0)?)])
    })
}

/// `a`, but for a part of it, which is `new`, or zero.
pub(crate) fn replace_part(a: &T, part: &Part, new: Option<&T>) -> Result<T> {
    let out = super::copy_untracked(a);
    let zero = crate::tensor::filled(0.0, &[], a.dtype());
    let from = new.unwrap_or(&zero);
    let memory = from.storage().read();
    dispatch!(a.dtype(), E => out.storage().write(|whole| {
        let (whole, numbers) = (whole.slice_mut::<E>(), memory.slice::<E>());
        match part {
            Part::Strided(geometry) => {
                kernels::update(whole, geometry, Of { numbers, geometry: from.geometry() }, |_, new| new);
            }
            Part::Listed(places, shape) => {
                let from: Geometry = from.geometry().stretched(shape);
                places.iter().zip(from.places()).for_each(|(&place, from)| whole[place] = numbers[from]);
            }
        }
    }));
    let params = Untraced(part.clone());
    record(
        "CopySlicesBackward",
        [Some(a.as_tensor()), new.map(T::as_tensor)],
        &[],
        params,
        out,
        |g, part| {
            Ok([
                g.when(0, || replace_part(&g.gradient(), &part.0, None))?,
                g.when(1, || take_part(&g.gradient(), &part.0))?,
            ])
        },
    )
}
