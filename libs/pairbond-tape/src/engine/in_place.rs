//! Writing to tensors that have a history.
//!
//! What writes to a view writes to its base, so the base is made by that from then on
//! ([`CopySlices`]), and all its views by taking their part out of it: each sees by its memory's
//! version that its own history is old, and gets another when somebody asks ([`look`]).
//!
//! A tensor made while recording was off, or by a custom function, is no such view: its base would
//! miss writes to it, so that is refused ([`check`]), and so is going back through a function's
//! result whose memory was written to in another way ([`check_history`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pairbond::prelude::*;
use pairbond::trace::Trace;

use super::node::Edge;
use super::rule::{Derivative, Given, Grads, Rule};
use super::saved;
use super::{Named, Node, history, mode, run};
use crate::dispatch;
use crate::function::FunctionNode;
use crate::hooks::NodeHooks;
use crate::value::{Dims, Slice, Value, erased};
use crate::variable::{T, Variable};

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
    check(erased(target), wanted)?;
    let wanted = wanted && mode::is_grad_enabled();
    if !wanted || !target.is_differentiable() {
        write()?;
        target.written(operation);
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
    target.written(operation);
    super::anomaly::trace(&node)?;
    rebase_on(erased(target), Ref::new(node), 0)
}

/// Checks that a tensor may be written to; `wanted`: the written values require a gradient.
///
/// # Errors
/// It is a leaf that requires a gradient, or a view of one, or a view whose base would miss it.
pub fn check_in_place<V: Value>(target: &Ref<V>, wanted: bool) -> Result<()> {
    check(erased(target), wanted)
}

/// As [`check_in_place`].
pub(crate) fn check(target: &T, wanted: bool) -> Result<()> {
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

/// The name of the custom function that made a tensor, if one did.
pub(crate) fn function_of(tensor: &Variable) -> Option<Str> {
    let made = tensor.grad_fn.get()?;
    let custom = || made.rule.as_ref().filter(|rule| rule.is_custom());
    FunctionNode::name_of(made.as_borrow()).or_else(|| Some(custom()?.name().into()))
}

/// What a view is called in errors, if a custom function returned it or that of which it is a view.
fn name_of_function_view(tensor: &Variable) -> Option<Str> {
    if tensor.of_function {
        return tensor.grad_fn.get().map(|made| made.name());
    }
    function_of(tensor)
}

fn in_custom_function(tensor: &Variable, function: &str, what: &str) -> String {
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
pub(super) fn check_history(tensor: &T) {
    if tensor.untracked_base().is_some() && tensor.seen.load(Ordering::Acquire) != dispatch::version(tensor) {
        refuse_history(tensor);
    }
}

fn refuse_history(tensor: &Variable) {
    if let Some(name) = name_of_function_view(tensor) {
        let what = "its base or another view of its base has been modified inplace";
        Error::runtime_error(in_custom_function(tensor, &name, what)).unwind()
    }
}

/// Records what wrote to a tensor: the result of that number of a node. If the tensor is a view,
/// the first input of the node is its old value: see [`Node::has_first_edge`].
///
/// # Errors
/// The library cannot say which elements of its base a view has.
pub fn rebase<V: Value>(target: &Ref<V>, node: Ref<Node>, output: u32) -> Result<()> {
    rebase_on(erased(target), node, output)
}

/// As [`rebase`].
pub(crate) fn rebase_on(target: &T, node: Ref<Node>, output: u32) -> Result<()> {
    let Some(base) = target.tracked_base() else {
        make_anew(target, node, output);
        return Ok(());
    };
    let mut next = vec![history::edge_of(base)];
    node.next.with(|inner| next.extend(inner.iter().skip(1).cloned()));
    let slices = Ref::new(CopySlices {
        node: Node::value(None, next),
        inner: node,
        part: dispatch::slice(target, base)?,
        shape: dispatch::meta(base)?.shape,
    });
    make_anew(base, slices.clone().upcast(), 0);
    saved::are_of_part(&slices, target);
    if target.retains() {
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

/// Records a new maker of a tensor; if it retains its gradient, that is the gradient of its new
/// value.
fn make_anew(tensor: &Variable, node: Ref<Node>, output: u32) {
    let before = tensor.grad_fn.get();
    history::set(tensor, node.clone(), output);
    let retaining = before.and_then(|before| before.hooks.get()?.forget(tensor));
    if let Some(weak) = retaining {
        NodeHooks::at(&node.hooks).retain(output, weak);
    }
}

/// Gives a view of memory that was written to since a history that says so.
#[inline]
pub(crate) fn look<V: Value>(view: &V) {
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
    let node = part_node(history::edge_of(base), view.slice(whole), whole.meta().shape);
    make_anew(variable, node, 0);
    variable.seen.store(now, Ordering::Release);
}

/// Takes a part out of a base of that shape.
struct TakePart {
    part: Arc<dyn Slice>,
    shape: Dims,
}

impl Rule for TakePart {
    fn name(&self) -> &'static str {
        "AsStridedBackward0"
    }

    fn apply(&self, _: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        let put = |grad: &T| self.part.put(grad, &self.shape);
        Ok(vec![grads.first().and_then(Option::as_ref).map(put).transpose()?])
    }
}

/// What takes a part out of a base of that shape.
fn part_node(base: Edge, part: Arc<dyn Slice>, shape: Dims) -> Ref<Node> {
    Ref::new(Node::value(Some(Box::new(TakePart { part, shape })), vec![base]))
}

/// What made a tensor to whose view something was written.
#[pairbond::object("pairbond_tape.CopySlices", extends = Node, opaque)]
pub struct CopySlices {
    node: Node,
    /// What wrote to the view.
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
    pub(super) fn derive(&self, grads: &Grads) -> Result<Grads> {
        let Some(Some(grad)) = grads.first() else {
            return Ok(Vec::new());
        };
        let part = self.part.take(grad)?;
        let mut given = run::derive(&self.inner, &vec![Some(part)])?;
        let through = given.first_mut().and_then(Option::take);
        let whole = self.part.replace(grad, through.as_ref())?;
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
