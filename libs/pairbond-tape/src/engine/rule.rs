//! [`Rule`]: the derivative of an operation's node; [`Given`]: its inputs.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::{Node, saved};
use crate::tensor::T;

/// Gradients of inputs, in order; `None` is zero, or not wanted.
pub(crate) type Grads = Vec<Option<T>>;

/// What a node of an operation does.
pub(crate) trait Rule: Send + Sync {
    fn name(&self) -> &'static str;

    fn apply(&self, given: &Given<'_>) -> Result<Grads>;
}

/// In a box that is made where there is memory for it, and not otherwise: see
/// [`room::boxed`](crate::data::room::boxed).
impl<R: Rule> Rule for [R; 1] {
    fn name(&self) -> &'static str {
        self[0].name()
    }

    fn apply(&self, given: &Given<'_>) -> Result<Grads> {
        self[0].apply(given)
    }
}

/// What a derivative is computed from.
pub(crate) struct Given<'a> {
    pub(super) node: &'a Ref<Node>,
    pub(super) grads: &'a [Option<T>],
}

impl Given<'_> {
    /// The gradient of the result; unwinds with an error if there is none, which only happens to
    /// who calls a node by hand.
    pub(crate) fn grad(&self) -> &T {
        let first = self.grads.first().and_then(Option::as_ref);
        first.unwrap_or_else(|| {
            Error::runtime_error("a node of one output is called with its gradient").unwind()
        })
    }

    /// The tensor that was saved at that place.
    pub(crate) fn saved(&self, place: usize) -> Result<T> {
        saved::unpack(self.node, place)
    }

    /// The tensor saved for the gradient of an input, by a node that saves one for each first; with
    /// the number of inputs, the tensor that it saves next.
    pub(crate) fn saved_for(&self, input: usize) -> Result<T> {
        self.saved((0..input).filter(|&other| self.node.leads_on(other)).count())
    }

    /// As if a number among the parameters had been saved: it is given back with the graph.
    pub(crate) fn number<P: Copy>(&self, param: &P) -> Result<P> {
        if self.node.is_released() {
            return Err(saved::freed());
        }
        Ok(*param)
    }

    /// Computes the gradient of an input, if somebody wants it.
    pub(crate) fn when(&self, input: usize, compute: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        if self.node.leads_on(input) {
            compute().map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A derivative and its parameters.
pub(super) struct Derivative<P, R> {
    pub(super) name: &'static str,
    pub(super) params: P,
    pub(super) compute: fn(&Given<'_>, &P) -> Result<R>,
}

impl<P: Send + Sync, R: IntoIterator<Item = Option<T>>> Rule for Derivative<P, R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn apply(&self, given: &Given<'_>) -> Result<Grads> {
        if given.grads.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        (self.compute)(given, &self.params).map(|grads| grads.into_iter().gather())
    }
}
