//! Types.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use crate::attributes::Attribute;
use crate::numbers::FloatKind;
use crate::print::deep;
use crate::room::{Room, boxed};
use crate::types::{
    DYNAMIC, MAX_WIDTH, Sign, Type, TypeHead, complex_part, memref_attributes, memref_element,
    tensor_element, vector_element,
};

impl Parser<'_> {
    /// Any type.
    pub(super) fn r#type(&mut self) -> Result<Ref<Type>> {
        deep(|| match self.is(b'(') {
            true => self.function_type(),
            false => self.plain_type(),
        })
    }

    /// Whether a type begins here.
    pub(super) fn at_type(&self) -> bool {
        match self.token.kind {
            Kind::Mark(b'(') | Kind::Bang => true,
            Kind::Word => {
                let word = self.word();
                matches!(
                    word,
                    "index" | "none" | "tuple" | "complex" | "vector" | "tensor" | "memref"
                ) || FloatKind::by_name(word).is_some()
                    || integer(word).is_some()
            }
            _ => false,
        }
    }

    fn function_type(&mut self) -> Result<Ref<Type>> {
        let mut types = Vec::new();
        self.advance();
        self.list(b')', |it| it.r#type().map(|found| types.room().push(found)))?;
        let inputs = types.len();
        if self.token.kind != Kind::Arrow {
            return Err(self.expected("expected '->' in function type"));
        }
        self.advance();
        self.results(&mut types)?;
        Ok(Type::new(
            &self.context,
            TypeHead::Function { inputs },
            types,
            Vec::new(),
        ))
    }

    /// One type that is no function's, or several in parentheses.
    pub(super) fn results(&mut self, types: &mut Vec<Ref<Type>>) -> Result<()> {
        if self.accept(b'(') {
            return self.list(b')', |it| it.r#type().map(|found| types.room().push(found)));
        }
        types.room().push(self.plain_type()?);
        Ok(())
    }

    /// A type that is no function's.
    fn plain_type(&mut self) -> Result<Ref<Type>> {
        match self.token.kind {
            Kind::Bang => self.extended_type(),
            Kind::Word => self.named_type(),
            _ => Err(self.expected("expected non-function type")),
        }
    }

    fn named_type(&mut self) -> Result<Ref<Type>> {
        let end = match self.window.ahead(self.token.end).first() {
            Some(b'<') => self.bracketed(self.token.end),
            _ => None,
        };
        let Some(end) = end else {
            return self.new_type();
        };
        let text = self.window.slice(self.token.start, end);
        if let Some(known) = self.words.get(text) {
            self.jump(end);
            return Ok(known);
        }
        let text = boxed(text);
        let found = self.new_type()?;
        if self.last == end {
            self.words.insert(text, found.clone());
        }
        Ok(found)
    }

    fn new_type(&mut self) -> Result<Ref<Type>> {
        let word = self.word();
        if let Some(known) = self.words.get(word) {
            self.advance();
            return Ok(known);
        }
        let head = match word {
            "tuple" => return self.tuple(),
            "complex" => return self.complex(),
            "vector" => return self.vector(),
            "tensor" => return self.tensor(),
            "memref" => return self.memref(),
            "index" => TypeHead::Index,
            "none" => TypeHead::None,
            _ => match (FloatKind::by_name(word), integer(word)) {
                (Some(kind), _) => TypeHead::Float(kind),
                (_, Some((Some(width), sign))) => TypeHead::Integer { width, sign },
                (_, Some((None, _))) => {
                    return Err(self.expected(&format!("integer bitwidth is limited to {MAX_WIDTH} bits")));
                }
                _ => return Err(self.expected("expected non-function type")),
            },
        };
        let found = Type::simple(&self.context, head);
        self.words.insert(self.word().into(), found.clone());
        self.advance();
        Ok(found)
    }

    fn tuple(&mut self) -> Result<Ref<Type>> {
        let mut types = Vec::new();
        self.opened("tuple type")?;
        self.list(b'>', |it| it.r#type().map(|found| types.room().push(found)))?;
        Ok(Type::new(&self.context, TypeHead::Tuple, types, Vec::new()))
    }

    /// Past the word and `<`.
    fn opened(&mut self, what: &str) -> Result<()> {
        self.advance();
        self.expect(b'<', &format!(" in {what}"))
    }

    fn complex(&mut self) -> Result<Ref<Type>> {
        self.opened("complex type")?;
        let element = self.element("invalid element type for complex", complex_part)?;
        self.expect(b'>', " in complex type")?;
        Ok(Type::new(
            &self.context,
            TypeHead::Complex,
            vec![element],
            Vec::new(),
        ))
    }

    /// A type that must be of some kind.
    fn element(&mut self, what: &str, fits: fn(&TypeHead) -> bool) -> Result<Ref<Type>> {
        let start = self.token.start;
        let found = self.r#type()?;
        match fits(found.head()) {
            true => Ok(found),
            false => Err(self.error(start, what)),
        }
    }

    /// A size and the `x` behind it, which the lexer would take for part of a word or number.
    /// `None`: there is no size here.
    fn size(&mut self, dynamic: bool) -> Result<Option<i64>> {
        let (start, text) = (self.token.start, self.word().as_bytes());
        let (size, length) = match text.first() {
            Some(b'?') if dynamic => (DYNAMIC, 1),
            Some(b'0'..=b'9') => {
                let digits = self.digits();
                let size = digits
                    .parse()
                    .map_err(|_| self.error(start, "invalid dimension"))?;
                (size, digits.len())
            }
            _ => return Ok(None),
        };
        self.past_x(start + length)?;
        Ok(Some(size))
    }

    /// The digits that the current token begins with.
    fn digits(&self) -> &str {
        let word = self.word();
        let end = word.bytes().position(|byte| !byte.is_ascii_digit());
        &word[..end.unwrap_or(word.len())]
    }

    fn past_x(&mut self, at: usize) -> Result<()> {
        let at = self.window.skip(at);
        if self.window.byte(at) != Some(b'x') {
            return Err(self.error(at, "expected 'x' in dimension list"));
        }
        self.jump(at + 1);
        Ok(())
    }

    fn vector(&mut self) -> Result<Ref<Type>> {
        let begin = self.token.start;
        self.opened("vector type")?;
        let mut shape = Vec::new();
        loop {
            if self.is(b'[') {
                self.advance();
                let (start, digits) = (self.token.start, self.digits());
                let (size, end) = (digits.parse(), start + digits.len());
                let size = size.map_err(|_| self.error(start, "expected integer in scalable dimension"))?;
                self.jump(end);
                if !self.is(b']') {
                    return Err(self.expected("missing ']' closing scalable dimension"));
                }
                self.past_x(self.token.end)?;
                shape.room().push((size, true));
            } else if let Some(size) = self.size(false)? {
                shape.room().push((size, false));
            } else {
                break;
            }
        }
        if let Some((size, _)) = shape.iter().find(|(size, _)| *size <= 0) {
            let what = format!("vector types must have positive constant sizes but got {size}");
            return Err(self.error(begin, &what));
        }
        let element = self.element("invalid vector element type", vector_element)?;
        self.expect(b'>', " in vector type")?;
        let shape = shape.into_boxed_slice();
        Ok(Type::new(
            &self.context,
            TypeHead::Vector { shape },
            vec![element],
            Vec::new(),
        ))
    }

    /// `*x`, or sizes.
    fn shape(&mut self) -> Result<Option<Box<[i64]>>> {
        if self.is(b'*') {
            self.past_x(self.token.end)?;
            return Ok(None);
        }
        let mut sizes = Vec::new();
        while let Some(size) = self.size(true)? {
            sizes.room().push(size);
        }
        Ok(Some(sizes.into_boxed_slice()))
    }

    fn tensor(&mut self) -> Result<Ref<Type>> {
        self.opened("tensor type")?;
        let shape = self.shape()?;
        let element = self.element("invalid tensor element type", tensor_element)?;
        let mut attributes = Vec::new();
        if self.accept(b',') && !self.is(b'>') {
            let start = self.token.start;
            attributes.room().push(self.attribute(None)?);
            if shape.is_none() {
                return Err(self.error(start, "cannot apply encoding to unranked tensor"));
            }
        }
        self.expect(b'>', " in tensor type")?;
        Ok(Type::new(
            &self.context,
            TypeHead::Tensor { shape },
            vec![element],
            attributes,
        ))
    }

    fn memref(&mut self) -> Result<Ref<Type>> {
        self.opened("memref type")?;
        let shape = self.shape()?;
        let element = self.element("invalid memref element type", memref_element)?;
        let (mut layout, mut space): (Option<Ref<Attribute>>, Option<Ref<Attribute>>) = (None, None);
        while self.accept(b',') {
            let start = self.token.start;
            let found = self.attribute(None)?;
            let is_layout = found.is_layout();
            if space.is_some() {
                return Err(self.error(start, "multiple memory spaces specified in memref type"));
            }
            match (is_layout && shape.is_some(), &layout) {
                (true, None) => layout = Some(found),
                (true, Some(_)) => {
                    return Err(self.error(start, "expected memory space to be last in memref type"));
                }
                (false, _) => space = Some(found),
            }
        }
        self.expect(b'>', " in memref type")?;
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
fn integer(word: &str) -> Option<(Option<u32>, Sign)> {
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
