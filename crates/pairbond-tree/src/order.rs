//! Preorder traversal of a tree. The caller must hold the tree lock.

use super::node::Node;

/// Returns the first child in the lists from `number` on.
pub(super) fn first_from(node: Node, number: usize) -> Option<Node> {
    (number..node.list_count()).find_map(|number| node.first_child(number))
}

/// Returns the node after `node` and all its descendants, among the descendants of `top`.
pub(super) fn next_in_order(mut node: Node, top: Node) -> Option<Node> {
    while node != top {
        if let Some(next) = node.next() {
            return Some(next);
        }
        let parent = node.parent()?;
        if let Some(first) = first_from(parent, node.list_number() + 1) {
            return Some(first);
        }
        node = parent;
    }
    None
}

/// Returns the node after `node`, among the descendants of `top`.
pub(super) fn next_below(node: Node, top: Node) -> Option<Node> {
    first_from(node, 0).or_else(|| next_in_order(node, top))
}

/// Returns whether `node` is a descendant of `top`.
pub(super) fn is_below(node: Node, top: Node) -> bool {
    std::iter::successors(node.parent(), |at| at.parent()).any(|at| at == top)
}
