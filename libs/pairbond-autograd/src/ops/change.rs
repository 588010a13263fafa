//! Operations that write their result to the tensor that they are called on.

use pairbond::prelude::*;

use super::copy_untracked;
use crate::data::DType;
use crate::engine::{
    Tensors, check_in_place, gradient_edge, is_grad_enabled, rebase_history, record_in_place, set_history,
};
use crate::tensor::{T, filled_tensor};

/// Writes to a tensor what `compute` makes of it. Its history is that of the result then, also
/// where it is a view.
pub(crate) fn change_in_place(
    a: &T,
    operation: &'static str,
    compute: impl FnOnce(&T) -> Result<T>,
) -> Result<()> {
    check_in_place(a, false)?;
    // The tensor as it was: saved copies stay so. Numbers are copied only if they are shared.
    let before = copy_untracked(a);
    let old = if is_grad_enabled() && a.requires_grad() {
        gradient_edge(a)
    } else {
        (None, 0)
    };
    if let (Some(node), output) = &old {
        set_history(&before, node.clone(), *output);
    }
    let out = compute(&before)?;
    if out.shape() != a.shape() {
        return Err(Error::runtime_error(format!(
            "output with shape {:?} doesn't match the broadcast shape {:?}",
            a.shape(),
            out.shape()
        )));
    }
    check_cast(out.dtype(), a.dtype())?;
    drop(before);
    if is_grad_enabled() && a.requires_grad() && !out.requires_grad() {
        // The derivative by the old numbers is zero.
        return super::replace_numbers(a, &out, (CONSTANT, operation));
    }
    if let (Some(node), Some(_)) = (out.recorded_node(), a.base())
        && !node.has_first_edge(&old)
    {
        // Several operations made the result. A write to a view records one, whose first input is
        // the old value: copying.
        return super::replace_numbers(a, &out, ("CopyBackwards", operation));
    }
    check_in_place(a, out.requires_grad())?;
    super::in_place::replace_untracked(a, &out)?;
    a.numbers().count_write(operation);
    if let Some(node) = out.recorded_node() {
        rebase_history(a, node, out.output_number())?;
    }
    Ok(())
}

/// The node of values that have no derivative.
const CONSTANT: &str = "NotDifferentiableBackward0";

/// Writes to a tensor how it compares with another: the derivatives by both are zero.
pub(crate) fn change_to_comparison(
    a: &T,
    operation: &'static str,
    other: &T,
    compare: impl FnOnce(&T, &T) -> Result<T>,
) -> Result<()> {
    if !is_grad_enabled() || !other.requires_grad() {
        return change_in_place(a, operation, |a| compare(a, other));
    }
    let out = compare(a, other)?;
    let fit = (other.shape().to_vec(), other.dtype());
    record_in_place(
        (CONSTANT, operation),
        [a, other],
        fit,
        || super::in_place::replace_untracked(a, &out),
        |g, (shape, dtype)| {
            Ok([
                g.when(0, || Ok(super::zero_grad(&g.result_grad())))?,
                g.when(1, || Ok(filled_tensor(0.0, shape, *dtype)))?,
            ])
        },
    )
}

/// Whether a result can be written to a tensor: floats to integers, and numbers to truth values,
/// cannot.
fn check_cast(from: DType, to: DType) -> Result<()> {
    let lost = from.is_float() && !to.is_float() || to == DType::Bool && from != DType::Bool;
    if lost {
        return Err(Error::runtime_error(format!(
            "result type {} can't be cast to the desired output type {}",
            from.name(),
            to.name()
        )));
    }
    Ok(())
}
