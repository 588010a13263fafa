//! Many values in one attribute.

use pairbond::prelude::*;

use super::aggregates::place;
use super::numbers::{boolean, kind_of, width_of};
use super::{Attribute, AttributeHead};
use crate::context::same_context;
use crate::error;
use crate::numbers::{self, FloatKind};
use crate::types::{DYNAMIC, Sign, Type, TypeHead, shape};

class! {
    /// Numbers of a shape.
    DenseElementsAttr: Attribute = "pairbond_ir.DenseElementsAttr"
}
class! {
    /// Texts of a shape.
    DenseStringElementsAttr: Attribute = "pairbond_ir.DenseStringElementsAttr"
}
class! {
    /// Numbers in a row.
    DenseArrayAttr: Attribute = "pairbond_ir.DenseArrayAttr"
}
class! {
    /// Numbers that lie elsewhere, under a name.
    DenseResourceElementsAttr: Attribute = "pairbond_ir.DenseResourceElementsAttr"
}
class! {
    /// Numbers of a shape of which most are zero.
    SparseElementsAttr: Attribute = "pairbond_ir.SparseElementsAttr"
}

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
    pub(crate) fn of(r#type: &Type) -> Option<Element> {
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
    pub(crate) fn size(self) -> usize {
        match self {
            Element::Integer(width, _) => numbers::sized(width),
            Element::Float(kind) => numbers::sized(kind.bits()),
            Element::ComplexInteger(..) | Element::ComplexFloat(_) => 2 * self.part().size(),
        }
    }

    /// Of a complex number what its parts are.
    pub(crate) fn part(self) -> Element {
        match self {
            Element::ComplexInteger(width, sign) => Element::Integer(width, sign),
            Element::ComplexFloat(kind) => Element::Float(kind),
            other => other,
        }
    }

    /// As it is written among others of its type.
    pub(crate) fn text(self, bytes: &[u8]) -> String {
        match self {
            Element::Integer(1, Sign::Signless) => if bytes[0] == 0 { "false" } else { "true" }.to_owned(),
            Element::Integer(width, sign) => numbers::integer_text(bytes, width, sign != Sign::Unsigned),
            Element::Float(kind) => numbers::float_text(bits(bytes), kind).0,
            Element::ComplexInteger(..) | Element::ComplexFloat(_) => {
                let (real, imaginary) = bytes.split_at(bytes.len() / 2);
                format!("({},{})", self.part().text(real), self.part().text(imaginary))
            }
        }
    }
}

