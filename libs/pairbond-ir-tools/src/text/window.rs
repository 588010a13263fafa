//! [`Window`]: the part of a text that is in memory.
//!
//! Places in the text are counted in bytes from its beginning. In memory are
//! * text that is held ([`Window::hold_from`]): the operation, label or definition that is being
//!   read, without long comments in it and before it (`Gaps`),
//! * a little of the line before that, for messages,
//! * at least [`AHEAD`] bytes behind the current token, unless the text ends.
//!
//! No place makes this panic: one that is no longer in memory is that of the first byte that is,
//! one inside a character that of the character, and one behind the end that of the end
//! (`Window::char_index`). An error at a place that was let go is shown from the text that was
//! kept aside (`Window::text_around`).
//!
//! So a text needs no more memory than its result and one piece (`PIECE`). Text before regions is
//! kept aside meanwhile ([`Window::keep_aside`]).

use pairbond::prelude::*;

use super::gaps::{self, Gaps};
use super::lexer::{self, Kind, Token};
use super::parse_error::{self, Place};
use super::source::Source;
use super::watch::Watch;
use crate::error::ir_error;
use crate::room::{Room, boxed_str};

/// How much is read at once.
pub(super) const PIECE: usize = 1 << 17;
/// How much is known behind each token: enough for a message, and for whatever looks ahead.
pub const AHEAD: usize = 1024;
/// How much of a line before the place in question is kept.
const BEHIND: usize = 1024;

/// See the head of this file.
pub struct Window<'a> {
    source: std::cell::RefCell<&'a mut dyn Source>,
    watch: Watch<'a>,
    name: &'a str,
    text: String,
    /// The place of the first byte.
    first: Place,
    /// A place between that and the current token, from which lines and columns are counted on.
    near: Place,
    /// That of the operation that is being read.
    mark: Place,
    /// That of the text that was kept aside last, from which the next one is counted.
    kept: Place,
    /// The text from here on stays, but for comments.
    hold: usize,
    gaps: Gaps,
    /// Nothing more comes.
    ended: bool,
    /// Why nothing more comes, if that is not the end of the text.
    failed: std::cell::Cell<Option<Error>>,
    /// The beginning of a character.
    part: Vec<u8>,
    asides: Vec<(Place, Box<str>)>,
}

impl<'a> Window<'a> {
    /// Returns a window at the beginning of a text.
    #[must_use]
    pub fn new(source: &'a mut dyn Source, name: &'a str, watch: Watch<'a>) -> Self {
        Window {
            source: source.into(),
            watch,
            name,
            text: String::new(),
            first: Place::default(),
            near: Place::default(),
            mark: Place::default(),
            kept: Place::default(),
            hold: 0,
            gaps: Gaps::default(),
            ended: false,
            failed: None.into(),
            part: Vec::new(),
            asides: Vec::new(),
        }
    }

    /// Returns the text between two places; nothing if they are in no order.
    #[inline]
    #[must_use]
    pub fn text_between(&self, from: usize, to: usize) -> &str {
        let found = self.text.get(self.byte_index(from)..self.byte_index(to));
        found.unwrap_or_else(|| self.slice_near(from, to))
    }

    /// The same where a place is inside a character, or not in memory.
    #[cold]
    fn slice_near(&self, from: usize, to: usize) -> &str {
        self.text
            .get(self.char_index(from)..self.char_index(to))
            .unwrap_or_default()
    }

    /// The text in memory from a place on.
    #[inline]
    #[must_use]
    pub fn bytes_from(&self, from: usize) -> &[u8] {
        &self.text.as_bytes()[self.char_index(from)..]
    }

    /// The index of a place in memory, or the nearest one.
    #[inline]
    fn char_index(&self, at: usize) -> usize {
        lexer::boundary_before(&self.text, self.byte_index(at))
    }

    /// The same without a look at the characters: it may be inside of one, or behind the end.
    #[inline]
    fn byte_index(&self, at: usize) -> usize {
        at.saturating_sub(self.first.offset.saturating_add(self.gaps.removed_before(at)))
    }

    #[inline]
    fn position_of(&self, index: usize) -> usize {
        self.gaps.full_offset(self.first.offset + index)
    }

    #[inline]
    fn end_position(&self) -> usize {
        self.position_of(self.text.len())
    }

    /// The byte at a place that may be far ahead.
    pub fn byte_at(&mut self, at: usize) -> Option<u8> {
        while at + AHEAD > self.end_position() && self.read_more() {}
        self.bytes_from(at.min(self.end_position())).first().copied()
    }

