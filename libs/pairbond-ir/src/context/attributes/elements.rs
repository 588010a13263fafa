//! [`Element`]: how numbers lie in attributes that have many of them, one after the other, each in
//! whole bytes. `dense.rs`, `dense_array.rs` and `resources.rs` have the attributes; `buffers.rs`
//! says what numpy and others see of them.

use pairbond::prelude::*;

use super::numbers::{bool_attr, kind_of, width_of};
use super::{Attribute, AttributeHead};
use crate::affine::DYNAMIC;
use crate::context::types::{Type, TypeHead, shape_of};
use crate::numbers::{self, FloatKind, Sign};

/// How an element of a type is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// Of that many bits.
    Integer(u32, Sign),
    Float(FloatKind),
    /// Real, then imaginary part.
    ComplexInteger(u32, Sign),
    ComplexFloat(FloatKind),
}

impl Element {
    /// `None`: the type's values are not stored as numbers.
    pub(crate) fn from_type(r#type: &Type) -> Option<Element> {
        let inner = match r#type.head() {
            TypeHead::Complex => &*r#type.types()[0],
            _ => r#type,
        };
        let complex = !std::ptr::eq(inner, r#type);
        match (width_of(inner), kind_of(inner), complex) {
            (Some((width, sign)), _, false) => Some(Element::Integer(width, sign)),
            (Some((width, sign)), _, true) => Some(Element::ComplexInteger(width, sign)),
            (_, Some(kind), false) => Some(Element::Float(kind)),
            (_, Some(kind), true) => Some(Element::ComplexFloat(kind)),
            _ => None,
        }
    }

    /// How many bytes an element takes.
    pub(crate) fn byte_size(self) -> usize {
        match self {
            Element::Integer(width, _) => numbers::byte_width(width),
            Element::Float(kind) => numbers::byte_width(kind.bits()),
            Element::ComplexInteger(..) | Element::ComplexFloat(_) => 2 * self.complex_part().byte_size(),
        }
    }

    /// Of a complex number what its parts are.
    pub(crate) fn complex_part(self) -> Element {
        match self {
            Element::ComplexInteger(width, sign) => Element::Integer(width, sign),
            Element::ComplexFloat(kind) => Element::Float(kind),
            other => other,
        }
    }

    /// As it is written among others of its type.
    pub(crate) fn element_text(self, bytes: &[u8]) -> String {
        match self {
            Element::Integer(1, Sign::Signless) => if bytes[0] == 0 { "false" } else { "true" }.to_owned(),
            Element::Integer(width, sign) => numbers::integer_text(bytes, width, sign != Sign::Unsigned),
            Element::Float(kind) => numbers::float_text(float_bits(bytes), kind).0,
            Element::ComplexInteger(..) | Element::ComplexFloat(_) => {
                let (real, imaginary) = bytes.split_at(bytes.len() / 2);
                format!(
                    "({},{})",
                    self.complex_part().element_text(real),
                    self.complex_part().element_text(imaginary)
                )
            }
        }
    }
}

/// The bits of a float that is stored so.
pub(crate) fn float_bits(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .rev()
        .fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// How many elements a shape has; `None` when it is not static, or too large.
pub(crate) fn element_count(head: &TypeHead) -> Option<usize> {
    let sizes = shape_of(head)?;
    sizes
        .iter()
        .filter(|size| **size != DYNAMIC)
        .try_fold(1_usize, |all, size| all.checked_mul(usize::try_from(*size).ok()?))
        .filter(|_| !sizes.contains(&DYNAMIC))
}

/// Elements of a shaped type; all alike are stored once.
pub(crate) fn dense_attr(r#type: Ref<Type>, data: &[u8], size: usize) -> Ref<Attribute> {
    let alike = size > 0 && data.len() >= size && data.chunks_exact(size).all(|it| it == &data[..size]);
    let data = if alike { &data[..size] } else { data };
    let head = AttributeHead::Dense {
        data: data.into(),
        splat: alike,
    };
    Attribute::with_type(head, r#type)
}

/// A stored number as an attribute of its own; a complex number as an array of two.
pub(super) fn element_to_attr(element: Element, bytes: &[u8], r#type: &Ref<Type>) -> Ref<Attribute> {
    match element {
        Element::Integer(1, Sign::Signless) => bool_attr(r#type.context(), bytes[0] != 0),
        Element::Integer(..) => Attribute::with_type(AttributeHead::Integer(bytes.into()), r#type.clone()),
        Element::Float(_) => Attribute::with_type(AttributeHead::Float(float_bits(bytes)), r#type.clone()),
        Element::ComplexInteger(..) | Element::ComplexFloat(_) => {
            let (part, inner) = (element.complex_part(), &r#type.types()[0]);
            let parts = bytes
                .chunks_exact(part.byte_size())
                .map(|it| element_to_attr(part, it, inner))
                .collect();
            Attribute::new(r#type.context(), AttributeHead::Array, Vec::new(), parts)
        }
    }
}

/// The bytes of an attribute as an element of that kind; `None` if it is none.
pub(super) fn attr_to_element(
    attribute: &Attribute,
    r#type: &Ref<Type>,
    element: Element,
) -> Option<Vec<u8>> {
    match attribute.head() {
        AttributeHead::Integer(bytes) if attribute.types()[0].is(r#type) => Some(bytes.to_vec()),
        AttributeHead::Float(bits) if attribute.types()[0].is(r#type) => {
            Some(bits.to_le_bytes()[..element.byte_size()].to_vec())
        }
        AttributeHead::Array if *r#type.head() == TypeHead::Complex && attribute.attributes().len() == 2 => {
            let (inner, part) = (&r#type.types()[0], element.complex_part());
            let parts = attribute
                .attributes()
                .iter()
                .map(|it| attr_to_element(it, inner, part));
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

/// How elements of a dense array are stored: integers of whole bytes, truth values, floats.
pub(crate) fn array_element(r#type: &Type) -> Option<Element> {
    match Element::from_type(r#type)? {
        _ if *r#type.head() == TypeHead::Index => None,
        element @ Element::Integer(width, _) if width == 1 || width > 0 && width % 8 == 0 => Some(element),
        element @ Element::Float(kind) if kind.bits() % 8 == 0 => Some(element),
        _ => None,
    }
}

/// Bits above an integer's width are zero, and a truth value is 0 or 1.
pub(crate) fn normalize_elements(data: &mut [u8], element: Element) {
    let (Element::Integer(width, _) | Element::ComplexInteger(width, _)) = element else {
        return;
    };
    let size = element.complex_part().byte_size();
    for bytes in data.chunks_exact_mut(size.max(1)) {
        if width == 1 {
            bytes[0] = u8::from(bytes[0] != 0);
        } else if width % 8 != 0 {
            bytes[size - 1] &= (1 << (width % 8)) - 1;
        }
    }
}
