//! What a tensor knows of how it was made.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;

use super::node::Edge;
use super::{AccumulateGrad, Node};
use crate::tensor::{T, Tensor};

/// Says what made a tensor.
pub(crate) fn set(tensor: &Tensor, node: Ref<Node>, output: u32) {
    tensor.output.store(output, Ordering::Release);
    tensor.grad_fn.set(Some(node));
    tensor.requires_grad.store(true, Ordering::Release);
}

/// What made it.
pub(crate) fn grad_fn(tensor: &Tensor) -> Option<Ref<Node>> {
    tensor.grad_fn.get()
}

/// Where a gradient of it goes: to what made it, or to what accumulates; nowhere if nobody wants one.
pub(crate) fn edge(tensor: &T) -> Edge {
    if !tensor.requires_grad() {
        return (None, 0);
    }
    match grad_fn(tensor) {
        Some(node) => (Some(node), tensor.output_number()),
        None => (Some(AccumulateGrad::of(tensor).upcast()), 0),
    }
}

/// Asks for derivatives, or does so no more.
pub(crate) fn require_grad(tensor: &Tensor, wanted: bool) -> Result<()> {
    if wanted {
        tensor
            .dtype()
            .check_float("only Tensors of floating point dtype can require gradients")?;
    }
    if !wanted && tensor.grad_fn.with(Option::is_some) {
        return Err(Error::runtime_error(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't \
             require differentiation use var_no_grad = var.detach().",
        ));
    }
    tensor.requires_grad.store(wanted, Ordering::Release);
    Ok(())
}

/// For `repr`.
pub(crate) fn describe(tensor: &Tensor) -> Option<String> {
    match grad_fn(tensor) {
        Some(node) => Some(format!("grad_fn=<{}>", node.name())),
        None => tensor.requires_grad().then(|| "requires_grad=True".into()),
    }
}
