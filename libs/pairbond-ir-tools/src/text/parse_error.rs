//! Errors in texts, with their places.

use pairbond::prelude::*;

use crate::error;

/// A place in a text. Lines and columns are counted from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In bytes from the beginning of the text.
    pub offset: usize,
    line: usize,
    column: usize,
}

impl Default for Place {
    fn default() -> Self {
        Place {
            offset: 0,
            line: 1,
            column: 1,
        }
    }
}

impl Place {
    /// Returns the line, counted from one.
    #[inline]
    #[must_use]
    pub fn line(self) -> u32 {
        u32::try_from(self.line).unwrap_or(u32::MAX)
    }

    /// Returns the column, counted from one.
    #[inline]
    #[must_use]
    pub fn column(self) -> u32 {
        u32::try_from(self.column).unwrap_or(u32::MAX)
    }

    /// The place behind some text.
    pub(super) fn after_text(self, text: &str) -> Place {
        let (lines, column, line) = match text.rfind('\n') {
            Some(last) => (count_newlines(&text[..last]) + 1, 1, &text[last + 1..]),
            None => (0, self.column, text),
        };
        Place {
            offset: self.offset + text.len(),
            line: self.line + lines,
            column: column + line.chars().count(),
        }
    }
}

impl Place {
    /// The place behind some text that is not in memory, with so many characters behind the last of
    /// its lines.
    pub(super) fn after_counts(self, bytes: usize, lines: usize, characters: usize) -> Place {
        Place {
            offset: self.offset + bytes,
            line: self.line + lines,
            column: if lines > 0 { 1 } else { self.column } + characters,
        }
    }
}

#[cfg(test)]
thread_local! {
    /// How many bytes were looked at for newlines.
    pub(super) static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many lines end in a text.
fn count_newlines(text: &str) -> usize {
    #[cfg(test)]
    LOOKED_AT.set(LOOKED_AT.get() + text.len());
    // Few enough to be counted in a byte, so that many are compared at once.
    let some = |it: &[u8]| it.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    text.as_bytes().chunks(255).map(|it| usize::from(some(it))).sum()
}

/// An error at a place in a text, of which a part is known: `name:line:column: error: message`, the
/// line and a caret below the place.
#[cold]
pub(super) fn error_at(name: &str, first: Place, text: &str, offset: usize, what: &str) -> Error {
    let offset = (0..=offset.saturating_sub(first.offset).min(text.len()))
        .rev()
        .find(|it| text.is_char_boundary(*it))
        .unwrap_or(0);
    format_message(
        name,
        first.after_text(&text[..offset]),
        Some((text, offset)),
        what,
    )
}

/// The same at a place whose surroundings, from `from` on, may have been read again.
#[cold]
pub(super) fn error_in_reread(
    name: &str,
    place: Place,
    from: usize,
    bytes: Option<&[u8]>,
    what: &str,
) -> Error {
    let around = bytes.and_then(|bytes| {
        // A piece begins and ends within characters.
        let (before, behind) = bytes.split_at_checked(place.offset - from)?;
        let mut text = String::from_utf8_lossy(before).into_owned();
        let offset = text.len();
        text += &String::from_utf8_lossy(behind);
        Some((text, offset))
    });
    let around = around.as_ref().map(|(text, offset)| (&**text, *offset));
    format_message(name, place, around, what)
}

fn format_message(name: &str, place: Place, around: Option<(&str, usize)>, what: &str) -> Error {
    let shown = around.map(|(text, offset)| {
        let start = text[..offset].rfind('\n').map_or(0, |it| it + 1);
        let line = text[start..].lines().next().unwrap_or("");
        let (line, indent) = shorten_line(line, &text[start..offset]);
        format!("\n  {line}\n  {indent}^")
    });
    let place = error::Place {
        file: name.to_owned(),
        line: to_i64(place.line),
        column: to_i64(place.column),
    };
    error::error_at(&place, what, &shown.unwrap_or_default())
}

fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The part of a very long line around the place, and the text before the caret.
fn shorten_line(line: &str, before: &str) -> (String, String) {
    const MOST: usize = 240;
    const BEFORE: usize = 80;
    // Tabs stay tabs, so that the caret stands where the reader's tabs put it.
    let blank = |it| if it == '\t' { '\t' } else { ' ' };
    if line.len() <= MOST {
        return (line.to_owned(), before.chars().map(blank).collect());
    }
    let skipped = before.chars().count().saturating_sub(BEFORE);
    let part: String = line.chars().skip(skipped).take(MOST).collect();
    let dots = if skipped > 0 { "…" } else { "" };
    let more = if line.chars().count() > skipped + MOST {
        "…"
    } else {
        ""
    };
    let indent: String = dots
        .chars()
        .chain(before.chars().skip(skipped))
        .map(blank)
        .collect();
    (format!("{dots}{part}{more}"), indent)
}
