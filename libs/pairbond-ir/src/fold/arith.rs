//! Folds of `arith`'s integer operations on scalars.

use pairbond::prelude::*;

use super::bits::Bits;
use super::{Folded, Kind, Known, operands_of};
use crate::context::attributes::bool_attr;
use crate::ir::{Operation, operation_results};

/// Operations that fold. [`Arith::from_name`] has their names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arith {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightUnsigned,
    ShiftRightSigned,
    Compare,
    Select,
}
use Arith::{Add, And, Mul, Or, ShiftLeft, ShiftRightSigned, ShiftRightUnsigned, Sub, Xor};

impl Arith {
    pub(super) fn from_name(name: &str) -> Option<Arith> {
        Some(match name.strip_prefix("arith.")? {
            "addi" => Add,
            "subi" => Sub,
            "muli" => Mul,
            "andi" => And,
            "ori" => Or,
            "xori" => Xor,
            "shli" => ShiftLeft,
            "shrui" => ShiftRightUnsigned,
            "shrsi" => ShiftRightSigned,
            "cmpi" => Arith::Compare,
            "select" => Arith::Select,
            _ => return None,
        })
    }

    fn is_commutative(self) -> bool {
        matches!(self, Add | Mul | And | Or | Xor)
    }
}

/// Folds an operation of that kind, if possible.
pub(crate) fn fold_arith(op: &Ref<Operation>, kind: Kind) -> Option<Folded> {
    if kind.arith.is_none() && !kind.is_commutative {
        return None;
    }
    let operands = operands_of(op)?;
    // A constant comes behind another value.
    if kind.is_commutative && matches!(&*operands, [a, b] if a.is_constant && !b.is_constant) {
        return Some(Folded::Swap);
    }
    let (name, (r#type, width)) = (kind.arith?, operands.result?);
    // The operation may not have been verified.
    let same = |a: &Known, b: &Known| a.r#type == b.r#type;
    match (name, &*operands) {
        (Arith::Select, [condition, yes, no]) if same(yes, no) && yes.r#type == r#type => {
            fold_select(condition, yes, no)
        }
        (Arith::Select, _) => None,
        (Arith::Compare, [a, b]) if same(a, b) && width == Some(1) => fold_compare(op, a, b),
        (Arith::Compare, _) => None,
        (_, [a, b]) if same(a, b) && a.r#type == r#type => fold_binary(name, op, a, b),
        _ => None,
    }
}

fn fold_select(condition: &Known, yes: &Known, no: &Known) -> Option<Folded> {
    if yes.is_same(no) {
        return Some(Folded::Operand(yes.place.into()));
    }
    let condition = condition.constant_bits().filter(|it| it.width == 1)?;
    let chosen = if condition.value == 1 { yes } else { no };
    Some(Folded::Operand(chosen.place.into()))
}

/// Whether a predicate holds of equals.
fn holds_of_equals(predicate: u128) -> bool {
    matches!(predicate, 0 | 3 | 5 | 7 | 9)
}

fn fold_compare(op: &Ref<Operation>, a: &Known, b: &Known) -> Option<Folded> {
    const PREDICATE: &str = "predicate";
    let predicate = Bits::from_attribute(&*op.find_attribute(PREDICATE)?)?.value;
    let answer = |it| Some(Folded::Constant(bool_attr(op.context(), it)));
    if a.is_same(b) && a.width.is_some() && predicate <= 9 {
        return answer(holds_of_equals(predicate));
    }
    let (a, b) = (a.constant_bits()?, b.constant_bits()?);
    answer(match predicate {
        0 => a == b,
        1 => a != b,
        2 => a.to_signed() < b.to_signed(),
        3 => a.to_signed() <= b.to_signed(),
        4 => a.to_signed() > b.to_signed(),
        5 => a.to_signed() >= b.to_signed(),
        6 => a.value < b.value,
        7 => a.value <= b.value,
        8 => a.value > b.value,
        9 => a.value >= b.value,
        _ => return None,
    })
}

fn fold_binary(name: Arith, op: &Ref<Operation>, a: &Known, b: &Known) -> Option<Folded> {
    let (left, right) = (a.constant_bits(), b.constant_bits());
    if let (Some(left), Some(right)) = (left, right) {
        return fold_to_constant(op, compute_bits(name, left, right)?);
    }
    if left.is_some() && name.is_commutative() {
        return Some(Folded::Swap);
    }
    if a.is_same(b) {
        match name {
            And | Or => return Some(Folded::Operand(a.place.into())),
            Sub | Xor => {
                let width = a.width.filter(|it| (1..=128).contains(it))?;
                let zero = Bits { width, value: 0 };
                return fold_to_constant(op, zero);
            }
            _ => {}
        }
    }
    let right = right?;
    match name {
        Add | Sub | Or | Xor | ShiftLeft | ShiftRightSigned | ShiftRightUnsigned if right.value == 0 => {
            Some(Folded::Operand(a.place.into()))
        }
        Mul if right.value == 1 => Some(Folded::Operand(a.place.into())),
        Mul | And if right.value == 0 => fold_to_constant(op, right),
        And if right.is_all_ones() => Some(Folded::Operand(a.place.into())),
        Or if right.is_all_ones() => fold_to_constant(op, right),
        _ => None,
    }
}

/// A constant of the type of the only result.
fn fold_to_constant(op: &Ref<Operation>, value: Bits) -> Option<Folded> {
    let results = operation_results(op);
    let [only] = &*results else { return None };
    Some(Folded::Constant(value.to_attribute(&only.r#type())))
}

/// The result of two numbers. Shifting by the width or more has no value.
fn compute_bits(name: Arith, a: Bits, b: Bits) -> Option<Bits> {
    let shift = u32::try_from(b.value).ok().filter(|it| *it < a.width);
    Some(a.with_value(match name {
        Add => a.value.wrapping_add(b.value),
        Sub => a.value.wrapping_sub(b.value),
        Mul => a.value.wrapping_mul(b.value),
        And => a.value & b.value,
        Or => a.value | b.value,
        Xor => a.value ^ b.value,
        ShiftLeft => a.value << shift?,
        ShiftRightUnsigned => a.value >> shift?,
        ShiftRightSigned => (a.to_signed() >> shift?).cast_unsigned(),
        Arith::Compare | Arith::Select => return None,
    }))
}
