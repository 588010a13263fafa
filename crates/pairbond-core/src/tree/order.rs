//! The order in which a walk comes to nodes: each before what stands below it. Under the lock.

use super::node::Node;

/// The first child in the lists from a number on.
pub(super) fn first_from(node: Node, number: usize) -> Option<Node> {
    // SAFETY: the lock is held, and children are alive.
    (number..node.lists()).find_map(|number| unsafe { (*node.list(number)).first() })
}

/// The node that comes after a node and all below it, among those below `top`.
pub(super) fn following(mut node: Node, top: Node) -> Option<Node> {
    while node != top {
        if let Some(next) = node.next() {
            return Some(next);
        }
        let parent = node.parent()?;
        if let Some(first) = first_from(parent, node.number() + 1) {
            return Some(first);
        }
        node = parent;
    }
    None
}
