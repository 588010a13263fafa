//! Attributes.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::{self, Kind};
use crate::attributes::{Attribute, AttributeHead, boolean, dictionary, distinct, symbol};
use crate::fast::FastSet;
use crate::print::deep;
use crate::room::{Room, boxed};
use crate::types::{DYNAMIC, Type, TypeHead};

/// How many names of a dictionary are looked through one after the other.
const MANY: usize = 16;

impl Parser<'_> {
    /// Any attribute; `hint` is the type of numbers that do not say theirs.
    pub(super) fn attribute(&mut self, hint: Option<&Ref<Type>>) -> Result<Ref<Attribute>> {
        deep(|| self.attribute_here(hint))
    }

    fn attribute_here(&mut self, hint: Option<&Ref<Type>>) -> Result<Ref<Attribute>> {
        match self.token.kind {
            Kind::Mark(b'-') | Kind::Integer | Kind::Float => self.number(hint),
            Kind::Mark(b'[') => {
                let mut all = Vec::new();
                self.advance();
                self.list(b']', |it| it.attribute(None).map(|found| all.room().push(found)))?;
                Ok(Attribute::new(
                    &self.context,
                    AttributeHead::Array,
                    Vec::new(),
                    all,
                ))
            }
            Kind::Mark(b'{') => self.dictionary(),
            Kind::String => {
                let value = lexer::unquoted(self.word());
                self.advance();
                let r#type = match self.accept(b':') {
                    true => self.r#type()?,
                    false => Type::simple(&self.context, TypeHead::None),
                };
                Ok(Attribute::typed(AttributeHead::String(value.into()), r#type))
            }
            Kind::At => self.symbol_reference(),
            Kind::Hash => self.extended_attribute(),
            Kind::Word => self.named_attribute(),
            _ => self.type_attribute(),
        }
    }

    fn named_attribute(&mut self) -> Result<Ref<Attribute>> {
        match self.word() {
            "unit" => {
                self.advance();
                Ok(Attribute::simple(&self.context, AttributeHead::Unit))
            }
            value @ ("true" | "false") => {
                let value = value == "true";
                self.advance();
                Ok(boolean(&self.context, value))
            }
            "affine_map" => self.affine_map(),
            "affine_set" => self.affine_set(),
            "dense" => self.dense(),
            "dense_resource" => self.dense_resource(),
            "sparse" => self.sparse(),
            "array" => self.dense_array(),
            "strided" => self.strided(),
            "distinct" => self.distinct(),
            "loc" => self.location(),
            _ => self.type_attribute(),
        }
    }

    fn type_attribute(&mut self) -> Result<Ref<Attribute>> {
        match self.at_type() {
            true => Ok(Attribute::typed(AttributeHead::Type, self.r#type()?)),
            false => Err(self.expected("expected attribute value")),
        }
    }

    /// A dictionary at its `{`.
    pub(super) fn dictionary(&mut self) -> Result<Ref<Attribute>> {
        let look_up = self.is(b'{') && self.dictionaries.is_worth_it();
        let end = look_up.then(|| self.bracketed(self.token.start)).flatten();
        let Some(end) = end else {
            return self.new_dictionary();
        };
        let text = self.window.slice(self.token.start, end);
        if let Some(known) = self.dictionaries.get(text) {
            self.jump(end);
            return Ok(known);
        }
        let text = boxed(text);
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
        self.expect(b'{', " in attribute dictionary")?;
        self.list(b'}', |it| {
            let start = it.token.start;
            let name = match it.token.kind {
                Kind::Word => {
                    let name = it.context.word(it.word());
                    it.advance();
                    name
                }
                _ => {
                    let name = it.utf8("expected attribute name")?;
                    it.context.word(&name)
                }
            };
            if name.is_empty() {
                return Err(it.error(start, "expected valid attribute name"));
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
                return Err(it.error(start, &format!("duplicate key '{name}' in dictionary attribute")));
            }
            let value = match it.accept(b'=') {
                true => it.attribute(None)?,
                false => Attribute::simple(&it.context, AttributeHead::Unit),
            };
            entries.room().push((name, value));
            Ok(())
        })?;
        dictionary(&self.context, entries)
    }

    /// What follows `@`.
    pub(super) fn symbol_name(&mut self) -> Result<Box<str>> {
        let start = self.token.start;
        if self.token.kind != Kind::At {
            return Err(self.expected("expected a symbol name"));
        }
        let name = self.marked();
        let name = match name.starts_with('"') {
            false => Ok(name.to_owned()),
            true => String::from_utf8(lexer::unquoted(name)),
        };
        self.advance();
        match name {
            Ok(name) if !name.is_empty() => Ok(name.into()),
            _ => Err(self.error(start, "a symbol's name is UTF-8 and not empty")),
        }
    }

    /// A word, whatever it is.
    pub(super) fn bare(&mut self) -> Box<str> {
        let word = self.word().into();
        self.advance();
        word
    }

    fn symbol_reference(&mut self) -> Result<Ref<Attribute>> {
        let mut path = vec![self.symbol_name()?];
        while self.token.kind == Kind::Scope {
            self.advance();
            path.room().push(self.symbol_name()?);
        }
        Ok(symbol(&self.context, path))
    }

    /// A size, offset or stride: a number, or `?`.
    fn dimension(&mut self) -> Result<i64> {
        if self.accept(b'?') {
            return Ok(DYNAMIC);
        }
        let start = self.token.start;
        // The number that stands for `?` is none.
        match self.small()? {
            DYNAMIC => Err(self.error(start, "expected a 64-bit signed integer or '?'")),
            number => Ok(number),
        }
    }

    /// An integer that may be negative.
    pub(super) fn small(&mut self) -> Result<i64> {
        let negative = self.accept(b'-');
        self.integer(negative)
    }

    /// Its digits, behind the sign.
    pub(super) fn integer(&mut self, negative: bool) -> Result<i64> {
        let start = self.token.start;
        if self.token.kind != Kind::Integer {
            return Err(self.expected("expected integer value"));
        }
        let value = self.magnitude();
        let value = value.map(|it| if negative { -it } else { it });
        let value = value.and_then(|it| i64::try_from(it).ok());
        value.ok_or_else(|| self.error(start, "integer value too large"))
    }

    /// A number without a sign.
    fn magnitude(&mut self) -> Option<i128> {
        let digits = self.word();
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        self.advance();
        value.ok()
    }

    fn strided(&mut self) -> Result<Ref<Attribute>> {
        self.advance();
        self.expect(b'<', " in strided layout")?;
        self.expect(b'[', " in strided layout")?;
        let mut strides = Vec::new();
        self.list(b']', |it| it.dimension().map(|found| strides.room().push(found)))?;
        let mut offset = 0;
        if self.accept(b',') {
            if !self.accept_word("offset") {
                return Err(self.expected("expected 'offset' after comma"));
            }
            self.expect(b':', " after 'offset'")?;
            offset = self.dimension()?;
        }
        self.expect(b'>', " in strided layout")?;
        let strides = strides.into_boxed_slice();
        Ok(Attribute::simple(
            &self.context,
            AttributeHead::Strided { strides, offset },
        ))
    }

    fn distinct(&mut self) -> Result<Ref<Attribute>> {
        self.advance();
        self.expect(b'[', " after 'distinct'")?;
        let start = self.token.start;
        if self.token.kind != Kind::Integer {
            return Err(self.expected("expected distinct ID"));
        }
        let id = self.magnitude().and_then(|it| u64::try_from(it).ok());
        let id = id.ok_or_else(|| self.error(start, "expected a distinct ID of 64 bits"))?;
        self.expect(b']', " to close distinct ID")?;
        self.expect(b'<', " after distinct ID")?;
        let about = match self.is(b'>') {
            true => Attribute::simple(&self.context, AttributeHead::Unit),
            false => self.attribute(None)?,
        };
        self.expect(b'>', " to close distinct attribute")?;
        if let Some(known) = self.distinct.get(&id) {
            return match known.attributes()[0].is(&about) {
                true => Ok(known.clone()),
                false => Err(self.error(start, "referenced attribute does not match previous definition")),
            };
        }
        let made = distinct(about);
        self.distinct.room().insert(id, made.clone());
        Ok(made)
    }
}
