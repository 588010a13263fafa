//! Types.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use crate::affine::DYNAMIC;
use crate::context::attributes::Attribute;
use crate::context::types::{
    MAX_WIDTH, Type, TypeHead, complex_part, memref_attributes, memref_element, tensor_element,
    vector_element,
};
use crate::numbers::{FloatKind, Sign};
use crate::recursion::with_stack;
use crate::room::{Room, boxed_str};

impl Parser<'_> {
    /// Any type.
    pub(super) fn parse_type(&mut self) -> Result<Ref<Type>> {
        with_stack(|| match self.is_mark(b'(') {
            true => self.function_type(),
            false => self.plain_type(),
        })
    }

    /// Whether a type begins here.
    pub(super) fn at_type(&self) -> bool {
        match self.token.kind {
            Kind::Mark(b'(') | Kind::Bang => true,
            Kind::Word => {
                let word = self.token_text();
                matches!(
                    word,
                    "index" | "none" | "tuple" | "complex" | "vector" | "tensor" | "memref"
                ) || FloatKind::by_name(word).is_some()
                    || integer_type_parts(word).is_some()
            }
            _ => false,
        }
    }

    fn function_type(&mut self) -> Result<Ref<Type>> {
        let mut types = Vec::new();
        self.advance_token();
        self.parse_list(b')', |it| it.parse_type().map(|found| types.room().push(found)))?;
        let inputs = types.len();
        if self.token.kind != Kind::Arrow {
            return Err(self.expected_error("expected '->' in function type"));
        }
        self.advance_token();
        self.parse_result_types(&mut types)?;
        Ok(Type::new(
            &self.context,
            TypeHead::Function { inputs },
            types,
            Vec::new(),
        ))
    }

    /// One type that is no function's, or several in parentheses.
    pub(super) fn parse_result_types(&mut self, types: &mut Vec<Ref<Type>>) -> Result<()> {
        if self.accept_mark(b'(') {
            return self.parse_list(b')', |it| it.parse_type().map(|found| types.room().push(found)));
        }
        types.room().push(self.plain_type()?);
        Ok(())
    }

    /// A type that is no function's.
    fn plain_type(&mut self) -> Result<Ref<Type>> {
        match self.token.kind {
            Kind::Bang => self.extended_type(),
            Kind::Word => self.named_type(),
            _ => Err(self.expected_error("expected non-function type")),
        }
    }

    fn named_type(&mut self) -> Result<Ref<Type>> {
        let end = match self.window.bytes_from(self.token.end).first() {
            Some(b'<') => self.find_closing(self.token.end),
            _ => None,
        };
        let Some(end) = end else {
            return self.new_type();
        };
        let text = self.window.text_between(self.token.start, end);
        if let Some(known) = self.words.get(text) {
            self.jump_to(end);
            return Ok(known);
        }
        let text = boxed_str(text);
        let found = self.new_type()?;
        if self.last == end {
            self.words.insert(text, found.clone());
        }
        Ok(found)
    }

    fn new_type(&mut self) -> Result<Ref<Type>> {
        let word = self.token_text();
        if let Some(known) = self.words.get(word) {
            self.advance_token();
            return Ok(known);
        }
        let head = match word {
            "tuple" => return self.parse_tuple(),
            "complex" => return self.parse_complex(),
            "vector" => return self.parse_vector(),
            "tensor" => return self.parse_tensor(),
            "memref" => return self.parse_memref(),
            "index" => TypeHead::Index,
            "none" => TypeHead::None,
            _ => match (FloatKind::by_name(word), integer_type_parts(word)) {
                (Some(kind), _) => TypeHead::Float(kind),
                (_, Some((Some(width), sign))) => TypeHead::Integer { width, sign },
                (_, Some((None, _))) => {
                    return Err(
                        self.expected_error(&format!("integer bitwidth is limited to {MAX_WIDTH} bits"))
                    );
                }
                _ => return Err(self.expected_error("expected non-function type")),
            },
        };
        let found = Type::without_parts(&self.context, head);
        self.words.insert(self.token_text().into(), found.clone());
        self.advance_token();
        Ok(found)
    }

    fn parse_tuple(&mut self) -> Result<Ref<Type>> {
        let mut types = Vec::new();
        self.expect_opening("tuple type")?;
        self.parse_list(b'>', |it| it.parse_type().map(|found| types.room().push(found)))?;
        Ok(Type::new(&self.context, TypeHead::Tuple, types, Vec::new()))
    }

    /// Past the word and `<`.
    fn expect_opening(&mut self, what: &str) -> Result<()> {
        self.advance_token();
        self.expect_mark(b'<', &format!(" in {what}"))
    }

    fn parse_complex(&mut self) -> Result<Ref<Type>> {
        self.expect_opening("complex type")?;
        let element = self.parse_element_type("invalid element type for complex", complex_part)?;
        self.expect_mark(b'>', " in complex type")?;
        Ok(Type::new(
            &self.context,
            TypeHead::Complex,
            vec![element],
            Vec::new(),
        ))
    }

    /// A type that must be of some kind.
    fn parse_element_type(&mut self, what: &str, fits: fn(&TypeHead) -> bool) -> Result<Ref<Type>> {
        let start = self.token.start;
        let found = self.parse_type()?;
        match fits(found.head()) {
            true => Ok(found),
            false => Err(self.error_at(start, what)),
        }
    }

    /// A size and the `x` behind it, which the lexer would take for part of a word or number.
    /// `None`: there is no size here.
    fn parse_dimension_size(&mut self, dynamic: bool) -> Result<Option<i64>> {
        let (start, text) = (self.token.start, self.token_text().as_bytes());
        let (size, length) = match text.first() {
            Some(b'?') if dynamic => (DYNAMIC, 1),
            Some(b'0'..=b'9') => {
                let digits = self.leading_digits();
                let size = digits
                    .parse()
                    .map_err(|_| self.error_at(start, "invalid dimension"))?;
                (size, digits.len())
            }
            _ => return Ok(None),
        };
        self.past_x(start + length)?;
        Ok(Some(size))
    }

    /// The digits that the current token begins with.
    fn leading_digits(&self) -> &str {
        let word = self.token_text();
        let end = word.bytes().position(|byte| !byte.is_ascii_digit());
        &word[..end.unwrap_or(word.len())]
    }

    fn past_x(&mut self, at: usize) -> Result<()> {
        let at = self.window.skip_blanks(at);
        if self.window.byte_at(at) != Some(b'x') {
            return Err(self.error_at(at, "expected 'x' in dimension list"));
        }
        self.jump_to(at + 1);
        Ok(())
    }

    fn parse_vector(&mut self) -> Result<Ref<Type>> {
        let begin = self.token.start;
        self.expect_opening("vector type")?;
        let mut shape = Vec::new();
        loop {
            if self.is_mark(b'[') {
                self.advance_token();
                let (start, digits) = (self.token.start, self.leading_digits());
                let (size, end) = (digits.parse(), start + digits.len());
                let size =
                    size.map_err(|_| self.error_at(start, "expected integer in scalable dimension"))?;
                self.jump_to(end);
                if !self.is_mark(b']') {
                    return Err(self.expected_error("missing ']' closing scalable dimension"));
                }
                self.past_x(self.token.end)?;
                shape.room().push((size, true));
            } else if let Some(size) = self.parse_dimension_size(false)? {
                shape.room().push((size, false));
            } else {
                break;
            }
        }
        if let Some((size, _)) = shape.iter().find(|(size, _)| *size <= 0) {
            let what = format!("vector types must have positive constant sizes but got {size}");
            return Err(self.error_at(begin, &what));
        }
        let element = self.parse_element_type("invalid vector element type", vector_element)?;
        self.expect_mark(b'>', " in vector type")?;
        let shape = shape.into_boxed_slice();
        Ok(Type::new(
            &self.context,
            TypeHead::Vector { shape },
            vec![element],
            Vec::new(),
        ))
    }

    /// `*x`, or sizes.
    fn parse_shape(&mut self) -> Result<Option<Box<[i64]>>> {
        if self.is_mark(b'*') {
            self.past_x(self.token.end)?;
            return Ok(None);
        }
        let mut sizes = Vec::new();
        while let Some(size) = self.parse_dimension_size(true)? {
            sizes.room().push(size);
        }
        Ok(Some(sizes.into_boxed_slice()))
    }

    fn parse_tensor(&mut self) -> Result<Ref<Type>> {
        self.expect_opening("tensor type")?;
        let shape = self.parse_shape()?;
        let element = self.parse_element_type("invalid tensor element type", tensor_element)?;
        let mut attributes = Vec::new();
        if self.accept_mark(b',') && !self.is_mark(b'>') {
            let start = self.token.start;
            attributes.room().push(self.parse_attribute(None)?);
            if shape.is_none() {
                return Err(self.error_at(start, "cannot apply encoding to unranked tensor"));
            }
        }
        self.expect_mark(b'>', " in tensor type")?;
        Ok(Type::new(
            &self.context,
            TypeHead::Tensor { shape },
            vec![element],
            attributes,
        ))
    }

    fn parse_memref(&mut self) -> Result<Ref<Type>> {
        self.expect_opening("memref type")?;
        let shape = self.parse_shape()?;
        let element = self.parse_element_type("invalid memref element type", memref_element)?;
        let (mut layout, mut space): (Option<Ref<Attribute>>, Option<Ref<Attribute>>) = (None, None);
        while self.accept_mark(b',') {
            let start = self.token.start;
            let found = self.parse_attribute(None)?;
            let is_layout = found.is_layout();
            if space.is_some() {
                return Err(self.error_at(start, "multiple memory spaces specified in memref type"));
            }
            match (is_layout && shape.is_some(), &layout) {
                (true, None) => layout = Some(found),
                (true, Some(_)) => {
                    return Err(self.error_at(start, "expected memory space to be last in memref type"));
                }
                (false, _) => space = Some(found),
            }
        }
        self.expect_mark(b'>', " in memref type")?;
        let rank = shape.as_ref().map_or(0, |it| it.len());
        let (layout, attributes) = memref_attributes(rank, layout, space);
        Ok(Type::new(
            &self.context,
            TypeHead::MemRef { shape, layout },
            vec![element],
            attributes,
        ))
    }
}

/// `i32`, `si8`, `ui16`: the width, if it is not too large, and the sign.
fn integer_type_parts(word: &str) -> Option<(Option<u32>, Sign)> {
    let signs = [
        ("si", Sign::Signed),
        ("ui", Sign::Unsigned),
        ("i", Sign::Signless),
    ];
    let (digits, sign) = signs
        .iter()
        .find_map(|(prefix, sign)| Some((word.strip_prefix(prefix)?, *sign)))?;
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| (digits.parse().ok().filter(|width| *width <= MAX_WIDTH), sign))
}
