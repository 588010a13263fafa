//! [`Places`]: children by their place, for a list that is asked and edited in turn. Under the
//! lock.
//!
//! A counted tree of pages: a leaf has some neighbours, a branch the pages below it with how many
//! nodes stand in each. A node knows its leaf ([`Links::index`](super::links::Links)), and a leaf
//! the branch above it; so that a place is found from the root downwards, and a node's place, or
//! where it comes and goes, upwards: O(log n). What a node knows may be of another list, or of long
//! ago: it is in a leaf only if the leaf has it.
//!
//! It has the first nodes of a list, as far as lookups went; none is missed between two that it
//! has. A page stays larger than it should be where there is no memory to split it.

use super::node::Node;
use pairbond_core::memory::try_push;
use pairbond_core::object::Header;
use std::sync::atomic::Ordering;

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
    fn node_count(&self) -> u32 {
        let below = self.below.iter().map(|(_, count)| count).sum::<u32>();
        below + self.nodes.len() as u32
    }

    /// Where a page stands below this one.
    fn child_slot(&self, page: u32) -> usize {
        let found = self.below.iter().position(|(below, _)| *below == page);
        found.expect("a page is below the one above it")
    }
}

impl Places {
    /// `None`: there is no memory.
    pub(super) fn new() -> Option<Self> {
        let mut places = Places {
            pages: Vec::new(),
            free: Vec::new(),
            root: 0,
            len: 0,
        };
        places.pages.try_reserve(1).ok()?;
        places.root = places.alloc_page(NONE, Vec::new());
        Some(places)
    }

    /// How many nodes it has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A new page without nodes. There is room for it.
    fn alloc_page(&mut self, above: u32, below: Vec<(u32, u32)>) -> u32 {
        let nodes = Vec::new();
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

    fn page_at(&self, page: u32) -> &Page {
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
        let mut here = self.page_at(self.root);
        while !here.below.is_empty() {
            let mut below = here.below.iter();
            here = loop {
                let (page, count) = below.next().expect("the counts are true");
                match place.checked_sub(*count as usize) {
                    Some(left) => place = left,
                    None => break self.page_at(*page),
                }
            };
        }
        here.nodes[place]
    }

    /// The leaf that has a node, and where.
    fn find_leaf(&self, node: Node) -> Option<(u32, usize)> {
        let leaf = node.links().index.load(Ordering::Relaxed);
        let nodes = &self.pages.get(leaf as usize)?.nodes;
        Some((leaf, nodes.iter().position(|it| *it == node.as_ptr())?))
    }

    /// The place of a node that it has.
    pub(super) fn place_of(&self, node: Node) -> Option<usize> {
        let (mut page, mut place) = self.find_leaf(node)?;
        while let Some(above) = self.pages.get(self.page_at(page).above as usize) {
            let before = &above.below[..above.child_slot(page)];
            place += before.iter().map(|(_, count)| *count as usize).sum::<usize>();
            page = self.page_at(page).above;
        }
        Some(place)
    }

    /// Adds the next node of the list. `false`: there is no memory for it.
    pub(super) fn push(&mut self, node: Node) -> bool {
        let mut page = self.root;
        while let Some((below, _)) = self.page_at(page).below.last() {
            page = *below;
        }
        let at = self.page_at(page).nodes.len();
        // Leaves stay full so.
        self.insert_node(page, at, node, MOST)
    }

    /// A node comes before another, if it has that. `false`: there is no memory for it.
    pub(super) fn insert(&mut self, before: Node, node: Node) -> bool {
        match self.find_leaf(before) {
            Some((leaf, at)) => self.insert_node(leaf, at, node, MOST / 2),
            None => true,
        }
    }

    /// A node goes, if it has it.
    pub(super) fn remove(&mut self, node: Node) {
        let Some((leaf, at)) = self.find_leaf(node) else {
            return;
        };
        self.at_mut(leaf).nodes.remove(at);
        self.adjust_counts(leaf, -1);
        let mut page = leaf;
        while self.page_at(page).nodes.is_empty() && self.page_at(page).below.is_empty() && page != self.root
        {
            let above = self.page_at(page).above;
            let slot = self.page_at(above).child_slot(page);
            self.at_mut(above).below.remove(slot);
            // Without memory the page is not used again.
            let _ = try_push(&mut self.free, page);
            page = above;
        }
    }

    /// `false`: there is no memory.
    fn insert_node(&mut self, leaf: u32, at: usize, node: Node, cut: usize) -> bool {
        if self.at_mut(leaf).nodes.try_reserve(1).is_err() {
            return false;
        }
        node.links().index.store(leaf, Ordering::Relaxed);
        self.at_mut(leaf).nodes.insert(at, node.as_ptr());
        self.adjust_counts(leaf, 1);
        let mut page = leaf;
        while self.page_at(page).nodes.len().max(self.page_at(page).below.len()) > MOST {
            let Some(above) = self.split_page(page, cut) else {
                break;
            };
            page = above;
        }
        true
    }

    /// There are so many more below a page, or fewer.
    fn adjust_counts(&mut self, mut page: u32, more: i32) {
        self.len = self.len.wrapping_add_signed(more as isize);
        loop {
            let above = self.page_at(page).above;
            let Some(branch) = self.pages.get_mut(above as usize) else {
                return;
            };
            let slot = branch.child_slot(page);
            let count = &mut branch.below[slot].1;
            *count = count.wrapping_add_signed(more);
            page = above;
        }
    }

    /// Makes two of a page, the first with so many; the branch that has one more below it now.
    /// `None`: there is no memory, and nothing is changed.
    fn split_page(&mut self, page: u32, cut: usize) -> Option<u32> {
        let here = self.page_at(page);
        let (mut nodes, mut below, mut only) = (Vec::new(), Vec::new(), Vec::new());
        nodes
            .try_reserve_exact(here.nodes.len().saturating_sub(cut))
            .ok()?;
        below
            .try_reserve_exact(here.below.len().saturating_sub(cut))
            .ok()?;
        match here.above {
            NONE => only.try_reserve(2).ok()?,
            above => self.at_mut(above).below.try_reserve(1).ok()?,
        }
        self.pages.try_reserve(2).ok()?;
        if self.page_at(page).above == NONE {
            only.push((page, self.page_at(page).node_count()));
            let root = self.alloc_page(NONE, only);
            self.at_mut(page).above = root;
            self.root = root;
        }
        let above = self.page_at(page).above;
        let new = self.alloc_page(above, Vec::new());
        let here = self.at_mut(page);
        nodes.extend(here.nodes.drain(cut.min(here.nodes.len())..));
        below.extend(here.below.drain(cut.min(here.below.len())..));
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
        let count = there.node_count();
        let branch = self.at_mut(above);
        let slot = branch.child_slot(page);
        branch.below[slot].1 -= count;
        branch.below.insert(slot + 1, (new, count));
        Some(above)
    }
}
