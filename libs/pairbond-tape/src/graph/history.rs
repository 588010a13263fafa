//! How a value was made.

use std::sync::atomic::Ordering;

use pairbond::prelude::*;

use super::views::{check_history, refresh_view};
use super::{AccumulateGrad, Edge, Named, Node, NodeHooks, T, Value, Variable, as_variable, dispatch};

/// Says what made a tensor.
pub fn set_history(tensor: &Variable, node: Ref<Node>, output: u32) {
    tensor.output.store(output, Ordering::Release);
    let before = tensor.grad_fn.replace(Some(node));
    tensor.requires_grad.store(true, Ordering::Release);
    drop(before);
}

/// Says where the gradient of a tensor goes. If it accumulates, it does so in another tensor.
pub(crate) fn set_edge(tensor: &Variable, (node, output): Edge) {
    let Some(node) = node else { return };
    match node.downcast::<AccumulateGrad>() {
        Ok(leaf) => {
            tensor.accumulator.set(Some(leaf.downgrade()));
            tensor.requires_grad.store(true, Ordering::Release);
        }
        Err(node) => set_history(tensor, node, output),
    }
}

/// Returns the node that computed it. A view whose memory was written to since has the node of that
/// write.
#[inline]
pub(crate) fn grad_fn(tensor: &T) -> Option<Ref<Node>> {
    dispatch::look_at(tensor);
    tensor.grad_fn.get()
}

/// Returns the place of what made a tensor. A view whose memory was written to since was made by
/// what made that.
#[inline]
pub fn grad_fn_cell<V: Value>(tensor: &V) -> &Cell<Option<Ref<Node>>> {
    refresh_view(tensor);
    &tensor.variable().grad_fn
}

/// Forgets how a tensor was made.
pub(crate) fn clear_history(tensor: &Variable) {
    let before = tensor.grad_fn.take();
    tensor.output.store(0, Ordering::Release);
    tensor.requires_grad.store(false, Ordering::Release);
    drop(before);
}

/// Returns the edge along which its gradient goes: to the node that made it, or to its accumulator;
/// none if no gradient is required. Unwinds with an error if that node misses later writes to it.
#[inline]
pub fn gradient_edge<V: Value>(tensor: &Ref<V>) -> Edge {
    edge_of(as_variable(tensor))
}

/// As [`gradient_edge`].
pub(crate) fn edge_of(tensor: &T) -> Edge {
    if !tensor.requires_grad() {
        return (None, 0);
    }
    match grad_fn(tensor) {
        Some(node) => {
            check_history(tensor);
            (Some(node), tensor.output_number())
        }
        None => (Some(AccumulateGrad::for_leaf(tensor).upcast()), 0),
    }
}

/// Asks for derivatives of a tensor that need not be an object yet, or does so no more.
///
/// # Errors
/// It has no derivatives; it was computed, and its history says that it has.
pub fn require_grad<V: Value>(tensor: &V, wanted: bool) -> Result<()> {
    let is_made = || grad_fn_cell(tensor).with(Option::is_some);
    set_requires_grad(tensor.variable(), wanted, || tensor.is_differentiable(), is_made)
}

/// As [`require_grad`].
pub(crate) fn require_grad_of(tensor: &T, wanted: bool) -> Result<()> {
    let is_made = || grad_fn(tensor).is_some();
    set_requires_grad(tensor, wanted, || dispatch::is_differentiable(tensor), is_made)
}

fn set_requires_grad(
    tensor: &Variable,
    wanted: bool,
    is_differentiable: impl FnOnce() -> bool,
    is_made: impl FnOnce() -> bool,
) -> Result<()> {
    if wanted && !is_differentiable() {
        return Err(Error::runtime_error(
            "only Tensors of floating point and complex dtype can require gradients",
        ));
    }
    if !wanted && is_made() {
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
        && !tensor.keeps_grad()
    {
        check_history(tensor);
        NodeHooks::get_or_create(&node.hooks).retain_grad(tensor.output_number(), tensor.downgrade());
    }
}

/// Returns what the `repr` of a tensor says of its history.
pub fn describe_history<V: Value>(tensor: &V) -> Option<String> {
    match grad_fn_cell(tensor).get() {
        Some(node) => Some(format!("grad_fn=<{}>", node.name())),
        None => tensor
            .variable()
            .requires_grad()
            .then(|| "requires_grad=True".into()),
    }
}
