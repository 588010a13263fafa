//! Writing to tensors.

use pairbond::prelude::*;

use super::{reduce_to, to_dtype_untracked};
use crate::data::{Element, Memory, broadcast_shapes, dispatch};
use crate::engine::{Tensors, is_grad_enabled, record_in_place};
use crate::kernels;
use crate::tensor::{T, Tensor, filled_tensor};

/// The same numbers in memory of their own, which is copied when it is written to.
pub(crate) fn copy_untracked(a: &T) -> T {
    let memory = a.storage().read_memory();
    if a.geometry().is_contiguous() && a.geometry().offset == 0 && memory.len() == a.numel() {
        return Tensor::from_memory(memory, a.shape());
    }
    dispatch!(a.dtype(), E => {
        Tensor::from_memory(Memory::from_vec(kernels::map_elements(super::common::of!(a, memory, E), kernels::Work::Light, |v| v)), a.shape())
    })
}

/// A function of the old and the new value.
trait Write: Sync {
    fn combine_values<E: Element>(&self, old: E, new: E) -> E;
}

struct Sum;
impl Write for Sum {
    fn combine_values<E: Element>(&self, old: E, new: E) -> E {
        old.add(new)
    }
}

struct Replace;
impl Write for Replace {
    fn combine_values<E: Element>(&self, _: E, new: E) -> E {
        new
    }
}

/// Writes `how` of the old and the new values, without regard to their history.
fn write_values(a: &T, b: &T, how: impl Write, may_repeat: bool) -> Result<()> {
    if broadcast_shapes(a.shape(), b.shape())? != a.shape() {
        return Err(Error::runtime_error(format!(
            "output with shape {:?} doesn't match the broadcast shape of {:?}",
            a.shape(),
            b.shape()
        )));
    }
    if a.geometry().has_repeats() && !may_repeat {
        return Err(Error::runtime_error(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor \
             before performing the operation.",
        ));
    }
    let b = to_dtype_untracked(b, a.dtype());
    let new = b.storage().read_memory();
    dispatch!(a.dtype(), E => {
        let new = super::common::of!(b, new, E);
        a.storage().write_memory(|memory| {
            kernels::update_strided(memory.slice_mut::<E>(), a.geometry(), new, |old, new| how.combine_values(old, new));
        });
    });
    Ok(())
}

/// Adds to the numbers of `a`, which counts as a change of it and leaves its history alone.
pub(crate) fn add_untracked(a: &T, b: &T) -> Result<()> {
    write_values(a, b, Sum, false)?;
    a.numbers().count_write("add_");
    Ok(())
}

/// Replaces the numbers of `a`, which leaves its history alone and does not count as a change yet.
pub(super) fn replace_untracked(a: &T, b: &T) -> Result<()> {
    write_values(a, b, Replace, false)
}

/// Replaces the numbers of `a`; the names are those of the step on the way back and of the
/// operation.
pub(crate) fn replace_numbers(a: &T, b: &T, names: (&'static str, &'static str)) -> Result<()> {
    // Stretched tensors may be filled with one number where no derivatives are recorded.
    let recorded = is_grad_enabled() && (a.requires_grad() || b.requires_grad());
    let may_repeat = b.numel() == 1 && !recorded;
    record_in_place(
        names,
        [a, b],
        b.shape().to_vec(),
        || write_values(a, b, Replace, may_repeat),
        |g, shape| {
            Ok([
                g.when(0, || {
                    Ok(filled_tensor(
                        0.0,
                        g.result_grad().shape(),
                        g.result_grad().dtype(),
                    ))
                })?,
                g.when(1, || reduce_to(&g.result_grad(), shape))?,
            ])
        },
    )
}
