//! Elements: what stands in `dense<…>` is read before its type is known, which follows.

use pairbond::memory::or_unwind;
use pairbond::memory::{check_room, try_push};
use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use super::literals::Literal;
use crate::context::attributes::{
    Attribute, AttributeHead, Element, array_element, dense_attr, element_count, normalize_elements,
};
use crate::context::types::{Type, TypeHead, shape_of};
use crate::numbers::Sign;
use crate::recursion::with_stack;

/// One element as it stands in the text.
#[derive(Clone)]
enum Item {
    Number(Literal),
    Truth(usize, bool),
    Text(Vec<u8>),
}

/// Elements, and the sizes of the brackets that they stand in.
#[derive(Default)]
struct Items {
    all: Vec<Item>,
    shape: Vec<usize>,
    /// Whether each is a pair in parentheses, of two items.
    pairs: bool,
}

impl Parser<'_> {
    pub(super) fn parse_dense(&mut self) -> Result<Ref<Attribute>> {
        let begin = self.token.start;
        self.advance_token();
        self.expect_mark(b'<', " after 'dense'")?;
        let literal = self.token;
        let mut items = Items::default();
        let empty = self.is_mark(b'>');
        if !empty {
            self.parse_items(&mut items)?;
        }
        self.expect_mark(b'>', "")?;
        let r#type = self.shaped_type()?;
        if let [Item::Text(text)] = &items.all[..]
            && items.shape.is_empty()
            && Element::from_type(Type::element_or_self(&r#type)).is_some()
        {
            return self.build_from_hex(literal.start, begin, text, r#type);
        }
        self.build_elements(begin, items, empty, r#type)
    }

    /// `: type` that has a static shape.
    fn shaped_type(&mut self) -> Result<Ref<Type>> {
        self.expect_mark(b':', " before the type of elements")?;
        let start = self.token.start;
        let found = self.parse_type()?;
        let fits = matches!(found.head(), TypeHead::Tensor { .. } | TypeHead::Vector { .. });
        match (fits, element_count(found.head())) {
            (true, Some(_)) => Ok(found),
            (true, None) => Err(self.error_at(start, "elements literal type must have static shape")),
            (false, _) => Err(self.error_at(start, "elements literal must be a shaped type")),
        }
    }

    /// One item, or a bracket of them, or brackets of brackets.
    fn parse_items(&mut self, items: &mut Items) -> Result<()> {
        if !self.is_mark(b'[') {
            return self.parse_item(items);
        }
        let mut inner: Option<Vec<usize>> = None;
        let mut count = 0;
        self.advance_token();
        self.parse_list(b']', |it| {
            let start = it.token.start;
            let outer = std::mem::take(&mut items.shape);
            with_stack(|| it.parse_items(items))?;
            let found = std::mem::replace(&mut items.shape, outer);
            count += 1;
            match &inner {
                Some(known) if *known != found => {
                    let what = "tensor literal is invalid; ranks are not consistent between elements";
                    Err(it.error_at(start, what))
                }
                _ => {
                    inner = Some(found);
                    Ok(())
                }
            }
        })?;
        items.shape = std::iter::once(count).chain(inner.unwrap_or_default()).collect();
        Ok(())
    }

    fn parse_item(&mut self, items: &mut Items) -> Result<()> {
        let start = self.token.start;
        let pair = self.is_mark(b'(');
        if pair != items.pairs && !items.all.is_empty() {
            return Err(self.error_at(start, "expected elements of one kind, complex or not"));
        }
        items.pairs = pair;
        if pair {
            self.advance_token();
            let real = self.parse_scalar()?;
            self.expect_mark(b',', " between complex elements")?;
            let imaginary = self.parse_scalar()?;
            self.expect_mark(b')', " after complex elements")?;
            try_push(&mut items.all, real)?;
            try_push(&mut items.all, imaginary)?;
            return Ok(());
        }
        let item = self.parse_scalar()?;
        try_push(&mut items.all, item)?;
        Ok(())
    }

    fn parse_scalar(&mut self) -> Result<Item> {
        let start = self.token.start;
        match self.token.kind {
            Kind::String => self.parse_string("").map(Item::Text),
            Kind::Word if matches!(self.token_text(), "true" | "false") => {
                let value = self.is_word("true");
                self.advance_token();
                Ok(Item::Truth(start, value))
            }
            Kind::Mark(b'-') | Kind::Integer | Kind::Float => self.parse_literal().map(Item::Number),
            _ => Err(self.expected_error("expected element literal of primitive type")),
        }
    }

    fn build_elements(
        &self,
        begin: usize,
        items: Items,
        empty: bool,
        r#type: Ref<Type>,
    ) -> Result<Ref<Attribute>> {
        let sizes = shape_of(r#type.head()).unwrap_or_default();
        let wanted = element_count(r#type.head()).unwrap_or(0);
        let splat = items.shape.is_empty() && !empty;
        let fits = items.shape.iter().map(|it| *it as i64).eq(sizes.iter().copied());
        let none = empty || items.all.is_empty();
        // Nothing is the elements of whatever has none, and of nothing else.
        if !splat && (none && wanted != 0 || !none && !fits) {
            let list = |sizes: &[i64]| {
                sizes
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let found: Vec<i64> = items.shape.iter().map(|it| *it as i64).collect();
            return Err(self.error_at(
                begin,
                &format!(
                    "inferred shape of elements literal ([{}]) does not match type ([{}])",
                    list(&found),
                    list(&sizes)
                ),
            ));
        }
        let inner = Type::element_or_self(&r#type);
        let Some(element) = Element::from_type(inner) else {
            return self.build_strings(begin, items, r#type.clone());
        };
        let complex = *inner.head() == TypeHead::Complex;
        if complex != items.pairs && !items.all.is_empty() {
            let what = if complex {
                "expected complex elements"
            } else {
                "expected elements that are not complex"
            };
            return Err(self.error_at(begin, what));
        }
        // Twice: the context keeps a copy.
        check_room(items.all.len(), 2 * element.complex_part().byte_size())?;
        let mut data = Vec::new();
        or_unwind(data.try_reserve_exact(items.all.len() * element.complex_part().byte_size()));
        for item in &items.all {
            self.element_bytes(item, element.complex_part(), begin, &mut data)?;
        }
        if wanted == 0 && splat {
            let (data, splat) = (data.into(), true);
            return Ok(Attribute::with_type(AttributeHead::Dense { data, splat }, r#type));
        }
        Ok(dense_attr(r#type, &data, element.byte_size()))
    }

    fn element_bytes(&self, item: &Item, element: Element, begin: usize, data: &mut Vec<u8>) -> Result<()> {
        match (item, element) {
            (Item::Truth(_, value), Element::Integer(1, _)) => data.push(u8::from(*value)),
            (Item::Truth(start, _), _) => {
                return Err(self.error_at(*start, "expected i1 type for 'true' or 'false' values"));
            }
            (Item::Number(it), Element::Integer(width, sign)) => {
                if it.float {
                    return Err(
                        self.error_at(it.start, "expected integer elements, but parsed floating-point")
                    );
                }
                data.extend_from_slice(&self.integer_bytes(
                    *it,
                    width,
                    sign,
                    "integer constant out of range for type",
                )?);
            }
            (Item::Number(it), Element::Float(kind)) => {
                let bits = self.float_bits(*it, kind)?;
                data.extend(&bits.to_le_bytes()[..element.byte_size()]);
            }
            _ => return Err(self.error_at(begin, "expected elements of the type that follows")),
        }
        Ok(())
    }

    fn build_strings(&self, begin: usize, items: Items, r#type: Ref<Type>) -> Result<Ref<Attribute>> {
        let texts = items.all.into_iter().map(|item| match item {
            Item::Text(text) => Ok(text.into_boxed_slice()),
            _ => Err(self.error_at(begin, "expected string elements for the type that follows")),
        });
        let mut data: Vec<Box<[u8]>> = texts.collect::<Result<_>>()?;
        let splat = !data.is_empty() && data.iter().all(|it| *it == data[0]);
        data.truncate(if splat { 1 } else { data.len() });
        let data = data.into_boxed_slice();
        Ok(Attribute::with_type(
            AttributeHead::DenseStrings { data, splat },
            r#type,
        ))
    }

    /// `dense<"0x…">`: the bytes of all elements, or of one.
    fn build_from_hex(
        &self,
        start: usize,
        begin: usize,
        text: &[u8],
        r#type: Ref<Type>,
    ) -> Result<Ref<Attribute>> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let digits = text
            .strip_prefix(b"0x")
            .filter(|it| it.len() % 2 == 0 && it.iter().all(|it| digit(*it).is_some()));
        let Some(digits) = digits else {
            return Err(self.error_at(
                start,
                "string isn't a valid hex string: it begins with 0x and has two digits per byte",
            ));
        };
        let byte = |pair: &[u8]| {
            pair.iter()
                .fold(0, |all, it| all << 4 | digit(*it).unwrap_or(0) as u8)
        };
        let mut data: Vec<u8> = digits.chunks_exact(2).map(byte).collect();
        let element = Element::from_type(Type::element_or_self(&r#type)).expect("the caller has asked");
        let wanted = element_count(r#type.head())
            .unwrap_or(0)
            .checked_mul(element.byte_size());
        if Some(data.len()) != wanted && data.len() != element.byte_size() {
            return Err(self.error_at(begin, "elements hex data size is invalid for provided type"));
        }
        normalize_elements(&mut data, element);
        Ok(dense_attr(r#type, &data, element.byte_size()))
    }

    pub(super) fn dense_resource(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'<', " after 'dense_resource'")?;
        let name: Box<str> = match self.token.kind {
            Kind::Word => self.parse_bare_word(),
            _ => self.parse_utf8_string("expected resource key")?.into(),
        };
        let name = self.resource_name(name);
        self.expect_mark(b'>', "")?;
        let r#type = self.shaped_type()?;
        Ok(Attribute::with_type(AttributeHead::DenseResource(name), r#type))
    }

    pub(super) fn dense_array(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'<', " after 'array'")?;
        let start = self.token.start;
        let r#type = self.parse_type()?;
        let Some(element) = array_element(&r#type) else {
            return Err(self.error_at(
                start,
                "expected integer or float type whose bitwidth is a multiple of 8, or i1",
            ));
        };
        let mut data = Vec::new();
        if self.accept_mark(b':') {
            self.parse_list(b'>', |it| {
                let at = it.token.start;
                let item = it.parse_scalar()?;
                match (&item, element) {
                    (Item::Number(_), Element::Integer(1, Sign::Signless)) => {
                        Err(it.error_at(at, "expected 'true' or 'false' values for i1 type"))
                    }
                    _ => it.element_bytes(&item, element, at, &mut data),
                }
            })?;
        } else {
            self.expect_mark(b'>', "")?;
        }
        Ok(Attribute::with_type(
            AttributeHead::DenseArray(data.into()),
            r#type,
        ))
    }

    pub(super) fn parse_sparse(&mut self) -> Result<Ref<Attribute>> {
        let begin = self.token.start;
        self.advance_token();
        self.expect_mark(b'<', " after 'sparse'")?;
        if self.accept_mark(b'>') {
            let r#type = self.shaped_type()?;
            return Ok(Attribute::with_type(AttributeHead::Sparse, r#type));
        }
        let (mut indices, mut values) = (Items::default(), Items::default());
        self.parse_items(&mut indices)?;
        self.expect_mark(b',', " between indices and values")?;
        let literal = self.token.start;
        self.parse_items(&mut values)?;
        self.expect_mark(b'>', "")?;
        let r#type = self.shaped_type()?;
        let sizes = shape_of(r#type.head()).unwrap_or_default();
        // One index for all dimensions stands for itself; of no dimensions there is nothing to say.
        if indices.shape.is_empty() {
            indices.shape = vec![1, sizes.len()];
            indices.all.truncate(sizes.len().min(1));
            let only = indices.all.pop();
            indices
                .all
                .extend(std::iter::repeat_n(only, sizes.len()).flatten());
        }
        // One index is written as one for all dimensions.
        if indices.shape == [1] {
            indices.shape.push(1);
        }
        let fits = match indices.shape[..] {
            [_, each] => each == sizes.len(),
            [_] => sizes.len() == 1,
            _ => false,
        };
        let many = indices.shape[0];
        let as_many = match values.shape[..] {
            [] => true,
            [values] => values == many,
            _ => return Err(self.error_at(begin, "expected 1-d tensor for sparse element values")),
        };
        if !fits || !as_many {
            let what = format!(
                "expected shape ({sizes:?}); inferred shape of indices literal ({:?}); inferred shape of values literal ({:?})",
                indices.shape, values.shape
            );
            return Err(self.error_at(begin, &what));
        }
        let list = |sizes: &[usize], element: &Ref<Type>| {
            let shape = Some(sizes.iter().map(|it| *it as i64).collect());
            Type::new(
                &self.context,
                TypeHead::Tensor { shape },
                vec![element.clone()],
                Vec::new(),
            )
        };
        let index = TypeHead::Integer {
            width: 64,
            sign: Sign::Signless,
        };
        let index = list(&indices.shape, &Type::without_parts(&self.context, index));
        let value = list(&[many], Type::element_or_self(&r#type));
        let is_bytes = matches!(&values.all[..], [Item::Text(_)])
            && values.shape.is_empty()
            && Element::from_type(Type::element_or_self(&r#type)).is_some();
        let values = match &values.all[..] {
            [Item::Text(text)] if is_bytes => self.build_from_hex(literal, begin, text, value)?,
            _ => self.build_elements(begin, values, false, value)?,
        };
        let indices = self.build_elements(begin, indices, false, index)?;
        if many == 0 {
            return Ok(Attribute::with_type(AttributeHead::Sparse, r#type));
        }
        self.check_indices(begin, &indices, &sizes)?;
        let context = self.context.clone();
        Ok(Attribute::new(
            &context,
            AttributeHead::Sparse,
            vec![r#type],
            vec![indices, values],
        ))
    }

    /// Refuses indices that are outside of a shape.
    fn check_indices(&self, begin: usize, indices: &Attribute, sizes: &[i64]) -> Result<()> {
        let AttributeHead::Dense { data, splat } = indices.head() else {
            return Ok(());
        };
        let numbers = data.chunks_exact(size_of::<i64>());
        let numbers = numbers.filter_map(|it| it.try_into().ok().map(i64::from_le_bytes));
        let mut all: Vec<i64> = numbers.collect();
        if *splat {
            all = all.repeat(sizes.len());
        }
        for (place, index) in all.chunks_exact(sizes.len().max(1)).enumerate() {
            if !index.iter().zip(sizes).all(|(it, size)| (0..*size).contains(it)) {
                let what = format!(
                    "sparse index #{place} is not contained within the value shape, with index={index:?}"
                );
                return Err(self.error_at(begin, &what));
            }
        }
        Ok(())
    }
}
