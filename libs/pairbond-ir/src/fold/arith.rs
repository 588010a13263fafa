//! Folds of `arith`'s integer operations on scalars.

use pairbond::prelude::*;
use pairbond::tree::look;

use super::bits::Bits;
use super::{Folded, Known, operands_of};
use crate::attributes::boolean;
use crate::declared::{self, Traits};
use crate::ir::Operation;
use crate::types::Type;

/// What an operation folds to, if it does.
pub(crate) fn fold(op: &Ref<Operation>) -> Option<Folded> {
    let arith = op.name().strip_prefix("arith.");
    let is_commutative = declared::traits(op.name()).has(Traits::COMMUTATIVE);
    if arith.is_none() && !is_commutative {
        return None;
    }
    let operands = operands_of(op)?;
    // A constant comes behind another value.
    if is_commutative && matches!(&*operands, [a, b] if a.constant.is_some() && b.constant.is_none()) {
        return Some(Folded::Swap);
    }
    let (name, r#type) = (arith?, only_type(op)?);
    // Nobody has verified the operation.
    let same = |a: &Known, b: &Known| a.r#type.is(&b.r#type);
    match (name, &*operands) {
        ("select", [condition, yes, no]) if same(yes, no) && yes.r#type.is(&r#type) => {
            select(condition, yes, no)
        }
        ("select", _) => None,
        ("cmpi", [a, b])
            if same(a, b) && crate::attributes::width_of(&r#type).is_some_and(|it| it.0 == 1) =>
        {
            compare(op, a, b)
        }
        ("cmpi", _) => None,
        (_, [a, b]) if same(a, b) && a.r#type.is(&r#type) => binary(name, &r#type, a, b),
        _ => None,
    }
}

/// The type of the only result.
fn only_type(op: &Ref<Operation>) -> Option<Ref<Type>> {
    look(|still| {
        let mut results = still.children(&op.results);
        match (results.next(), results.next()) {
            (Some(only), None) => Some(only.get().r#type()),
            _ => None,
        }
    })
}

fn known(value: &Known) -> Option<Bits> {
    Bits::of(value.constant.as_ref()?)
}

fn select(condition: &Known, yes: &Known, no: &Known) -> Option<Folded> {
    if yes.is(no) {
        return Some(Folded::Operand(yes.place));
    }
    let condition = known(condition).filter(|it| it.width == 1)?;
    let chosen = if condition.value == 1 { yes } else { no };
    Some(Folded::Operand(chosen.place))
}

/// Whether a predicate holds of equals.
fn holds_of_equals(predicate: u128) -> bool {
    matches!(predicate, 0 | 3 | 5 | 7 | 9)
}

fn compare(op: &Ref<Operation>, a: &Known, b: &Known) -> Option<Folded> {
    const PREDICATE: &str = "predicate";
    let predicate = Bits::of(&*op.attribute(PREDICATE)?)?.value;
    let answer = |it| Some(Folded::Constant(boolean(op.context(), it)));
    let scalar = crate::attributes::width_of(&a.r#type).is_some();
    if a.is(b) && scalar && predicate <= 9 {
        return answer(holds_of_equals(predicate));
    }
    let (a, b) = (known(a)?, known(b)?);
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

fn is_commutative(name: &str) -> bool {
    matches!(name, "addi" | "muli" | "andi" | "ori" | "xori")
}

fn binary(name: &str, r#type: &Ref<Type>, a: &Known, b: &Known) -> Option<Folded> {
    let (left, right) = (known(a), known(b));
    if let (Some(left), Some(right)) = (left, right) {
        return computed(name, left, right).map(|it| constant(r#type, it));
    }
    if left.is_some() && is_commutative(name) {
        return Some(Folded::Swap);
    }
    if a.is(b) {
        match name {
            "andi" | "ori" => return Some(Folded::Operand(a.place)),
            "subi" | "xori" => {
                let (width, _) = crate::attributes::width_of(&a.r#type)?;
                let zero = Bits { width, value: 0 };
                return (1..=128).contains(&width).then(|| constant(r#type, zero));
            }
            _ => {}
        }
    }
    let right = right?;
    match name {
        "addi" | "subi" | "ori" | "xori" | "shli" | "shrsi" | "shrui" if right.value == 0 => {
            Some(Folded::Operand(a.place))
        }
        "muli" if right.value == 1 => Some(Folded::Operand(a.place)),
        "muli" | "andi" if right.value == 0 => Some(constant(r#type, right)),
        "andi" if right.is_all_ones() => Some(Folded::Operand(a.place)),
        "ori" if right.is_all_ones() => Some(constant(r#type, right)),
        _ => None,
    }
}

fn constant(r#type: &Ref<Type>, value: Bits) -> Folded {
    Folded::Constant(value.attribute(r#type))
}

/// What it is of two numbers. Shifting by the width or more has no value.
fn computed(name: &str, a: Bits, b: Bits) -> Option<Bits> {
    let shift = u32::try_from(b.value).ok().filter(|it| *it < a.width);
    Some(a.with(match name {
        "addi" => a.value.wrapping_add(b.value),
        "subi" => a.value.wrapping_sub(b.value),
        "muli" => a.value.wrapping_mul(b.value),
        "andi" => a.value & b.value,
        "ori" => a.value | b.value,
        "xori" => a.value ^ b.value,
        "shli" => a.value << shift?,
        "shrui" => a.value >> shift?,
        "shrsi" => (a.signed() >> shift?).cast_unsigned(),
        _ => return None,
    }))
}
