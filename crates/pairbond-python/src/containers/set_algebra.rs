//! Unions, intersections and differences of tables.

use pairbond_core::error::Error;
use pairbond_value::value::Table;

/// The elements of `a` that are, or are not, in `b`.
pub(super) fn filter_elements(a: &Table<()>, b: &Table<()>, wanted: bool) -> Result<Table<()>, Error> {
    let mut table = Table::default();
    for entry in a.iter() {
        if b.find_place(entry.hash(), (&entry.key).into())?.is_some() == wanted {
            table.make_room()?;
            let _ = table.add(entry.hash(), entry.key.clone(), ());
        }
    }
    Ok(table)
}

/// Everything in `a` or `b`.
pub(super) fn unite_elements(mut a: Table<()>, b: &Table<()>) -> Result<Table<()>, Error> {
    for entry in b.iter() {
        if a.find_place(entry.hash(), (&entry.key).into())?.is_none() {
            a.make_room()?;
            a.add(entry.hash(), entry.key.clone(), ());
        }
    }
    Ok(a)
}

/// The operation of an operator or method on two tables.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Union,
    Intersection,
    Difference,
    Symmetric,
}

pub(super) fn apply_operation(operation: Operation, a: Table<()>, b: &Table<()>) -> Result<Table<()>, Error> {
    match operation {
        Operation::Union => unite_elements(a, b),
        Operation::Intersection => filter_elements(&a, b, true),
        Operation::Difference => filter_elements(&a, b, false),
        Operation::Symmetric => {
            unite_elements(filter_elements(&a, b, false)?, &filter_elements(b, &a, false)?)
        }
    }
}

/// Whether everything in `a` is in `b`.
pub(super) fn is_subset(a: &Table<()>, b: &Table<()>) -> Result<bool, Error> {
    if a.len() > b.len() {
        return Ok(false);
    }
    for entry in a.iter() {
        if b.find_place(entry.hash(), (&entry.key).into())?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
