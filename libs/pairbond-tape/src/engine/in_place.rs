//! Writing to tensors that have a history.
//!
//! An operation that writes to a view writes to its base, and is the node that computed the base
//! from then on ([`CopySlices`]); for its views see `graph/views.rs`.
//!
//! A tensor made while recording was off, or by a custom function, is no such view: its base would
//! miss writes to it, so that is refused ([`check_writable`]).

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::trace::Trace;

use super::derivative::{Derivative, Given};
use super::{run, saved};
use crate::graph::{
    Dims, Grads, Node, Slice, T, Value, as_variable, dispatch, history, in_custom_function,
    name_of_function_view, part_node, record_again,
};
use crate::mode;

/// As `record`, of an operation that writes to the first of its inputs and whose derivative needs
/// none of them. `operation` is what errors call it.
///
/// # Errors
/// The target may not be written to, and what `write` and anomaly mode raise.
pub fn record_in_place<V, P, G, R, const N: usize>(
    (name, operation): (&'static str, &'static str),
    inputs: [&Ref<V>; N],
    params: P,
    write: impl FnOnce() -> Result<()>,
    compute: fn(&Given<'_, V>, &P) -> Result<R>,
) -> Result<()>
where
    V: Value,
    P: Trace + Send + Sync + 'static,
    G: Into<Ref<V>>,
    R: IntoIterator<Item = Option<G>> + 'static,
{
    const { assert!(!P::TRACED, "parameters own no tensors: save them") };
    let target = inputs[0];
    let wanted = inputs.iter().any(|input| input.variable().requires_grad());
    check_writable(as_variable(target), wanted)?;
    let wanted = wanted && mode::is_grad_enabled();
    if !wanted || !target.is_differentiable() {
        write()?;
        target.count_write(operation);
        return Ok(());
    }
    let next = inputs.iter().map(|input| history::gradient_edge(input)).collect();
    let rule = Box::new(Derivative {
        name,
        params,
        compute,
    });
    let node = Node::from_rule(Some(rule), next);
    write()?;
    target.count_write(operation);
    super::anomaly::trace_creation(&node)?;
    rebase_on(as_variable(target), Ref::new(node), 0)
}

/// Checks that a tensor may be written to; `wanted`: the written values require a gradient.
///
/// # Errors
/// It is a leaf that requires a gradient, or a view of one, or a view whose base would miss it.
pub fn check_in_place<V: Value>(target: &Ref<V>, wanted: bool) -> Result<()> {
    check_writable(as_variable(target), wanted)
}

/// As [`check_in_place`].
pub(crate) fn check_writable(target: &T, wanted: bool) -> Result<()> {
    if !mode::is_grad_enabled() {
        return Ok(());
    }
    if let Some(base) = target.untracked_base()
        && (wanted || target.requires_grad() || base.requires_grad())
    {
        return Err(Error::runtime_error(match name_of_function_view(target) {
            Some(name) => in_custom_function(target, &name, "is being modified inplace"),
            None => "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is ambiguous \
                     and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the \
                     no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
                .into(),
        }));
    }
    if !target.requires_grad() {
        return Ok(());
    }
    let leaf = |tensor: &T| tensor.requires_grad() && history::grad_fn(tensor).is_none();
    let what = match &target.base {
        Some(base) if target.is_tracked_view() && (leaf(base) || leaf(target)) => "a view of a leaf Variable",
        None if leaf(target) => "a leaf Variable",
        _ => return Ok(()),
    };
    Err(Error::runtime_error(format!(
        "{what} that requires grad is being used in an in-place operation."
    )))
}

/// Records what wrote to a tensor: the result of that number of a node. If the tensor is a view,
/// the first input of the node is its old value: see [`Node::has_first_edge`].
///
/// # Errors
/// The library cannot say which elements of its base a view has.
pub fn rebase_history<V: Value>(target: &Ref<V>, node: Ref<Node>, output: u32) -> Result<()> {
    rebase_on(as_variable(target), node, output)
}

/// As [`rebase_history`].
pub(crate) fn rebase_on(target: &T, node: Ref<Node>, output: u32) -> Result<()> {
    let Some(base) = target.tracked_base() else {
        record_again(target, node, output);
        return Ok(());
    };
    let mut next = vec![history::edge_of(base)];
    node.next.with(|inner| next.extend(inner.iter().skip(1).cloned()));
    let slices = Ref::new(CopySlices {
        node: Node::from_rule(None, next),
        inner: node,
        part: dispatch::slice_of_base(target, base)?,
        shape: dispatch::meta_of(base)?.shape,
    });
    record_again(base, slices.clone().upcast(), 0);
    saved::are_of_part(&slices, target);
    if target.keeps_grad() {
        dispatch::look_at(target);
    }
    Ok(())
}

/// Says that a node saved its tensors after it wrote to a view.
pub(crate) fn keeps_part(node: &Node, view: &T) {
    let Some(made) = view.tracked_base().and_then(|base| base.grad_fn.get()) else {
        return;
    };
    if let Ok(slices) = made.downcast::<CopySlices>()
        && std::ptr::eq::<Node>(&*slices.inner, node)
    {
        saved::are_of_part(&slices, view);
    }
}

/// The node of a tensor to whose view an operation wrote.
#[pairbond::object("pairbond_tape.CopySlices", extends = Node, opaque)]
pub struct CopySlices {
    node: Node,
    /// The node that wrote to the view.
    pub(super) inner: Ref<Node>,
    #[untraced]
    part: Arc<dyn Slice>,
    /// The shape of the whole.
    #[untraced]
    shape: Dims,
}

impl CopySlices {
    pub(super) fn from_node(node: &Ref<Node>) -> Option<Borrow<'_, CopySlices>> {
        node.as_borrow().erase().downcast()
    }

    /// The gradient of the whole as it was before: that of the part goes through what wrote there.
    pub(super) fn whole_grads(&self, grads: &Grads) -> Result<Grads> {
        let Some(Some(grad)) = grads.first() else {
            return Ok(Vec::new());
        };
        let part = self.part.take_part(grad)?;
        let mut given = run::node_grads(&self.inner, &vec![Some(part)])?;
        let through = given.first_mut().and_then(Option::take);
        let whole = self.part.replace_part(grad, through.as_ref())?;
        let others = given.into_iter().skip(1);
        Ok(std::iter::once(Some(whole)).chain(others).collect())
    }

    /// Returns the node of the part that was written to, from then on: it takes the part out of the
    /// whole.
    pub(super) fn part_node(this: &Ref<CopySlices>) -> Ref<Node> {
        part_node(
            (Some(this.clone().upcast()), 0),
            this.part.clone(),
            this.shape.clone(),
        )
    }

    pub(super) fn release_inner(&self) {
        self.inner.release_saved();
    }
}
