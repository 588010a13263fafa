//! Branches of `cf`: their operands match the arguments of their successors.

use pairbond::prelude::*;

use super::complaint::operation_error;
use super::dialects::{block_arguments, check_same_types, operand_types};
use crate::context::types::{Type, TypeHead};
use crate::ir::Operation;
use crate::ir::edits::attribute;
use crate::op_parts::segment_sizes;
use crate::room::Gather;

/// The operands for a successor, and its arguments.
fn check_passed(op: &Ref<Operation>, successor: usize, given: &[Ref<Type>]) -> Result<()> {
    let target = op.weak_successors().get(successor).and_then(Weak::upgrade);
    let Some(target) = target else {
        return Err(operation_error(op, &format!("requires a successor #{successor}")));
    };
    let wanted: Vec<Ref<Type>> = block_arguments(&target).iter().map(|it| it.r#type()).gather();
    let of = format!("argument of successor #{successor}");
    check_same_types(op, given, &wanted, "operand for it", &of)
}

fn check_successor_count(op: &Ref<Operation>, successors: usize) -> Result<()> {
    match op.weak_successors().len() == successors {
        true => Ok(()),
        false => Err(operation_error(op, &format!("requires {successors} successors"))),
    }
}

pub(super) fn check_br(op: &Ref<Operation>) -> Result<()> {
    check_successor_count(op, 1)?;
    check_passed(op, 0, &operand_types(op))
}

pub(super) fn check_cond_br(op: &Ref<Operation>) -> Result<()> {
    check_successor_count(op, 2)?;
    let given = operand_types(op);
    let sizes = segment_sizes(op, "operandSegmentSizes");
    let Some([1, first, second]) = sizes.as_deref() else {
        return Err(operation_error(
            op,
            "requires attribute 'operandSegmentSizes' with one condition and two sizes",
        ));
    };
    if given.len() != 1 + first + second {
        return Err(operation_error(
            op,
            "has operands that do not fit its 'operandSegmentSizes'",
        ));
    }
    if !matches!(given[0].head(), TypeHead::Integer { width: 1, .. }) {
        return Err(operation_error(op, "operand #0 must be i1"));
    }
    check_passed(op, 0, &given[1..=*first])?;
    check_passed(op, 1, &given[1 + first..])
}

pub(super) fn check_switch(op: &Ref<Operation>) -> Result<()> {
    let given = operand_types(op);
    let targets = op.weak_successors().len();
    if targets == 0 {
        return Err(operation_error(op, "requires at least 1 successor"));
    }
    let sizes = segment_sizes(op, "operandSegmentSizes");
    let Some([1, first, rest]) = sizes.as_deref().map(<[usize; 3]>::try_from).and_then(Result::ok) else {
        return Err(operation_error(
            op,
            "requires attribute 'operandSegmentSizes' with one flag and two sizes",
        ));
    };
    let cases = segment_sizes(op, "case_operand_segments").filter(|it| it.iter().sum::<usize>() == rest);
    let Some(cases) = cases.filter(|it| it.len() == targets - 1 && given.len() == 1 + first + rest) else {
        return Err(operation_error(
            op,
            "has operands that do not fit its 'operandSegmentSizes' and 'case_operand_segments'",
        ));
    };
    if !matches!(given[0].head(), TypeHead::Integer { .. }) {
        return Err(operation_error(op, "operand #0 must be an integer"));
    }
    let values = attribute(op, "case_values").and_then(|it| it.type_of().cloned());
    let (count, element) = values.as_ref().map_or((0, None), |it| match it.head() {
        TypeHead::Tensor { shape: Some(shape) } => (
            shape.first().copied().unwrap_or(0),
            Some(Type::element_or_self(it)),
        ),
        TypeHead::Vector { shape } => (
            shape.first().map_or(0, |it| it.0),
            Some(Type::element_or_self(it)),
        ),
        _ => (-1, None),
    });
    if usize::try_from(count) != Ok(targets - 1) {
        return Err(operation_error(
            op,
            "requires as many 'case_values' as it has cases",
        ));
    }
    if element.is_some_and(|it| !it.is(&given[0])) {
        return Err(operation_error(
            op,
            "requires 'case_values' of the type of the flag",
        ));
    }
    check_passed(op, 0, &given[1..=first])?;
    let mut from = 1 + first;
    for (place, size) in cases.into_iter().enumerate() {
        check_passed(op, place + 1, &given[from..from + size])?;
        from += size;
    }
    Ok(())
}
