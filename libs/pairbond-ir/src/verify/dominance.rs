//! Definitions dominate their uses.
//!
//! A block dominates another one of its region if every way there from the region's entry leads through it. The tree of immediate dominators is computed as
//! Cooper, Harvey and Kennedy do it ("A Simple, Fast Dominance Algorithm"): to a fixed point over the blocks in reverse post-order.
//! Blocks that cannot be reached are dominated by all, and dominate none that can.

use std::collections::{HashMap, HashSet};

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::{about, note};
use super::{address, blocks, known, successors};
use crate::ir::{Block, Operation, Region, Value, operands};

/// What is asked of one region.
struct Flow {
    /// Whether definitions must come before uses in a block.
    is_ordered: bool,
    /// By the address of a block: its place in reverse post-order. Those that cannot be reached are not there.
    places: HashMap<usize, usize>,
    /// By that place, the place of the immediate dominator, which comes before it. The entry is its own.
    dominators: Vec<usize>,
}

impl Flow {
    fn of(region: &Ref<Region>) -> Flow {
        let all = blocks(region);
        let owner: Option<Ref<Operation>> = region.parent().and_then(|it| it.downcast().ok());
        let is_known_order = owner
            .and_then(|it| known::of(it.name()))
            .is_some_and(|it| !it.is_graph);
        let order = all.first().map(reverse_post_order).unwrap_or_default();
        let places: HashMap<usize, usize> = (0..)
            .zip(&order)
            .map(|(place, it)| (address(it), place))
            .collect();
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (place, block) in order.iter().enumerate() {
            for next in successors(block) {
                if let Some(next) = places.get(&address(&next)) {
                    predecessors[*next].push(place);
                }
            }
        }
        Flow {
            is_ordered: all.len() > 1 || is_known_order,
            places,
            dominators: dominators(&predecessors),
        }
    }

    /// Whether one block dominates another, or is it.
    fn dominates(&self, a: &Ref<Block>, b: &Ref<Block>) -> bool {
        let Some(&b) = self.places.get(&address(b)) else {
            return true;
        };
        let Some(&a) = self.places.get(&address(a)) else {
            return false;
        };
        let mut at = b;
        while at > a {
            at = self.dominators[at];
        }
        at == a
    }
}

/// The blocks that can be reached, each before those that it leads to but for loops.
fn reverse_post_order(entry: &Ref<Block>) -> Vec<Ref<Block>> {
    let mut seen = HashSet::from([address(entry)]);
    let mut waiting = vec![(entry.clone(), successors(entry).into_iter())];
    let mut order = Vec::new();
    while let Some((block, rest)) = waiting.last_mut() {
        match rest.next() {
            Some(next) if seen.insert(address(&next)) => {
                let after = successors(&next).into_iter();
                waiting.push((next, after));
            }
            Some(_) => {}
            None => {
                order.push(block.clone());
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
    let mut found = vec![UNKNOWN; predecessors.len()];
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

/// What was found out so far.
#[derive(Default)]
struct Dominance {
    flows: HashMap<usize, Flow>,
    /// By the address of an operation, its place among those of its block.
    orders: HashMap<usize, usize>,
    numbered: HashSet<usize>,
}

impl Dominance {
    fn flow(&mut self, region: &Ref<Region>) -> &Flow {
        self.flows
            .entry(address(region))
            .or_insert_with(|| Flow::of(region))
    }

    /// Whether one operation stands before another of the same block.
    fn is_before(&mut self, block: &Ref<Block>, a: &Ref<Operation>, b: &Ref<Operation>) -> bool {
        if self.numbered.insert(address(block)) {
            let all = block.list(|it| &it.operations).iter().enumerate();
            self.orders.extend(all.map(|(place, it)| (address(&it), place)));
        }
        self.orders.get(&address(a)) < self.orders.get(&address(b))
    }

    /// Whether a value may be used by an operation.
    fn reaches(&mut self, value: &Ref<Value>, user: &Ref<Operation>) -> bool {
        let definer = Value::defining(value);
        let block = definer
            .as_ref()
            .map_or_else(|| Value::block_of(value), Operation::block_of);
        let Some(block) = block else { return false };
        let Some(region) = Block::region_of(&block) else {
            return false;
        };
        // The operation of the value's region that the user is, or is in.
        let is_there = |it: &Ref<Operation>| {
            let around = Operation::block_of(it).and_then(|it| Block::region_of(&it));
            around.is_some_and(|it| it.is(&region))
        };
        let user = std::iter::successors(Some(user.clone()), Operation::around).find(is_there);
        let Some(user) = user else { return false };
        let Some(there) = Operation::block_of(&user) else {
            return false;
        };
        match definer {
            Some(definer) if there.is(&block) => {
                !self.flow(&region).is_ordered || self.is_before(&block, &definer, &user)
            }
            _ => self.flow(&region).dominates(&block, &there),
        }
    }

    /// Whether a block can be reached from the entry of its region.
    fn is_reached(&mut self, block: &Ref<Block>) -> bool {
        let region = Block::region_of(block);
        region.is_none_or(|region| self.flow(&region).places.contains_key(&address(block)))
    }
}

/// All operations in one, which is the first.
pub(super) fn check(all: &[Ref<Operation>]) -> Result<()> {
    let mut dominance = Dominance::default();
    for op in all.iter().skip(1) {
        let values = operands(op);
        if values.is_empty() || Operation::block_of(op).is_some_and(|it| !dominance.is_reached(&it)) {
            continue;
        }
        for (place, value) in values.iter().flatten().enumerate() {
            if !dominance.reaches(value, op) {
                let error = about(
                    op,
                    &format!("uses operand #{place}, which does not dominate this use"),
                );
                return Err(match Value::defining(value) {
                    Some(definer) => error.with_note(note("operand defined here", &definer)),
                    None => error.with_note("operand defined as a block argument"),
                });
            }
        }
    }
    Ok(())
}
