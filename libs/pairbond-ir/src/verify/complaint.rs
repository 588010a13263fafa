//! What is wrong with an operation, as an error.

use pairbond::prelude::*;

use crate::attributes::{Attribute, AttributeHead};
use crate::error;
use crate::ir::Operation;
use crate::print;

/// An `IRError` about an operation: where it comes from, what it is called, what is wrong, and as a note the operation itself.
#[cold]
pub(crate) fn about(op: &Ref<Operation>, what: &str) -> Error {
    let text = format!("'{}' op {what}", op.name());
    let located = match place(&op.location()) {
        Some(place) => format!("{place}: error: {text}"),
        None => text,
    };
    error::ir(located).with_note(note("see current operation", op))
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

/// `file:line:column` of the innermost place in a file that a location names.
fn place(location: &Ref<Attribute>) -> Option<String> {
    let mut waiting = vec![location.clone()];
    while let Some(it) = waiting.pop() {
        if let AttributeHead::FileLoc { file, start, .. } = it.head() {
            return Some(format!("{file}:{}:{}", start.0, start.1));
        }
        waiting.extend(it.attributes().iter().rev().cloned());
    }
    None
}
