//! [`Rule`]: the derivative of a node.

use pairbond::prelude::*;

use super::{Node, T};

/// Gradients of inputs, in order; `None` is zero, or not wanted.
pub(crate) type Grads = Vec<Option<T>>;

/// What a node of an operation does.
pub(crate) trait Rule: Send + Sync {
    fn name(&self) -> &'static str;

    /// Whether it is a function's whose derivative is written by hand: its views do not know of
    /// their bases.
    fn is_custom(&self) -> bool {
        false
    }

    fn apply(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads>;
}

/// In a box that is made where there is memory for it, and not otherwise: see
/// [`room::boxed`](crate::room::boxed).
impl<R: Rule> Rule for [R; 1] {
    fn name(&self) -> &'static str {
        self[0].name()
    }

    fn apply(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        self[0].apply(node, grads)
    }
}
