//! Definitions dominate their uses.

use std::collections::{HashMap, HashSet};

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::{about, note};
use super::known;
use crate::fast::address;
use crate::ir::{Block, Flow, Operation, Region, Value, operands};
use crate::room::Room;

/// The order of one region.
struct Order {
    flow: Flow,
    /// Whether definitions must come before uses in a block.
    is_ordered: bool,
}

impl Order {
    fn of(region: &Ref<Region>) -> Order {
        let owner: Option<Ref<Operation>> = region.parent().and_then(|it| it.downcast().ok());
        let is_known_order = owner
            .and_then(|it| known::of(it.name()))
            .is_some_and(|it| !it.is_graph);
        Order {
            flow: Flow::of(region),
            is_ordered: region.list(|it| &it.blocks).len() > 1 || is_known_order,
        }
    }
}

/// Results so far.
#[derive(Default)]
struct Dominance {
    regions: HashMap<usize, Order>,
    /// By the address of an operation, its place among those of its block.
    orders: HashMap<usize, usize>,
    numbered: HashSet<usize>,
}

impl Dominance {
    fn order(&mut self, region: &Ref<Region>) -> &Order {
        self.regions
            .room()
            .entry(address(region))
            .or_insert_with(|| Order::of(region))
    }

    /// Whether one operation stands before another of the same block.
    fn is_before(&mut self, block: &Ref<Block>, a: &Ref<Operation>, b: &Ref<Operation>) -> bool {
        if self.numbered.room().insert(address(block)) {
            let all = block.list(|it| &it.operations).iter().enumerate();
            for (place, it) in all {
                self.orders.room().insert(address(&it), place);
            }
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
                !self.order(&region).is_ordered || self.is_before(&block, &definer, &user)
            }
            _ => self.order(&region).flow.dominates(&block, &there),
        }
    }

    /// Whether a block can be reached from the entry of its region.
    fn is_reached(&mut self, block: &Ref<Block>) -> bool {
        let region = Block::region_of(block);
        region.is_none_or(|region| self.order(&region).flow.reaches(block))
    }
}

/// All operations in one, which is the first.
pub(super) fn check(all: &[Ref<Operation>]) -> Result<()> {
    let mut dominance = Dominance::default();
    super::each(all.get(1..).unwrap_or_default(), |op| {
        let values = operands(op);
        if values.is_empty() || Operation::block_of(op).is_some_and(|it| !dominance.is_reached(&it)) {
            return Ok(());
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
        Ok(())
    })
}
