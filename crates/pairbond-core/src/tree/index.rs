//! Children by their place. A list keeps a table of its first nodes, as far as somebody asked; an edit cuts it off at its place. Under the lock.

use super::head::Head;
use super::node::Node;
use crate::sync::statics::Ordering;

/// The child at a place. A step for each that the table lacks, and none the next time.
pub(super) fn get(list: *mut Head, place: usize) -> Option<Node> {
    // SAFETY: the lock is held, and children are alive.
    unsafe {
        let list = &mut *list;
        if place >= list.len() {
            return None;
        }
        if place == 0 {
            return list.first();
        }
        if place + 1 == list.len() {
            return list.last();
        }
        extend(list, place);
        Node::from_ptr(list.table()[place])
    }
}

/// The place of a node that stands in the list.
pub(super) fn of(list: *mut Head, node: Node) -> usize {
    // SAFETY: as above.
    unsafe {
        let list = &mut *list;
        if !knows(list, node) {
            let mut from = list.table().len();
            while !knows(list, node) {
                from = (from * 2).max(16).min(list.len() - 1);
                extend(list, from);
            }
        }
        place_of(node)
    }
}

/// Makes the table reach to a place.
unsafe fn extend(list: &mut Head, place: usize) {
    let first = list.first();
    let table = list.table_mut();
    // SAFETY: as above.
    unsafe {
        let mut next = match table.last() {
            None => first,
            Some(last) => Node::from_ptr(*last).and_then(Node::next),
        };
        while table.len() <= place {
            let Some(node) = next else { return };
            node.links().index.store(table.len() as u32, Ordering::Relaxed);
            table.push(node.as_ptr());
            next = node.next();
        }
    }
}

fn place_of(node: Node) -> usize {
    node.links().index.load(Ordering::Relaxed) as usize
}

/// Whether the table has the node.
fn knows(list: &Head, node: Node) -> bool {
    list.table().get(place_of(node)) == Some(&node.as_ptr())
}

/// The node stands no longer where it stood, or another does: forgets its place and those behind it. `None`: at the end, which changes no place.
#[inline]
pub(super) fn forget(list: &mut Head, node: Option<Node>) {
    if let Some(node) = node
        && !list.table().is_empty()
        && knows(list, node)
    {
        list.table_mut().truncate(place_of(node));
    }
}
