//! Branches of `cf`: their operands match the arguments of their successors.

use pairbond::prelude::*;

use super::complaint::about;
use super::dialects::{arguments, operand_types, same};
use crate::ir::Operation;
use crate::ir::edits::attribute;
use crate::op_definition::segments;
use crate::room::Gather;
use crate::types::{Type, TypeHead};

/// The operands for a successor, and its arguments.
fn passed(op: &Ref<Operation>, successor: usize, given: &[Ref<Type>]) -> Result<()> {
    let target = op.successors().get(successor).and_then(Weak::upgrade);
    let Some(target) = target else {
        return Err(about(op, &format!("requires a successor #{successor}")));
    };
    let wanted: Vec<Ref<Type>> = arguments(&target).iter().map(|it| it.r#type()).gather();
    let of = format!("argument of successor #{successor}");
    same(op, given, &wanted, "operand for it", &of)
}

fn counts(op: &Ref<Operation>, successors: usize) -> Result<()> {
    match op.successors().len() == successors {
        true => Ok(()),
        false => Err(about(op, &format!("requires {successors} successors"))),
    }
}

pub(super) fn one(op: &Ref<Operation>) -> Result<()> {
    counts(op, 1)?;
    passed(op, 0, &operand_types(op))
}

pub(super) fn two(op: &Ref<Operation>) -> Result<()> {
    counts(op, 2)?;
    let given = operand_types(op);
    let sizes = segments(op, "operandSegmentSizes");
    let Some([1, first, second]) = sizes.as_deref() else {
        return Err(about(
            op,
            "requires attribute 'operandSegmentSizes' with one condition and two sizes",
        ));
    };
    if given.len() != 1 + first + second {
        return Err(about(
            op,
            "has operands that do not fit its 'operandSegmentSizes'",
        ));
    }
    if !matches!(given[0].head(), TypeHead::Integer { width: 1, .. }) {
        return Err(about(op, "operand #0 must be i1"));
    }
    passed(op, 0, &given[1..=*first])?;
    passed(op, 1, &given[1 + first..])
}

pub(super) fn many(op: &Ref<Operation>) -> Result<()> {
    let given = operand_types(op);
    let targets = op.successors().len();
    if targets == 0 {
        return Err(about(op, "requires at least 1 successor"));
    }
    let sizes = segments(op, "operandSegmentSizes");
    let Some([1, first, rest]) = sizes.as_deref().map(<[usize; 3]>::try_from).and_then(Result::ok) else {
        return Err(about(
            op,
            "requires attribute 'operandSegmentSizes' with one flag and two sizes",
        ));
    };
    let cases = segments(op, "case_operand_segments").filter(|it| it.iter().sum::<usize>() == rest);
    let Some(cases) = cases.filter(|it| it.len() == targets - 1 && given.len() == 1 + first + rest) else {
        return Err(about(
            op,
            "has operands that do not fit its 'operandSegmentSizes' and 'case_operand_segments'",
        ));
    };
    if !matches!(given[0].head(), TypeHead::Integer { .. }) {
        return Err(about(op, "operand #0 must be an integer"));
    }
    let values = attribute(op, "case_values").and_then(|it| it.type_of().cloned());
    let (count, element) = values.as_ref().map_or((0, None), |it| match it.head() {
        TypeHead::Tensor { shape: Some(shape) } => {
            (shape.first().copied().unwrap_or(0), Some(Type::element(it)))
        }
        TypeHead::Vector { shape } => (shape.first().map_or(0, |it| it.0), Some(Type::element(it))),
        _ => (-1, None),
    });
    if usize::try_from(count) != Ok(targets - 1) {
        return Err(about(op, "requires as many 'case_values' as it has cases"));
    }
    if element.is_some_and(|it| !it.is(&given[0])) {
        return Err(about(op, "requires 'case_values' of the type of the flag"));
    }
    passed(op, 0, &given[1..=first])?;
    let mut from = 1 + first;
    for (place, size) in cases.into_iter().enumerate() {
        passed(op, place + 1, &given[from..from + size])?;
        from += size;
    }
    Ok(())
}
