//! [`Rule`]: the derivative of a node.

use pairbond::prelude::*;

use super::{Node, T};

/// Gradients of inputs, in order; `None` is zero, or not wanted.
pub(crate) type Grads = Vec<Option<T>>;

/// The derivative of a node.
pub(crate) trait Rule: Send + Sync {
    /// The name of a node that has this rule.
    fn name(&self, node: Borrow<'_, Node>) -> Str;

    /// Whether it is a function's whose derivative is written by hand: its views do not know of
    /// their bases.
    fn is_custom(&self) -> bool {
        false
    }

    /// Whether it is applied also where no result has a gradient.
    fn runs_without_gradients(&self) -> bool {
        false
    }

    fn compute_grads(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads>;
}

/// In a box that is made where there is memory for it, and not otherwise: see
/// [`room::try_boxed`](crate::room::try_boxed).
impl<R: Rule> Rule for [R; 1] {
    fn name(&self, node: Borrow<'_, Node>) -> Str {
        self[0].name(node)
    }

    fn compute_grads(&self, node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
        self[0].compute_grads(node, grads)
    }
}
