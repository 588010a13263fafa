//! The neighbours of a node, for pictures of object graphs.

use super::links::flag;
use super::lock::lock_trees;
use super::node::Node;
use pairbond_core::object::{Neighbour, ShowNeighbour};

/// Shows the parent and the children of a node that is attached or has any. Returns whether the
/// node owns a reference to itself. The caller has a handle to the node.
pub(super) fn show_neighbours(node: Node, each: &mut ShowNeighbour<'_>) -> bool {
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
        let mut at = node.first_child(number);
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
