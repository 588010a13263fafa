//! [`Places`]: children by their place, for a list that is asked and edited in turn. Under the
//! lock.
//!
//! A counted tree of pages: a leaf has some neighbours, a branch the pages below it with how many
//! nodes stand in each. A node knows its leaf ([`Links::index`](super::links::Links)), and a leaf
//! the branch above it; so that a place is found from the root downwards, and a node's place, or
//! where it comes and goes, upwards: O(log n). What a node knows may be of another list, or of long
//! ago: it is in a leaf only if the leaf has it.
//!
//! It has the first nodes of a list, as far as somebody asked; none is missed between two that it
//! has.

use super::node::Node;
use crate::object::Header;
use crate::sync::statics::Ordering;

/// A page that has more is split.
const MOST: usize = 64;
const NONE: u32 = u32::MAX;

/// See the head of this file.
pub(super) struct Places {
    pages: Vec<Page>,
    /// Pages that are not in use.
    free: Vec<u32>,
    root: u32,
    len: usize,
}

struct Page {
    /// The branch that it is below.
    above: u32,
    /// Of a leaf.
    nodes: Vec<*mut Header>,
    /// Of a branch: pages, and how many nodes stand in each. Empty if it is a leaf.
    below: Vec<(u32, u32)>,
}

impl Page {
    fn count(&self) -> u32 {
        let below = self.below.iter().map(|(_, count)| count).sum::<u32>();
        below + self.nodes.len() as u32
    }

    /// Where a page stands below this one.
    fn slot(&self, page: u32) -> usize {
        let found = self.below.iter().position(|(below, _)| *below == page);
        found.expect("a page is below the one above it")
    }
}

impl Places {
    pub(super) fn new() -> Self {
        let mut places = Places {
            pages: Vec::new(),
            free: Vec::new(),
            root: 0,
            len: 0,
        };
        places.root = places.page(NONE);
        places
    }

    /// How many nodes it has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    fn page(&mut self, above: u32) -> u32 {
        let (nodes, below) = (Vec::new(), Vec::new());
        let page = Page { above, nodes, below };
        match self.free.pop() {
            Some(number) => {
                self.pages[number as usize] = page;
                number
            }
            None => {
                self.pages.push(page);
                (self.pages.len() - 1) as u32
            }
        }
    }

    fn at(&self, page: u32) -> &Page {
        &self.pages[page as usize]
    }

    fn at_mut(&mut self, page: u32) -> &mut Page {
        &mut self.pages[page as usize]
    }

    /// The node at a place.
    ///
    /// # Panics
    /// It has not so many.
    pub(super) fn get(&self, mut place: usize) -> *mut Header {
        let mut here = self.at(self.root);
        while !here.below.is_empty() {
            let mut below = here.below.iter();
            here = loop {
                let (page, count) = below.next().expect("the counts are true");
                match place.checked_sub(*count as usize) {
                    Some(left) => place = left,
                    None => break self.at(*page),
                }
            };
        }
        here.nodes[place]
    }

    /// The leaf that has a node, and where.
    fn find(&self, node: Node) -> Option<(u32, usize)> {
        let leaf = node.links().index.load(Ordering::Relaxed);
        let nodes = &self.pages.get(leaf as usize)?.nodes;
        Some((leaf, nodes.iter().position(|it| *it == node.as_ptr())?))
    }

    /// The place of a node that it has.
    pub(super) fn place_of(&self, node: Node) -> Option<usize> {
        let (mut page, mut place) = self.find(node)?;
        while let Some(above) = self.pages.get(self.at(page).above as usize) {
            let before = &above.below[..above.slot(page)];
            place += before.iter().map(|(_, count)| *count as usize).sum::<usize>();
            page = self.at(page).above;
        }
        Some(place)
    }

    /// Adds the next node of the list.
    pub(super) fn push(&mut self, node: Node) {
        let mut page = self.root;
        while let Some((below, _)) = self.at(page).below.last() {
            page = *below;
        }
        let at = self.at(page).nodes.len();
        // Leaves stay full so.
        self.put(page, at, node, MOST);
    }

    /// A node comes before another, if it has that.
    pub(super) fn insert(&mut self, before: Node, node: Node) {
        if let Some((leaf, at)) = self.find(before) {
            self.put(leaf, at, node, MOST / 2);
        }
    }

    /// A node goes, if it has it.
    pub(super) fn remove(&mut self, node: Node) {
        let Some((leaf, at)) = self.find(node) else {
            return;
        };
        self.at_mut(leaf).nodes.remove(at);
        self.count(leaf, -1);
        let mut page = leaf;
        while self.at(page).nodes.is_empty() && self.at(page).below.is_empty() && page != self.root {
            let above = self.at(page).above;
            let slot = self.at(above).slot(page);
            self.at_mut(above).below.remove(slot);
            self.free.push(page);
            page = above;
        }
    }

    fn put(&mut self, leaf: u32, at: usize, node: Node, cut: usize) {
        node.links().index.store(leaf, Ordering::Relaxed);
        self.at_mut(leaf).nodes.insert(at, node.as_ptr());
        self.count(leaf, 1);
        let mut page = leaf;
        while self.at(page).nodes.len().max(self.at(page).below.len()) > MOST {
            page = self.split(page, cut);
        }
    }

    /// There are so many more below a page, or fewer.
    fn count(&mut self, mut page: u32, more: i32) {
        self.len = self.len.wrapping_add_signed(more as isize);
        loop {
            let above = self.at(page).above;
            let Some(branch) = self.pages.get_mut(above as usize) else {
                return;
            };
            let slot = branch.slot(page);
            let count = &mut branch.below[slot].1;
            *count = count.wrapping_add_signed(more);
            page = above;
        }
    }

    /// Makes two of a page, the first with so many; the branch that has one more below it now.
    fn split(&mut self, page: u32, cut: usize) -> u32 {
        if self.at(page).above == NONE {
            let (root, count) = (self.page(NONE), self.at(page).count());
            self.at_mut(root).below.push((page, count));
            self.at_mut(page).above = root;
            self.root = root;
        }
        let above = self.at(page).above;
        let new = self.page(above);
        let here = self.at_mut(page);
        let nodes = here.nodes.split_off(cut.min(here.nodes.len()));
        let below = here.below.split_off(cut.min(here.below.len()));
        for node in &nodes {
            // SAFETY: what stands in the list is alive.
            if let Some(node) = unsafe { Node::from_ptr(*node) } {
                node.links().index.store(new, Ordering::Relaxed);
            }
        }
        for (page, _) in &below {
            self.at_mut(*page).above = new;
        }
        let there = self.at_mut(new);
        (there.nodes, there.below) = (nodes, below);
        let count = there.count();
        let branch = self.at_mut(above);
        let slot = branch.slot(page);
        branch.below[slot].1 -= count;
        branch.below.insert(slot + 1, (new, count));
        above
    }
}
