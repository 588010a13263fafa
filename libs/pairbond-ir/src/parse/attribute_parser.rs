//! Attributes.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::{self, Kind};
use crate::affine::DYNAMIC;
use crate::context::attributes::{
    Attribute, AttributeHead, bool_attr, dictionary_attr, distinct_attr, symbol_ref,
};
use crate::context::types::{Type, TypeHead};
use crate::fast::FastSet;
use crate::recursion::with_stack;
use crate::room::{Room, boxed_str};

/// How many names of a dictionary are looked through one after the other.
const MANY: usize = 16;

impl Parser<'_> {
    /// Any attribute; `hint` is the type of numbers that do not say theirs.
    pub(super) fn parse_attribute(&mut self, hint: Option<&Ref<Type>>) -> Result<Ref<Attribute>> {
        with_stack(|| self.attribute_here(hint))
    }

    fn attribute_here(&mut self, hint: Option<&Ref<Type>>) -> Result<Ref<Attribute>> {
        match self.token.kind {
            Kind::Mark(b'-') | Kind::Integer | Kind::Float => self.parse_number(hint),
            Kind::Mark(b'[') => {
                let mut all = Vec::new();
                self.advance_token();
                self.parse_list(b']', |it| {
                    it.parse_attribute(None).map(|found| all.room().push(found))
                })?;
                Ok(Attribute::new(
                    &self.context,
                    AttributeHead::Array,
                    Vec::new(),
                    all,
                ))
            }
            Kind::Mark(b'{') => self.parse_dictionary(),
            Kind::String => {
                let value = lexer::unquote_string(self.token_text());
                self.advance_token();
                let r#type = match self.accept_mark(b':') {
                    true => self.parse_type()?,
                    false => Type::without_parts(&self.context, TypeHead::None),
                };
                Ok(Attribute::with_type(AttributeHead::String(value.into()), r#type))
            }
            Kind::At => self.symbol_reference(),
            Kind::Hash => self.extended_attribute(),
            Kind::Word => self.named_attribute(),
            _ => self.type_attribute(),
        }
    }

    fn named_attribute(&mut self) -> Result<Ref<Attribute>> {
        match self.token_text() {
            "unit" => {
                self.advance_token();
                Ok(Attribute::without_parts(&self.context, AttributeHead::Unit))
            }
            value @ ("true" | "false") => {
                let value = value == "true";
                self.advance_token();
                Ok(bool_attr(&self.context, value))
            }
            "affine_map" => self.affine_map(),
            "affine_set" => self.affine_set(),
            "dense" => self.parse_dense(),
            "dense_resource" => self.dense_resource(),
            "sparse" => self.parse_sparse(),
            "array" => self.dense_array(),
            "strided" => self.parse_strided(),
            "distinct" => self.parse_distinct(),
            "loc" => self.parse_location(),
            _ => self.type_attribute(),
        }
    }

    fn type_attribute(&mut self) -> Result<Ref<Attribute>> {
        match self.at_type() {
            true => Ok(Attribute::with_type(AttributeHead::Type, self.parse_type()?)),
            false => Err(self.expected_error("expected attribute value")),
        }
    }

    /// A dictionary at its `{`.
    pub(super) fn parse_dictionary(&mut self) -> Result<Ref<Attribute>> {
        let look_up = self.is_mark(b'{') && self.dictionaries.is_worth_it();
        let end = look_up.then(|| self.find_closing(self.token.start)).flatten();
        let Some(end) = end else {
            return self.new_dictionary();
        };
        let text = self.window.text_between(self.token.start, end);
        if let Some(known) = self.dictionaries.get(text) {
            self.jump_to(end);
            return Ok(known);
        }
        let text = boxed_str(text);
        let found = self.new_dictionary()?;
        if self.last == end {
            self.dictionaries.insert(text, found.clone());
        }
        Ok(found)
    }

    fn new_dictionary(&mut self) -> Result<Ref<Attribute>> {
        let mut entries: Vec<(Str, Ref<Attribute>)> = Vec::new();
        // Of a dictionary that has many.
        let mut names: FastSet<Str> = FastSet::default();
        self.expect_mark(b'{', " in attribute dictionary")?;
        self.parse_list(b'}', |it| {
            let start = it.token.start;
            let name = match it.token.kind {
                Kind::Word => {
                    let name = it.context.attribute_name(it.token_text());
                    it.advance_token();
                    name
                }
                _ => {
                    let name = it.parse_utf8_string("expected attribute name")?;
                    it.context.attribute_name(&name)
                }
            };
            if name.is_empty() {
                return Err(it.error_at(start, "expected valid attribute name"));
            }
            if entries.len() == MANY {
                let known = entries.iter().map(|(it, _)| it.clone());
                known.for_each(|it| {
                    names.room().insert(it);
                });
            }
            let is_twice = match entries.len() {
                ..MANY => entries.iter().any(|(it, _)| *it == name),
                _ => !names.room().insert(name.clone()),
            };
            if is_twice {
                return Err(it.error_at(start, &format!("duplicate key '{name}' in dictionary attribute")));
            }
            let value = match it.accept_mark(b'=') {
                true => it.parse_attribute(None)?,
                false => Attribute::without_parts(&it.context, AttributeHead::Unit),
            };
            entries.room().push((name, value));
            Ok(())
        })?;
        dictionary_attr(&self.context, entries)
    }

    /// Parses the name after `@`.
    pub(super) fn symbol_name(&mut self) -> Result<Box<str>> {
        let start = self.token.start;
        if self.token.kind != Kind::At {
            return Err(self.expected_error("expected a symbol name"));
        }
        let name = self.text_after_mark();
        let name = match name.starts_with('"') {
            false => Ok(name.to_owned()),
            true => String::from_utf8(lexer::unquote_string(name)),
        };
        self.advance_token();
        match name {
            Ok(name) if !name.is_empty() => Ok(name.into()),
            _ => Err(self.error_at(start, "a symbol's name is UTF-8 and not empty")),
        }
    }

    /// A word, whatever it is.
    pub(super) fn parse_bare_word(&mut self) -> Box<str> {
        let word = self.token_text().into();
        self.advance_token();
        word
    }

    fn symbol_reference(&mut self) -> Result<Ref<Attribute>> {
        let mut path = vec![self.symbol_name()?];
        while self.token.kind == Kind::Scope {
            self.advance_token();
            path.room().push(self.symbol_name()?);
        }
        Ok(symbol_ref(&self.context, path))
    }

    /// A size, offset or stride: a number, or `?`.
    fn parse_dimension(&mut self) -> Result<i64> {
        if self.accept_mark(b'?') {
            return Ok(DYNAMIC);
        }
        let start = self.token.start;
        // The number that stands for `?` is none.
        match self.parse_signed()? {
            DYNAMIC => Err(self.error_at(start, "expected a 64-bit signed integer or '?'")),
            number => Ok(number),
        }
    }

    /// An integer that may be negative.
    pub(super) fn parse_signed(&mut self) -> Result<i64> {
        let negative = self.accept_mark(b'-');
        self.parse_integer(negative)
    }

    /// Its digits, behind the sign.
    pub(super) fn parse_integer(&mut self, negative: bool) -> Result<i64> {
        let start = self.token.start;
        if self.token.kind != Kind::Integer {
            return Err(self.expected_error("expected integer value"));
        }
        let value = self.parse_magnitude();
        let value = value.map(|it| if negative { -it } else { it });
        let value = value.and_then(|it| i64::try_from(it).ok());
        value.ok_or_else(|| self.error_at(start, "integer value too large"))
    }

    /// A number without a sign.
    fn parse_magnitude(&mut self) -> Option<i128> {
        let digits = self.token_text();
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        self.advance_token();
        value.ok()
    }

    fn parse_strided(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'<', " in strided layout")?;
        self.expect_mark(b'[', " in strided layout")?;
        let mut strides = Vec::new();
        self.parse_list(b']', |it| {
            it.parse_dimension().map(|found| strides.room().push(found))
        })?;
        let mut offset = 0;
        if self.accept_mark(b',') {
            if !self.accept_word("offset") {
                return Err(self.expected_error("expected 'offset' after comma"));
            }
            self.expect_mark(b':', " after 'offset'")?;
            offset = self.parse_dimension()?;
        }
        self.expect_mark(b'>', " in strided layout")?;
        let strides = strides.into_boxed_slice();
        Ok(Attribute::without_parts(
            &self.context,
            AttributeHead::Strided { strides, offset },
        ))
    }

    fn parse_distinct(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'[', " after 'distinct'")?;
        let start = self.token.start;
        if self.token.kind != Kind::Integer {
            return Err(self.expected_error("expected distinct ID"));
        }
        let id = self.parse_magnitude().and_then(|it| u64::try_from(it).ok());
        let id = id.ok_or_else(|| self.error_at(start, "expected a distinct ID of 64 bits"))?;
        self.expect_mark(b']', " to close distinct ID")?;
        self.expect_mark(b'<', " after distinct ID")?;
        let about = match self.is_mark(b'>') {
            true => Attribute::without_parts(&self.context, AttributeHead::Unit),
            false => self.parse_attribute(None)?,
        };
        self.expect_mark(b'>', " to close distinct attribute")?;
        if let Some(known) = self.distinct.get(&id) {
            return match known.attributes()[0].is(&about) {
                true => Ok(known.clone()),
                false => Err(self.error_at(start, "referenced attribute does not match previous definition")),
            };
        }
        let made = distinct_attr(about);
        self.distinct.room().insert(id, made.clone());
        Ok(made)
    }
}