    /// Returns the next token from a place on.
    #[inline]
    pub fn next_token(&mut self, from: usize) -> Token {
        let found = lexer::next_token(&self.text, self.char_index(from));
        let is_whole = found.end + AHEAD <= self.text.len() && !matches!(found.kind, Kind::Wrong(_));
        if is_whole && self.gaps.is_empty() {
            // Mostly: all places are as far behind the first byte's as in memory.
            let first = self.first.offset;
            return Token {
                kind: found.kind,
                start: first + found.start,
                end: first + found.end,
            };
        }
        self.token_near_end(from, found)
    }

    /// The same of a token that was found in memory, where that may end in it, or has gaps.
    #[inline(never)]
    fn token_near_end(&mut self, from: usize, mut token: Token) -> Token {
        loop {
            (token.start, token.end) = (self.position_of(token.start), self.position_of(token.end));
            if token.end + AHEAD <= self.end_position() && !self.is_torn(&token) {
                return token;
            }
            self.leave_out(from);
            if !self.read_more() {
                return token;
            }
            token = lexer::next_token(&self.text, self.char_index(from));
        }
    }

    /// Whether a string is without its end only because that was not read yet.
    fn is_torn(&self, token: &Token) -> bool {
        matches!(token.kind, Kind::Wrong(_)) && !self.bytes_from(token.start).contains(&b'\n')
    }

    /// Past blanks and comments.
    pub fn skip_blanks(&mut self, from: usize) -> usize {
        loop {
            let at = self.position_of(lexer::skip_blanks(self.text.as_bytes(), self.char_index(from)));
            if at + AHEAD <= self.end_position() {
                return at;
            }
            self.leave_out(from);
            if !self.read_more() {
                return at;
            }
        }
    }

