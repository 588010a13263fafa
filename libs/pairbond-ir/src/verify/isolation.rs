//! Operations that are isolated from above use nothing that is defined outside.

use std::collections::HashMap;

use pairbond::prelude::*;

use super::complaint::{about, note};
use super::{blocks, known, regions};
use crate::fast::address;
use crate::ir::{Block, Operation, Value, operands};
use crate::room::Room;

/// By the address of a block: the innermost isolated operation around it, a border that no use may
/// cross inwards.
struct Borders<'a>(HashMap<usize, Option<&'a Ref<Operation>>>);

impl<'a> Borders<'a> {
    fn around(&self, block: Option<&Ref<Block>>) -> Option<&'a Ref<Operation>> {
        self.0.get(&address(block?)).copied().flatten()
    }

    /// Whether a value is defined inside of a border.
    fn is_inside(&self, value: &Ref<Value>, border: &Ref<Operation>) -> bool {
        let block =
            Value::defining(value).map_or_else(|| Value::block_of(value), |it| Operation::block_of(&it));
        if self.around(block.as_ref()).is_some_and(|it| it.is(border)) {
            return true;
        }
        // In something isolated that is further inside: dominance has to say something about that.
        let around = block.and_then(|it| Block::owner_of(&it));
        std::iter::successors(around, Operation::around).any(|it| it.is(border))
    }
}

/// Outer operations come before inner ones in `all`.
pub(super) fn check(all: &[Ref<Operation>]) -> Result<()> {
    let mut borders = Borders(HashMap::new());
    super::each(all, |op| {
        let border = match known::of(op.name()) {
            Some(known) if known.is_isolated => Some(op),
            _ => borders.around(Operation::block_of(op).as_ref()),
        };
        for region in regions(op) {
            for it in &blocks(&region) {
                borders.0.room().insert(address(it), border);
            }
        }
        Ok(())
    })?;
    super::each(all, |op| {
        let Some(border) = borders.around(Operation::block_of(op).as_ref()) else {
            return Ok(());
        };
        for (place, value) in operands(op).iter().flatten().enumerate() {
            if !borders.is_inside(value, border) {
                let what = format!("uses as operand #{place} a value that is defined outside the region");
                let why = note("required by region isolation constraints of", border);
                return Err(about(op, &what).with_note(why));
            }
        }
        Ok(())
    })
}
