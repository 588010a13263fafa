//! Folds of `arith`'s integer operations on scalars.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::bits::Bits;
use super::{Folded, operands_of, value_of};
use crate::attributes::{Attribute, boolean, entry};
use crate::declared::{self, Traits};
use crate::ir::{Operation, Value};

/// What an operation folds to, if it does.
pub(crate) fn fold(op: &Ref<Operation>) -> Option<Folded> {
    if is_backwards(op) {
        return Some(Folded::Swap);
    }
    let name = op.name().strip_prefix("arith.")?;
    let results = op.list(|it| &it.results).to_vec();
    let [result] = &results[..] else { return None };
    let r#type = result.r#type();
    // Nobody has verified the operation.
    let same = |a: &Ref<Value>, b: &Ref<Value>| a.r#type().is(&b.r#type());
    match (name, &*operands_of(op)?) {
        ("select", [condition, yes, no]) if same(yes, no) && yes.r#type().is(&r#type) => {
            select(condition, yes, no)
        }
        ("select", _) => None,
        ("cmpi", [a, b])
            if same(a, b) && crate::attributes::width_of(&r#type).is_some_and(|it| it.0 == 1) =>
        {
            compare(op, a, b)
        }
        ("cmpi", _) => None,
        (_, [a, b]) if same(a, b) && a.r#type().is(&r#type) => binary(name, op, a, b),
        _ => None,
    }
}

/// Whether a declared operation that is commutative has a constant first, and another value behind it.
fn is_backwards(op: &Ref<Operation>) -> bool {
    let is_commutative = declared::traits(op.name()).has(Traits::COMMUTATIVE);
    is_commutative
        && matches!(operands_of(op).as_deref(), Some([a, b]) if value_of(a).is_some() && value_of(b).is_none())
}

fn known(value: &Ref<Value>) -> Option<Bits> {
    Bits::of(&*value_of(value)?)
}

fn select(condition: &Ref<Value>, yes: &Ref<Value>, no: &Ref<Value>) -> Option<Folded> {
    if yes.is(no) {
        return Some(Folded::Value(yes.clone()));
    }
    let condition = known(condition).filter(|it| it.width == 1)?;
    let chosen = if condition.value == 1 { yes } else { no };
    Some(Folded::Value(chosen.clone()))
}

/// Whether a predicate holds of equals.
fn holds_of_equals(predicate: u128) -> bool {
    matches!(predicate, 0 | 3 | 5 | 7 | 9)
}

fn compare(op: &Ref<Operation>, a: &Ref<Value>, b: &Ref<Value>) -> Option<Folded> {
    const PREDICATE: &str = "predicate";
    let properties = op.properties.get();
    let inherent = properties.and_then(|it| entry(&it, PREDICATE).cloned());
    let predicate = inherent.or_else(|| entry(&op.attributes.get(), PREDICATE).cloned())?;
    let predicate = Bits::of(&predicate)?.value;
    let answer = |it| Some(Folded::Constant(boolean(op.context(), it)));
    let scalar = crate::attributes::width_of(&a.r#type()).is_some();
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

fn binary(name: &str, op: &Ref<Operation>, a: &Ref<Value>, b: &Ref<Value>) -> Option<Folded> {
    let (left, right) = (known(a), known(b));
    if let (Some(left), Some(right)) = (left, right) {
        return computed(name, left, right).map(|it| constant(op, it));
    }
    if left.is_some() && is_commutative(name) {
        return Some(Folded::Swap);
    }
    if a.is(b) {
        match name {
            "andi" | "ori" => return Some(Folded::Value(a.clone())),
            "subi" | "xori" => {
                let (width, _) = crate::attributes::width_of(&a.r#type())?;
                let zero = Bits { width, value: 0 };
                return (1..=128).contains(&width).then(|| constant(op, zero));
            }
            _ => {}
        }
    }
    let right = right?;
    match name {
        "addi" | "subi" | "ori" | "xori" | "shli" | "shrsi" | "shrui" if right.value == 0 => {
            Some(Folded::Value(a.clone()))
        }
        "muli" if right.value == 1 => Some(Folded::Value(a.clone())),
        "muli" | "andi" if right.value == 0 => Some(constant(op, right)),
        "andi" if right.is_all_ones() => Some(Folded::Value(a.clone())),
        "ori" if right.is_all_ones() => Some(constant(op, right)),
        _ => None,
    }
}

fn constant(op: &Ref<Operation>, value: Bits) -> Folded {
    let r#type = op.list(|it| &it.results).first().map(|it| it.r#type());
    let made: Option<Ref<Attribute>> = r#type.map(|it| value.attribute(&it));
    Folded::Constant(made.expect("it has one result"))
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
