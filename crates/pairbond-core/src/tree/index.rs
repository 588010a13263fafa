//! Children by their place. Under the lock.
//!
//! A list keeps an array of its first nodes, as far as somebody asked; an edit cuts it off at its place. That is quickest as long as one asks and edits by turns of many.
//! When more was cut off than the list has, the next who asks gets [`Places`] instead, which follow each edit; they go when there were more edits than
//! nodes since somebody asked. So a place takes O(log n), and an edit O(1) where nobody asks: what is done again is paid for by the edits before.

use super::head::{Head, Known};
use super::node::Node;
use super::places::Places;
use crate::sync::statics::Ordering;

/// Fewer nodes are looked for again each time.
const FEW: usize = 256;

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
        let known = extended(list, place);
        Node::from_ptr(match &known.places {
            None => known.table[place],
            Some(places) => places.get(place),
        })
    }
}

/// The place of a node that stands in the list.
pub(super) fn of(list: *mut Head, node: Node) -> usize {
    // SAFETY: as above.
    unsafe {
        let list = &mut *list;
        let (mut reach, end) = (0, list.len() - 1);
        loop {
            let known = extended(list, reach);
            if let Some(place) = place_of(known, node) {
                return place;
            }
            debug_assert!(reach < end, "the node stands in the list");
            reach = (len(known) * 2).max(16).min(end);
        }
    }
}

fn len(known: &Known) -> usize {
    known.places.as_ref().map_or(known.table.len(), Places::len)
}

/// What is known, to a place at least.
unsafe fn extended(list: &mut Head, place: usize) -> &mut Known {
    let (first, all) = (list.first(), list.len());
    let known = list.ask();
    known.edits = 0;
    if place < known.table.len() {
        return known;
    }
    if known.places.is_none() && known.lost > all.max(FEW) {
        known.places = Some(Places::new());
        known.table = Vec::new();
        known.lost = 0;
    }
    let last = match &known.places {
        None => known.table.last().copied().unwrap_or(std::ptr::null_mut()),
        Some(places) => places.last(),
    };
    // SAFETY: the lock is held, and children are alive.
    unsafe {
        let mut next = Node::from_ptr(last).map_or(first, Node::next);
        while len(known) <= place {
            let Some(node) = next else { break };
            match &mut known.places {
                None => {
                    node.links()
                        .index
                        .store(known.table.len() as u32, Ordering::Relaxed);
                    known.table.push(node.as_ptr());
                }
                Some(places) => places.push(node),
            }
            next = node.next();
        }
    }
    known
}

/// The place of a node, if it is known.
fn place_of(known: &Known, node: Node) -> Option<usize> {
    if let Some(places) = &known.places {
        return places.place_of(node);
    }
    let place = node.links().index.load(Ordering::Relaxed) as usize;
    (known.table.get(place) == Some(&node.as_ptr())).then_some(place)
}

/// A chain of `len` nodes comes before a node of the list. `None`: to the end, which changes no place.
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

/// Lets what is known follow an edit, of which `at` is the first node that has another place then.
fn edit(known: &mut Known, first: Node, len: usize, at: Node, each: impl Fn(&mut Places, Node)) {
    let Some(places) = &mut known.places else {
        if let Some(place) = place_of(known, at) {
            known.lost += known.table.len() - place;
            known.table.truncate(place);
        }
        return;
    };
    known.edits += len;
    if known.edits > places.len().max(FEW) {
        known.places = None;
        return;
    }
    let mut next = Some(first);
    for _ in 0..len {
        let Some(node) = next else { break };
        next = node.next();
        each(places, node);
    }
}
