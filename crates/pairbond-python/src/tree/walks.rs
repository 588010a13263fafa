//! `pairbond.descendants` and `pairbond.ancestors`: walks through trees.

use pairbond_core::error::Error;
use pairbond_core::object::{Borrow, ErasedRef, Ref};
use pairbond_macros::{function, methods, object};
use pairbond_tree::{Ancestors, Descendants, Guarded, Leftover, with_lock};
use pairbond_value::value::Any;

/// An iterator over the nodes of a tree. Threads may share it: each step is one thread's.
#[object("pairbond._Walk", sealed, opaque, crate = crate::expansion)]
pub(crate) struct Walk {
    descendants: Guarded<Option<Descendants>>,
    ancestors: Guarded<Option<Ancestors>>,
}

impl Walk {
    fn new(descendants: Option<Descendants>, ancestors: Option<Ancestors>) -> Ref<Walk> {
        Ref::new(Walk {
            descendants: Guarded::new(descendants),
            ancestors: Guarded::new(ancestors),
        })
    }
}

#[methods(crate = crate::expansion)]
impl Walk {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<Any> {
        // Handles that are left over, which are dropped without the lock.
        let mut left = Leftover::new();
        let found = with_lock(|guard| {
            let below = |walk: &mut Option<Descendants>| walk.as_mut()?.step_locked(&mut left);
            let found = self.descendants.update_in(guard, below);
            let above = |walk: &mut Option<Ancestors>| walk.as_mut()?.step_locked(&mut left);
            found.or_else(|| self.ancestors.update_in(guard, above))
        });
        found.map(Any::Object)
    }
}

fn object(node: Any) -> Result<ErasedRef, Error> {
    match node {
        Any::Object(object) => Ok(object),
        other => Err(Error::type_error(format!(
            "a node of a tree is expected, not {}",
            other.describe()
        ))),
    }
}

/// All descendants of a node of a tree, each before its own descendants, in the order of the lists
/// of children. The tree may be edited meanwhile: nodes inserted behind the current one are
/// visited, removed ones are passed over with their descendants, and no step fails.
#[function(crate = crate::expansion)]
pub(super) fn descendants(node: Any) -> Result<Ref<Walk>, Error> {
    Ok(Walk::new(Some(Descendants::of_object(object(node)?)?), None))
}

/// The nodes above a node of a tree, the nearest first. The tree may be edited meanwhile: each step
/// goes on with the parent that the node has by then, from an erased node with the parent that it
/// had, and no step fails.
#[function(crate = crate::expansion)]
pub(super) fn ancestors(node: Any) -> Result<Ref<Walk>, Error> {
    Ok(Walk::new(None, Some(Ancestors::of_object(object(node)?)?)))
}
