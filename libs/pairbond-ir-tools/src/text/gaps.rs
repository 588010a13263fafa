//! [`Gaps`]: long comments that are no longer in memory, though what stands before them is still
//! needed.

use std::ops::Range;

use super::lexer;
use super::parse_error::Place;
use super::window::{AHEAD, PIECE};
use crate::room::Room;

/// The part of a text that is not needed, if a long part of blanks and comments begins at a place.
/// The first mark of a comment stays, so that its rest is still one.
pub(super) fn surplus_range(text: &str, begin: usize) -> Option<Range<usize>> {
    if text.len() - begin < PIECE {
        return None;
    }
    let stop = lexer::skip_blanks(text.as_bytes(), begin);
    if stop + AHEAD < text.len() || stop == begin {
        return None;
    }
    let blank = &text[begin..stop];
    // What stands behind the last word of a line is for messages about it.
    let line = blank.find('\n').filter(|it| *it < AHEAD);
    let rest = line.map_or(0, |it| it + 1);
    let first = match (line, blank[rest..].find("//")) {
        (Some(_), Some(mark)) => rest + mark + 2,
        // Up to there no line ends.
        (None, Some(mark)) => lexer::boundary_before(blank, AHEAD).max(mark + 2),
        (_, None) => rest.max(1),
    };
    let first = begin + first;
    let last = begin + blank.rfind('\n').unwrap_or(0);
    let is_open = text[last..stop].contains("//");
    let last = if is_open { stop } else { last };
    (first < last).then_some(first..last)
}

/// A part of the text that is not in memory, within blanks and comments.
struct Gap {
    /// Its first byte, as all places counted from the beginning of the text.
    at: usize,
    bytes: usize,
    lines: usize,
    /// Characters behind the last of these lines, or all of them.
    characters: usize,
}

/// Those of a window, in order.
#[derive(Default)]
pub(super) struct Gaps(Vec<Gap>);

impl Gaps {
    /// Whether all is in memory.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes before a place are not in memory.
    #[inline]
    pub(super) fn removed_before(&self, at: usize) -> usize {
        self.0.iter().take_while(|it| it.at < at).map(|it| it.bytes).sum()
    }

    /// The place of a byte that would be at another one if all were in memory.
    #[inline]
    pub(super) fn full_offset(&self, at: usize) -> usize {
        let past = |place: usize, gap: &Gap| if gap.at <= place { place + gap.bytes } else { place };
        self.0.iter().fold(at, past)
    }

    /// Where a stretch without gaps begins that ends at a place.
    pub(super) fn whole_from(&self, to: usize) -> Option<usize> {
        let before = self.0.iter().rev().find(|it| it.at < to);
        before.map(|it| it.at + it.bytes)
    }

    /// A part of the text goes.
    pub(super) fn add_gap(&mut self, at: usize, text: &str) {
        let (lines, characters) = match text.rfind('\n') {
            Some(last) => (
                text.bytes().filter(|it| *it == b'\n').count(),
                text[last..].chars().count() - 1,
            ),
            None => (0, text.chars().count()),
        };
        match self.0.last_mut().filter(|it| it.at + it.bytes == at) {
            Some(last) => {
                last.bytes += text.len();
                last.lines += lines;
                last.characters = if lines > 0 {
                    characters
                } else {
                    last.characters + characters
                };
            }
            None => self.0.room().push(Gap {
                at,
                bytes: text.len(),
                lines,
                characters,
            }),
        }
    }

    /// All before a place are past.
    pub(super) fn forget_before(&mut self, before: usize) {
        self.0.retain(|it| it.at >= before);
    }

    /// The line and column of a place behind a known one; `text` returns the text in memory between
    /// two places.
    pub(super) fn advance_place<'a>(
        &self,
        from: Place,
        to: usize,
        text: impl Fn(usize, usize) -> &'a str,
    ) -> Place {
        let mut place = from;
        for gap in self.0.iter().filter(|it| from.offset <= it.at && it.at < to) {
            place = place.after_text(text(place.offset, gap.at));
            place = place.after_counts(gap.bytes, gap.lines, gap.characters);
        }
        place.after_text(text(place.offset, to))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::Kind;
    use super::super::source::of_text;
    use super::super::watch::Watch;
    use super::super::window::{PIECE, Window};

    /// Two words and a comment between them: what stands where, and how much is in memory while the
    /// first word is still needed.
    fn check_gaps(comment: &str) {
        let text = format!("one\n\t%two = {comment}\n three four");
        let mut source = of_text(&text);
        let mut window = Window::new(&mut source, "<text>", Watch::default());
        let one = window.next_token(0);
        let two = window.next_token(one.end);
        let equals = window.next_token(two.end);
        let three = window.next_token(equals.end);
        let four = window.next_token(three.end);
        assert_eq!(window.text_between(one.start, one.end), "one");
        assert_eq!(window.text_between(three.start, three.end), "three");
        assert_eq!((three.start, four.end), (text.find("three").unwrap(), text.len()));
        assert_eq!(window.next_token(four.end).kind, Kind::End);
        // Tokens that were peeked are found again.
        assert_eq!(window.next_token(one.end).start, two.start);
        assert_eq!(window.next_token(equals.end).start, three.start);
        let lines = text.matches('\n').count();
        let shown = window.error_at_offset(three.start, "wrong").to_string();
        assert!(
            shown.contains(&format!(
                "<text>:{}:2: error: wrong\n   three four\n   ^",
                lines + 1
            )),
            "{shown}"
        );
        let memory = window.in_memory();
        assert!(memory < 5 * PIECE, "{memory} bytes for {}", text.len());
        assert_eq!(window.place_of(four.start).offset, four.start);
        window.hold_from(three.start);
        assert_eq!(window.text_between(four.start, four.end), "four");
    }

    #[test]
    fn comments_take_no_memory() {
        check_gaps("");
        for length in [PIECE - 20, 40 * PIECE] {
            check_gaps(&"// what is said of it é\n".repeat(length / 24));
            check_gaps(&format!("// {}", "long é ".repeat(length / 8)));
            check_gaps(&"\n \t".repeat(length / 3));
            check_gaps(&format!("\n{}// one", "// many\n\n".repeat(length / 9)));
        }
    }
}
