//! What a tensor knows of how it was made.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;

use super::node::Edge;
use super::{AccumulateGrad, Named, Node, in_place};
use crate::hooks::NodeHooks;
use crate::tensor::{T, Tensor};

/// Says what made a tensor.
pub(crate) fn set(tensor: &Tensor, node: Ref<Node>, output: u32) {
    tensor.output.store(output, Ordering::Release);
    let before = tensor.grad_fn.replace(Some(node));
    tensor.requires_grad.store(true, Ordering::Release);
    drop(before);
}

/// Says where the gradient of a tensor goes. If it accumulates, it does so in another tensor.
pub(crate) fn set_edge(tensor: &Tensor, (node, output): Edge) {
    let Some(node) = node else { return };
    match node.downcast::<AccumulateGrad>() {
        Ok(leaf) => {
            tensor.accumulator.set(Some(leaf.downgrade()));
            tensor.requires_grad.store(true, Ordering::Release);
        }
        Err(node) => set(tensor, node, output),
    }
}

/// What made it. A view whose memory was written to since was made by what made that.
#[inline]
pub(crate) fn grad_fn(tensor: &Tensor) -> Option<Ref<Node>> {
    made(tensor).get()
}

/// As [`grad_fn`], where it is kept.
#[inline]
pub(crate) fn made(tensor: &Tensor) -> &Cell<Option<Ref<Node>>> {
    in_place::look(tensor);
    &tensor.grad_fn
}

/// Forgets how a tensor was made.
pub(crate) fn forget(tensor: &Tensor) {
    let before = tensor.grad_fn.take();
    tensor.output.store(0, Ordering::Release);
    tensor.requires_grad.store(false, Ordering::Release);
    drop(before);
}

/// The edge along which its gradient goes: to the node that made it, or to its accumulator; none if
/// no gradient is required. Unwinds with an error if that node does not know of later writes to it.
pub(crate) fn edge(tensor: &T) -> Edge {
    if !tensor.requires_grad() {
        return (None, 0);
    }
    match grad_fn(tensor) {
        Some(node) => {
            in_place::check_history(tensor);
            (Some(node), tensor.output_number())
        }
        None => (Some(AccumulateGrad::of(tensor).upcast()), 0),
    }
}

/// Asks for derivatives, or does so no more.
pub(crate) fn require_grad(tensor: &Tensor, wanted: bool) -> Result<()> {
    if wanted {
        tensor
            .dtype()
            .check_float("only Tensors of floating point and complex dtype can require gradients")?;
    }
    if !wanted && grad_fn(tensor).is_some() {
        return Err(Error::runtime_error(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't \
             require differentiation use var_no_grad = var.detach().",
        ));
    }
    tensor.requires_grad.store(wanted, Ordering::Release);
    Ok(())
}

/// Says that the gradient of a tensor is to be kept although it is no leaf.
pub(crate) fn retain_grad(tensor: &T) {
    if let Some(node) = grad_fn(tensor)
        && !tensor.retains()
    {
        in_place::check_history(tensor);
        NodeHooks::at(&node.hooks).retain(tensor.output_number(), tensor.downgrade());
    }
}

/// For `repr`.
pub(crate) fn describe(tensor: &Tensor) -> Option<String> {
    match grad_fn(tensor) {
        Some(node) => Some(format!("grad_fn=<{}>", node.name())),
        None => tensor.requires_grad().then(|| "requires_grad=True".into()),
    }
}
