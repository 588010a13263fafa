//! Aliases, and what belongs to a dialect: kept as its text.

use pairbond::prelude::*;

use super::Parser;
use super::lexer;
use super::name::Name;
use crate::context::attributes::{self, Attribute};
use crate::context::types::{Type, TypeHead};
use crate::print;
use crate::room::Room;

/// How much text aliases may stand for in what belongs to a dialect.
const MOST_EXPANDED: usize = 1 << 24;

/// Whether it may be what a dialect is called.
fn is_namespace(name: &str) -> bool {
    let first = |it: char| it.is_ascii_alphabetic() || it == '_';
    let rest = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$');
    name.starts_with(first) && name.chars().all(rest)
}

impl Parser<'_> {
    /// `!alias`, `!dialect.text` or `!dialect<text>`
    pub(super) fn extended_type(&mut self) -> Result<Ref<Type>> {
        if self.is_alias() {
            let found = self.types.get(self.text_after_mark().as_bytes()).cloned();
            let found = found.ok_or_else(|| self.undefined_error())?;
            self.advance_token();
            return Ok(found);
        }
        let (dialect, text) = self.parse_dialect_symbol()?;
        Ok(Type::without_parts(
            &self.context,
            TypeHead::Opaque { dialect, text },
        ))
    }

    /// `#alias`, `#dialect.text` or `#dialect<text>`, of a type if one follows
    pub(super) fn extended_attribute(&mut self) -> Result<Ref<Attribute>> {
        if self.is_alias() {
            let found = self.attributes.get(self.text_after_mark().as_bytes()).cloned();
            let found = found.ok_or_else(|| self.undefined_error())?;
            self.advance_token();
            return Ok(found);
        }
        let (dialect, text) = self.parse_dialect_symbol()?;
        let r#type = match self.accept_mark(b':') {
            true => Some(self.parse_type()?),
            false => None,
        };
        Ok(attributes::opaque_attr(&self.context, dialect, text, r#type))
    }

    /// An alias has no dot, and no bracket follows.
    pub(super) fn is_alias(&self) -> bool {
        !self.token_text().contains('.') && self.window.bytes_from(self.token.end).first() != Some(&b'<')
    }

    #[cold]
    fn undefined_error(&self) -> Error {
        self.expected_error(&format!("undefined symbol alias id '{}'", self.text_after_mark()))
    }

    /// The dialect and the text that it will understand.
    fn parse_dialect_symbol(&mut self) -> Result<(Box<str>, Box<str>)> {
        let (start, end) = (self.token.start, self.token.end);
        let body = match self.window.byte_at(end) {
            Some(b'<') => self.body_end(end)?,
            _ => end,
        };
        let name = self.window.text_between(start + 1, end);
        let (dialect, text) = match name.split_once('.') {
            Some((dialect, rest)) => (dialect, format!("{rest}{}", self.expand_aliases(end, body)?)),
            None => (name, self.expand_aliases(end + 1, body.saturating_sub(1))?),
        };
        if !is_namespace(dialect) {
            return Err(self.error_at(start, &format!("invalid dialect namespace '{dialect}'")));
        }
        if !print::is_balanced(&text) {
            let what = format!("'{text}' cannot be written in brackets so that it is read again");
            return Err(self.error_at(start, &what));
        }
        if !self.context.allows_dialect(dialect) {
            let what = format!(
                "dialect '{dialect}' is unknown; set allow_unregistered_dialects to read it all the same"
            );
            return Err(self.error_at(start, &what));
        }
        if dialect == "builtin" {
            return Err(self.error_at(start, "dialect 'builtin' provides no parsing hook"));
        }
        let dialect = dialect.into();
        self.jump_to(body);
        Ok((dialect, text.into()))
    }

    /// Where the brackets that open at `at` are closed again.
    fn body_end(&mut self, at: usize) -> Result<usize> {
        let mut open = Vec::new();
        let mut end = at;
        while let Some(byte) = self.window.byte_at(end) {
            match byte {
                b'<' | b'[' | b'(' | b'{' => open.room().push(byte),
                b'-' if self.window.byte_at(end + 1) == Some(b'>') => end += 1,
                b'>' | b']' | b')' | b'}' => {
                    let wanted = match open.pop() {
                        Some(b'<') => b'>',
                        Some(b'[') => b']',
                        Some(b'(') => b')',
                        _ => b'}',
                    };
                    if wanted != byte {
                        let what = format!(
                            "unbalanced '{}' character in pretty dialect name",
                            char::from(byte)
                        );
                        return Err(self.error_at(end, &what));
                    }
                    if open.is_empty() {
                        return Ok(end + 1);
                    }
                }
                b'"' => {
                    end = self
                        .window
                        .string_end(end)
                        .map_err(|what| self.error_at(end, what))?;
                    continue;
                }
                0 => return Err(self.error_at(end, "unexpected nul or EOF in pretty dialect name")),
                _ => {}
            }
            end += 1;
        }
        let what = format!(
            "unbalanced '{}' character in pretty dialect name",
            self.window.text_between(at, at + 1)
        );
        Err(self.error_at(at, &what))
    }

    /// A part of the text in which aliases stand for themselves no more: they will not be there
    /// when it is written.
    fn expand_aliases(&self, start: usize, end: usize) -> Result<String> {
        let raw = self.window.text_between(start, end);
        if (self.types.is_empty() && self.attributes.is_empty()) || !raw.contains(['#', '!']) {
            return Ok(raw.to_owned());
        }
        let bytes = raw.as_bytes();
        let (mut out, mut copied, mut at) = (String::new(), 0, 0);
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = lexer::string_end(bytes, at).unwrap_or(bytes.len()),
                mark @ (b'#' | b'!') => {
                    let token = lexer::next_token(raw, at);
                    let follows = bytes.get(token.end);
                    let name = raw.get(at + 1..token.end).unwrap_or("");
                    let value = match mark {
                        _ if follows == Some(&b'<') => None,
                        b'#' => self
                            .attributes
                            .get(name.as_bytes())
                            .map(|it| print::attribute_text(it)),
                        _ => self.types.get(name.as_bytes()).map(|it| print::type_text(it)),
                    };
                    if let Some(value) = value {
                        out.push_str(&raw[copied..at]);
                        out.push_str(&value);
                        copied = token.end;
                        // Of aliases in aliases each may double it.
                        if out.len() > MOST_EXPANDED {
                            return Err(self.error_at(start, "the aliases in this stand for too much text"));
                        }
                    }
                    at = token.end.max(at + 1);
                }
                _ => at += 1,
            }
        }
        Ok(out + &raw[copied..])
    }

    /// `!name = type` or `#name = attribute`, to be used from here on.
    pub(super) fn alias_definition(&mut self) -> Result<()> {
        self.release_passed();
        let (mark, short) = self.token_text().split_at(1);
        if short.contains('.') {
            let what = "alias names with a '.' are reserved for dialect-defined names";
            return Err(self.expected_error(what));
        }
        let of_type = mark == "!";
        let known = match of_type {
            true => self.types.contains_key(short.as_bytes()),
            false => self.attributes.contains_key(short.as_bytes()),
        };
        if known {
            return Err(self.expected_error(&format!("redefinition of alias id '{short}'")));
        }
        let short = Name::from(short);
        self.advance_token();
        self.expect_mark(b'=', " in alias definition")?;
        match of_type {
            true => {
                let found = self.parse_type()?;
                self.types.room().insert(short, found);
            }
            false => {
                let found = self.parse_attribute(None)?;
                self.attributes.room().insert(short, found);
            }
        }
        Ok(())
    }
}
