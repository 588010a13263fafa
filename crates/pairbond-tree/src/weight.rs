//! When to collect: dead trees with wrappers below their roots wait for a frontend's collector,
//! which does not know how much they weigh.

use super::kept::process_wide;
use super::links::{Links, flag};
use super::lock::lock_trees;
use super::node::Node;
use super::order::{first_from, next_below};
use pairbond_core::runtime::NodeSection;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer nodes are no reason to collect.
const LITTLE: usize = 100_000;

/// How many nodes there are. Written under the lock of all trees, read by anyone.
#[repr(C)]
pub struct Weight {
    /// Nodes that have a parent.
    attached: AtomicUsize,
    /// Nodes that own themselves, because they have a self.
    selfs: AtomicUsize,
    /// How many attached ones are a reason to collect.
    limit: AtomicUsize,
}

impl Weight {
    pub(super) const fn new() -> Self {
        Weight {
            attached: AtomicUsize::new(0),
            selfs: AtomicUsize::new(0),
            limit: AtomicUsize::new(LITTLE),
        }
    }
}

fn tree_weight() -> &'static Weight {
    &process_wide().weight
}

fn add_to(count: &AtomicUsize, more: isize) {
    let now = count.load(Ordering::Relaxed);
    count.store(now.wrapping_add_signed(more), Ordering::Relaxed);
}

/// So many nodes have a parent now that had none, or the other way round. Under the lock.
pub(super) fn note_attached(more: isize) {
    add_to(&tree_weight().attached, more);
}

/// A node owns itself from now on. Under the lock.
pub(super) fn owns_itself(links: &Links) {
    links.set_bits(flag::SELF);
    add_to(&tree_weight().selfs, 1);
}

/// A node owns itself no more; whether it did. Under the lock.
pub(super) fn owned_itself(links: &Links) -> bool {
    let did = links.clear_bits(flag::SELF);
    if did {
        add_to(&tree_weight().selfs, -1);
    }
    did
}

/// What frontends ask, and tell.
pub(super) const PACE: NodeSection = NodeSection {
    is_crowded,
    on_full_collection,
};

/// There are twice as many nodes in trees as the last collection left, and some own themselves.
fn is_crowded() -> bool {
    let weight = tree_weight();
    let attached = weight.attached.load(Ordering::Relaxed);
    let crowded =
        attached >= weight.limit.load(Ordering::Relaxed) && weight.selfs.load(Ordering::Relaxed) > 0;
    if crowded {
        // Somebody may have switched the collector off.
        on_full_collection();
    }
    crowded
}

fn on_full_collection() {
    let weight = tree_weight();
    let limit = weight.attached.load(Ordering::Relaxed).saturating_mul(2);
    weight.limit.store(limit.max(LITTLE), Ordering::Relaxed);
}

/// Returns whether a collection would free less than half of the heap: all nodes that own
/// themselves are in the tree of a node to which the caller has a handle, and that tree has at
/// least half of the `traced` objects of the process. Visits the whole tree, in a fraction of a
/// collection's time.
pub(super) fn is_mostly_alive(node: Node, traced: usize) -> bool {
    let weight = tree_weight();
    let few = traced / 2;
    if weight.attached.load(Ordering::Relaxed) < few {
        return false;
    }
    let _locked = lock_trees();
    let mut root = node;
    while let Some(parent) = root.parent() {
        root = parent;
    }
    let (mut nodes, mut selfs) = (1, usize::from(root.has_bits(flag::SELF)));
    let mut at = first_from(root, 0);
    while let Some(node) = at {
        nodes += 1;
        selfs += usize::from(node.has_bits(flag::SELF));
        at = next_below(node, root);
    }
    nodes >= few && selfs == weight.selfs.load(Ordering::Relaxed)
}
