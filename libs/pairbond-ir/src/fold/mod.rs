//! Folding: what an operation computes when enough of its operands are known, without making any.

mod arith;
mod bits;
mod constants;
mod effects;
mod sums;

use pairbond::prelude::*;

use crate::context::attributes::Attribute;

pub(crate) use arith::fold_arith;
pub(crate) use constants::{Constants, constant_value, make_constant};
use constants::{Known, operands_of};
pub(crate) use effects::{Effects, Kind, is_dead, is_pure, is_transparent};
pub(crate) use sums::AddConstants;

/// The result of folding an operation.
pub(crate) enum Folded {
    /// Its only result is the operand at that place.
    Operand(usize),
    /// Its only result is a constant.
    Constant(Ref<Attribute>),
    /// Its operands are better the other way round.
    Swap,
}
