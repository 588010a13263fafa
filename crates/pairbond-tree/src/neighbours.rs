//! The neighbours of a node, for pictures of object graphs.

use super::links::flag;
use super::lock::lock_trees;
use super::node::Node;
use pairbond_core::object::{Header, Neighbour, ShowNeighbour};

/// Shows the parent and the children of a node that is attached or has any. Returns whether the
/// node owns a reference to itself.
///
/// # Safety
/// A node, to which the caller has a handle.
pub(super) unsafe fn show_neighbours(object: &Header, each: &mut ShowNeighbour<'_>) -> bool {
    // SAFETY: a type of nodes, alive during the call.
    let node = unsafe { Node::from_header(object) };
    let _locked = lock_trees();
    if node.has_bits(flag::ERASED) {
        return node.has_bits(flag::SELF);
    }
    let mut show = |node: Node, how: Neighbour| each(node.header(), how, &|| node.to_ref());
    if node.has_bits(flag::AWAKE)
        && let Some(parent) = node.parent()
    {
        show(parent, Neighbour::Parent);
    }
    for number in 0..node.list_count() {
        let list = name_of(node, number);
        // SAFETY: the lock is held, and children are alive.
        let mut at = unsafe { (*node.list_ptr(number)).first() };
        while let Some(child) = at {
            let awake = child.has_bits(flag::AWAKE);
            show(child, Neighbour::Child { list, awake });
            at = child.next();
        }
    }
    node.has_bits(flag::SELF)
}

/// The name of the field that is a list.
fn name_of(node: Node, number: usize) -> &'static str {
    let at = node.table().lists[number];
    let mut fields = node.header().info().fields().iter();
    fields
        .find(|field| field.offset == at)
        .map_or("", |field| field.name)
}
