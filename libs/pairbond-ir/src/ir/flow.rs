//! [`Flow`]: how control goes through the blocks of a region, and which block dominates which.
//!
//! A block dominates another one of its region if every way there from the region's entry leads
//! through it. Blocks that cannot be reached are dominated by all, and dominate none that can.

use std::collections::hash_map::Entry;
use std::vec;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;
use pairbond_ir_tools::dominators::immediate_dominators;

use super::{Block, Region};
use crate::fast::{FastMap, object_address};
use crate::room::{Gather, Room, filled_vec};

/// The blocks that can be reached, as they stand when this is made.
pub(crate) struct Flow {
    /// In reverse post-order: each before those that it leads to but for loops. The entry is the
    /// first.
    pub(crate) order: Vec<Ref<Block>>,
    /// By the address of a block, its place in that order.
    places: FastMap<usize, usize>,
    /// By place, the place of the immediate dominator, which comes before it. The entry is its own.
    pub(crate) dominators: Vec<usize>,
    /// By place: where a block and all that it dominates begin and end in the tree of dominators.
    spans: Vec<(usize, usize)>,
}

impl Flow {
    pub(crate) fn of_region(region: &Ref<Region>) -> Flow {
        let entry = region.list(|it| &it.blocks).first();
        let search = entry.map(Search::from_entry).unwrap_or_default();
        let count = search.blocks.len();
        let mut predecessors: Vec<Vec<usize>> = filled_vec(Vec::new(), count);
        for (number, block) in search.blocks.iter().enumerate() {
            for next in successor_blocks(block) {
                if let Some(next) = search.numbers.get(&object_address(&next)) {
                    predecessors[*next].room().push(number);
                }
            }
        }
        let by_number = immediate_dominators(&predecessors, &search.parents);
        let (mut place_of, mut order) = (filled_vec(0, count), Vec::new());
        for (place, number) in search.left.iter().rev().enumerate() {
            place_of[*number] = place;
            order.room().push(search.blocks[*number].clone());
        }
        let mut dominators = filled_vec(0, count);
        for (number, dominator) in by_number.into_iter().enumerate() {
            dominators[place_of[number]] = place_of[dominator];
        }
        // From here on the numbers are places.
        let mut places = search.numbers;
        places.values_mut().for_each(|it| *it = place_of[*it]);
        let mut flow = Flow {
            order,
            places,
            dominators,
            spans: Vec::new(),
        };
        flow.spans = flow.subtree_spans();
        flow
    }

    fn subtree_spans(&self) -> Vec<(usize, usize)> {
        let mut spans = filled_vec((0, 0), self.order.len());
        let tree = self.dominator_tree();
        for (number, place) in tree.iter().enumerate() {
            spans[*place] = (number, number + 1);
        }
        // Inner ones come behind the blocks that dominate them.
        for place in tree.into_iter().rev() {
            let (end, dominator) = (spans[place].1, self.dominators[place]);
            spans[dominator].1 = spans[dominator].1.max(end);
        }
        spans
    }

    /// The places of all blocks as the tree of dominators has them: each behind its dominator, and
    /// all that it dominates at once behind it.
    pub(crate) fn dominator_tree(&self) -> Vec<usize> {
        let mut inner: Vec<Vec<usize>> = filled_vec(Vec::new(), self.order.len());
        for (place, dominator) in self.dominators.iter().enumerate().skip(1).rev() {
            inner[*dominator].room().push(place);
        }
        let mut waiting: Vec<usize> = (0..self.order.len().min(1)).collect();
        let mut all = Vec::new();
        while let Some(place) = waiting.pop() {
            all.room().push(place);
            waiting.append(&mut inner[place]);
        }
        all
    }

    /// Whether a block, of which this is the address, can be reached from the entry.
    pub(crate) fn is_reachable(&self, block: usize) -> bool {
        self.places.contains_key(&block)
    }

    /// Whether one block dominates another, or is it, by their addresses.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        let Some(&b) = self.places.get(&b) else {
            return true;
        };
        let Some(&a) = self.places.get(&a) else {
            return false;
        };
        let (from, to) = self.spans[a];
        (from..to).contains(&self.spans[b].0)
    }
}

/// A depth-first search from the entry. Blocks are numbered as they are come to.
#[derive(Default)]
struct Search {
    blocks: Vec<Ref<Block>>,
    /// By the address of a block, its number.
    numbers: FastMap<usize, usize>,
    /// By number, that of the block from which it was come to first. The entry is its own.
    parents: Vec<usize>,
    /// The numbers, as the search is done with them: each behind those that it leads to but for
    /// loops.
    left: Vec<usize>,
}

impl Search {
    fn from_entry(entry: Ref<Block>) -> Search {
        let mut search = Search::default();
        let mut waiting = Vec::new();
        waiting.extend(search.enter_block(entry, 0));
        while let Some((number, rest)) = waiting.last_mut() {
            let number = *number;
            match rest.next() {
                Some(next) => waiting.room().extend(search.enter_block(next, number)),
                None => {
                    search.left.room().push(number);
                    waiting.pop();
                }
            }
        }
        search
    }

    /// The number of a block that is come to first, and the blocks that it leads to.
    fn enter_block(
        &mut self,
        block: Ref<Block>,
        parent: usize,
    ) -> Option<(usize, vec::IntoIter<Ref<Block>>)> {
        let number = self.blocks.len();
        let Entry::Vacant(place) = self.numbers.room().entry(object_address(&block)) else {
            return None;
        };
        place.insert(number);
        let next = successor_blocks(&block).into_iter();
        self.blocks.room().push(block);
        self.parents.room().push(parent);
        Some((number, next))
    }
}

/// The blocks of a region that another one may go on with.
pub(crate) fn successor_blocks(block: &Ref<Block>) -> Vec<Ref<Block>> {
    let last = block.list(|it| &it.operations).last();
    let all = last.map(|it| it.weak_successors()).unwrap_or_default();
    all.iter().filter_map(Weak::upgrade).gather()
}

/// The blocks of its region that may go on with one, each once for each way.
pub(crate) fn predecessor_blocks(block: &Ref<Block>) -> Vec<Ref<Block>> {
    let all = Block::region_of(block).map(|it| it.list(|it| &it.blocks).to_vec());
    let mut found = Vec::new();
    for other in all.into_iter().flatten() {
        let ways = successor_blocks(&other).iter().filter(|it| it.is(block)).count();
        found.extend(std::iter::repeat_n(other, ways));
    }
    found
}
