//! Which context nodes are of, compared on each edge that joins them.
//!
//! Operations, values, types and attributes are of one context. A block or region has none of its
//! own: it is of that of its parents or contents, and an empty block in no region is of any.
//! Everything that puts a block into a region, an argument or operation into a block, or adds a
//! successor to an operation comes through here, or compares as `place.rs` does on its fast path.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Block, Operation, Region};
use crate::context::{Context, same_context};

/// The context of a block, if it is of one.
pub(super) fn of_block(block: &Ref<Block>) -> Option<Ref<Context>> {
    let around = Block::owner_of(block).map(|it| it.context().clone());
    around.or_else(|| of_contents(block))
}

/// The context of the contents of a block.
fn of_contents(block: &Ref<Block>) -> Option<Ref<Context>> {
    let first = block.list(|it| &it.arguments).first().map(|it| it.context());
    first.or_else(|| {
        let operation = block.list(|it| &it.operations).first();
        operation.map(|it| it.context().clone())
    })
}

/// The context of a region, if it is of one.
fn of_region(region: &Ref<Region>) -> Option<Ref<Context>> {
    let owner: Option<Ref<Operation>> = region.parent().and_then(|it| it.downcast().ok());
    let around = owner.map(|it| it.context().clone());
    around.or_else(|| region.list(|it| &it.blocks).iter().find_map(|it| of_block(&it)))
}

fn check_same_context(wanted: Option<Ref<Context>>, found: Option<Ref<Context>>, what: &str) -> Result<()> {
    match (wanted, found) {
        (Some(wanted), Some(found)) => same_context(&wanted, &found, what),
        _ => Ok(()),
    }
}

/// Refuses a context other than that of the block to join.
pub(super) fn joins_block(block: &Ref<Block>, context: &Ref<Context>, what: &str) -> Result<()> {
    check_same_context(of_block(block), Some(context.clone()), what)
}

/// Refuses a block of another context than the operation that is to go on with it.
pub(super) fn is_successor(context: &Ref<Context>, block: &Ref<Block>) -> Result<()> {
    check_same_context(Some(context.clone()), of_block(block), "a successor")
}

/// Where a block is put.
pub(super) enum At<'a> {
    Start,
    End,
    Before(&'a Ref<Block>),
    After(&'a Ref<Block>),
}

/// Refuses a block of another context than the region that it is to stand in.
pub(super) fn fits_region(region: &Ref<Region>, block: &Ref<Block>) -> Result<()> {
    check_same_context(of_region(region), of_contents(block), "a block")
}

/// Puts a block that stands nowhere into a region.
pub(super) fn put_block(region: &Ref<Region>, block: &Ref<Block>, at: At<'_>) -> Result<()> {
    fits_region(region, block)?;
    let blocks = region.list(|it| &it.blocks);
    match at {
        At::Start => blocks.push_front(block),
        At::End => blocks.push(block),
        At::Before(other) => blocks.insert_before(other, block),
        At::After(other) => blocks.insert_after(other, block),
    }
}
