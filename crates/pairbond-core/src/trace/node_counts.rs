//! [`Counts`]: reference counts of the nodes of a graph.
//!
//! Where every object has one owner nothing is counted. Then the array is not even written: it is
//! still zero from the time before.

use std::ops::{Index, IndexMut};

use crate::alloc::{release_pages, use_large_pages};

/// The counts of a node. Zero, and not even read, for those that are classified at first sight.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    /// Strong references when the watch began; `u32::MAX` stands for more. For a frontend
    /// afterwards: the references that have arrived at the unit.
    pub(super) strong: u32,
    /// In-edges seen; after [`condense`](super::graph::Graph::find_components) those that a unit
    /// waits for.
    pub(super) need: u32,
}

/// See the head of this file.
#[derive(Default)]
pub(super) struct Counts {
    all: Vec<Count>,
    /// Some may not be zero.
    written: bool,
}

impl Counts {
    /// So many nodes for which nothing was counted.
    pub(super) fn reset_to(&mut self, count: usize) {
        if self.written {
            self.all.clear();
            self.written = false;
        }
        self.all.reserve(count.saturating_sub(self.all.len()));
        use_large_pages(self.all.spare_capacity_mut());
        self.all.resize(count, Count::default());
    }

    /// One more, for which nothing was counted. Returns its number.
    pub(super) fn push(&mut self) -> u32 {
        self.all.push(Count::default());
        self.all.len() as u32 - 1
    }

    /// The last one goes.
    pub(super) fn pop(&mut self) {
        self.all.pop();
    }

    /// A new phase counts what arrives.
    pub(super) fn forget_arrivals(&mut self) {
        if self.written {
            self.all.iter_mut().for_each(|count| count.strong = 0);
        }
    }

    /// Returns the pages of the array to the system.
    pub(super) fn release_pages(&mut self) {
        self.all.clear();
        release_pages(self.all.spare_capacity_mut());
    }

    /// Bytes of memory.
    pub(super) fn memory_size(&self) -> usize {
        self.all.capacity() * size_of::<Count>()
    }

    /// Where a node's is, to be read soon.
    #[inline]
    pub(super) fn count_ptr(&self, node: u32) -> *const Count {
        self.all.as_ptr().wrapping_add(node as usize)
    }
}

impl Index<u32> for Counts {
    type Output = Count;
    #[inline]
    fn index(&self, node: u32) -> &Count {
        &self.all[node as usize]
    }
}

impl IndexMut<u32> for Counts {
    #[inline]
    fn index_mut(&mut self, node: u32) -> &mut Count {
        self.written = true;
        &mut self.all[node as usize]
    }
}
