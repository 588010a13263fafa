//! What hangs on a node and on a tensor. Most have nothing, and one word for it.

use pairbond::prelude::*;

use super::Hooks;
use crate::tensor::{T, Tensor, TensorBase};

/// What hangs on a node.
#[pairbond::object("pairbond_autograd._NodeHooks", opaque)]
pub struct NodeHooks {
    /// Hooks of the tensors that the node made: which of its results, and the hooks.
    pub(super) tensors: Cell<Vec<(u32, Ref<Hooks>)>>,
    /// Those of its results that want their gradient in `grad`.
    pub(super) retaining: Cell<Vec<(u32, Weak<Tensor>)>>,
    /// Before the node runs.
    pub(crate) before: Ref<Hooks>,
    /// After it.
    pub(crate) after: Ref<Hooks>,
}

impl NodeHooks {
    /// Those in that place, which are made if there are none.
    pub(crate) fn at(place: &Cell<Option<Ref<NodeHooks>>>) -> Ref<NodeHooks> {
        if let Some(hooks) = place.get() {
            return hooks;
        }
        let made = Ref::new(NodeHooks {
            tensors: Cell::new(Vec::new()),
            retaining: Cell::new(Vec::new()),
            before: Hooks::new(),
            after: Hooks::new(),
        });
        place.update(|hooks| hooks.get_or_insert(made.clone()).clone())
    }

    /// The hooks of a result.
    pub(crate) fn of_result(&self, output: u32) -> Ref<Hooks> {
        let new = Hooks::new();
        self.tensors
            .update(|all| match all.iter().find(|(number, _)| *number == output) {
                Some((_, hooks)) => hooks.clone(),
                None => {
                    all.push((output, new.clone()));
                    new.clone()
                }
            })
    }

    /// Whether that result wants its gradient.
    pub(crate) fn retains(&self, tensor: &TensorBase) -> bool {
        let all: Vec<Weak<Tensor>> = self
            .retaining
            .with(|all| all.iter().map(|(_, weak)| weak.clone()).collect());
        let same = |other: T| {
            let other: &TensorBase = &other;
            std::ptr::eq(other, tensor)
        };
        all.iter().filter_map(Weak::upgrade).any(same)
    }

    /// Says that a result wants it no more.
    pub(crate) fn forget(&self, tensor: &T) {
        let gone = self.retaining.update(|all| {
            let is_it =
                |(_, weak): &(u32, Weak<Tensor>)| weak.upgrade().is_some_and(|other| other.is(tensor));
            let at = all.iter().position(is_it);
            at.map(|at| all.remove(at))
        });
        drop(gone);
    }

    /// Says that a result wants its gradient.
    pub(crate) fn retain(&self, output: u32, tensor: &T) {
        let weak = tensor.downgrade();
        self.retaining.update(|all| all.push((output, weak)));
    }
}

/// What hangs on a leaf.
#[pairbond::object("pairbond_autograd._TensorHooks", opaque)]
pub struct TensorHooks {
    /// Before its gradient is accumulated.
    pub(crate) before: Ref<Hooks>,
    /// After it.
    pub(crate) accumulated: Ref<Hooks>,
}

impl TensorHooks {
    /// Those in that place, which are made if there are none.
    pub(crate) fn at(place: &Cell<Option<Ref<TensorHooks>>>) -> Ref<TensorHooks> {
        if let Some(hooks) = place.get() {
            return hooks;
        }
        let made = Ref::new(TensorHooks {
            before: Hooks::new(),
            accumulated: Hooks::new(),
        });
        place.update(|hooks| hooks.get_or_insert(made.clone()).clone())
    }
}
