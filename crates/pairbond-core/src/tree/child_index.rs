//! Children by their place. Under the lock.
//!
//! A list keeps an array of its first nodes, as far as a place was looked up; an edit cuts it off
//! at its place. That is quickest as long as lookups and edits come by turns of many. When more was
//! cut off than the list has, the next lookup makes [`Places`] instead, which follow each edit;
//! they go when there were more edits than nodes since the last lookup. So a place takes O(log n),
//! and an edit O(1) without lookups: repeated work is paid for by the edits before.

use super::head::Head;
use super::node::Node;
use super::order_statistic_tree::Places;
use crate::object::Header;
use crate::sync::statics::Ordering;

/// Fewer nodes are looked for again each time.
const FEW: usize = 256;

/// The nodes at the first places of a list, as far as somebody asked.
pub(super) enum Known {
    /// Where the list is mostly not edited; and how many were cut off.
    Array(Vec<*mut Header>, usize),
    /// Where it is; and how many edits there were since somebody asked.
    Followed(Places, usize),
}

impl Default for Known {
    fn default() -> Self {
        Known::Array(Vec::new(), 0)
    }
}

impl Known {
    fn len(&self) -> usize {
        match self {
            Known::Array(nodes, _) => nodes.len(),
            Known::Followed(places, _) => places.len(),
        }
    }

    /// The node at a place that is known.
    fn get(&self, place: usize) -> *mut Header {
        match self {
            Known::Array(nodes, _) => nodes[place],
            Known::Followed(places, _) => places.get(place),
        }
    }

    /// The next node of the list.
    fn push(&mut self, node: Node) {
        match self {
            Known::Array(nodes, _) => {
                let place = nodes.len() as u32;
                node.links().index.store(place, Ordering::Relaxed);
                nodes.push(node.as_ptr());
            }
            Known::Followed(places, _) => places.push(node),
        }
    }

    /// The place of a node, if it is known.
    fn place_of(&self, node: Node) -> Option<usize> {
        match self {
            Known::Array(nodes, _) => place_in(nodes, node),
            Known::Followed(places, _) => places.place_of(node),
        }
    }
}

/// The child at a place.
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
        Node::from_ptr(extended(list, place).get(place))
    }
}

/// The place of a node that stands in the list.
pub(super) fn of(list: *mut Head, node: Node) -> usize {
    // SAFETY: the lock is held, and children are alive.
    unsafe {
        let list = &mut *list;
        let (mut reach, end) = (0, list.len() - 1);
        loop {
            let known = extended(list, reach);
            if let Some(place) = known.place_of(node) {
                return place;
            }
            debug_assert!(reach < end, "the node stands in the list");
            reach = (known.len() * 2).max(16).min(end);
        }
    }
}

/// The index, extended to a place at least.
///
/// # Safety
/// The caller holds the lock of trees.
unsafe fn extended(list: &mut Head, place: usize) -> &mut Known {
    let (first, all) = (list.first(), list.len());
    let known = list.ask();
    if let Known::Followed(_, edits) = known {
        *edits = 0;
    }
    if place < known.len() {
        return known;
    }
    if let Known::Array(_, lost) = known
        && *lost > all.max(FEW)
    {
        *known = Known::Followed(Places::new(), 0);
    }
    // SAFETY: the lock is held, and children are alive.
    unsafe {
        let last = known.len().checked_sub(1).map(|last| known.get(last));
        let last = last.and_then(|it| Node::from_ptr(it));
        let mut next = last.map_or(first, Node::next);
        while known.len() <= place {
            let Some(node) = next else { break };
            known.push(node);
            next = node.next();
        }
    }
    known
}

/// A chain of `len` nodes comes before a node of the list. `None`: to the end, which changes no
/// place.
#[inline]
pub(super) fn enter(list: &mut Head, first: Node, len: usize, before: Option<Node>) {
    if let Some(before) = before
        && let Some(known) = list.known()
    {
        edit(known, first, len, before, |places, node| {
            places.insert(before, node)
        });
    }
}

/// A chain of `len` nodes goes.
#[inline]
pub(super) fn leave(list: &mut Head, first: Node, len: usize) {
    if let Some(known) = list.known() {
        edit(known, first, len, first, Places::remove);
    }
}

/// Lets the index follow an edit, of which `at` is the first node that has another place then.
fn edit(known: &mut Known, first: Node, len: usize, at: Node, each: impl Fn(&mut Places, Node)) {
    match known {
        Known::Array(nodes, lost) => {
            if let Some(place) = place_in(nodes, at) {
                *lost += nodes.len() - place;
                nodes.truncate(place);
            }
        }
        Known::Followed(places, edits) => {
            *edits += len;
            if *edits > places.len().max(FEW) {
                *known = Known::default();
                return;
            }
            let mut next = Some(first);
            for _ in 0..len {
                let Some(node) = next else { break };
                next = node.next();
                each(places, node);
            }
        }
    }
}

fn place_in(nodes: &[*mut Header], node: Node) -> Option<usize> {
    let place = node.links().index.load(Ordering::Relaxed) as usize;
    (nodes.get(place) == Some(&node.as_ptr())).then_some(place)
}
