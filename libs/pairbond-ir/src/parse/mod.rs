//! Reading MLIR's generic form.
//!
//! [`Parser`] is a recursive descent over tokens that are made on the way, over a text of which a
//! part is in memory ([`window`]); where the grammar nests it goes on on the heap when the stack
//! ends ([`crate::recursion::with_stack`]). Whatever is wrong is an `IRError` with the place, the
//! line and a caret.

mod affine;
mod attribute_parser;
mod dense_parser;
mod dialect;
mod forward_refs;
mod input;
mod literals;
mod location_parser;
mod name;
mod operation_parser;
mod parse_methods;
mod read_files;
mod region_parser;
mod resource_parser;
mod seen;
mod type_parser;
mod whole_text;

use pairbond::memory::check_room;
use pairbond::prelude::*;
pub(crate) use pairbond_ir_tools::text::source::{Source, Stream};
use pairbond_ir_tools::text::{lexer, parse_error, source, watch, window};

use crate::context::Context;
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::Type;
use crate::fast::FastMap;
pub(crate) use input::Text;
use lexer::{Kind, Token};
use name::Name;
use operation_parser::{OpName, Scratch};
pub use read_files::read_module;
use seen::Seen;
use watch::Watch;
pub(crate) use whole_text::{one_operation, parse_file, parse_module};
use window::Window;

/// Where reading has come to.
pub(crate) struct Parser<'a> {
    context: Ref<Context>,
    window: Window<'a>,
    token: Token,
    /// Where the token before this one ended.
    last: usize,
    types: FastMap<Name, Ref<Type>>,
    attributes: FastMap<Name, Ref<Attribute>>,
    distinct: FastMap<u64, Ref<Attribute>>,
    /// Words, and types with brackets, that have been read before.
    words: Seen<Ref<Type>>,
    /// Dictionaries that have been read before.
    dictionaries: Seen<Ref<Attribute>>,
    /// Names of operations, in their quotes.
    names: Seen<OpName>,
    /// The names in the context of data that the text refers to.
    resources: FastMap<Box<str>, Box<str>>,
    /// Whether the text may define data.
    of_module: bool,
    /// Where what has no location of its own comes from: this text.
    text: Ref<Attribute>,
    scratch: Scratch,
}

/// Reads one type, and nothing else.
pub(crate) fn one_type(context: &Ref<Context>, text: &str) -> Result<Ref<Type>> {
    parse_whole(context, text, |parser| parser.parse_type())
}

/// Reads one attribute, and nothing else.
pub(crate) fn one_attribute(context: &Ref<Context>, text: &str) -> Result<Ref<Attribute>> {
    parse_whole(context, text, |parser| parser.parse_attribute(None))
}

