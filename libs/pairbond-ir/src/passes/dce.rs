//! Dead-code elimination: operations that only compute, and whose results have no uses.

use pairbond::prelude::*;

use super::Pass;
use crate::fold::{Effects, is_dead};
use crate::ir::{Operation, Value, all_operands, edits};
use crate::room::{Gather, Grow};
use pairbond::tree::TreeNode;

pub(super) struct Dce;

impl Pass for Dce {
    fn name(&self) -> &'static str {
        "dce"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let mut waiting = edits::inside(op);
        waiting.remove(0);
        let effects = Effects::default();
        while let Some(it) = waiting.pop() {
            if it.is_erased() || !is_dead(&it, op, &effects) {
                continue;
            }
            let used = all_operands(&it).into_iter().flatten();
            let definers: Vec<Ref<Operation>> = used.filter_map(|it| Value::defining_op(&it)).gather();
            edits::erase_all(&it)?;
            waiting.grow(
                definers
                    .into_iter()
                    .filter(|it| !it.is(op) && edits::is_inside(it, op)),
            );
        }
        Ok(())
    }
}
