//! What is wrong with a text, and where.

use pairbond::prelude::*;

use crate::error;

/// `name:line:column: error: what`, the line and a caret below the place.
#[cold]
pub(super) fn at(name: &str, text: &str, offset: usize, what: &str) -> Error {
    let offset = (0..=offset.min(text.len()))
        .rev()
        .find(|it| text.is_char_boundary(*it))
        .unwrap_or(0);
    let before = &text[..offset];
    let number = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let column = text[start..offset].chars().count() + 1;
    // Tabs stay tabs, so that the caret stands where the reader's tabs put it.
    let indent: String = text[start..offset]
        .chars()
        .map(|it| if it == '\t' { '\t' } else { ' ' })
        .collect();
    let (line, indent) = shortened(line, indent, column);
    error::ir(format!(
        "{name}:{number}:{column}: error: {what}\n  {line}\n  {indent}^"
    ))
}

/// Of a very long line what is around the place.
fn shortened(line: &str, indent: String, column: usize) -> (String, String) {
    const MOST: usize = 240;
    const BEFORE: usize = 80;
    if line.len() <= MOST {
        return (line.to_owned(), indent);
    }
    let skipped = (column - 1).saturating_sub(BEFORE);
    let part: String = line.chars().skip(skipped).take(MOST).collect();
    let dots = if skipped > 0 { "…" } else { "" };
    let indent: String = indent.chars().skip(skipped).collect();
    (
        format!("{dots}{part}…"),
        format!("{}{indent}", if skipped > 0 { " " } else { "" }),
    )
}