    /// The end of a string that begins at a place, or an error.
    ///
    /// # Errors
    /// As of [`lexer::string_end`].
    pub fn string_end(&mut self, from: usize) -> Result<usize, &'static str> {
        loop {
            let found = lexer::string_end(self.bytes_from(from), 0).map(|it| it + from);
            if found.is_ok() || self.bytes_from(from).contains(&b'\n') || !self.read_more() {
                return found;
            }
        }
    }

    /// Lets go what stands before a place.
    #[inline]
    pub fn hold_from(&mut self, from: usize) {
        self.hold = from;
    }

    /// Keeps what stands from the last [`hold_from`](Self::hold_from) to a place until
    /// [`Self::rejoin_aside`].
    pub fn keep_aside(&mut self, to: usize) {
        let from = self.line_before(self.hold);
        let from = self.gaps.whole_from(to).map_or(from, |it| it.max(from));
        // Operations nest as deep as there is text: not from the window's beginning each time.
        let known = (self.first.offset..=from).contains(&self.kept.offset);
        let place = self.place_after(if known { self.kept } else { self.first }, from);
        self.kept = place;
        // To the end of the line, for messages.
        let behind = self.bytes_from(to);
        let behind = &behind[..AHEAD.min(behind.len())];
        let to = to + behind.iter().position(|it| *it == b'\n').unwrap_or(behind.len());
        let aside = boxed_str(self.text_between(from, to));
        self.asides.room().push((place, aside));
    }

    /// Lets go what [`Self::keep_aside`] kept last.
    #[inline]
    pub fn rejoin_aside(&mut self) {
        self.asides.pop();
    }

    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        self.text.capacity()
    }

    /// Reads some more, and releases text that is no longer needed. False: there is no more.
    #[cold]
    fn read_more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.let_go();
        if let Err(failed) = self
            .watch
            .report_progress(self.end_position())
            .and_then(|()| self.read_piece())
        {
            self.failed.set(Some(failed));
            self.ended = true;
        }
        true
    }

    fn let_go(&mut self) {
        let keep = self.line_before(self.hold);
        let gone = self.char_index(keep);
        // A large text is not moved for little.
        if gone * 2 < self.text.len() {
            return;
        }
        let first = self.place_after(self.first, keep);
        if self.near.offset < keep {
            self.near = first;
        }
        if self.mark.offset < keep {
            self.mark = first;
        }
        self.text.drain(..gone);
        self.gaps.forget_before(keep);
        self.first = first;
    }

    /// Lets long comments go from a place on, behind which nothing else is known yet.
    fn leave_out(&mut self, from: usize) {
        if let Some(range) = gaps::surplus_range(&self.text, self.char_index(from)) {
            self.gaps
                .add_gap(self.position_of(range.start), &self.text[range.clone()]);
            self.text.drain(range);
        }
    }

    /// A place in memory behind a known one.
    fn place_after(&self, from: Place, to: usize) -> Place {
        self.gaps
            .advance_place(from, to, |from, to| self.text_between(from, to))
    }

    /// A piece, or as much as there is already of something large.
    fn read_piece(&mut self) -> Result<()> {
        let known = self.text.len();
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.append(&mut self.part);
        let before = bytes.len();
        let read = self.source.get_mut().read_some(before.max(PIECE), &mut bytes);
        self.ended = bytes.len() == before;
        let wrong = match String::from_utf8(bytes) {
            Ok(text) => {
                self.text = text;
                return read;
            }
            Err(wrong) => wrong,
        };
        let (good, torn) = (
            wrong.utf8_error().valid_up_to(),
            wrong.utf8_error().error_len().is_none(),
        );
        let mut bytes = wrong.into_bytes();
        debug_assert!(known <= good);
        self.part = bytes.split_off(good);
        self.text = String::from_utf8(bytes).unwrap_or_default();
        read?;
        match torn && !self.ended {
            true => Ok(()),
            false => Err(ir_error(format!(
                "{}: error: byte {} is not UTF-8",
                self.name,
                self.end_position()
            ))),
        }
    }

    /// The beginning of the line of a place, or if that is far, a place not so far before it.
    fn line_before(&self, at: usize) -> usize {
        let place = self.char_index(at);
        let from = lexer::boundary_before(&self.text, place.saturating_sub(BEHIND));
        let newline = self.text.as_bytes()[from..place]
            .iter()
            .rposition(|it| *it == b'\n');
        self.position_of(newline.map_or(from, |it| from + it + 1))
    }

    /// The line and the column of a place that is in memory or aside. Cheap if places are asked for
    /// in their order.
    pub fn place_of(&mut self, at: usize) -> Place {
        if let Some((first, text)) = self.text_around(at) {
            return first.after_text(&text[..lexer::boundary_before(text, at - first.offset)]);
        }
        let before = [self.near, self.mark].into_iter().filter(|it| it.offset <= at);
        let near = before.max_by_key(|it| it.offset).unwrap_or(self.first);
        self.near = self.place_after(near, at);
        self.near
    }

    /// The place where an operation begins, from which those in it are counted.
    pub fn mark_operation(&mut self, at: usize) -> Place {
        self.mark = self.place_of(at);
        self.mark
    }

    /// Returns the name of the text.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The text that was kept aside around a place that is not held, and its beginning.
    fn text_around(&self, at: usize) -> Option<(Place, &str)> {
        if at >= self.hold {
            return None;
        }
        let mut aside = self.asides.iter().rev();
        let found = aside.find(|(first, text)| (first.offset..first.offset + text.len()).contains(&at))?;
        Some((found.0, &found.1))
    }

    /// Why the text ends, if it does so before its end.
    ///
    /// # Errors
    /// That.
    pub fn check_complete(&self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// An error at a place that is in memory or aside.
    #[cold]
    #[must_use]
    pub fn error_at_offset(&self, at: usize, what: &str) -> Error {
        if let Err(failed) = self.check_complete() {
            return failed;
        }
        let (first, text) = match (self.text_around(at), self.gaps.whole_from(at)) {
            (Some(known), _) => known,
            // Behind the last gap, where all is there.
            (None, Some(from)) => (
                self.place_after(self.first, from),
                &self.text[self.char_index(from)..],
            ),
            (None, None) => (self.first, &*self.text),
        };
        parse_error::error_at(self.name, first, text, at, what)
    }

    /// An error at a place whose text is gone.
    #[cold]
    #[must_use]
    pub fn error_at(&self, place: Place, what: &str) -> Error {
        if place.offset >= self.first.offset || self.text_around(place.offset).is_some() {
            return self.error_at_offset(place.offset, what);
        }
        let from = place.offset.saturating_sub(BEHIND);
        let again = self.source.borrow_mut().read_again(from, BEHIND + AHEAD);
        parse_error::error_in_reread(self.name, place, from, again.as_deref(), what)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_error::LOOKED_AT;
    use super::super::source::of_text;
    use super::super::watch::Watch;
    use super::Window;

    /// Each operation is kept aside while those in it are read.
    #[test]
    fn lines_of_nested_operations_are_counted_once() {
        let text = "word {\n".repeat(10_000);
        let mut source = of_text(&text);
        let mut window = Window::new(&mut source, "<text>", Watch::default());
        let before = LOOKED_AT.get();
        let mut at = 0;
        for line in 1..=10_000 {
            let word = window.next_token(at);
            window.hold_from(word.start);
            assert_eq!(window.place_of(word.start).line(), line);
            let brace = window.next_token(word.end);
            window.keep_aside(brace.end);
            at = brace.end;
        }
        let counted = LOOKED_AT.get() - before;
        assert!(
            counted <= 4 * text.len(),
            "{counted} bytes counted of {}",
            text.len()
        );
    }
}
