//! Folding: what an operation computes when enough of its operands are known, without making any.

mod arith;
mod bits;
mod constants;
mod effects;
mod sums;

use pairbond::prelude::*;

use crate::attributes::Attribute;
use crate::ir::{Operation, Value};

pub(crate) use arith::fold;
pub(crate) use constants::{Constants, value_of};
pub(crate) use effects::{is_dead, is_pure, is_transparent};
pub(crate) use sums::AddConstants;

/// What became of an operation.
pub(crate) enum Folded {
    /// Its only result is another value.
    Value(Ref<Value>),
    /// Its only result is a constant.
    Constant(Ref<Attribute>),
    /// Its operands are better the other way round.
    Swap,
}

/// Operands that are all there.
fn operands_of(op: &Ref<Operation>) -> Option<Vec<Ref<Value>>> {
    crate::ir::operands(op).into_iter().collect()
}
