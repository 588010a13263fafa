//! Rules of `scf`: how values go into regions, from there into others, and out.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::complaint::operation_error;
use super::dialects::{Types, block_arguments, check_same_types, operand_types, operation_results};
use super::{operation_regions, region_blocks, type_queries};
use crate::context::attributes::AttributeHead;
use crate::context::types::{Type, TypeHead};
use crate::ir::edits::attribute;
use crate::ir::{Block, Operation, Region, Value};
use crate::room::Gather;

fn types_of(values: &[Ref<Value>]) -> Types {
    values.iter().map(|it| it.r#type()).gather()
}

fn verify_error(op: &Ref<Operation>, what: impl AsRef<str>) -> Result<()> {
    Err(operation_error(op, what.as_ref()))
}

/// One operation of `scf`, by what its name is in there.
pub(super) fn check_scf(op: &Ref<Operation>, name: &str) -> Result<()> {
    match name {
        "if" => condition_and_branches(op),
        "for" => counted_loop(op),
        "while" => conditional_loop(op),
        "execute_region" => execute_region(op),
        "index_switch" => index_switch(op),
        "condition" => check_condition(op),
        _ => Ok(()),
    }
}

fn is_bit(it: &Ref<Type>) -> bool {
    matches!(it.head(), TypeHead::Integer { width: 1, .. })
}

/// The regions, as many as wanted.
fn expect_regions<const N: usize>(op: &Ref<Operation>) -> Result<[Ref<Region>; N]> {
    let found = operation_regions(op);
    let count = found.len();
    found
        .try_into()
        .map_err(|_| operation_error(op, &format!("expected {N} regions, but found {count}")))
}

/// The block of a region that has one.
fn single_block(op: &Ref<Operation>, number: usize, region: &Ref<Region>) -> Result<Ref<Block>> {
    match &region_blocks(region)[..] {
        [block] => Ok(block.clone()),
        _ => Err(operation_error(
            op,
            &format!("region #{number} must have 1 block"),
        )),
    }
}

fn no_arguments(op: &Ref<Operation>, number: usize, region: &Ref<Region>) -> Result<()> {
    match region_blocks(region)
        .first()
        .is_some_and(|it| !block_arguments(it).is_empty())
    {
        true => verify_error(op, format!("region #{number} should have no arguments")),
        false => Ok(()),
    }
}

/// The operands of each `scf.yield` of a region have the wanted types.
fn check_yields(
    op: &Ref<Operation>,
    number: usize,
    region: &Ref<Region>,
    wanted: &[Ref<Type>],
    what: &str,
) -> Result<()> {
    for block in region_blocks(region) {
        let last = block.list(|it| &it.operations).last();
        if let Some(end) = last.filter(|it| **it.name() == *"scf.yield") {
            let given = format!("value that region #{number} yields");
            check_same_types(op, &operand_types(&end), wanted, &given, what)?;
        }
    }
    Ok(())
}

fn condition_and_branches(op: &Ref<Operation>) -> Result<()> {
    if !matches!(&operand_types(op)[..], [it] if is_bit(it)) {
        return verify_error(op, "requires a single operand, an i1");
    }
    let results = types_of(&operation_results(op));
    let [then, otherwise] = expect_regions::<2>(op)?;
    single_block(op, 0, &then)?;
    match region_blocks(&otherwise).len() {
        0 if !results.is_empty() => verify_error(op, "must have an else block if defining values")?,
        0 | 1 => {}
        _ => verify_error(op, "expects region #1 to have 0 or 1 blocks")?,
    }
    for (number, region) in (0..).zip([then, otherwise]) {
        no_arguments(op, number, &region)?;
        check_yields(op, number, &region, &results, "result")?;
    }
    Ok(())
}

fn counted_loop(op: &Ref<Operation>) -> Result<()> {
    let operands = operand_types(op);
    let [lower, upper, step, carried @ ..] = &operands[..] else {
        return verify_error(
            op,
            format!("expected 3 or more operands, but found {}", operands.len()),
        );
    };
    if !type_queries::is_integer_like(lower)
        || !matches!(lower.head(), TypeHead::Integer { .. } | TypeHead::Index)
    {
        return verify_error(op, "operand #0 must be a signless integer or index");
    }
    if !upper.is(lower) || !step.is(lower) {
        return verify_error(op, "requires the same type for both bounds and the step");
    }
    check_same_types(
        op,
        &types_of(&operation_results(op)),
        carried,
        "result",
        "carried value",
    )?;
    let [region] = expect_regions::<1>(op)?;
    let inside = types_of(&block_arguments(&single_block(op, 0, &region)?));
    let Some((variable, inside)) = inside.split_first() else {
        return verify_error(op, "expected body to have an argument for the induction variable");
    };
    if !variable.is(lower) {
        return verify_error(
            op,
            "expected induction variable to be same type as bounds and step",
        );
    }
    check_same_types(op, inside, carried, "argument of the body", "carried value")?;
    check_yields(op, 0, &region, carried, "carried value")
}

fn conditional_loop(op: &Ref<Operation>) -> Result<()> {
    let carried = operand_types(op);
    let [before, after] = expect_regions::<2>(op)?;
    let (head, body) = (single_block(op, 0, &before)?, single_block(op, 1, &after)?);
    check_same_types(
        op,
        &types_of(&block_arguments(&head)),
        &carried,
        "argument of region #0",
        "operand",
    )?;
    let end = head.list(|it| &it.operations).last();
    if let Some(end) = end.filter(|it| **it.name() == *"scf.condition") {
        let passed = operand_types(&end);
        let passed = passed.get(1..).unwrap_or_default();
        check_same_types(
            op,
            passed,
            &types_of(&operation_results(op)),
            "value that the condition passes",
            "result",
        )?;
        check_same_types(
            op,
            passed,
            &types_of(&block_arguments(&body)),
            "value that the condition passes",
            "argument of region #1",
        )?;
    }
    check_yields(op, 1, &after, &carried, "operand")
}

fn check_condition(op: &Ref<Operation>) -> Result<()> {
    match operand_types(op).first() {
        Some(first) if is_bit(first) => Ok(()),
        Some(_) => verify_error(op, "operand #0 must be i1"),
        None => verify_error(op, "expected 1 or more operands, but found 0"),
    }
}

fn execute_region(op: &Ref<Operation>) -> Result<()> {
    let [region] = expect_regions::<1>(op)?;
    if region_blocks(&region).is_empty() {
        return verify_error(op, "region needs to have at least one block");
    }
    no_arguments(op, 0, &region)?;
    check_yields(op, 0, &region, &types_of(&operation_results(op)), "result")
}

fn index_switch(op: &Ref<Operation>) -> Result<()> {
    if !matches!(&operand_types(op)[..], [it] if *it.head() == TypeHead::Index) {
        return verify_error(op, "requires a single operand, an index");
    }
    let cases = attribute(op, "cases");
    let cases = cases.as_ref().and_then(|it| match it.head() {
        AttributeHead::DenseArray(bytes) => Some(bytes.as_chunks::<8>().0),
        _ => None,
    });
    let Some(cases) = cases else {
        return verify_error(op, "requires attribute 'cases', an array of i64");
    };
    let all = operation_regions(op);
    if all.len() != cases.len() + 1 {
        return verify_error(
            op,
            format!("has {} regions, but {} case values", all.len(), cases.len()),
        );
    }
    if cases
        .iter()
        .enumerate()
        .any(|(place, it)| cases[..place].contains(it))
    {
        return verify_error(op, "has a case value twice");
    }
    let results = types_of(&operation_results(op));
    for (number, region) in all.iter().enumerate() {
        single_block(op, number, region)?;
        check_yields(op, number, region, &results, "result")?;
    }
    Ok(())
}
