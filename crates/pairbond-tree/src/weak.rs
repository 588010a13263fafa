//! Weak references to nodes that nothing but their tree keeps.

use super::hooks::is_tree;
use super::keep::counted_reference;
use super::lock::lock_trees;
use super::node::Node;
use pairbond_core::frontend::{Answer, collecting_interpreters};
use pairbond_core::object::{ErasedRef, Header, Root, Upgraded, Weak};

/// A handle to a node of which there is none, for a weak reference to it: the tree is alive if its
/// root is. `Gone`: it is not, or the object is no such node.
///
/// The root is asked as any object is by a weak reference, without the lock, and is still the root
/// or the search begins again.
///
/// # Safety
/// An object whose memory a weak reference keeps.
#[cold]
pub(super) unsafe fn from_tree(object: &Header) -> Answer<ErasedRef> {
    if !is_tree(object) {
        return Answer::Gone;
    }
    // SAFETY: a type of nodes. The weak reference keeps the memory, and the links of a node that
    // died say that it has no parent.
    let node = unsafe { Node::from_header(object) };
    loop {
        let (root, weak) = {
            let locked = lock_trees();
            let state = object.custody().state();
            if state.strong() != 0 && !state.is_dying() {
                // Somebody was faster than we.
                return Answer::Again;
            }
            if state.is_dying() || node.parent().is_none() {
                return Answer::Gone;
            }
            if let Some((found, above)) = by_one_above(node) {
                drop(locked);
                drop(above);
                return Answer::Found(found);
            }
            let root = root_of(node);
            // SAFETY: under the lock a root is alive as long as its tree, and every object is a
            // `Root`.
            (root, unsafe { Weak::<Root>::from_header(root.as_non_null()) })
        };
        let handle = weak.upgrade();
        let locked = lock_trees();
        if node.parent().is_some() && root_of(node) == root {
            // The handle to the root keeps the tree until here.
            let found = handle.is_some().then(|| node.to_ref());
            drop(locked);
            return found.map_or(Answer::Gone, Answer::Found);
        }
    }
}

/// By a node above that is held and can be upgraded without waiting: it keeps the root,
/// which need not be looked for then. Under the lock; the second is to be dropped outside.
fn by_one_above(node: Node) -> Option<(ErasedRef, ErasedRef)> {
    let held = |above: &Node| above.header().custody().state().strong() != 0;
    let above = std::iter::successors(node.parent(), |at| at.parent()).find(held)?;
    let custody = above.header().custody();
    let upgraded = collecting_interpreters().without_asking(
        above.as_ptr().addr(),
        || custody.pair().tag(),
        || custody.upgrade(),
    );
    matches!(upgraded, Some(Upgraded::Strong)).then(|| (node.to_ref(), counted_reference(above)))
}

/// The root, or the node itself. Under the lock.
pub(super) fn root_of(node: Node) -> Node {
    std::iter::successors(Some(node), |at| at.parent())
        .last()
        .unwrap_or(node)
}
