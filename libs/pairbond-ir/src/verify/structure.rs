//! Operands, successors, terminators and entry blocks.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::{about, note};
use super::{blocks, known, regions};
use crate::fast::address;
use crate::ir::{Block, Operation, Region, is_plain, operands};

/// Checks one operation and the blocks of its regions, without their contents.
pub(super) fn check(op: &Ref<Operation>) -> Result<()> {
    if is_plain(op) {
        return Ok(());
    }
    if let Some(place) = operands(op).iter().position(Option::is_none) {
        return Err(about(
            op,
            &format!("operand #{place} is gone: its value was erased"),
        ));
    }
    check_successors(op)?;
    for (number, region) in regions(op).iter().enumerate() {
        let all = blocks(region);
        let is_single = known::of(op.name()).is_some_and(|it| it.is_single_block);
        if is_single && all.len() > 1 {
            return Err(about(
                op,
                &format!("expects region #{number} to have 0 or 1 blocks"),
            ));
        }
        for block in &all {
            check_end(op, number, block, all.len() == 1)?;
        }
        check_entry(op, region, &all)?;
    }
    Ok(())
}

fn check_successors(op: &Ref<Operation>) -> Result<()> {
    let successors = op.successors();
    if successors.is_empty() {
        return Ok(());
    }
    let Some(own) = Operation::block_of(op) else {
        return Err(about(op, "with block successors stands in no block"));
    };
    if op.next_sibling().is_some() {
        return Err(about(op, "with block successors must terminate its parent block"));
    }
    let region = Block::region_of(&own).map(|it| address(&it));
    for (place, successor) in successors.iter().enumerate() {
        let there = successor.upgrade().filter(|it| !it.is_erased());
        let Some(there) = there else {
            return Err(about(
                op,
                &format!("successor #{place} is gone: the block was erased"),
            ));
        };
        if Block::region_of(&there).map(|it| address(&it)) != region {
            return Err(about(op, "branching to block of a different region"));
        }
    }
    Ok(())
}

/// What a block ends with. One of an unknown dialect may be a terminator.
fn check_end(op: &Ref<Operation>, region: usize, block: &Ref<Block>, is_only: bool) -> Result<()> {
    // MLIR wants no terminator where it is not known whether the region needs one.
    if is_only && known::of(op.name()).is_none_or(|it| it.needs_no_end) {
        return Ok(());
    }
    let Some(last) = block.list(|it| &it.operations).last() else {
        return Err(about(op, "has an empty block: expect at least a terminator"));
    };
    if known::of(last.name()).is_some_and(|it| !it.is_terminator) {
        return Err(
            about(&last, "ends a block but is no terminator").with_note(note("of this operation", op))
        );
    }
    match known::ending(op.name(), region).filter(|it| **last.name() != **it) {
        Some(wanted) => Err(about(
            op,
            &format!("expects regions to end with '{wanted}', found '{}'", last.name()),
        )),
        None => Ok(()),
    }
}

fn check_entry(op: &Ref<Operation>, region: &Ref<Region>, all: &[Ref<Block>]) -> Result<()> {
    let Some(entry) = region.list(|it| &it.blocks).first() else {
        return Ok(());
    };
    let leads_there = |it: &Ref<Block>| crate::ir::successors(it).iter().any(|it| it.is(&entry));
    match all.iter().any(leads_there) {
        true => Err(about(
            op,
            "has a region whose entry block has predecessors, which it may not",
        )),
        false => Ok(()),
    }
}
