//! Keeping nodes alive: waking, and falling asleep. The table at the head of `lib.rs`.

use std::ptr::NonNull;

use super::links::flag;
use super::lock::lock_trees;
use super::node::Node;
use super::weight;
use pairbond_core::object::{ErasedRef, Header, Released, destroy_object, run_release_action};

/// Counts a handle to a node, waking it and its ancestors. Under the lock; the node is in a tree to
/// which the caller has a handle.
pub(super) fn count_handle(mut node: Node) {
    loop {
        if node.has_bits(flag::SELF) {
            // Mostly: it owns itself, so this is not its first reference.
            node.header().custody().acquire();
            break;
        }
        let awake = node.has_bits(flag::AWAKE);
        let first = node.header().custody().wake_node(awake);
        let Some(parent) = node.parent() else { break };
        if !first || awake {
            break;
        }
        node.links().set_bits(flag::AWAKE);
        // The reference that the node owns from here on.
        node = parent;
    }
}

/// The last handle to a node was dropped.
///
/// # Safety
/// An object of a type of nodes, which the protocol of custody gave this thread to destroy.
pub(super) unsafe fn last_handle_dropped(object: NonNull<Header>) {
    // SAFETY: alive until this thread has done the rest.
    let mut node = unsafe { Node::new(object) };
    loop {
        let custody = node.header().custody();
        let locked = lock_trees();
        let duty = if custody.state().strong() != 0 {
            // Somebody took it from the tree, and left a reference for us.
            drop(locked);
            custody.release()
        } else if let Some(parent) = node.parent() {
            node.links().clear_bits(flag::AWAKE);
            drop(locked);
            // From here on the node may be gone; the reference to its parent is ours.
            node = parent;
            node.header().custody().release()
        } else {
            drop(locked);
            // SAFETY: a root without handles: no node of its tree is awake, so it is unreachable.
            unsafe { destroy_object(NonNull::new_unchecked(node.as_ptr())) };
            return;
        };
        if duty != Released::Destroy {
            // SAFETY: from a transition of this object.
            unsafe { run_release_action(NonNull::new_unchecked(node.as_ptr()), duty) };
            return;
        }
    }
}

/// Drops a counted reference under the lock, and those of nodes that fall asleep by it. Returns the
/// work for after the lock.
///
/// No thread sees a node between its last reference and its sleep, as others do on the way to
/// [`last_handle_dropped`].
pub(super) fn put_down(mut node: Node) -> Option<(Node, Released)> {
    loop {
        match node.header().custody().release() {
            Released::Shared => return None,
            duty => match (duty, node.parent()) {
                (Released::Destroy, Some(parent)) => {
                    node.links().clear_bits(flag::AWAKE);
                    node = parent;
                }
                (duty, _) => return Some((node, duty)),
            },
        }
    }
}

/// A wrapper was made for an object, to which the caller holds a native reference. `given`: that is
/// the node's if it owns itself from now on, and the caller's no more. Whether it was taken so.
///
/// # Safety
/// A node.
pub(super) unsafe fn on_wrapped(object: &Header, given: bool) -> bool {
    // SAFETY: the caller's node; alive by the caller's reference.
    let node = unsafe { Node::from_header(object) };
    let _locked = lock_trees();
    let owns = node.has_bits(flag::ATTACHED) && begins_to_own(node);
    if owns && !given {
        node.header().custody().acquire();
    }
    owns && given
}

/// Lets a node own a reference to itself if it has a self. Under the lock; the node is attached,
/// and the caller holds a native reference.
pub(super) fn own_itself(node: Node) {
    if begins_to_own(node) {
        node.header().custody().acquire();
    }
}

/// Whether a node owns a reference to itself from now on, which is to be counted.
fn begins_to_own(node: Node) -> bool {
    let begins = !node.header().custody().pair().wrapper().is_null() && !node.has_bits(flag::SELF);
    if begins {
        weight::owns_itself(node.links());
    }
    begins
}

/// The wrapper of an object, which is alive, was given back: the reference that a node owned to
/// itself, to be dropped when foreign code may run.
///
/// # Safety
/// A node.
#[must_use]
pub(super) unsafe fn on_unwrapped(object: &Header) -> Option<ErasedRef> {
    // SAFETY: the caller's node, which is alive.
    let node = unsafe { Node::from_header(object) };
    let _locked = lock_trees();
    weight::owned_itself(node.links()).then(|| counted_reference(node))
}

/// A reference that was counted for another node, to be dropped outside of the lock.
pub(super) fn counted_reference(node: Node) -> ErasedRef {
    // SAFETY: the caller owns a counted reference.
    unsafe { ErasedRef::from_raw(NonNull::new_unchecked(node.as_ptr())) }
}
