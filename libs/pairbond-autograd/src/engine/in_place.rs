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

use pairbond::Trace;
use pairbond::prelude::*;

use super::rule::{Derivative, Given, Grads};
use super::saved::{self, Save};
use super::{Node, history, mode, run};
use crate::function::FunctionNode;
use crate::hooks::NodeHooks;
use crate::ops;
use crate::tensor::{T, Tensor};

/// As `record`, of an operation that writes to the first of its inputs. `operation` is what errors
/// call it.
pub(crate) fn record_in_place<P, R, const N: usize>(
    (name, operation): (&'static str, &'static str),
    inputs: [&T; N],
    saves: &[Save<'_>],
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
    let node = Node::value(
        Some(Box::new(Derivative {
            name,
            params,
            compute,
        })),
        next,
    );
    let before = saves.iter().map(|save| match save {
        Save::In(tensor) => saved::input(tensor).map(Some),
        Save::Out => Ok(None),
    });
    let before: Result<Vec<_>> = before.collect();
    let before = before?;
    write()?;
    target.storage.written(operation);
    let result = |place: Option<saved::Saved>| match place {
        Some(input) => Ok(input),
        None => saved::result(Tensor::detached(target), 0, None),
    };
    let all: Result<Vec<_>> = before.into_iter().map(result).collect();
    node.saved.set(all?);
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
        return Err(Error::runtime_error(match of_function(target) {
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
        Some(base) if target.tracks && leaf(base) => "a view of a leaf Variable",
        None if leaf(target) => "a leaf Variable",
        _ => return Ok(()),
    };
    Err(Error::runtime_error(format!(
        "{what} that requires grad is being used in an in-place operation."
    )))
}

/// The name of the custom function that made a tensor, if one did.
fn of_function(tensor: &Tensor) -> Option<Str> {
    let made = tensor.grad_fn.get()?;
    FunctionNode::name_of(made.as_borrow())
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
    if let Some(name) = of_function(tensor) {
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
        places: places(target, base),
        shape: target.shape().to_vec(),
    });
    make_anew(base, slices.upcast(), 0);
}

/// Records a new maker of a tensor; if it retains its gradient, that is the gradient of its new
/// value.
fn make_anew(tensor: &T, node: Ref<Node>, output: u32) {
    let retains = tensor.retains();
    let before = tensor.grad_fn.get();
    history::set(tensor, node.clone(), output);
    if let Some(hooks) = before.filter(|_| retains).and_then(|before| before.hooks.get()) {
        hooks.forget(tensor);
        NodeHooks::at(&node.hooks).retain(output, tensor);
    }
}

/// Which elements of its base a view has, in the order of the view.
fn places(view: &Tensor, base: &Tensor) -> Vec<usize> {
    if base.geometry.is_contiguous() {
        return view
            .geometry
            .places()
            .map(|place| place - base.geometry.offset)
            .collect();
    }
    let order: HashMap<usize, usize> = base
        .geometry
        .places()
        .enumerate()
        .map(|(i, place)| (place, i))
        .collect();
    view.geometry
        .places()
        .map(|place| order.get(&place).copied().unwrap_or(0))
        .collect()
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
    let derivative = Derivative {
        name: "AsStridedBackward0",
        params: (places(view, base), base.shape().to_vec()),
        compute: |g, (places, shape)| Ok([Some(ops::put(g.grad(), places, shape)?)]),
    };
    let node = Node::value(Some(Box::new(derivative)), vec![history::edge(base)]);
    history::set(view, Ref::new(node), 0);
    view.seen.store(now, Ordering::Release);
}

/// What made a tensor to whose view something was written.
#[pairbond::object("pairbond_autograd.CopySlices", extends = Node, opaque)]
pub struct CopySlices {
    node: Node,
    /// What wrote to the view.
    inner: Ref<Node>,
    places: Vec<usize>,
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
        let part = ops::take(grad, &self.places, &self.shape)?;
        let mut given = run::derive(&self.inner, &vec![Some(part.clone())])?;
        let change = match given.first_mut().and_then(Option::take) {
            Some(through) => ops::sub(&through, &part)?,
            None => ops::neg(&part)?,
        };
        let whole = ops::add(grad, &ops::put(&change, &self.places, grad.shape())?)?;
        let others = given.into_iter().skip(1);
        Ok(std::iter::once(Some(whole)).chain(others).collect())
    }

    pub(super) fn release(&self) {
        self.inner.release();
    }
}
