//! Writing to tensors that have a history.
//!
//! What writes to a view writes to its base, so the base is made by that from then on
//! ([`CopySlices`]), and all its views by taking their part out of it: each sees by its memory's
//! version that its own history is old, and gets another when somebody asks ([`look`]).
//!
//! A tensor made while recording was off, or by a custom function, is no such view: its base would
//! miss writes to it, so that is refused ([`check`]), and so is going back through a function's
//! result whose memory was written to in another way ([`check_history`]).

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use pairbond::prelude::*;
use pairbond::trace::{Trace, Untraced};

use super::node::Edge;
use super::rule::{Derivative, Given, Grads};
use super::saved;
use super::{Named, Node, history, mode, run};
use crate::data::{Geometry, Part};
use crate::function::FunctionNode;
use crate::hooks::NodeHooks;
use crate::ops;
use crate::tensor::{T, Tensor};

/// As `record`, of an operation that writes to the first of its inputs and whose derivative needs
/// none of them. `operation` is what errors call it.
pub(crate) fn record_in_place<P, R, const N: usize>(
    (name, operation): (&'static str, &'static str),
    inputs: [&T; N],
    params: P,
    write: impl FnOnce() -> Result<()>,
    compute: fn(&Given<'_>, &P) -> Result<R>,
) -> Result<()>
where
    P: Trace + Send + Sync + 'static,
    R: IntoIterator<Item = Option<T>> + 'static,
{
    const { assert!(!P::TRACED, "parameters own no tensors: save them") };
    let target = inputs[0];
    let wanted = inputs.iter().any(|input| input.requires_grad());
    check(target, wanted)?;
    let wanted = wanted && mode::is_grad_enabled();
    if !wanted || !target.dtype().is_float() {
        write()?;
        target.storage.written(operation);
        return Ok(());
    }
    let next = inputs.iter().map(|input| history::edge(input)).collect();
    let rule = Box::new(Derivative {
        name,
        params,
        compute,
    });
    let node = Node::value(Some(rule), next);
    write()?;
    target.storage.written(operation);
    super::anomaly::trace(&node)?;
    rebase(target, Ref::new(node), 0);
    Ok(())
}

/// Checks that a tensor may be written to; `wanted`: the written values require a gradient.
pub(crate) fn check(target: &T, wanted: bool) -> Result<()> {
    if !mode::is_grad_enabled() {
        return Ok(());
    }
    if let Some(base) = target.base.as_ref().filter(|_| !target.tracks)
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
        Some(base) if target.tracks && (leaf(base) || leaf(target)) => "a view of a leaf Variable",
        None if leaf(target) => "a leaf Variable",
        _ => return Ok(()),
    };
    Err(Error::runtime_error(format!(
        "{what} that requires grad is being used in an in-place operation."
    )))
}

/// The name of the custom function that made a tensor, if one did.
pub(crate) fn function_of(tensor: &Tensor) -> Option<Str> {
    let made = tensor.grad_fn.get()?;
    FunctionNode::name_of(made.as_borrow())
}

/// What a view is called in errors, if a custom function returned it or that of which it is a view.
fn name_of_function_view(tensor: &Tensor) -> Option<Str> {
    if tensor.of_function {
        return tensor.grad_fn.get().map(|made| made.name());
    }
    function_of(tensor)
}

