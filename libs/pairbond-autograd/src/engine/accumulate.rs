//! [`AccumulateGrad`]: the end of the way back, at a tensor that nothing made.

use std::sync::atomic::AtomicU64;
use std::sync::{LazyLock, PoisonError};

use pairbond::fork::Mutex;
use pairbond::prelude::*;

use super::{Node, mode};
use crate::tensor::{T, Tensor};
use crate::{hooks, ops};

/// Adds what arrives to the gradient of a tensor. The tensor knows it weakly, so there is at most
/// one, and it lives as long as a graph or Python refers to it.
#[pairbond::object("pairbond_autograd.AccumulateGrad", extends = Node, opaque)]
pub struct AccumulateGrad {
    node: Node,
    /// Whose gradient it is.
    #[field]
    variable: Ref<Tensor>,
}

/// Of several threads each adds. It is held while numbers are added, and never while Python runs.
static ADDING: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);

impl AccumulateGrad {
    /// That of a tensor.
    pub(crate) fn of(variable: &T) -> Ref<AccumulateGrad> {
        let known = || variable.accumulator.get().and_then(|weak| weak.upgrade());
        if let Some(known) = known() {
            return known;
        }
        let mut node = Node::value(None, Vec::new());
        // Before all others, so that gradients do not wait for each other.
        node.sequence = AtomicU64::new(u64::MAX);
        let made = Ref::new(AccumulateGrad {
            node,
            variable: variable.clone(),
        });
        loop {
            let seen = variable.accumulator.get();
            if let Some(known) = seen.as_ref().and_then(Weak::upgrade) {
                return known;
            }
            // Another thread may have been faster; its node is alive then.
            let weak = made.downgrade();
            let ours = variable.accumulator.update(|place| {
                let same = match (&*place, &seen) {
                    (None, None) => true,
                    (Some(now), Some(seen)) => now.is(seen),
                    _ => false,
                };
                if same {
                    *place = Some(weak);
                }
                same
            });
            if ours {
                return made;
            }
        }
    }

    /// The node as one, if it is.
    pub(crate) fn from_node(node: &Ref<Node>) -> Option<Borrow<'_, AccumulateGrad>> {
        node.as_borrow().erase().downcast()
    }

    pub(crate) fn variable(&self) -> &T {
        &self.variable
    }

    /// Adds a gradient, and tells who waits for that.
    pub(super) fn add(&self, grad: &T) -> Result<()> {
        Self::add_to(&self.variable, grad)?;
        hooks::accumulated(&self.variable)
    }

    /// Adds to the gradient of any tensor.
    pub(crate) fn add_to(variable: &T, grad: &T) -> Result<()> {
        let adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
        let records = mode::is_grad_enabled();
        let sum = match variable.grad.get() {
            None if records => grad.clone(),
            // A copy, as the gradient may be shared.
            None => ops::copy_untracked(grad),
            Some(before) if records => ops::add(&before, grad)?,
            // It stays the same tensor.
            Some(before) => return ops::add_untracked(&before, grad),
        };
        let before = variable.grad.replace(Some(sum));
        drop(adding);
        drop(before);
        Ok(())
    }
}
