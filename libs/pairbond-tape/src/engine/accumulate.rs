//! [`AccumulateGrad`]: the end of the way back, at a tensor that nothing made.

use std::sync::atomic::AtomicU64;
use std::sync::{LazyLock, PoisonError};

use pairbond::fork::Mutex;
use pairbond::prelude::*;

use super::{Named, Node, mode};
use crate::data::broadcast;
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

    /// A gradient in the shape and dtype of the tensor: it is summed up if the tensor can be
    /// stretched to it. `node` gave it as that for its input of that number.
    pub(super) fn fitting(&self, node: &Ref<Node>, input: usize, grad: T) -> Result<T> {
        let (shape, dtype) = (self.variable.shape(), self.variable.dtype());
        if grad.shape() == shape && grad.dtype() == dtype {
            return Ok(grad);
        }
        if !broadcast(shape, grad.shape()).is_ok_and(|both| both == grad.shape()) {
            return Err(Error::runtime_error(format!(
                "Function {} returned an invalid gradient at index {input} - got {:?} but expected shape compatible with {shape:?}",
                node.name(),
                grad.shape()
            )));
        }
        ops::to_dtype(&ops::reduce_to(&grad, shape)?, dtype)
    }

    /// Adds a gradient, and tells who waits for that. A tensor that requires none any more gets
    /// none.
    pub(super) fn add(&self, grad: &T) -> Result<()> {
        if !self.variable.requires_grad() {
            return Ok(());
        }
        Self::add_to(&self.variable, grad)?;
        hooks::accumulated(&self.variable)
    }

    /// Adds to the gradient of any tensor.
    pub(crate) fn add_to(variable: &T, grad: &T) -> Result<()> {
        let adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
        let records = mode::is_grad_enabled();
        let sum = match variable.grad.get() {
            // A tensor of its own, which knows where it came from.
            None if records => ops::clone(grad)?,
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