/// The bits of a float that is stored so.
pub(crate) fn bits(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .rev()
        .fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// How many elements a shape has; `None` when it is not static, or too large.
pub(crate) fn count(head: &TypeHead) -> Option<usize> {
    let sizes = shape(head)?;
    sizes
        .iter()
        .filter(|size| **size != DYNAMIC)
        .try_fold(1_usize, |all, size| all.checked_mul(usize::try_from(*size).ok()?))
        .filter(|_| !sizes.contains(&DYNAMIC))
}

/// Elements of a shaped type; all alike are stored once.
pub(crate) fn dense(r#type: Ref<Type>, data: Vec<u8>, size: usize) -> Ref<Attribute> {
    let alike = size > 0 && data.len() >= size && data.chunks_exact(size).all(|it| it == &data[..size]);
    let (data, splat) = match alike {
        true => (data[..size].into(), true),
        false => (data.into_boxed_slice(), false),
    };
    Attribute::typed(AttributeHead::Dense { data, splat }, r#type)
}

/// A stored number as an attribute of its own; a complex number as an array of two.
fn value(element: Element, bytes: &[u8], r#type: &Ref<Type>) -> Ref<Attribute> {
    match element {
        Element::Integer(1, Sign::Signless) => boolean(r#type.context(), bytes[0] != 0),
        Element::Integer(..) => Attribute::typed(AttributeHead::Integer(bytes.into()), r#type.clone()),
        Element::Float(_) => Attribute::typed(AttributeHead::Float(bits(bytes)), r#type.clone()),
        Element::ComplexInteger(..) | Element::ComplexFloat(_) => {
            let (part, inner) = (element.part(), &r#type.types()[0]);
            let parts = bytes
                .chunks_exact(part.size())
                .map(|it| value(part, it, inner))
                .collect();
            Attribute::new(r#type.context(), AttributeHead::Array, Vec::new(), parts)
        }
    }
}

/// The bytes of an attribute as an element of that kind; `None` if it is none.
fn stored(attribute: &Attribute, r#type: &Ref<Type>, element: Element) -> Option<Vec<u8>> {
    match attribute.head() {
        AttributeHead::Integer(bytes) if attribute.types()[0].is(r#type) => Some(bytes.to_vec()),
        AttributeHead::Float(bits) if attribute.types()[0].is(r#type) => {
            Some(bits.to_le_bytes()[..element.size()].to_vec())
        }
        AttributeHead::Array if *r#type.head() == TypeHead::Complex && attribute.attributes().len() == 2 => {
            let (inner, part) = (&r#type.types()[0], element.part());
            let parts = attribute.attributes().iter().map(|it| stored(it, inner, part));
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

impl DenseElementsAttr {
    fn parts(&self) -> (&[u8], bool, Element, &Ref<Type>) {
        let AttributeHead::Dense { data, splat } = self.base.head() else {
            unreachable!("a dense attribute is one")
        };
        let inner = Type::element(&self.base.types()[0]);
        let element = Element::of(inner).expect("dense elements are numbers");
        (data, *splat, element, inner)
    }

    fn at(&self, place: usize) -> Ref<Attribute> {
        let (data, splat, element, inner) = self.parts();
        let start = if splat { 0 } else { place * element.size() };
        value(element, &data[start..start + element.size()], inner)
    }
}

#[pairbond::methods]
impl DenseElementsAttr {
    /// Of attributes of the element type, as many as the shape has.
    #[classmethod]
    fn get(attrs: Vec<Ref<Attribute>>, shaped_type: Ref<Type>) -> Result<Ref<Attribute>> {
        let wanted = count(shaped_type.head());
        if wanted != Some(attrs.len()) {
            let found = attrs.len();
            return Err(error::ir(format!(
                "expected as many elements as the shape has, not {found}"
            )));
        }
        of_all(&attrs, &shaped_type)
    }

    /// The same attribute everywhere.
    #[classmethod]
    fn get_splat(shaped_type: Ref<Type>, element_attr: Ref<Attribute>) -> Result<Ref<Attribute>> {
        if count(shaped_type.head()).is_none() {
            return Err(error::ir(
                "expected a static ShapedType for the shaped_type parameter",
            ));
        }
        of_all(&[element_attr], &shaped_type)
    }

    #[getter]
    fn is_splat(&self) -> bool {
        self.parts().1
    }

    fn get_splat_value(&self) -> Result<Ref<Attribute>> {
        match self.is_splat() {
            true => Ok(self.at(0)),
            false => Err(Error::value_error(
                "get_splat_value called on a non-splat attribute",
            )),
        }
    }

    /// The elements as they lie in memory, each in whole bytes; of a splat only one.
    #[getter]
    fn raw(&self) -> Bytes {
        Bytes::from(self.parts().0)
    }

    fn __len__(&self) -> usize {
        count(self.base.types()[0].head()).unwrap_or(0)
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Attribute>> {
        Ok(self.at(place(index, self.__len__(), "dense elements")?))
    }
}

fn of_all(attributes: &[Ref<Attribute>], shaped: &Ref<Type>) -> Result<Ref<Attribute>> {
    let inner = Type::element(shaped);
    let element = Element::of(inner).ok_or_else(|| error::ir("dense elements are numbers"))?;
    let mut data = Vec::new();
    for attribute in attributes {
        same_context(shaped.context(), attribute.context(), "an attribute")?;
        let bytes = stored(attribute, inner, element);
        data.extend(
            bytes.ok_or_else(|| error::ir("all elements must be of the shaped type's element type"))?,
        );
    }
    Ok(dense(shaped.clone(), data, element.size()))
}

#[pairbond::methods]
impl DenseArrayAttr {
    /// Of attributes of the element type.
    #[classmethod]
    fn get(element_type: Ref<Type>, attrs: Vec<Ref<Attribute>>) -> Result<Ref<Attribute>> {
        let element =
            array_element(&element_type).ok_or_else(|| error::ir("expected integer or float type"))?;
        let bytes = attrs.iter().map(|it| stored(it, &element_type, element));
        let Some(bytes) = bytes.collect::<Option<Vec<_>>>() else {
            return Err(error::ir("all elements must be of the element type"));
        };
        let head = AttributeHead::DenseArray(bytes.concat().into_boxed_slice());
        Ok(Attribute::typed(head, element_type))
    }

    #[getter]
    fn element_type(&self) -> Ref<Type> {
        self.base.types()[0].clone()
    }

    fn __len__(&self) -> usize {
        let (data, element) = self.parts();
        data.len() / element.size()
    }

    fn __getitem__(&self, index: i64) -> Result<Ref<Attribute>> {
        let (data, element) = self.parts();
        let start = place(index, self.__len__(), "dense array")? * element.size();
        Ok(value(
            element,
            &data[start..start + element.size()],
            &self.base.types()[0],
        ))
    }

    #[hidden]
    fn parts(&self) -> (&[u8], Element) {
        match (self.base.head(), Element::of(&self.base.types()[0])) {
            (AttributeHead::DenseArray(data), Some(element)) => (data, element),
            _ => unreachable!("a dense array is one of numbers"),
        }
    }
}

/// How elements of a dense array are stored: integers of whole bytes, truth values, floats.
pub(crate) fn array_element(r#type: &Type) -> Option<Element> {
    match Element::of(r#type)? {
        _ if *r#type.head() == TypeHead::Index => None,
        element @ Element::Integer(width, _) if width == 1 || width > 0 && width % 8 == 0 => Some(element),
        element @ Element::Float(kind) if kind.bits() % 8 == 0 => Some(element),
        _ => None,
    }
}
