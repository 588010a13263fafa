//! Edits as passes and rewriters do them.

use pairbond::prelude::*;

pub(crate) use super::block::in_region;
pub(crate) use super::clone::clone_operations as clone_several;
pub(crate) use super::erase::refuse_used_results as refuse_used;
pub(crate) use super::place::{block_of, is_before, move_after, move_before};
pub(crate) use super::symbols::{attribute_of as attribute, name_of as symbol_name, string_value as text_of};
pub(crate) use super::uses::{are_results_used, replace_all as replace_uses};
pub(crate) use super::walk::{few_in, inside, is_inside, regions_in};
use super::{Block, Operation};

/// Erases an operation, which must have no uses.
pub(crate) fn erase_all(op: &Ref<Operation>) -> Result<()> {
    erase_operations(op, &few_in(op))
}

/// Erases an operation with everything [`inside`] of it. Listeners may have edited since its uses
/// were counted.
pub(crate) fn erase_operations(op: &Ref<Operation>, all: &[Ref<Operation>]) -> Result<()> {
    refuse_used(op)?;
    super::erase::erase_with_uses(op, all)
}

/// Erases a block and its contents, whatever their uses.
pub(crate) fn erase_block(block: &Ref<Block>) -> Result<()> {
    super::erase::erase_block(block, true)
}
