//! Parts of an operation as its class names them: what Python's attributes read and write.

use std::ops::Range;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::groups::{group_ranges, segment_sizes};
use crate::context::attributes::Attribute;
use crate::error;
use crate::ir::{
    Block, OpAttributeMap, OpSuccessors, Operation, Value, edits, operand_at, operand_count, set_operand,
};
use crate::op_definition::{Arity, Declared, Part, find_definition};

/// The kind of an operation's part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Operand,
    Result,
    Region,
    Successor,
}

impl Kind {
    fn from_name(name: &str) -> Result<Kind> {
        match name {
            "operand" => Ok(Kind::Operand),
            "result" => Ok(Kind::Result),
            "region" => Ok(Kind::Region),
            "successor" => Ok(Kind::Successor),
            _ => Err(Error::value_error("no kind of part")),
        }
    }

    /// How many of the kind an operation has.
    fn count_in(self, op: &Ref<Operation>) -> usize {
        match self {
            Kind::Operand => operand_count(op),
            Kind::Result => op.list(|it| &it.results).len(),
            Kind::Region => op.list(|it| &it.regions).len(),
            Kind::Successor => op.successor_count(),
        }
    }

    /// One of them.
    fn element_at(self, op: &Ref<Operation>, place: usize) -> Result<Any> {
        Ok(match self {
            Kind::Operand => operand_at(op, place)?.into(),
            Kind::Result => op.list(|it| &it.results).get(place).into(),
            Kind::Region => op.list(|it| &it.regions).get(place).into(),
            Kind::Successor => OpSuccessors::for_operation(op.clone())
                .successor_at(place)?
                .into(),
        })
    }
}

impl Declared {
    fn parts_of_kind(&self, kind: Kind) -> &[Part] {
        match kind {
            Kind::Operand => &self.operands,
            Kind::Result => &self.results,
            Kind::Region => &self.regions,
            Kind::Successor => &self.successors,
        }
    }

    /// The places of all parts of a kind, or an error about their number.
    pub(crate) fn part_ranges(&self, op: &Ref<Operation>, kind: Kind) -> Result<Vec<Range<usize>>, String> {
        let (what, sizes) = match kind {
            Kind::Operand => ("operand", "operandSegmentSizes"),
            Kind::Result => ("result", "resultSegmentSizes"),
            Kind::Region => ("region", "regionSegmentSizes"),
            Kind::Successor => ("successor", "successorSegmentSizes"),
        };
        group_ranges(self.parts_of_kind(kind), kind.count_in(op), what, || {
            (sizes.to_owned(), segment_sizes(op, sizes))
        })
    }
}

fn part_range(op: &Ref<Operation>, kind: Kind, number: usize) -> Result<(Arity, Range<usize>)> {
    op.check()?;
    let declared = find_definition(op.name())
        .ok_or_else(|| error::ir_error(format!("'{}' is not declared", op.name())))?;
    // Mostly each part is one.
    let parts = declared.parts_of_kind(kind);
    let single = parts.len() == kind.count_in(op) && parts.iter().all(|it| it.arity == Arity::One);
    if single && number < parts.len() {
        return Ok((Arity::One, number..number + 1));
    }
    let places = declared.part_ranges(op, kind);
    let places = places.map_err(|what| error::ir_error(format!("'{}' op {what}", op.name())))?;
    match (declared.parts_of_kind(kind).get(number), places.get(number)) {
        (Some(part), Some(place)) => Ok((part.arity, place.clone())),
        _ => Err(Error::index_error(
            "no such part: the operation was declared anew",
        )),
    }
}

/// A part of an operation that is one object, or None if there is none.
#[pairbond::function]
#[name("_part")]
pub(crate) fn part_of(op: Ref<Operation>, kind: &str, number: usize) -> Result<Any> {
    let kind = Kind::from_name(kind)?;
    let mut places = part_range(&op, kind, number)?.1;
    places.next().map_or(Ok(Any::None), |at| kind.element_at(&op, at))
}

/// A part of an operation that is any number of objects.
#[pairbond::function]
#[name("_parts")]
pub(crate) fn parts_of(op: Ref<Operation>, kind: &str, number: usize) -> Result<Vec<Any>> {
    let kind = Kind::from_name(kind)?;
    let places = part_range(&op, kind, number)?.1;
    places.map(|at| kind.element_at(&op, at)).collect()
}

/// Lets other values, or blocks, be the operands or successors of a part: as many as there were.
#[pairbond::function]
#[name("_set_part")]
pub(crate) fn set_part_of(op: Ref<Operation>, kind: &str, number: usize, value: Any) -> Result<()> {
    let kind = Kind::from_name(kind)?;
    let (arity, places) = part_range(&op, kind, number)?;
    let new: Vec<Any> = match (&value, arity) {
        (Any::None, Arity::Optional) => Vec::new(),
        (_, Arity::Variadic) => value.to()?,
        _ => vec![value],
    };
    if new.len() != places.len() {
        let (old, new) = (places.len(), new.len());
        return Err(error::ir_error(format!(
            "there are {old} of these in '{}', and cannot be {new}: make a new operation",
            op.name()
        )));
    }
    match kind {
        Kind::Operand => {
            let new: Vec<Ref<Value>> = new.iter().map(Any::to).collect::<Result<_>>()?;
            places
                .zip(&new)
                .try_for_each(|(place, value)| set_operand(&op, place, value))
        }
        Kind::Successor => {
            let new: Vec<Ref<Block>> = new.iter().map(Any::to).collect::<Result<_>>()?;
            let successors = OpSuccessors::for_operation(op.clone());
            places
                .zip(&new)
                .for_each(|(place, block)| successors.set_successor(place, block));
            Ok(())
        }
        Kind::Result | Kind::Region => Err(Error::new(
            ErrorKind::Attribute,
            "results and regions cannot be replaced",
        )),
    }
}

/// An attribute by name; None if there is none.
#[pairbond::function]
#[name("_attribute")]
pub(crate) fn attribute_of(op: Ref<Operation>, name: &str) -> Result<Option<Ref<Attribute>>> {
    op.check()?;
    Ok(edits::attribute(&op, name))
}

/// Sets an attribute, or takes it out.
#[pairbond::function]
#[name("_set_attribute")]
pub(crate) fn set_attribute_of(
    op: Ref<Operation>,
    name: &str,
    #[required] value: Option<Ref<Attribute>>,
) -> Result<()> {
    let attributes = OpAttributeMap::for_operation(op);
    match value {
        Some(value) => attributes.set_entry(name, value),
        None => attributes.remove_entry(name).map(drop),
    }
}
