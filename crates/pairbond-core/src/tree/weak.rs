//! Weak references to nodes that nothing but their tree keeps.

use super::lock::lock;
use super::node::Node;
use crate::frontend::Answer;
use crate::object::{ErasedRef, Header, Root, Weak};

/// A handle to a node of which there is none, for a weak reference to it: the tree is alive if its root is. `Gone`: it is not, or the object is no such
/// node.
///
/// The root is asked as any object is by a weak reference, without the lock, and is still the root or the search begins again.
#[cold]
pub(crate) fn from_tree(object: &Header) -> Answer<ErasedRef> {
    if !object.info().is_tree() {
        return Answer::Gone;
    }
    // SAFETY: a type of nodes. The weak reference keeps the memory, and the links of a node that died say that it has no parent.
    let node = unsafe { Node::of(object) };
    loop {
        let (root, weak) = {
            let _locked = lock();
            let state = object.custody().state();
            if state.strong() != 0 && !state.is_dying() {
                // Somebody was faster than we.
                return Answer::Again;
            }
            if state.is_dying() || node.parent().is_none() {
                return Answer::Gone;
            }
            let root = top(node);
            (root, Weak::<Root>::of(root.as_non_null()))
        };
        let handle = weak.upgrade();
        let locked = lock();
        if node.parent().is_some() && top(node) == root {
            // The handle to the root keeps the tree until here.
            let found = handle.is_some().then(|| node.handle());
            drop(locked);
            return found.map_or(Answer::Gone, Answer::Found);
        }
    }
}

/// The root, or the node itself. Under the lock.
fn top(node: Node) -> Node {
    std::iter::successors(Some(node), |at| at.parent())
        .last()
        .unwrap_or(node)
}
