//! Branches of which something is known: the flag, that all ways lead to the same block, or what
//! the flag is behind them.

use pairbond::convert::Few;
use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::branch::{Branch, COND_BR, Edge, unconditional_to};
use super::patterns::{is_entry, ways_in};
use crate::context::attributes::{Attribute, AttributeHead, bool_attr, dense_attr};
use crate::context::types::{Type, TypeHead};
use crate::fold::{constant_value, make_constant};
use crate::ir::{InsertionPoint, Operation, Parts, Value, edits, set_operand, uses_of};
use crate::rewrite::PatternRewriter;

/// A branch whose flag is a constant.
pub(super) fn fold_constant_branch(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let Some(mut branch) = Branch::from_operation(op) else {
        return Ok(());
    };
    let Some(flag) = branch.flag.as_ref().and_then(constant_value) else {
        return Ok(());
    };
    let AttributeHead::Integer(bytes) = flag.head() else {
        return Ok(());
    };
    let way = match &**op.name() {
        COND_BR => usize::from(bytes.iter().all(|it| *it == 0)),
        _ => matching_case(op, bytes).map_or(0, |it| it + 1),
    };
    if way >= branch.edges.len() {
        return Ok(());
    }
    unconditional_to(branch.edges.swap_remove(way)).replace_terminator(op, rewriter)
}

/// Which case of a switch has a value.
fn matching_case(op: &Ref<Operation>, value: &[u8]) -> Option<usize> {
    let cases = op.find_attribute("case_values")?;
    match cases.head() {
        AttributeHead::Dense { data, splat: false } => {
            data.chunks_exact(value.len()).position(|it| it == value)
        }
        AttributeHead::Dense { data, .. } => (**data == *value).then_some(0),
        _ => None,
    }
}

/// Cases that do as the default does need not be there.
pub(super) fn without_default(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let Some(mut branch) = Branch::from_operation(op) else {
        return Ok(());
    };
    let (Some(flag), Some(cases)) = (&branch.flag, &branch.cases) else {
        return Ok(());
    };
    let mut stays: Vec<bool> = branch
        .edges
        .iter()
        .map(|it| !it.is_same(&branch.edges[0]))
        .collect();
    let left: Vec<usize> = (1..stays.len()).filter(|it| stays[*it]).collect();
    let AttributeHead::Dense { data, splat } = cases.head() else {
        return Ok(());
    };
    if left.is_empty() || left.len() + 1 == stays.len() {
        return Ok(());
    }
    let size = data.len() / if *splat { 1 } else { stays.len() - 1 };
    let value = |it: &usize| match splat {
        true => &data[..],
        false => &data[(it - 1) * size..it * size],
    };
    let values: Vec<&[u8]> = left.iter().map(value).collect();
    let shape = Box::new([(left.len() as i64, false)]);
    let of = Type::of_elements(TypeHead::Vector { shape }, flag.r#type(), Vec::new());
    branch.cases = Some(dense_attr(of, &values.concat(), size));
    stays[0] = true;
    let mut stays = stays.into_iter();
    branch.edges.retain(|_| stays.next().unwrap_or(true));
    branch.replace_terminator(op, rewriter)
}

/// All ways lead to the same block. Where their values differ a condition selects them.
pub(super) fn one_way(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let Some(Branch {
        flag: Some(flag),
        mut edges,
        ..
    }) = Branch::from_operation(op)
    else {
        return Ok(());
    };
    let first = edges.swap_remove(0);
    if edges.iter().all(|it| it.is_same(&first)) {
        return unconditional_to(first).replace_terminator(op, rewriter);
    }
    let [second] = &edges[..] else { return Ok(()) };
    // A block with another way in keeps its arguments, so nothing would be won.
    if **op.name() != *COND_BR || !second.to.is(&first.to) || ways_in(&first.to).iter().any(|it| !it.is(op)) {
        return Ok(());
    }
    let mut values = Vec::new();
    for (a, b) in first.values.iter().zip(&second.values) {
        values.push(match a.is(b) {
            true => a.clone(),
            false => select_value(op, &flag, a, b, rewriter)?,
        });
    }
    let edge = Edge { to: first.to, values };
    unconditional_to(edge).replace_terminator(op, rewriter)
}

fn select_value(
    op: &Ref<Operation>,
    flag: &Ref<Value>,
    a: &Ref<Value>,
    b: &Ref<Value>,
    rewriter: &PatternRewriter,
) -> Result<Ref<Value>> {
    let parts = Parts {
        name: "arith.select",
        results: Some(&mut Few::from_iter([a.r#type()])),
        operands: &[flag.clone(), a.clone(), b.clone()],
        location: Some(op.location()),
        ..Parts::default()
    };
    rewriter.stand_at(InsertionPoint::before_operation(op.clone())?);
    let made = rewriter.create_operation(parts)?;
    Ok(made.list(|it| &it.results).first().expect("made with one"))
}

/// In a block that one condition alone leads to it is known; so is another branch on it.
pub(super) fn known_behind(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let Some(Branch {
        flag: Some(flag),
        edges,
        ..
    }) = Branch::from_operation(op)
    else {
        return Ok(());
    };
    for (edge, truth) in edges.iter().zip([true, false]) {
        if is_entry(&edge.to) || ways_in(&edge.to).len() != 1 {
            continue;
        }
        let there = |user: &Ref<Operation>| edits::block_of(user).is_ok_and(|it| it.is(&edge.to));
        let users: Vec<_> = uses_of(&flag)
            .into_iter()
            .filter(|(user, _)| there(user))
            .collect();
        if users.is_empty() {
            continue;
        }
        rewriter.stand_at(InsertionPoint::before_operation(op.clone())?);
        let value: Ref<Attribute> = bool_attr(op.context(), truth);
        let Some(constant) = make_constant(&value, op, rewriter)? else {
            continue;
        };
        for (user, place) in users {
            set_operand(&user, place as usize, &constant)?;
            rewriter.modified(&user)?;
        }
    }
    Ok(())
}

/// Erases an assertion of a condition that always holds.
pub(super) fn erase_true_assert(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let flag = crate::ir::operand_at(op, 0).ok();
    let flag = flag.as_ref().and_then(constant_value);
    let holds = flag.is_some_and(
        |it| matches!(it.head(), AttributeHead::Integer(bytes) if bytes.iter().any(|it| *it != 0)),
    );
    match holds {
        true => rewriter.erase_operation(op),
        false => Ok(()),
    }
}
