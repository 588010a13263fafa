//! Regions: unreachable blocks are erased, and so are unneeded arguments.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Branch;
use super::branch::block_arguments;
use super::live::Live;
use crate::fast::{FastSet, object_address};
use crate::ir::{Block, Flow, Operation, Region, Value, edits, successor_blocks, uses_of};
use crate::rewrite::PatternRewriter;

/// Simplifies all regions in an operation. Whether there was an edit.
pub(crate) fn simplify_regions(root: &Ref<Operation>, rewriter: &PatternRewriter) -> Result<bool> {
    let mut changed = false;
    for op in edits::regions_in(root) {
        if op.is_erased() {
            continue;
        }
        for region in op.list(|it| &it.regions).to_vec() {
            if region.list(|it| &it.blocks).get(1).is_some() {
                changed |= simplify_region(&region, rewriter)?;
            }
        }
    }
    Ok(changed)
}

fn simplify_region(region: &Ref<Region>, rewriter: &PatternRewriter) -> Result<bool> {
    let flow = Flow::of_region(region);
    let mut changed = erase_unreachable(region, &flow, rewriter)?;
    let has_arguments = |it: &Ref<Block>| it.list(|it| &it.arguments).first().is_some();
    if flow.order.iter().skip(1).any(has_arguments) {
        changed |= erase_dead(&flow.order, rewriter)?;
    }
    Ok(changed)
}

/// Erases the blocks that control never comes to.
fn erase_unreachable(region: &Ref<Region>, flow: &Flow, rewriter: &PatternRewriter) -> Result<bool> {
    let all = region.list(|it| &it.blocks).to_vec();
    let gone: Vec<Ref<Block>> = all
        .into_iter()
        .filter(|it| !flow.is_reachable(object_address(it)))
        .collect();
    let operations: Vec<Ref<Operation>> = gone
        .iter()
        .flat_map(|it| it.list(|it| &it.operations).to_vec())
        .collect();
    let inside: Vec<Ref<Operation>> = operations.iter().flat_map(edits::inside).collect();
    let known: FastSet<usize> = inside.iter().map(object_address).collect();
    let values = gone.iter().flat_map(block_arguments);
    let results = operations
        .iter()
        .flat_map(|it| it.list(|it| &it.results).to_vec());
    for value in values.chain(results) {
        // No program in SSA form uses such a value elsewhere.
        if uses_of(&value)
            .iter()
            .any(|(user, _)| !known.contains(&object_address(user)))
        {
            return Ok(false);
        }
    }
    // A block that loses a predecessor may be merged with the remaining one.
    let mut after: Vec<Ref<Block>> = gone.iter().flat_map(successor_blocks).collect();
    after.retain(|it| flow.is_reachable(object_address(it)));
    for op in inside.iter().rev() {
        rewriter.notify_erasing(op)?;
    }
    gone.iter()
        .filter(|it| !it.is_erased())
        .try_for_each(edits::erase_block)?;
    for block in after {
        for op in predecessor_terminators(&block, &flow.order) {
            rewriter.revisit_operation(&op)?;
        }
    }
    Ok(!gone.is_empty())
}

/// The last operations of the blocks that lead to one.
fn predecessor_terminators(block: &Ref<Block>, all: &[Ref<Block>]) -> Vec<Ref<Operation>> {
    let leads = all
        .iter()
        .filter(|it| successor_blocks(it).iter().any(|it| it.is(block)));
    leads
        .filter_map(|it| it.list(|it| &it.operations).last())
        .collect()
}

/// Erases unneeded arguments, and the operations that only they need.
fn erase_dead(blocks: &[Ref<Block>], rewriter: &PatternRewriter) -> Result<bool> {
    let live = Live::in_blocks(blocks);
    let inner = blocks.iter().skip(1).flat_map(block_arguments);
    let dead: FastSet<usize> = inner
        .filter(|it| !live.is_live(it))
        .map(|it| object_address(&it))
        .collect();
    if dead.is_empty() {
        return Ok(false);
    }
    // Before there are new branches, of which nothing is known.
    let mut gone: Vec<Ref<Operation>> = blocks
        .iter()
        .flat_map(|it| it.list(|it| &it.operations).to_vec())
        .collect();
    gone.retain(|it| !live.has_operation(it));
    pass_less(blocks, &dead, rewriter)?;
    // A user stands behind its operands, and in a later block.
    for op in gone.iter().rev() {
        if !op.is_erased() && !edits::are_results_used(op) {
            rewriter.erase_operation(op)?;
        }
    }
    erase_arguments(blocks, &dead)?;
    Ok(true)
}

/// Removes the operands for erased arguments from all branches.
fn pass_less(blocks: &[Ref<Block>], gone: &FastSet<usize>, rewriter: &PatternRewriter) -> Result<()> {
    let last = |it: &Ref<Block>| it.list(|it| &it.operations).last();
    for op in blocks.iter().filter_map(last) {
        let Some(mut branch) = Branch::from_operation(&op) else {
            continue;
        };
        let mut less = false;
        for edge in &mut branch.edges {
            let arguments = block_arguments(&edge.to);
            let count = edge.values.len();
            let mut stays = arguments.iter().map(|it| !gone.contains(&object_address(it)));
            edge.values.retain(|_| stays.next().unwrap_or(true));
            less |= edge.values.len() < count;
        }
        if less {
            branch.replace_terminator(&op, rewriter)?;
        }
    }
    Ok(())
}

fn erase_arguments(blocks: &[Ref<Block>], gone: &FastSet<usize>) -> Result<()> {
    let inner = blocks.iter().skip(1).flat_map(block_arguments);
    let mut gone = inner.filter(|it| gone.contains(&object_address(it)));
    gone.try_for_each(|it| it.erase())
}

/// Lets a value be used in place of each argument of a block that is always that one.
pub(super) fn replace_uniform_arguments(block: &Ref<Block>, rewriter: &PatternRewriter) -> Result<()> {
    let blocks = Block::region_of(block).map(|it| it.list(|it| &it.blocks).to_vec());
    let blocks = blocks.unwrap_or_default();
    let mut given: Vec<Option<Ref<Value>>> = Vec::new();
    for last in predecessor_terminators(block, &blocks) {
        let Some(branch) = Branch::from_operation(&last) else {
            return Ok(());
        };
        for edge in branch.edges.into_iter().filter(|it| it.to.is(block)) {
            if given.is_empty() {
                given.extend(edge.values.into_iter().map(Some));
                continue;
            }
            for (known, value) in given.iter_mut().zip(&edge.values) {
                known.take_if(|it| !it.is(value));
            }
        }
    }
    let mut gone = FastSet::default();
    let arguments = block_arguments(block);
    for (argument, value) in arguments.iter().zip(given) {
        // Its own, in a loop that nothing enters.
        if let Some(value) = value.filter(|it| !arguments.iter().any(|argument| argument.is(it))) {
            rewriter.replace_uses(argument, &value)?;
            gone.insert(object_address(argument));
        }
    }
    if !gone.is_empty() {
        pass_less(&blocks, &gone, rewriter)?;
        erase_arguments(&blocks, &gone)?;
    }
    Ok(())
}