fn parse_whole<T>(context: &Ref<Context>, text: &str, read: fn(&mut Parser<'_>) -> Result<T>) -> Result<T> {
    let mut source = source::of_text(text);
    let mut parser = Parser::new(context, &mut source, TEXT, Watch::default());
    let found = read(&mut parser).and_then(|it| parser.check_end().map(|()| it));
    found.map_err(|error| named_by(text, error))
}

/// The file name of the places in texts, as MLIR has it.
pub(crate) const TEXT: &str = "-";

/// An error in the text of a type or attribute, which MLIR calls by the text. A long one stays `-`.
#[cold]
fn named_by(text: &str, error: Error) -> Error {
    const MOST: usize = 80;
    match error.field("filename").is_some() && text.len() <= MOST && !text.contains('\n') {
        true => error.with_field("filename", text),
        false => error,
    }
}

/// A text as a whole.
fn text_location(context: &Ref<Context>, name: &str) -> Ref<Attribute> {
    let (file, start, end) = (name.into(), (0, 0), (0, 0));
    Attribute::without_parts(context, AttributeHead::FileLoc { file, start, end })
}

impl<'a> Parser<'a> {
    fn new(context: &Ref<Context>, source: &'a mut dyn Source, name: &'a str, watch: Watch<'a>) -> Self {
        let mut window = Window::new(source, name, watch);
        Parser {
            context: context.clone(),
            token: window.next_token(0),
            window,
            last: 0,
            types: FastMap::default(),
            attributes: FastMap::default(),
            distinct: FastMap::default(),
            words: Seen::default(),
            dictionaries: Seen::default(),
            names: Seen::default(),
            resources: FastMap::default(),
            of_module: false,
            text: text_location(context, name),
            scratch: Scratch::default(),
        }
    }

    /// The end of the bracket that is open at `open`, from the current token on, if that is near. A
    /// text that was read before is the same again: aliases are defined once.
    fn find_closing(&self, open: usize) -> Option<usize> {
        const NEAR: usize = 512;
        const { assert!(NEAR < window::AHEAD) };
        let bytes = self.window.bytes_from(open);
        let (mut depth, mut at) = (0_u32, 0);
        while at < bytes.len().min(NEAR) {
            match bytes[at] {
                b'<' | b'[' | b'(' | b'{' => depth += 1,
                b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
                b'>' | b']' | b')' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(open + at + 1);
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

    /// Returns the text of the current token.
    fn token_text(&self) -> &str {
        self.window.text_between(self.token.start, self.token.end)
    }

    /// The same without the mark that it begins with.
    fn text_after_mark(&self) -> &str {
        &self.token_text()[1..]
    }

    fn is_mark(&self, mark: u8) -> bool {
        self.token.kind == Kind::Mark(mark)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token.kind == Kind::Word && self.token_text() == word
    }

    /// Goes on.
    fn advance_token(&mut self) {
        self.jump_to(self.token.end);
    }

    /// Goes on; gives the name that the token was, with its mark.
    fn take_name(&mut self) -> Name {
        let name = self.token_text().into();
        self.advance_token();
        name
    }

    /// Goes on from a place in the text.
    fn jump_to(&mut self, to: usize) {
        self.last = to;
        self.token = self.window.next_token(to);
    }

    /// Releases the text before the current token.
    fn release_passed(&mut self) {
        self.window.hold_from(self.token.start);
    }

    /// Passes a mark, if it is there.
    fn accept_mark(&mut self, mark: u8) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.advance_token();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance_token();
        }
        found
    }

    fn expect_mark(&mut self, mark: u8, behind: &str) -> Result<()> {
        match self.accept_mark(mark) {
            true => Ok(()),
            false => Err(self.expected_error(&format!("expected '{}'{behind}", char::from(mark)))),
        }
    }

    /// An error at the current token. The lexer's own message takes precedence.
    #[cold]
    fn expected_error(&self, what: &str) -> Error {
        match self.token.kind {
            Kind::Wrong(better) => self.error_at(self.token.start, better),
            _ => self.error_at(self.token.start, what),
        }
    }

    #[cold]
    fn error_at(&self, offset: usize, what: &str) -> Error {
        self.window.error_at_offset(offset, what)
    }

    fn check_end(&self) -> Result<()> {
        match self.token.kind {
            Kind::End => self.window.check_complete(),
            _ => Err(self.expected_error(&format!("found trailing characters: '{}'", self.token_text()))),
        }
    }

    /// Items with commas between, up to a closing mark, which is passed.
    fn parse_list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.accept_mark(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.accept_mark(b',') {
                return self.expect_mark(close, "");
            }
        }
    }

    /// A string's bytes.
    fn parse_string(&mut self, what: &str) -> Result<Vec<u8>> {
        match self.token.kind {
            Kind::String => {
                // With the copies that attributes make.
                check_room(self.token_text().len(), 4)?;
                let found = lexer::unquote_string(self.token_text());
                self.advance_token();
                Ok(found)
            }
            _ => Err(self.expected_error(what)),
        }
    }

    /// A string that is text.
    fn parse_utf8_string(&mut self, what: &str) -> Result<String> {
        let start = self.token.start;
        String::from_utf8(self.parse_string(what)?)
            .map_err(|_| self.error_at(start, "this string must be UTF-8"))
    }
}
