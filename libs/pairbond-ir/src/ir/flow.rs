//! [`Flow`]: how control goes through the blocks of a region, and which block dominates which.
//!
//! A block dominates another one of its region if every way there from the region's entry leads
//! through it. The tree of immediate dominators is computed as Cooper, Harvey and Kennedy do it ("A
//! Simple, Fast Dominance Algorithm"): to a fixed point over the blocks in reverse post-order.
//! Blocks that cannot be reached are dominated by all, and dominate none that can.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Block, Region};
use crate::fast::{FastMap, FastSet, address};
use crate::room::{Gather, Room, filled};

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
    pub(crate) fn of(region: &Ref<Region>) -> Flow {
        let entry = region.list(|it| &it.blocks).first();
        let order = entry.as_ref().map(reverse_post_order).unwrap_or_default();
        let mut places = FastMap::default();
        for (place, it) in order.iter().enumerate() {
            places.room().insert(address(it), place);
        }
        let mut predecessors: Vec<Vec<usize>> = filled(Vec::new(), order.len());
        for (place, block) in order.iter().enumerate() {
            for next in successors(block) {
                if let Some(next) = places.get(&address(&next)) {
                    predecessors[*next].room().push(place);
                }
            }
        }
        let mut flow = Flow {
            order,
            places,
            dominators: dominators(&predecessors),
            spans: Vec::new(),
        };
        flow.spans = flow.spans();
        flow
    }

    fn spans(&self) -> Vec<(usize, usize)> {
        let mut spans = filled((0, 0), self.order.len());
        let tree = self.tree();
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
    pub(crate) fn tree(&self) -> Vec<usize> {
        let mut inner: Vec<Vec<usize>> = filled(Vec::new(), self.order.len());
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
    pub(crate) fn reaches(&self, block: usize) -> bool {
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

/// The blocks that can be reached, each before those that it leads to but for loops.
fn reverse_post_order(entry: &Ref<Block>) -> Vec<Ref<Block>> {
    let mut seen = FastSet::from_iter([address(entry)]);
    let mut waiting = vec![(entry.clone(), successors(entry).into_iter())];
    let mut order = Vec::new();
    while let Some((block, rest)) = waiting.last_mut() {
        match rest.next() {
            Some(next) if seen.room().insert(address(&next)) => {
                let after = successors(&next).into_iter();
                waiting.room().push((next, after));
            }
            Some(_) => {}
            None => {
                order.room().push(block.clone());
                waiting.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators by place in reverse post-order. Place 0 is the entry.
fn dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut found = filled(UNKNOWN, predecessors.len());
    if let Some(entry) = found.first_mut() {
        *entry = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for place in 1..predecessors.len() {
            let done = predecessors[place]
                .iter()
                .copied()
                .filter(|it| found[*it] != UNKNOWN);
            let common = done.reduce(|mut a, mut b| {
                while a != b {
                    if a > b {
                        a = found[a];
                    } else {
                        b = found[b];
                    }
                }
                a
            });
            if let Some(common) = common.filter(|it| *it != found[place]) {
                found[place] = common;
                changed = true;
            }
        }
    }
    found
}

/// The blocks of a region that another one may go on with.
pub(crate) fn successors(block: &Ref<Block>) -> Vec<Ref<Block>> {
    let last = block.list(|it| &it.operations).last();
    let all = last.map(|it| it.successors()).unwrap_or_default();
    all.iter().filter_map(Weak::upgrade).gather()
}

/// The blocks of its region that may go on with one, each once for each way.
pub(crate) fn predecessors(block: &Ref<Block>) -> Vec<Ref<Block>> {
    let all = Block::region_of(block).map(|it| it.list(|it| &it.blocks).to_vec());
    let mut found = Vec::new();
    for other in all.into_iter().flatten() {
        let ways = successors(&other).iter().filter(|it| it.is(block)).count();
        found.extend(std::iter::repeat_n(other, ways));
    }
    found
}
