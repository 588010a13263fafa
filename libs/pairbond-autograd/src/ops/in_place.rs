//! Writing to tensors.

use pairbond::prelude::*;

use super::to_dtype_untracked;
use crate::kernels;
use crate::tensor::{Element, Memory, T, Tensor, broadcast, dispatch};

/// The same numbers in memory of their own, which is copied when it is written to.
pub(crate) fn copy_untracked(a: &T) -> T {
    let memory = a.storage.read();
    if a.geometry.is_contiguous() && a.geometry.offset == 0 && memory.len() == a.numel() {
        return Tensor::of(memory, a.shape());
    }
    dispatch!(a.dtype(), E => {
        Tensor::of(Memory::of(kernels::map(&a.geometry.view(memory.slice::<E>()), |v| v)), a.shape())
    })
}

/// Adds to the numbers of `a`, whatever its history.
pub(crate) fn add_untracked(a: &T, b: &T) -> Result<()> {
    if broadcast(a.shape(), b.shape())? != a.shape() {
        return Err(Error::runtime_error(format!(
            "output with shape {:?} doesn't match the broadcast shape of {:?}",
            a.shape(),
            b.shape()
        )));
    }
    let b = to_dtype_untracked(b, a.dtype());
    let added = b.storage.read();
    dispatch!(a.dtype(), E => {
        let added = b.geometry.view(added.slice::<E>());
        let added = added.broadcast(a.shape()).expect("stretched to a common shape");
        a.storage.write(|memory| {
            let numbers = memory.slice_mut::<E>();
            for (place, &value) in a.geometry.places().zip(added.iter()) {
                numbers[place] = numbers[place].add(value);
            }
        });
    });
    a.storage.written("add_");
    Ok(())
}
