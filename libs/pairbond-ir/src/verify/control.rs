//! Rules of `scf`: how values go into regions, from there into others, and out.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::about;
use super::dialects::{Types, arguments, operand_types, results, same};
use super::{blocks, regions, types};
use crate::attributes::AttributeHead;
use crate::ir::edits::attribute;
use crate::ir::{Block, Operation, Region, Value};
use crate::room::Gather;
use crate::types::{Type, TypeHead};

fn of(values: &[Ref<Value>]) -> Types {
    values.iter().map(|it| it.r#type()).gather()
}

fn wrong(op: &Ref<Operation>, what: impl AsRef<str>) -> Result<()> {
    Err(about(op, what.as_ref()))
}

/// One operation of `scf`, by what its name is in there.
pub(super) fn check(op: &Ref<Operation>, name: &str) -> Result<()> {
    match name {
        "if" => condition_and_branches(op),
        "for" => counted_loop(op),
        "while" => conditional_loop(op),
        "execute_region" => execute_region(op),
        "index_switch" => index_switch(op),
        "condition" => condition(op),
        _ => Ok(()),
    }
}

fn is_bit(it: &Ref<Type>) -> bool {
    matches!(it.head(), TypeHead::Integer { width: 1, .. })
}

/// The regions, as many as wanted.
fn wanted<const N: usize>(op: &Ref<Operation>) -> Result<[Ref<Region>; N]> {
    let found = regions(op);
    let count = found.len();
    found
        .try_into()
        .map_err(|_| about(op, &format!("expected {N} regions, but found {count}")))
}

/// The block of a region that has one.
fn only(op: &Ref<Operation>, number: usize, region: &Ref<Region>) -> Result<Ref<Block>> {
    match &blocks(region)[..] {
        [block] => Ok(block.clone()),
        _ => Err(about(op, &format!("region #{number} must have 1 block"))),
    }
}

fn no_arguments(op: &Ref<Operation>, number: usize, region: &Ref<Region>) -> Result<()> {
    match blocks(region).first().is_some_and(|it| !arguments(it).is_empty()) {
        true => wrong(op, format!("region #{number} should have no arguments")),
        false => Ok(()),
    }
}

/// The operands of each `scf.yield` of a region have the wanted types.
fn yields(
    op: &Ref<Operation>,
    number: usize,
    region: &Ref<Region>,
    wanted: &[Ref<Type>],
    what: &str,
) -> Result<()> {
    for block in blocks(region) {
        let last = block.list(|it| &it.operations).last();
        if let Some(end) = last.filter(|it| **it.name() == *"scf.yield") {
            let given = format!("value that region #{number} yields");
            same(op, &operand_types(&end), wanted, &given, what)?;
        }
    }
    Ok(())
}

fn condition_and_branches(op: &Ref<Operation>) -> Result<()> {
    if !matches!(&operand_types(op)[..], [it] if is_bit(it)) {
        return wrong(op, "requires a single operand, an i1");
    }
    let results = of(&results(op));
    let [then, otherwise] = wanted::<2>(op)?;
    only(op, 0, &then)?;
    match blocks(&otherwise).len() {
        0 if !results.is_empty() => wrong(op, "must have an else block if defining values")?,
        0 | 1 => {}
        _ => wrong(op, "expects region #1 to have 0 or 1 blocks")?,
    }
    for (number, region) in (0..).zip([then, otherwise]) {
        no_arguments(op, number, &region)?;
        yields(op, number, &region, &results, "result")?;
    }
    Ok(())
}

fn counted_loop(op: &Ref<Operation>) -> Result<()> {
    let operands = operand_types(op);
    let [lower, upper, step, carried @ ..] = &operands[..] else {
        return wrong(
            op,
            format!("expected 3 or more operands, but found {}", operands.len()),
        );
    };
    if !types::is_integer_like(lower) || !matches!(lower.head(), TypeHead::Integer { .. } | TypeHead::Index) {
        return wrong(op, "operand #0 must be a signless integer or index");
    }
    if !upper.is(lower) || !step.is(lower) {
        return wrong(op, "requires the same type for both bounds and the step");
    }
    same(op, &of(&results(op)), carried, "result", "carried value")?;
    let [region] = wanted::<1>(op)?;
    let inside = of(&arguments(&only(op, 0, &region)?));
    let Some((variable, inside)) = inside.split_first() else {
        return wrong(op, "expected body to have an argument for the induction variable");
    };
    if !variable.is(lower) {
        return wrong(
            op,
            "expected induction variable to be same type as bounds and step",
        );
    }
    same(op, inside, carried, "argument of the body", "carried value")?;
    yields(op, 0, &region, carried, "carried value")
}

fn conditional_loop(op: &Ref<Operation>) -> Result<()> {
    let carried = operand_types(op);
    let [before, after] = wanted::<2>(op)?;
    let (head, body) = (only(op, 0, &before)?, only(op, 1, &after)?);
    same(
        op,
        &of(&arguments(&head)),
        &carried,
        "argument of region #0",
        "operand",
    )?;
    let end = head.list(|it| &it.operations).last();
    if let Some(end) = end.filter(|it| **it.name() == *"scf.condition") {
        let passed = operand_types(&end);
        let passed = passed.get(1..).unwrap_or_default();
        same(
            op,
            passed,
            &of(&results(op)),
            "value that the condition passes",
            "result",
        )?;
        same(
            op,
            passed,
            &of(&arguments(&body)),
            "value that the condition passes",
            "argument of region #1",
        )?;
    }
    yields(op, 1, &after, &carried, "operand")
}

fn condition(op: &Ref<Operation>) -> Result<()> {
    match operand_types(op).first() {
        Some(first) if is_bit(first) => Ok(()),
        Some(_) => wrong(op, "operand #0 must be i1"),
        None => wrong(op, "expected 1 or more operands, but found 0"),
    }
}

fn execute_region(op: &Ref<Operation>) -> Result<()> {
    let [region] = wanted::<1>(op)?;
    if blocks(&region).is_empty() {
        return wrong(op, "region needs to have at least one block");
    }
    no_arguments(op, 0, &region)?;
    yields(op, 0, &region, &of(&results(op)), "result")
}

fn index_switch(op: &Ref<Operation>) -> Result<()> {
    if !matches!(&operand_types(op)[..], [it] if *it.head() == TypeHead::Index) {
        return wrong(op, "requires a single operand, an index");
    }
    let cases = attribute(op, "cases");
    let cases = cases.as_ref().and_then(|it| match it.head() {
        AttributeHead::DenseArray(bytes) => Some(bytes.as_chunks::<8>().0),
        _ => None,
    });
    let Some(cases) = cases else {
        return wrong(op, "requires attribute 'cases', an array of i64");
    };
    let all = regions(op);
    if all.len() != cases.len() + 1 {
        return wrong(
            op,
            format!("has {} regions, but {} case values", all.len(), cases.len()),
        );
    }
    if cases
        .iter()
        .enumerate()
        .any(|(place, it)| cases[..place].contains(it))
    {
        return wrong(op, "has a case value twice");
    }
    let results = of(&results(op));
    for (number, region) in all.iter().enumerate() {
        only(op, number, region)?;
        yields(op, number, region, &results, "result")?;
    }
    Ok(())
}
