//! Erasing: uses of the erased operations are checked first, then pairbond erases the subtree, then
//! its uses of others end. Until then those others know that it is erased, so that no reader sees
//! an operation that is there and uses nothing.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::uses;
use super::walk::{self, few_in, operations_in};
use super::{Block, Operation, Value};
use crate::error;
use crate::room::Gather;

/// Refuses if one of the values has a use outside.
fn refuse_used(values: &[Ref<Value>], is_inside: impl Fn(&Ref<Operation>) -> bool, what: &str) -> Result<()> {
    for (place, value) in values.iter().enumerate().filter(|(_, it)| uses::is_used(it)) {
        for (user, operand) in uses::uses_of(value) {
            if !is_inside(&user) {
                return Err(error::ir_error(format!(
                    "{what} {place} is still used, as operand {operand} of '{}' ({}); erase(drop_uses=True) erases all the same",
                    user.name(),
                    user.location(),
                )));
            }
        }
    }
    Ok(())
}

/// Refuses if a result has a use outside of the operation.
pub(crate) fn refuse_used_results(op: &Ref<Operation>) -> Result<()> {
    op.check()?;
    if !uses::are_results_used(op) {
        return Ok(());
    }
    let results = op.list(|it| &it.results).to_vec();
    refuse_used(
        &results,
        |user| walk::is_inside(user, op),
        &format!("'{}' cannot be erased: result", op.name()),
    )
}

pub(super) fn erase_operation(op: &Ref<Operation>, drop_uses: bool) -> Result<()> {
    op.check()?;
    if !drop_uses {
        refuse_used_results(op)?;
    }
    erase_with_uses(op, &few_in(op))
}

/// Erases a node, and then ends the uses of the operations in it.
pub(super) fn erase_with_uses(node: &impl TreeNode, all: &[Ref<Operation>]) -> Result<()> {
    node.erase()?;
    all.iter().for_each(uses::end_uses);
    Ok(())
}

pub(super) fn erase_block(block: &Ref<Block>, drop_uses: bool) -> Result<()> {
    block.check()?;
    let operations = block.list(|it| &it.operations).to_vec();
    if !drop_uses {
        let inside = |user: &Ref<Operation>| operations.iter().any(|it| walk::is_inside(user, it));
        let arguments: Vec<Ref<Value>> = block.list(|it| &it.arguments).iter().gather();
        refuse_used(&arguments, inside, "the block cannot be erased: argument")?;
        for op in &operations {
            let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().gather();
            refuse_used(
                &results,
                inside,
                &format!("the block cannot be erased: in it, of '{}', result", op.name()),
            )?;
        }
    }
    let all: Vec<_> = operations.iter().flat_map(operations_in).gather();
    erase_with_uses(block, &all)
}
