//! Single places of a tensor, taken out and put back: what views are, in terms of operations.

use pairbond::prelude::*;

use crate::data::{Element, Memory, dispatch, room};
use crate::engine::record;
use crate::tensor::{T, Tensor};

/// The elements at these places, counted in the order of the elements, in that shape.
pub(crate) fn take(a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    take_as("AsStridedBackward0", a, places, shape)
}

/// As [`take`]; `name` is that of the step on the way back.
pub(super) fn take_as(name: &'static str, a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    let memory = a.storage.read();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.slice::<E>();
        let all: Vec<usize> = if a.geometry.is_contiguous() { Vec::new() } else { room::collect(a.geometry.places()) };
        let at = |place: usize| all.get(place).copied().unwrap_or(a.geometry.offset + place);
        Tensor::of(Memory::of(places.iter().map(|&place| numbers[at(place)]).collect()), shape)
    });
    let params = (places.to_vec(), a.shape().to_vec());
    record(name, [a], &[], params, out, |g, (places, shape)| {
        Ok([Some(put(g.grad(), places, shape)?)])
    })
}

/// Zeros of that shape, with the elements of `a` added at these places.
pub(crate) fn put(a: &T, places: &[usize], shape: &[usize]) -> Result<T> {
    let memory = a.storage.read();
    let out = dispatch!(a.dtype(), E => {
        let numbers = memory.slice::<E>();
        let mut sums = room::filled(E::ZERO, room::count(shape));
        for (&place, from) in places.iter().zip(a.geometry.places()) {
            sums[place] = sums[place].add(numbers[from]);
        }
        Tensor::of(Memory::of(sums), shape)
    });
    let params = (places.to_vec(), a.shape().to_vec());
    record("PutBackward0", [a], &[], params, out, |g, (places, shape)| {
        Ok([Some(take(g.grad(), places, shape)?)])
    })
}
