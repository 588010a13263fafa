//! Single places of a tensor, taken out and put back: what views are, in terms of operations.

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::trace::Untraced;

use super::common::in_order;
use crate::data::{Element, Geometry, Memory, dispatch, room};
use crate::engine::{Tensors, record_op};
use crate::kernels::{self, Of, Work};
use crate::part::Part;
use crate::tensor::{T, Tensor, from_vec};

/// The elements at these places, counted in the order of the elements, in that shape.
pub(crate) fn take_places(a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    take_as("AsStridedBackward0", a, places, shape)
}

/// As [`take_places`]; `name` is that of the step on the way back.
pub(super) fn take_as(name: &'static str, a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    let memory = a.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.typed_slice::<E>();
        let all: Vec<usize> = if a.geometry().is_contiguous() { Vec::new() } else { room::collect_vec(a.geometry().element_places()) };
        let at = |place: usize| all.get(place).copied().unwrap_or(a.geometry().offset + place);
        Tensor::from_memory(Memory::from_vec(places.iter().map(|&place| numbers[at(place)]).gather()), shape)
    });
    let params = (places.to_vec(), a.shape().to_vec());
    record_op(name, [a], &[], params, out, |g, (places, shape)| {
        Ok([Some(put_places(&g.result_grad(), places, shape)?)])
    })
}

/// Zeros of that shape, with the elements of `a` added at these places.
pub(crate) fn put_places(a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    let memory = a.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.typed_slice::<E>();
        let mut sums = room::filled_vec(E::ZERO, room::element_count(shape));
        let values = a.geometry().element_places().map(|from| numbers[from]);
        kernels::add_at(&mut sums, places.len(), places.iter().copied(), values);
        Tensor::from_memory(Memory::from_vec(sums), shape)
    });
    let params = (places.to_vec(), a.shape().to_vec());
    record_op("PutBackward0", [a], &[], params, out, |g, (places, shape)| {
        Ok([Some(take_places(&g.result_grad(), places, shape)?)])
    })
}

/// A part of the elements of `a`, by itself.
pub(crate) fn take_part(a: &T, part: &Part) -> Result<T> {
    let geometry = match part {
        Part::Listed(places, shape) => return take_places(a, places, shape),
        Part::Strided(geometry) => geometry,
    };
    let from = in_order(a);
    let memory = from.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.typed_slice::<E>();
        from_vec(kernels::map_elements(Of { numbers, geometry }, Work::Light, |v| v), &geometry.shape)
    });
    let params = (Untraced(part.clone()), a.shape().to_vec());
    record_op("AsStridedBackward0", [a], &[], params, out, |g, (part, shape)| {
        Ok([Some(put_part(&g.result_grad(), &part.0, shape)?)])
    })
}

/// Zeros of that shape, with the elements of `a` added to those of a part.
pub(crate) fn put_part(a: &T, part: &Part, shape: &[usize]) -> Result<T> {
    let geometry = match part {
        Part::Listed(places, _) => return put_places(a, places, shape),
        Part::Strided(geometry) => geometry,
    };
    let memory = a.storage().read_memory();
    let out = dispatch!(a.dtype(), E => {
        let mut sums = room::filled_vec(E::ZERO, room::element_count(shape));
        let numbers = memory.typed_slice::<E>();
        if geometry.has_repeats() {
            let values = a.geometry().element_places().map(|from| numbers[from]);
            kernels::add_at(&mut sums, geometry.numel(), geometry.element_places(), values);
        } else {
            kernels::update_strided(&mut sums, geometry, Of { numbers, geometry: a.geometry() }, E::add);
        }
        from_vec(sums, shape)
    });
    let params = Untraced(part.clone());
    record_op("PutBackward0", [a], &[], params, out, |g, part| {
        Ok([Some(take_part(&g.result_grad(), &part.0)?)])
    })
}

/// `a`, but for a part of it, which is `new`, or zero.
pub(crate) fn replace_part(a: &T, part: &Part, new: Option<&T>) -> Result<T> {
    let out = super::copy_untracked(a);
    let zero = crate::tensor::filled_tensor(0.0, &[], a.dtype());
    let from = new.unwrap_or(&zero);
    let memory = from.storage().read_memory();
    dispatch!(a.dtype(), E => out.storage().write_memory(|whole| {
        let (whole, numbers) = (whole.slice_mut::<E>(), memory.typed_slice::<E>());
        match part {
            Part::Strided(geometry) => {
                kernels::update_strided(whole, geometry, Of { numbers, geometry: from.geometry() }, |_, new| new);
            }
            Part::Listed(places, shape) => {
                let from: Geometry = from.geometry().broadcast_to(shape);
                places.iter().zip(from.element_places()).for_each(|(&place, from)| whole[place] = numbers[from]);
            }
        }
    }));
    let params = Untraced(part.clone());
    record_op(
        "CopySlicesBackward",
        [Some(a.as_tensor()), new.map(T::as_tensor)],
        &[],
        params,
        out,
        |g, part| {
            Ok([
                g.when(0, || replace_part(&g.result_grad(), &part.0, None))?,
                g.when(1, || take_part(&g.result_grad(), &part.0))?,
            ])
        },
    )
}
