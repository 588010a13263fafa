//! Reading MLIR's generic form.
//!
//! [`Parser`] is a recursive descent over tokens that are made on the way; where the grammar nests it goes on on the heap when the stack ends
//! ([`crate::print::deep`]). Whatever is wrong is an `IRError` with the place, the line and a caret.

mod affine;
mod attributes;
mod dense;
mod dialect;
mod error;
mod lexer;
mod literals;
mod locations;
mod module;
mod names;
mod operation;
mod region;
mod resources;
mod types;
mod watch;

use pairbond::prelude::*;

use crate::attributes::{Attribute, unknown};
use crate::context::Context;
use crate::fast::FastMap;
use crate::types::Type;
use lexer::{Kind, Token};
pub(crate) use module::{file, module, one_operation};
use operation::{OpName, Scratch};
use watch::Watch;

/// Where reading has come to.
pub(crate) struct Parser<'a> {
    context: Ref<Context>,
    name: &'a str,
    text: &'a str,
    token: Token,
    /// Where the token before this one ended.
    last: usize,
    types: FastMap<&'a str, Ref<Type>>,
    attributes: FastMap<&'a str, Ref<Attribute>>,
    distinct: FastMap<u64, Ref<Attribute>>,
    /// Words, and types with brackets, that have been read before.
    words: FastMap<&'a str, Ref<Type>>,
    /// Dictionaries that have been read before.
    dictionaries: FastMap<&'a str, Ref<Attribute>>,
    /// Names of operations, in their quotes.
    names: FastMap<&'a str, OpName>,
    /// What data that the text defines is called in the context.
    resources: FastMap<String, Box<str>>,
    unknown: Ref<Attribute>,
    scratch: Scratch<'a>,
    watch: Watch<'a>,
}

/// Reads one type, and nothing else.
pub(crate) fn one_type(context: &Ref<Context>, text: &str) -> Result<Ref<Type>> {
    let mut parser = Parser::new(context, text, "<text>");
    let found = parser.r#type()?;
    parser.end()?;
    Ok(found)
}

/// Reads one attribute, and nothing else.
pub(crate) fn one_attribute(context: &Ref<Context>, text: &str) -> Result<Ref<Attribute>> {
    let mut parser = Parser::new(context, text, "<text>");
    let found = parser.attribute(None)?;
    parser.end()?;
    Ok(found)
}

impl<'a> Parser<'a> {
    pub(crate) fn new(context: &Ref<Context>, text: &'a str, name: &'a str) -> Self {
        Parser {
            context: context.clone(),
            name,
            text,
            token: lexer::next(text, 0),
            last: 0,
            types: FastMap::default(),
            attributes: FastMap::default(),
            distinct: FastMap::default(),
            words: FastMap::default(),
            dictionaries: FastMap::default(),
            names: FastMap::default(),
            resources: FastMap::default(),
            unknown: unknown(context),
            scratch: Scratch::default(),
            watch: Watch::default(),
        }
    }

    /// The text from the current token to the bracket that closes what opens at `open`, if that is near. What was read of the same text before is the
    /// same again: aliases are defined once.
    fn bracketed(&self, open: usize) -> Option<&'a str> {
        const NEAR: usize = 512;
        let bytes = &self.text.as_bytes()[open..];
        let (mut depth, mut at) = (0_u32, 0);
        while at < bytes.len().min(NEAR) {
            match bytes[at] {
                b'<' | b'[' | b'(' | b'{' => depth += 1,
                b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
                b'>' | b']' | b')' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        return self.text.get(self.token.start..=open + at);
                    }
                }
                b'"' => {
                    at = lexer::string_end(bytes, at).ok()?;
                    continue;
                }
                b'/' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// What the current token says.
    fn word(&self) -> &'a str {
        &self.text[self.token.start..self.token.end]
    }

    fn is(&self, mark: u8) -> bool {
        self.token.kind == Kind::Mark(mark)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token.kind == Kind::Word && self.word() == word
    }

    /// Goes on; gives what the token said.
    fn advance(&mut self) -> &'a str {
        let word = self.word();
        self.last = self.token.end;
        self.token = lexer::next(self.text, self.token.end);
        word
    }

    /// Goes on from a place in the text.
    fn jump(&mut self, to: usize) {
        self.last = to;
        self.token = lexer::next(self.text, to);
    }

    /// Passes a mark, if it is there.
    fn accept(&mut self, mark: u8) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: u8, behind: &str) -> Result<()> {
        match self.accept(mark) {
            true => Ok(()),
            false => Err(self.expected(&format!("expected '{}'{behind}", char::from(mark)))),
        }
    }

    /// An error at the current token. Where the lexer knows better what is wrong, that is said.
    #[cold]
    fn expected(&self, what: &str) -> Error {
        match self.token.kind {
            Kind::Wrong(better) => self.error(self.token.start, better),
            _ => self.error(self.token.start, what),
        }
    }

    #[cold]
    fn error(&self, offset: usize, what: &str) -> Error {
        error::at(self.name, self.text, offset, what)
    }

    fn end(&self) -> Result<()> {
        match self.token.kind {
            Kind::End => Ok(()),
            _ => Err(self.expected(&format!("found trailing characters: '{}'", self.word()))),
        }
    }

    /// Items with commas between, up to a closing mark, which is passed.
    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.accept(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.accept(b',') {
                return self.expect(close, "");
            }
        }
    }

    /// A string's bytes.
    fn string(&mut self, what: &str) -> Result<Vec<u8>> {
        match self.token.kind {
            Kind::String => Ok(lexer::unquoted(self.advance())),
            _ => Err(self.expected(what)),
        }
    }

    /// A string that is text.
    fn utf8(&mut self, what: &str) -> Result<String> {
        let start = self.token.start;
        String::from_utf8(self.string(what)?).map_err(|_| self.error(start, "this string must be UTF-8"))
    }
}
