//! Errors about operations.

use pairbond::prelude::*;

use crate::context::attributes::{place_of, wrong_at};
use crate::ir::Operation;
use crate::print;

/// An `IRError` about an operation: its location, its name, the violation, and as a note the
/// operation itself.
#[cold]
pub(crate) fn operation_error(op: &Ref<Operation>, what: &str) -> Error {
    wrong_at(op.location(), &format!("'{}' op {what}", op.name()))
        .with_note(operation_note("see current operation", op))
}

/// A note that shows an operation; of one with regions its first line.
#[cold]
pub(super) fn operation_note(what: &str, op: &Ref<Operation>) -> String {
    let text = print::operation_text(op, print::Flags::default());
    let mut lines = text.trim_end().lines();
    let (first, more) = (lines.next().unwrap_or_default(), lines.next().is_some());
    let place = place_of(&op.location()).map_or_else(String::new, |it| format!(", at {it}"));
    format!("{what}{place}: {first}{}", if more { " …" } else { "" })
}
