//! What is wrong with an operation, as an error.

use pairbond::prelude::*;

use crate::attributes::{Attribute, AttributeHead};
use crate::error::{self, Place};
use crate::ir::Operation;
use crate::print;

/// An `IRError` about an operation: where it comes from, what it is called, what is wrong, and as a note the operation itself.
#[cold]
pub(crate) fn about(op: &Ref<Operation>, what: &str) -> Error {
    let (text, location) = (format!("'{}' op {what}", op.name()), op.location());
    let error = match place(&location) {
        Some(place) => error::at(&place, &text, ""),
        None => error::ir(text),
    };
    error
        .with_note(note("see current operation", op))
        .with_field("location", location)
}

/// A note that shows an operation; of one with regions its first line.
#[cold]
pub(super) fn note(what: &str, op: &Ref<Operation>) -> String {
    let text = print::operation_text(op, print::Flags::default());
    let mut lines = text.trim_end().lines();
    let (first, more) = (lines.next().unwrap_or_default(), lines.next().is_some());
    let place = place(&op.location()).map_or_else(String::new, |it| format!(", at {it}"));
    format!("{what}{place}: {first}{}", if more { " …" } else { "" })
}

/// The innermost place in a file that a location names.
fn place(location: &Ref<Attribute>) -> Option<Place> {
    let mut waiting = vec![location.clone()];
    while let Some(it) = waiting.pop() {
        if let AttributeHead::FileLoc { file, start, .. } = it.head() {
            return Some(Place {
                file: file.to_string(),
                line: start.0.into(),
                column: start.1.into(),
            });
        }
        waiting.extend(it.attributes().iter().rev().cloned());
    }
    None
}
