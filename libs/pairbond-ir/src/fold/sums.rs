//! `(x + 1) + 2` is `x + 3`.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::bits::Bits;
use super::constants::make_constant;
use super::operands_of;
use crate::attributes::AttributeHead;
use crate::fast::address;
use crate::ir::{Operation, Value, operand, set_operand};
use crate::rewrite::{PatternRewriter, RewritePattern};

const ADD: &str = "arith.addi";

/// Adds the constants of two sums.
pub(crate) struct AddConstants;

impl RewritePattern for AddConstants {
    fn name(&self) -> &'static str {
        "canonicalize"
    }

    fn root(&self) -> Option<&str> {
        Some(ADD)
    }

    fn stays_inside(&self) -> bool {
        true
    }

    fn rewrite(&self, op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
        let Some((outer, outer_value)) = sum(op) else {
            return Ok(());
        };
        let inner = Value::defining(&outer).filter(|it| **it.name() == *ADD);
        let Some((x, inner_value)) = inner.and_then(|it| sum(&it)) else {
            return Ok(());
        };
        let total = outer_value.with(outer_value.value.wrapping_add(inner_value.value));
        let total = total.attribute(&outer.r#type());
        let constant = make_constant(&total, op, rewriter)?;
        if let Some(constant) = constant {
            set_operand(op, 0, &x)?;
            set_operand(op, 1, &constant)?;
            rewriter.modified(op)?;
        }
        Ok(())
    }
}

/// What a constant is added to, and the constant, if overflow is nothing special.
fn sum(op: &Ref<Operation>) -> Option<(Ref<Value>, Bits)> {
    const FLAGS: &str = "overflowFlags";
    let flags = op.attribute(FLAGS);
    let plain = flags.is_none_or(
        |it| matches!(it.head(), AttributeHead::Opaque { text, .. } if **text == *"overflow<none>"),
    );
    let operands = operands_of(op)?;
    match &*operands {
        [x, constant] if plain => {
            let bits = constant.bits().filter(|_| x.r#type == constant.r#type)?;
            let result = op.list(|it| &it.results).first()?;
            let alike = address(&result.r#type()) == x.r#type;
            alike.then_some(())?;
            Some((operand(op, x.place.into()).ok()?, bits))
        }
        _ => None,
    }
}
