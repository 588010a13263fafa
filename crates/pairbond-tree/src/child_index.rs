//! Children by their place. Under the lock.
//!
//! A list keeps an array of its first nodes, as far as a place was looked up; an edit cuts it off
//! at its place. That is quickest as long as lookups and edits come by turns of many. When more was
//! cut off than the list has, the next lookup makes [`Places`] instead, which follow each edit;
//! they go when there were more edits than nodes since the last lookup. So a place takes O(log n),
//! and an edit O(1) without lookups: repeated work is paid for by the edits before.
//!
//! Where there is no memory for more of it, a lookup follows the list from the last node that is
//! known, and an edit empties the index.

use super::head::Head;
use super::node::Node;
use super::order_statistic_tree::Places;
use pairbond_core::memory::try_push;
use pairbond_core::object::Header;
use std::sync::atomic::Ordering;

/// Fewer nodes are looked for again each time.
const FEW: usize = 256;

/// The nodes at the first places of a list, as far as lookups went.
pub(super) enum Known {
    /// Where the list is mostly not edited; and how many were cut off.
    Array(Vec<*mut Header>, usize),
    /// Its place, and the number of edits since the last lookup.
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

    /// Adds the next node of the list. `false`: there is no memory for it.
    fn push(&mut self, node: Node) -> bool {
        match self {
            Known::Array(nodes, _) => {
                let place = nodes.len() as u32;
                let pushed = try_push(nodes, node.as_ptr()).is_ok();
                if pushed {
                    node.links().index.store(place, Ordering::Relaxed);
                }
                pushed
            }
            Known::Followed(places, _) => places.push(node),
        }
    }

    /// The last node that is known, and its place.
    ///
    /// # Safety
    /// The caller holds the lock of trees.
    unsafe fn last(&self) -> Option<(usize, Node)> {
        let last = self.len().checked_sub(1)?;
        // SAFETY: the lock is held, and children are alive.
        unsafe { Node::from_ptr(self.get(last)) }.map(|node| (last, node))
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
pub(super) fn child_at(list: *mut Head, place: usize) -> Option<Node> {
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
        match extended_to(list, place) {
            Some(known) if place < known.len() => Node::from_ptr(known.get(place)),
            _ => unknown_places(list)
                .find(|(at, _)| *at == place)
                .map(|(_, node)| node),
        }
    }
}

/// The place of a node that stands in the list.
pub(super) fn place_of_child(list: *mut Head, node: Node) -> usize {
    // SAFETY: the lock is held, and children are alive.
    unsafe {
        let list = &mut *list;
        let (mut reach, end) = (0, list.len() - 1);
        loop {
            let known = extended_to(list, reach);
            if let Some(place) = known.as_ref().and_then(|known| known.place_of(node)) {
                return place;
            }
            let known = known.map_or(0, |known| known.len());
            if known <= reach {
                let found = unknown_places(list).find(|(_, it)| *it == node);
                return found.expect("the node stands in the list").0;
            }
            debug_assert!(reach < end, "the node stands in the list");
            reach = (known * 2).max(16).min(end);
        }
    }
}

/// The nodes from the last known one on, with their places.
///
/// # Safety
/// The caller holds the lock of trees.
unsafe fn unknown_places(list: &mut Head) -> impl Iterator<Item = (usize, Node)> {
    // SAFETY: the lock is held.
    let last = list.existing_index().and_then(|known| unsafe { known.last() });
    let start = last.or_else(|| list.first().map(|first| (0, first)));
    std::iter::successors(start, |(place, node)| node.next().map(|next| (place + 1, next)))
}

/// The index, extended to a place at least, or as far as there is memory. `None`: there is none for
/// an index.
///
/// # Safety
/// The caller holds the lock of trees.
unsafe fn extended_to(list: &mut Head, place: usize) -> Option<&mut Known> {
    let (first, all) = (list.first(), list.len());
    let known = list.get_or_build_index()?;
    if let Known::Followed(_, edits) = known {
        *edits = 0;
    }
    if place < known.len() {
        return Some(known);
    }
    if let Known::Array(_, lost) = known
        && *lost > all.max(FEW)
        && let Some(places) = Places::new()
    {
        *known = Known::Followed(places, 0);
    }
    // SAFETY: the lock is held.
    let last = unsafe { known.last() };
    let mut next = last.map_or(first, |(_, node)| node.next());
    while known.len() <= place {
        let Some(node) = next else { break };
        if !known.push(node) {
            break;
        }
        next = node.next();
    }
    Some(known)
}

/// A chain of `len` nodes comes before a node of the list. `None`: to the end, which changes no
/// place.
#[inline]
pub(super) fn note_entered(list: &mut Head, first: Node, len: usize, before: Option<Node>) {
    if let Some(before) = before
        && let Some(known) = list.existing_index()
    {
        follow_edit(known, first, len, before, |places, node| {
            places.insert(before, node)
        });
    }
}

/// A chain of `len` nodes goes.
#[inline]
pub(super) fn note_left(list: &mut Head, first: Node, len: usize) {
    if let Some(known) = list.existing_index() {
        follow_edit(known, first, len, first, |places, node| {
            places.remove(node);
            true
        });
    }
}

/// Forgets all places.
#[inline]
pub(super) fn forget_places(list: &mut Head) {
    if let Some(known) = list.existing_index() {
        *known = Known::default();
    }
}

/// Lets the index follow an edit, of which `at` is the first node that has another place then.
/// `each` may fail for want of memory.
fn follow_edit(
    known: &mut Known,
    first: Node,
    len: usize,
    at: Node,
    each: impl Fn(&mut Places, Node) -> bool,
) {
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
                if !each(places, node) {
                    *known = Known::default();
                    return;
                }
            }
        }
    }
}

fn place_in(nodes: &[*mut Header], node: Node) -> Option<usize> {
    let place = node.links().index.load(Ordering::Relaxed) as usize;
    (nodes.get(place) == Some(&node.as_ptr())).then_some(place)
}