fn in_custom_function(tensor: &Tensor, function: &str, what: &str) -> String {
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
pub(super) fn check_history(tensor: &Tensor) {
    if tensor.base.is_some()
        && !tensor.tracks
        && tensor.seen.load(Ordering::Acquire) != tensor.storage.version()
    {
        refuse_history(tensor);
    }
}

fn refuse_history(tensor: &Tensor) {
    if let Some(name) = name_of_function_view(tensor) {
        let what = "its base or another view of its base has been modified inplace";
        Error::runtime_error(in_custom_function(tensor, &name, what)).unwind()
    }
}

/// Says what wrote to a tensor.
pub(crate) fn rebase(target: &T, node: Ref<Node>, output: u32) {
    let base = target.base.as_ref().filter(|_| target.tracks);
    let Some(base) = base else {
        return make_anew(target, node, output);
    };
    let mut next = vec![history::edge(base)];
    node.next.with(|inner| next.extend(inner.iter().skip(1).cloned()));
    let slices = Ref::new(CopySlices {
        node: Node::value(None, next),
        inner: node,
        part: part(target, base),
        shape: base.shape().to_vec(),
    });
    make_anew(base, slices.clone().upcast(), 0);
    saved::are_of_part(&slices, target);
    if target.retains() {
        look(target);
    }
}

/// Says that a node saved its tensors after it wrote to a view.
pub(crate) fn keeps_part(node: &Node, view: &T) {
    let base = view.base.as_ref().filter(|_| view.tracks);
    let Some(made) = base.and_then(|base| base.grad_fn.get()) else {
        return;
    };
    if let Ok(slices) = made.downcast::<CopySlices>()
        && std::ptr::eq::<Node>(&*slices.inner, node)
    {
        saved::are_of_part(&slices, view);
    }
}

/// Records a new maker of a tensor; if it retains its gradient, that is the gradient of its new
/// value.
fn make_anew(tensor: &Tensor, node: Ref<Node>, output: u32) {
    let before = tensor.grad_fn.get();
    history::set(tensor, node.clone(), output);
    let retaining = before.and_then(|before| before.hooks.get()?.forget(tensor));
    if let Some(weak) = retaining {
        NodeHooks::at(&node.hooks).retain(output, weak);
    }
}

/// Which elements of its base a view has.
fn part(view: &Tensor, base: &Tensor) -> Part {
    if base.geometry.is_contiguous() {
        return Part::Strided(Geometry {
            offset: view.geometry.offset - base.geometry.offset,
            ..view.geometry.clone()
        });
    }
    let places = base.geometry.places().enumerate();
    let order: HashMap<usize, usize> = places.map(|(i, place)| (place, i)).collect();
    let places = view.geometry.places();
    let places = places.map(|place| order.get(&place).copied().unwrap_or(0));
    Part::Listed(places.collect(), view.shape().to_vec())
}

/// Gives a view of memory that was written to since a history that says so.
#[inline]
pub(super) fn look(view: &Tensor) {
    if let Some(base) = view.base.as_ref().filter(|_| view.tracks) {
        look_at(view, base);
    }
}

fn look_at(view: &Tensor, base: &T) {
    let now = view.storage.version();
    if view.seen.load(Ordering::Acquire) == now || !base.requires_grad() {
        return;
    }
    let node = part_node(history::edge(base), part(view, base), base.shape().to_vec());
    make_anew(view, node, 0);
    view.seen.store(now, Ordering::Release);
}

/// What takes a part out of a base of that shape.
fn part_node(base: Edge, part: Part, shape: Vec<usize>) -> Ref<Node> {
    let derivative = Derivative {
        name: "AsStridedBackward0",
        params: (Untraced(part), shape),
        compute: |g, (part, shape)| Ok([Some(ops::put_part(g.grad(), &part.0, shape)?)]),
    };
    Ref::new(Node::value(Some(Box::new(derivative)), vec![base]))
}

/// What made a tensor to whose view something was written.
#[pairbond::object("pairbond_autograd.CopySlices", extends = Node, opaque)]
pub struct CopySlices {
    node: Node,
    /// What wrote to the view.
    pub(super) inner: Ref<Node>,
    #[untraced]
    part: Part,
    /// The shape of the whole.
    shape: Vec<usize>,
}

impl CopySlices {
    pub(super) fn from_node(node: &Ref<Node>) -> Option<Borrow<'_, CopySlices>> {
        node.as_borrow().erase().downcast()
    }

    /// The gradient of the whole as it was before: that of the part goes through what wrote there.
    pub(super) fn derive(&self, grads: &Grads) -> Result<Grads> {
        let Some(Some(grad)) = grads.first() else {
            return Ok(Vec::new());
        };
        let part = ops::take_part(grad, &self.part)?;
        let mut given = run::derive(&self.inner, &vec![Some(part)])?;
        let through = given.first_mut().and_then(Option::take);
        let whole = ops::replace_part(grad, &self.part, through.as_ref())?;
        let others = given.into_iter().skip(1);
        Ok(std::iter::once(Some(whole)).chain(others).collect())
    }

    /// What made the part that was written to, from then on: it takes it out of the whole.
    pub(super) fn part_node(this: &Ref<CopySlices>) -> Ref<Node> {
        part_node(
            (Some(this.clone().upcast()), 0),
            this.part.clone(),
            this.shape.clone(),
        )
    }

    pub(super) fn release(&self) {
        self.inner.release();
    }
}
