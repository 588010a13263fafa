//! Erasing a node with all that stands below it.
//!
//! Under the lock all of it becomes one chain: the list of a node's children is appended when the
//! chain comes to that node, so that nothing recurses and nothing is allocated. Each node of the
//! chain gets a reference of our own. Then, without the lock, the references are dropped, and nodes
//! die whose handles are gone. No other code touches the place of an erased node.

use std::ptr;

use super::edit::unlink_chain;
use super::error::Refused;
use super::head::Head;
use super::keep::counted_reference;
use super::links::flag;
use super::lock::lock_trees;
use super::node::Node;
use super::reason::{self, Reason};
use super::weight;
use std::sync::atomic::Ordering;

pub(super) fn erase_subtree(node: Node) -> Result<(), Refused> {
    let reason = reason::current_reason().unwrap_or_else(|| Reason::intern("erase()"));
    let mut lists = Vec::new();
    {
        let _locked = lock_trees();
        node.check_not_erased()?;
        // SAFETY: the lock is held; the caller has a handle to the node.
        unsafe {
            if let Some(parent) = node.parent() {
                unlink_chain(parent, node.list_number(), node, node, 1);
            }
            let (mut last, mut at) = (node, Some(node));
            while let Some(next) = at {
                for number in 0..next.list_count() {
                    let mut list = ptr::replace(next.list_ptr(number), Head::new());
                    if let (Some(first), Some(end)) = (list.first(), list.last()) {
                        (*last.place_ptr()).next = first.as_ptr();
                        last = end;
                    }
                    if list.existing_index().is_some() {
                        // Its allocations are freed outside of the lock.
                        lists.push(list);
                    }
                }
                mark_erased(next, reason);
                at = next.next();
            }
        }
    }
    // SAFETY: the chain is ours.
    unsafe { release_chain(node) };
    drop(lists);
    Ok(())
}

/// Marks a node, and counts a reference to it. The references that it owned on account of its place
/// are remembered where its neighbours were.
///
/// # Safety
/// The caller holds the lock of trees, and the node is alive.
unsafe fn mark_erased(node: Node, reason: &'static Reason) {
    weight::note_attached(-isize::from(node.has_bits(flag::ATTACHED)));
    let awake = node.has_bits(flag::AWAKE);
    node.header().custody().wake_node(awake);
    // SAFETY: the lock is held.
    unsafe {
        let place = &mut *node.place_ptr();
        place.previous = if awake { place.parent } else { ptr::null_mut() };
        place.parent = ptr::from_ref(reason).cast_mut().cast();
    }
    let itself = node.links().flags.load(Ordering::Relaxed) & flag::SELF;
    // After the reason: a thread that sees the flag sees the reason.
    node.links().flags.store(flag::ERASED | itself, Ordering::Release);
}

/// Drops the references that the nodes of a chain owned, and ours.
///
/// # Safety
/// The nodes of the chain were marked by this erasing, each of which has counted a reference to
/// them.
unsafe fn release_chain(first: Node) {
    let mut at = Some(first);
    while let Some(node) = at {
        // SAFETY: an erased node of our chain, alive by our reference.
        unsafe {
            let place = node.place_ptr();
            at = Node::from_ptr(ptr::replace(&raw mut (*place).next, ptr::null_mut()));
            let parent = Node::from_ptr(ptr::replace(&raw mut (*place).previous, ptr::null_mut()));
            let itself = {
                let _locked = lock_trees();
                weight::owned_itself(node.links())
            };
            drop(parent.map(counted_reference));
            drop(itself.then(|| counted_reference(node)));
            drop(counted_reference(node));
        }
    }
}
