//! [`Given`]: what a library's derivative is computed from; [`Derivative`]: the node's rule.

use std::marker::PhantomData;

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::saved;
use crate::graph::{Grads, Node, Rule, T, Value, downcast_value, into_variable};

/// The inputs, results and gradient that a derivative is computed from.
pub struct Given<'a, V> {
    node: &'a Ref<Node>,
    grads: &'a [Option<T>],
    of: PhantomData<V>,
}

impl<'a, V: Value> Given<'a, V> {
    pub(crate) fn for_node(node: &'a Ref<Node>, grads: &'a [Option<T>]) -> Given<'a, V> {
        Given {
            node,
            grads,
            of: PhantomData,
        }
    }

    /// Returns the node whose derivative is computed.
    #[must_use]
    pub fn node(&self) -> &Ref<Node> {
        self.node
    }

    /// Returns the gradient of the result; unwinds with an error if there is none, which only
    /// happens to a caller that calls a node by hand, or if it is of another library.
    #[inline]
    #[must_use]
    pub fn grad(&self) -> &Ref<V> {
        let first = self.grads.first().and_then(Option::as_ref);
        let first = first.unwrap_or_else(|| {
            Error::runtime_error("a node of one output is called with its gradient").unwind()
        });
        downcast_value(first).unwrap_or_else(|error| error.unwind())
    }

    /// Returns the tensor that was saved at that place.
    ///
    /// # Errors
    /// It was given back, or written to since.
    pub fn saved(&self, place: usize) -> Result<Ref<V>> {
        saved::unpack_saved(self.node, place)?
            .downcast()
            .or_else(|other| downcast_value(&other).cloned())
    }

    /// Returns the tensor saved for the gradient of an input, by a node that saves one for each
    /// first; with the number of inputs, the tensor that it saves next.
    ///
    /// # Errors
    /// As [`saved`](Self::saved).
    pub fn saved_for(&self, input: usize) -> Result<Ref<V>> {
        self.saved((0..input).filter(|&other| self.node.leads_on(other)).count())
    }

    /// Returns a number among the parameters as if it had been saved: it is given back with the
    /// graph.
    ///
    /// # Errors
    /// The graph was given back.
    pub fn number<P: Copy>(&self, param: &P) -> Result<P> {
        if self.node.is_released() {
            return Err(saved::freed_error());
        }
        Ok(*param)
    }

    /// Computes the gradient of an input, if it is wanted.
    ///
    /// # Errors
    /// Those of `compute`.
    pub fn when<G>(&self, input: usize, compute: impl FnOnce() -> Result<G>) -> Result<Option<G>> {
        if self.node.leads_on(input) {
            compute().map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A derivative and its parameters.
pub(super) struct Derivative<V, P, R> {
    pub(super) name: &'static str,
    pub(super) params: P,
    pub(super) compute: fn(&Given<'_, V>, &P) -> Result<R>,
}

impl<V, P, G, R> Rule for Derivative<V, P, R>
where
    V: Value,
    P: Send + Sync,
    G: Into<Ref<V>>,
    R: IntoIterator<Item = Option<G>>,
{
    fn name(&self, _: Borrow<'_, Node>) -> Str {
        self.name.into()
    }

    fn compute_grads(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        if grads.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let given = Given::for_node(node, grads);
        let own = |grad: Option<G>| grad.map(|grad| into_variable(grad.into()));
        (self.compute)(&given, &self.params).map(|grads| grads.into_iter().map(own).gather())
    }
}
