//! `(x + 1) + 2` is `x + 3`.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::bits::Bits;
use super::constants::make_constant;
use super::operands_of;
use crate::context::attributes::AttributeHead;
use crate::fast::object_address;
use crate::ir::{Operation, Value, operand_at, set_operand};
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
        let Some((outer, outer_value)) = split_constant_add(op) else {
            return Ok(());
        };
        let inner = Value::defining_op(&outer).filter(|it| **it.name() == *ADD);
        let Some((x, inner_value)) = inner.and_then(|it| split_constant_add(&it)) else {
            return Ok(());
        };
        let total = outer_value.with_value(outer_value.value.wrapping_add(inner_value.value));
        let total = total.to_attribute(&outer.r#type());
        let constant = make_constant(&total, op, rewriter)?;
        if let Some(constant) = constant {
            set_operand(op, 0, &x)?;
            set_operand(op, 1, &constant)?;
            rewriter.modified(op)?;
        }
        Ok(())
    }
}

/// Returns the operand that a constant is added to, and the constant, if overflow is nothing
/// special.
fn split_constant_add(op: &Ref<Operation>) -> Option<(Ref<Value>, Bits)> {
    const FLAGS: &str = "overflowFlags";
    let flags = op.find_attribute(FLAGS);
    let plain = flags.is_none_or(
        |it| matches!(it.head(), AttributeHead::Opaque { text, .. } if **text == *"overflow<none>"),
    );
    let operands = operands_of(op)?;
    match &*operands {
        [x, constant] if plain => {
            let bits = constant.constant_bits().filter(|_| x.r#type == constant.r#type)?;
            let result = op.list(|it| &it.results).first()?;
            let alike = object_address(&result.r#type()) == x.r#type;
            alike.then_some(())?;
            Some((operand_at(op, x.place.into()).ok()?, bits))
        }
        _ => None,
    }
}
