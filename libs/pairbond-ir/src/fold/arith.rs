//! Folds of `arith`'s integer operations on scalars.

use pairbond::prelude::*;

use super::bits::Bits;
use super::{Folded, Kind, Known, operands_of};
use crate::attributes::boolean;
use crate::ir::{Operation, results};

/// Operations that fold. [`Arith::of`] has their names.
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
    pub(super) fn of(name: &str) -> Option<Arith> {
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

/// What an operation folds to, which is of that kind, if it does.
pub(crate) fn fold(op: &Ref<Operation>, kind: Kind) -> Option<Folded> {
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
            select(condition, yes, no)
        }
        (Arith::Select, _) => None,
        (Arith::Compare, [a, b]) if same(a, b) && width == Some(1) => compare(op, a, b),
        (Arith::Compare, _) => None,
        (_, [a, b]) if same(a, b) && a.r#type == r#type => binary(name, op, a, b),
        _ => None,
    }
}

fn select(condition: &Known, yes: &Known, no: &Known) -> Option<Folded> {
    if yes.is(no) {
        return Some(Folded::Operand(yes.place.into()));
    }
    let condition = condition.bits().filter(|it| it.width == 1)?;
    let chosen = if condition.value == 1 { yes } else { no };
    Some(Folded::Operand(chosen.place.into()))
}

/// Whether a predicate holds of equals.
fn holds_of_equals(predicate: u128) -> bool {
    matches!(predicate, 0 | 3 | 5 | 7 | 9)
}

fn compare(op: &Ref<Operation>, a: &Known, b: &Known) -> Option<Folded> {
    const PREDICATE: &str = "predicate";
    let predicate = Bits::of(&*op.attribute(PREDICATE)?)?.value;
    let answer = |it| Some(Folded::Constant(boolean(op.context(), it)));
    if a.is(b) && a.width.is_some() && predicate <= 9 {
        return answer(holds_of_equals(predicate));
    }
    let (a, b) = (a.bits()?, b.bits()?);
    answer(match predicate {
        0 => a == b,
        1 => a != b,
        2 => a.signed() < b.signed(),
        3 => a.signed() <= b.signed(),
        4 => a.signed() > b.signed(),
        5 => a.signed() >= b.signed(),
        6 => a.value < b.value,
        7 => a.value <= b.value,
        8 => a.value > b.value,
        9 => a.value >= b.value,
        _ => return None,
    })
}

fn binary(name: Arith, op: &Ref<Operation>, a: &Known, b: &Known) -> Option<Folded> {
    let (left, right) = (a.bits(), b.bits());
    if let (Some(left), Some(right)) = (left, right) {
        return constant(op, computed(name, left, right)?);
    }
    if left.is_some() && name.is_commutative() {
        return Some(Folded::Swap);
    }
    if a.is(b) {
        match name {
            And | Or => return Some(Folded::Operand(a.place.into())),
            Sub | Xor => {
                let width = a.width.filter(|it| (1..=128).contains(it))?;
                let zero = Bits { width, value: 0 };
                return constant(op, zero);
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
        Mul | And if right.value == 0 => constant(op, right),
        And if right.is_all_ones() => Some(Folded::Operand(a.place.into())),
        Or if right.is_all_ones() => constant(op, right),
        _ => None,
    }
}

/// A constant of the type of the only result.
fn constant(op: &Ref<Operation>, value: Bits) -> Option<Folded> {
    let results = results(op);
    let [only] = &*results else { return None };
    Some(Folded::Constant(value.attribute(&only.r#type())))
}

/// The result of two numbers. Shifting by the width or more has no value.
fn computed(name: Arith, a: Bits, b: Bits) -> Option<Bits> {
    let shift = u32::try_from(b.value).ok().filter(|it| *it < a.width);
    Some(a.with(match name {
        Add => a.value.wrapping_add(b.value),
        Sub => a.value.wrapping_sub(b.value),
        Mul => a.value.wrapping_mul(b.value),
        And => a.value & b.value,
        Or => a.value | b.value,
        Xor => a.value ^ b.value,
        ShiftLeft => a.value << shift?,
        ShiftRightUnsigned => a.value >> shift?,
        ShiftRightSigned => (a.signed() >> shift?).cast_unsigned(),
        Arith::Compare | Arith::Select => return None,
    }))
}
