//! Numbers.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use crate::context::attributes::{Attribute, AttributeHead, kind_of, width_of};
use crate::context::types::{Type, TypeHead};
use crate::numbers::{self, Digits, FloatKind, Sign};

/// A number as it stands in the text.
#[derive(Clone, Copy)]
pub(super) struct Literal {
    pub(super) start: usize,
    pub(super) negative: bool,
    end: usize,
    pub(super) float: bool,
}

impl Parser<'_> {
    /// A number with its sign.
    pub(super) fn parse_literal(&mut self) -> Result<Literal> {
        let negative = self.accept_mark(b'-');
        let (start, kind) = (self.token.start, self.token.kind);
        if !matches!(kind, Kind::Integer | Kind::Float) {
            return Err(self.expected_error("expected constant integer or floating point value"));
        }
        self.advance_token();
        Ok(Literal {
            start,
            negative,
            end: self.last,
            float: kind == Kind::Float,
        })
    }

    pub(super) fn parse_number(&mut self, hint: Option<&Ref<Type>>) -> Result<Ref<Attribute>> {
        let literal = self.parse_literal()?;
        let r#type = match (self.accept_mark(b':'), hint) {
            (true, _) => self.parse_type()?,
            (false, Some(hint)) => hint.clone(),
            (false, None) if literal.float => {
                Type::without_parts(&self.context, TypeHead::Float(FloatKind::F64))
            }
            (false, None) => {
                let head = TypeHead::Integer {
                    width: 64,
                    sign: Sign::Signless,
                };
                Type::without_parts(&self.context, head)
            }
        };
        if let Some(kind) = kind_of(&r#type) {
            let bits = self.float_bits(literal, kind)?;
            return Ok(Attribute::with_type(AttributeHead::Float(bits), r#type));
        }
        if literal.float {
            return Err(self.error_at(literal.start, "floating point value not valid for specified type"));
        }
        let Some((width, sign)) = width_of(&r#type) else {
            return Err(self.error_at(literal.start, "integer literal not valid for specified type"));
        };
        let bytes = self.integer_bytes(
            literal,
            width,
            sign,
            "integer constant out of range for attribute",
        )?;
        Ok(Attribute::with_type(AttributeHead::Integer(bytes), r#type))
    }

    pub(super) fn integer_bytes(&self, it: Literal, width: u32, sign: Sign, what: &str) -> Result<Digits> {
        if it.negative && sign == Sign::Unsigned {
            return Err(self.error_at(
                it.start,
                "negative integer literal not valid for unsigned integer type",
            ));
        }
        let digits = self.window.text_between(it.start, it.end);
        let bytes = numbers::parse_integer(digits, it.negative, width, sign);
        bytes.ok_or_else(|| self.error_at(it.start, what))
    }

    /// A decimal number, or in hexadecimal the bits.
    pub(super) fn float_bits(&self, it: Literal, kind: FloatKind) -> Result<u128> {
        let digits = self.window.text_between(it.start, it.end);
        if let Some(hex) = digits.strip_prefix("0x") {
            if it.negative {
                return Err(self.error_at(
                    it.start,
                    "hexadecimal float literal should not have a leading minus",
                ));
            }
            let bits = u128::from_str_radix(hex, 16).ok();
            let bits = bits.filter(|bits| kind.bits() == 128 || bits >> kind.bits() == 0);
            return bits
                .map(|bits| kind.canonical_bits(bits))
                .ok_or_else(|| self.error_at(it.start, "hexadecimal float constant out of range for type"));
        }
        if !it.float {
            let what = "unexpected decimal integer literal for a floating point value; add a trailing dot to make it one";
            return Err(self.error_at(it.start, what));
        }
        kind.parse_literal(digits, it.negative)
            .ok_or_else(|| self.error_at(it.start, "no such number"))
    }
}
