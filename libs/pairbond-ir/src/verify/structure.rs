//! Operands, successors, terminators and entry blocks.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::{operation_error, operation_note};
use super::{operation_regions, region_blocks};
use crate::fast::object_address;
use crate::ir::{Block, Operation, Region, all_operands, is_plain};
use crate::op_definition::known;

/// Checks one operation and the blocks of its regions, without their contents.
pub(super) fn check_structure(op: &Ref<Operation>) -> Result<()> {
    if is_plain(op) {
        return Ok(());
    }
    if let Some(place) = all_operands(op).iter().position(Option::is_none) {
        return Err(operation_error(
            op,
            &format!("operand #{place} is gone: its value was erased"),
        ));
    }
    check_successors(op)?;
    for (number, region) in operation_regions(op).iter().enumerate() {
        let all = region_blocks(region);
        let is_single = known::from_name(op.name()).is_some_and(|it| it.is_single_block);
        if is_single && all.len() > 1 {
            return Err(operation_error(
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
    let successors = op.weak_successors();
    if successors.is_empty() {
        return Ok(());
    }
    let Some(own) = Operation::block_of(op) else {
        return Err(operation_error(op, "with block successors stands in no block"));
    };
    if op.next_sibling().is_some() {
        return Err(operation_error(
            op,
            "with block successors must terminate its parent block",
        ));
    }
    let region = Block::region_of(&own).map(|it| object_address(&it));
    for (place, successor) in successors.iter().enumerate() {
        let there = successor.upgrade().filter(|it| !it.is_erased());
        let Some(there) = there else {
            return Err(operation_error(
                op,
                &format!("successor #{place} is gone: the block was erased"),
            ));
        };
        if Block::region_of(&there).map(|it| object_address(&it)) != region {
            return Err(operation_error(op, "branching to block of a different region"));
        }
    }
    Ok(())
}

/// Checks the end of a block. An operation of an unknown dialect may be a terminator.
fn check_end(op: &Ref<Operation>, region: usize, block: &Ref<Block>, is_only: bool) -> Result<()> {
    // MLIR wants no terminator where it is not known whether the region needs one.
    if is_only && known::from_name(op.name()).is_none_or(|it| it.needs_no_end) {
        return Ok(());
    }
    let Some(last) = block.list(|it| &it.operations).last() else {
        return Err(operation_error(
            op,
            "has an empty block: expect at least a terminator",
        ));
    };
    if known::from_name(last.name()).is_some_and(|it| !it.is_terminator) {
        return Err(operation_error(&last, "ends a block but is no terminator")
            .with_note(operation_note("of this operation", op)));
    }
    match known::required_terminator(op.name(), region).filter(|it| **last.name() != **it) {
        Some(wanted) => Err(operation_error(
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
    let leads_there = |it: &Ref<Block>| crate::ir::successor_blocks(it).iter().any(|it| it.is(&entry));
    match all.iter().any(leads_there) {
        true => Err(operation_error(
            op,
            "has a region whose entry block has predecessors, which it may not",
        )),
        false => Ok(()),
    }
}
