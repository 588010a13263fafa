//! Where operations stand: moving them.

use pairbond::prelude::*;
use pairbond::tree::{TreeNode, batch_insert};

use super::{Block, Operation, contexts};
use crate::context::same_context;

pub(crate) fn block_of(op: &Ref<Operation>) -> Result<Ref<Block>> {
    let block = op.read(|| Operation::block_of(op))?;
    block.ok_or_else(|| Error::value_error("the other operation stands in no block"))
}

/// Puts a detached operation into the list, or moves it there.
fn insert_or_move(op: &Ref<Operation>, block: &Ref<Block>, before: Option<&Ref<Operation>>) -> Result<()> {
    if before.is_some_and(|it| it.is(op)) {
        return Ok(());
    }
    let operations = block.list(|it| &it.operations);
    // Those that are there already are of the context of the parent.
    let (stands, same, done) = batch_insert(|batch| {
        let beside = match before {
            None => batch.last(&block.operations),
            Some(before) => Some(batch.found(before)),
        };
        let stands = batch.parent::<_, Block>(batch.found(op)).is_some();
        let same = beside.map(|it| it.get().context().is(op.context()));
        // Most are new, and go to the end.
        let done = before.is_none() && !stands && same == Some(true);
        if done {
            batch.push_root(operations, op);
        }
        (stands, same, done)
    })?;
    if done {
        return Ok(());
    }
    if same != Some(true) {
        match before.cloned().or_else(|| operations.last()) {
            Some(other) => same_context(other.context(), op.context(), "an operation")?,
            None => contexts::joins_block(block, op.context(), "an operation")?,
        }
    }
    match before {
        _ if stands => operations.splice(before, op, op),
        Some(at) => operations.insert_before(at, op),
        None => operations.push(op),
    }
}

/// Before another operation.
pub(crate) fn move_before(op: &Ref<Operation>, other: &Ref<Operation>) -> Result<()> {
    insert_or_move(op, &block_of(other)?, Some(other))
}

/// Behind another operation.
pub(crate) fn move_after(op: &Ref<Operation>, other: &Ref<Operation>) -> Result<()> {
    let block = block_of(other)?;
    match other.next_sibling() {
        Some(next) => insert_or_move(op, &block, Some(&next)),
        None if other.is(op) => Ok(()),
        None => insert_or_move(op, &block, None),
    }
}

/// At the end of a block.
pub(super) fn at_end(op: &Ref<Operation>, block: &Ref<Block>) -> Result<()> {
    insert_or_move(op, block, None)
}

/// Whether one stands before another of the same block.
pub(crate) fn is_before(op: &Ref<Operation>, other: &Ref<Operation>) -> Result<bool> {
    let block = block_of(op)?;
    let operations = block.list(|it| &it.operations);
    let place = |op: &Ref<Operation>| op.read(|| operations.index_of(op));
    match (place(op)?, place(other)?) {
        (Some(a), Some(b)) => Ok(a < b),
        _ => Err(Error::value_error("the operations do not stand in one block")),
    }
}
