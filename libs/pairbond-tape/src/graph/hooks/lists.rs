//! The lists of hooks of a node and of a tensor. Most have none, and one word for it.

use pairbond::Object;
use pairbond::prelude::*;

use super::Hooks;
use crate::graph::Variable;

/// The hooks of a node.
#[pairbond::object("pairbond_tape._NodeHooks", opaque)]
pub struct NodeHooks {
    /// Hooks of the tensors that the node made: which of its results, and the hooks.
    pub(crate) tensors: Cell<Vec<(u32, Ref<Hooks>)>>,
    /// Those of its results that want their gradient in `grad`.
    pub(crate) retaining: Cell<Vec<(u32, Weak<Variable>)>>,
    /// Before the node runs.
    pub(crate) before: Ref<Hooks>,
    /// After it.
    pub(crate) after: Ref<Hooks>,
}

impl NodeHooks {
    /// Those in that place, which are made if there are none.
    pub(crate) fn get_or_create(place: &Cell<Option<Ref<NodeHooks>>>) -> Ref<NodeHooks> {
        get_or_make(place, || NodeHooks {
            tensors: Cell::new(Vec::new()),
            retaining: Cell::new(Vec::new()),
            before: Hooks::new(),
            after: Hooks::new(),
        })
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

    /// The reference to a result that wants its gradient.
    fn find_retained(&self, tensor: &Variable) -> Option<Weak<Variable>> {
        let all = self.retaining.get();
        let mut all = all.into_iter().map(|(_, weak)| weak);
        all.find(|weak| {
            weak.upgrade().is_some_and(|other| {
                let other: &Variable = &other;
                std::ptr::eq(other, tensor)
            })
        })
    }

    /// Whether that result wants its gradient.
    pub(crate) fn retains_grad(&self, tensor: &Variable) -> bool {
        self.find_retained(tensor).is_some()
    }

    /// Says that a result wants it no more; returns the reference to it, if it did.
    pub(crate) fn forget_retained(&self, tensor: &Variable) -> Option<Weak<Variable>> {
        let weak = self.find_retained(tensor)?;
        let gone = self.retaining.update(|all| {
            let at = all.iter().position(|(_, other)| other.is(&weak));
            at.map(|at| all.remove(at))
        });
        drop(gone);
        Some(weak)
    }

    /// Says that a result wants its gradient.
    pub(crate) fn retain_grad(&self, output: u32, tensor: Weak<Variable>) {
        self.retaining.update(|all| all.push((output, tensor)));
    }
}

/// The hooks of a leaf.
#[pairbond::object("pairbond_tape._VariableHooks", opaque)]
pub struct VariableHooks {
    /// Before its gradient is accumulated.
    pub(crate) before: Ref<Hooks>,
    /// After it.
    pub(crate) accumulated: Ref<Hooks>,
}

impl VariableHooks {
    /// Those in that place, which are made if there are none.
    pub(crate) fn get_or_create(place: &Cell<Option<Ref<VariableHooks>>>) -> Ref<VariableHooks> {
        get_or_make(place, || VariableHooks {
            before: Hooks::new(),
            accumulated: Hooks::new(),
        })
    }
}

/// Returns the object in that place, which is made if there is none.
fn get_or_make<T: Object + Send + Sync>(place: &Cell<Option<Ref<T>>>, make: impl FnOnce() -> T) -> Ref<T> {
    if let Some(there) = place.get() {
        return there;
    }
    let made = Ref::new(make());
    place.update(|there| there.get_or_insert(made.clone()).clone())
}
