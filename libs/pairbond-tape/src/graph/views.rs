//! The histories of views.
//!
//! An operation that writes to a view writes to its base: from then on it is the node that computed
//! the base, and all views are computed from the base. Each view detects by its memory's version
//! that its own history is out of date, and gets a new one on the next access ([`refresh_view`]).
//!
//! A view that a custom function returned is no such view: going back through it after its memory
//! was written to in another way is refused ([`check_history`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pairbond::prelude::*;

use super::{
    Dims, Edge, Grads, Named, Node, NodeHooks, Rule, Slice, T, Value, Variable, dispatch, edge_of,
    set_history,
};

/// The name of the custom function that made a tensor, if one did.
pub(super) fn function_of(tensor: &Variable) -> Option<Str> {
    let made = tensor.grad_fn.get()?;
    let custom = made.rule.as_ref().filter(|rule| rule.is_custom())?;
    Some(custom.name(made.as_borrow()))
}

/// Returns the name in errors of a view that a custom function returned, or that is a view of one.
pub(crate) fn name_of_function_view(tensor: &Variable) -> Option<Str> {
    if tensor.of_function {
        return tensor.grad_fn.get().map(|made| made.name());
    }
    function_of(tensor)
}

pub(crate) fn in_custom_function(tensor: &Variable, function: &str, what: &str) -> String {
    format!(
        "Output {} of {function} is a view and {what}. This view was created inside a custom Function (or because an input was returned as-is) and \
         the autograd logic to handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect \
         gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.",
        tensor.output_number()
    )
}

/// What a custom function returned as a view was not written to since; unwinds with an error if it
/// was.
#[inline]
pub(crate) fn check_history(tensor: &T) {
    if tensor.untracked_base().is_some()
        && tensor.seen.load(Ordering::Acquire) != dispatch::version_of(tensor)
    {
        refuse_history(tensor);
    }
}

fn refuse_history(tensor: &Variable) {
    if let Some(name) = name_of_function_view(tensor) {
        let what = "its base or another view of its base has been modified inplace";
        Error::runtime_error(in_custom_function(tensor, &name, what)).unwind()
    }
}

/// Records a new maker of a tensor; if it retains its gradient, that is the gradient of its new
/// value.
pub(crate) fn record_again(tensor: &Variable, node: Ref<Node>, output: u32) {
    let before = tensor.grad_fn.get();
    set_history(tensor, node.clone(), output);
    let retaining = before.and_then(|before| before.hooks.get()?.forget_retained(tensor));
    if let Some(weak) = retaining {
        NodeHooks::get_or_create(&node.hooks).retain_grad(output, weak);
    }
}

/// Gives a view of memory that was written to since a history that says so.
#[inline]
pub(crate) fn refresh_view<V: Value>(view: &V) {
    if let Some(base) = view.variable().tracked_base() {
        look_at(view, base);
    }
}

fn look_at<V: Value>(view: &V, base: &T) {
    let (variable, now) = (view.variable(), view.version());
    if variable.seen.load(Ordering::Acquire) == now || !base.requires_grad() {
        return;
    }
    // A view and its base are of one type.
    let Some(whole) = base.downcast_ref::<V>() else {
        return;
    };
    let node = part_node(edge_of(base), view.slice(whole), whole.meta().shape);
    record_again(variable, node, 0);
    variable.seen.store(now, Ordering::Release);
}

/// Takes a part out of a base of that shape.
struct TakePart {
    part: Arc<dyn Slice>,
    shape: Dims,
}

impl Rule for TakePart {
    fn name(&self, _: Borrow<'_, Node>) -> Str {
        "AsStridedBackward0".into()
    }

    fn compute_grads(&self, _: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        let put = |grad: &T| self.part.put_part(grad, &self.shape);
        Ok(vec![grads.first().and_then(Option::as_ref).map(put).transpose()?])
    }
}

/// Returns the node that takes a part out of a base of that shape.
pub(crate) fn part_node(base: Edge, part: Arc<dyn Slice>, shape: Dims) -> Ref<Node> {
    Ref::new(Node::from_rule(
        Some(Box::new(TakePart { part, shape })),
        vec![base],
    ))
}
