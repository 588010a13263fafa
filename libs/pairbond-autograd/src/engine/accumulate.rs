//! [`AccumulateGrad`]: the end of the way back, at a tensor that nothing made.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use pairbond::prelude::*;

use super::{Node, mode};
use crate::ops;
use crate::tensor::{T, Tensor};

/// Adds what arrives to the gradient of a tensor. The tensor knows it weakly, so that there is at most one, and it lives as long as a graph or Python refers to it.
#[pairbond::object("pairbond_autograd.AccumulateGrad", extends = Node, opaque)]
pub struct AccumulateGrad {
    node: Node,
    /// Whose gradient it is.
    #[field]
    variable: Ref<Tensor>,
    /// Of several threads each adds.
    #[untraced]
    adding: Mutex<()>,
}

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
            adding: Mutex::new(()),
        });
        loop {
            let seen = variable.accumulator.get();
            if let Some(known) = seen.as_ref().and_then(Weak::upgrade) {
                return known;
            }
            // Another thread may have been faster meanwhile; what it put there is alive then.
            let lost = variable.accumulator.update(|place| {
                let same = match (&*place, &seen) {
                    (None, None) => true,
                    (Some(now), Some(seen)) => now.is(seen),
                    _ => false,
                };
                if same {
                    *place = Some(made.downgrade());
                }
                !same
            });
            if !lost {
                return made;
            }
        }
    }

    /// Adds a gradient.
    pub(super) fn add(&self, grad: &T) -> Result<()> {
        let variable = &self.variable;
        let adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let records = mode::is_grad_enabled();
        let sum = match variable.grad.get() {
            None if records => grad.clone(),
            // Nobody else's, whoever else has the gradient.
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
