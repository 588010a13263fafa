//! [`DenseElementsAttr`]: numbers of a shape, one after the other, or one for all.

use pairbond::memory::or_unwind;
use pairbond::prelude::*;
use pairbond::value::BigInt;

use super::buffers::{Given, lend_buffer, of_numbers, static_shape, tensor_type};
use super::elements::{Element, attr_to_element, dense_attr, element_to_attr, float_bits};
use super::numbers::integer_of;
use super::{Attribute, AttributeHead, element_count};
use crate::class::cast_to_class;
use crate::context::types::{Type, class_name};
use crate::context::{Context, same_context};
use crate::numbers::Sign;
use crate::slices::resolve_index;

class! {
    /// Numbers of a shape.
    DenseElementsAttr: Attribute = "pairbond_ir.DenseElementsAttr"
}
class! {
    /// Integers of a shape, `index` included.
    DenseIntElementsAttr: DenseElementsAttr = "pairbond_ir.DenseIntElementsAttr"
}
class! {
    /// Floats of a shape.
    DenseFPElementsAttr: DenseElementsAttr = "pairbond_ir.DenseFPElementsAttr"
}
class! {
    /// Texts of a shape.
    DenseStringElementsAttr: Attribute = "pairbond_ir.DenseStringElementsAttr"
}
class! {
    /// Numbers of a shape of which most are zero.
    SparseElementsAttr: Attribute = "pairbond_ir.SparseElementsAttr"
}

/// An attribute of elements as an object of the class for them.
pub(super) fn elements_object(base: Attribute) -> Ref<Attribute> {
    let base = DenseElementsAttr { base };
    match base.stored_parts().2 {
        Element::Integer(..) => Ref::new(DenseIntElementsAttr { base }).upcast().upcast(),
        Element::Float(_) => Ref::new(DenseFPElementsAttr { base }).upcast().upcast(),
        _ => Ref::new(base).upcast(),
    }
}

impl DenseElementsAttr {
    fn stored_parts(&self) -> (&Bytes, bool, Element, &Ref<Type>) {
        let AttributeHead::Dense { data, splat } = self.base.head() else {
            unreachable!("a dense attribute is one")
        };
        let inner = Type::element_or_self(&self.base.types()[0]);
        let element = Element::from_type(inner).expect("dense elements are numbers");
        (data, *splat, element, inner)
    }

    /// The bytes of an element.
    fn element_bytes(&self, place: usize) -> &[u8] {
        let (data, splat, element, _) = self.stored_parts();
        let start = if splat { 0 } else { place * element.byte_size() };
        &data[start..start + element.byte_size()]
    }

    fn resolve_index(&self, index: i64) -> Result<usize> {
        resolve_index(index, self.__len__(), "dense elements")
    }

    fn element_attr(&self, place: usize) -> Ref<Attribute> {
        let (_, _, element, inner) = self.stored_parts();
        element_to_attr(element, self.element_bytes(place), inner)
    }
}

/// Whether integers have no sign, or what all elements are.
enum Second {
    Signless(bool),
    Type(Ref<Type>),
}

impl<'a> pairbond::convert::FromValue<'a> for Second {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        "bool or Type".into()
    }

    fn from_value<S: pairbond::convert::Source<'a>>(source: S) -> Result<Self, pairbond::convert::Mismatch> {
        if source.read_object().is_ok() {
            return Ref::from_value(source).map(Second::Type);
        }
        source.read_bool().map(Second::Signless)
    }
}

#[pairbond::methods]
impl DenseElementsAttr {
    /// Of a buffer, `get(array, signless=True, type=None, shape=None)`: its shape is that of the
    /// elements unless another is given, and so is its type; a single number stands for all. Or of
    /// attributes, `get(attrs, shaped_type=None)`: as many as the shape has, or one for all.
    #[classmethod]
    fn get(
        #[default(None)] array: Option<Given>,
        #[default(None)] signless: Option<Second>,
        #[default(None)] r#type: Option<Ref<Type>>,
        #[default(None)] shape: Option<Vec<i64>>,
        #[default(None)] context: Option<Ref<Context>>,
        #[keyword]
        #[default(None)]
        attrs: Option<Vec<Ref<Attribute>>>,
        #[keyword]
        #[default(None)]
        shaped_type: Option<Ref<Type>>,
    ) -> Result<Ref<DenseElementsAttr>> {
        let (signless, second) = match signless {
            Some(Second::Signless(signless)) => (signless, None),
            Some(Second::Type(second)) => (true, Some(second)),
            None => (true, None),
        };
        match array.or(attrs.map(Given::Attributes)) {
            Some(Given::Attributes(attributes)) => {
                of_all(&attributes, shaped_type.or(second).or(r#type)).map(cast_to_class)
            }
            Some(Given::Numbers(numbers)) => of_numbers(
                &numbers,
                signless,
                r#type.or(shaped_type).or(second),
                shape,
                context,
            )
            .map(cast_to_class),
            Some(Given::Bits(bits)) => {
                let r#type = r#type.or(shaped_type).or(second);
                let r#type = r#type.ok_or_else(|| {
                    Error::value_error(
                        "unimplemented array format conversion from format: buffers have no name for it; pass type=…",
                    )
                })?;
                of_numbers(&bits, signless, Some(r#type), shape, context).map(cast_to_class)
            }
            None => Err(Error::type_error("get() needs a buffer or attributes")),
        }
    }

    /// The same attribute everywhere.
    #[classmethod]
    fn get_splat(shaped_type: Ref<Type>, element_attr: Ref<Attribute>) -> Result<Ref<DenseElementsAttr>> {
        of_all(&[element_attr], Some(shaped_type)).map(cast_to_class)
    }

    #[getter]
    fn is_splat(&self) -> bool {
        self.stored_parts().1
    }

    fn get_splat_value(&self) -> Result<Ref<Attribute>> {
        match self.is_splat() {
            true => Ok(self.element_attr(0)),
            false => Err(Error::value_error(
                "get_splat_value called on a non-splat attribute",
            )),
        }
    }

    /// The elements as they lie in memory, each in whole bytes; of a splat only one.
    #[getter]
    fn raw(&self) -> Bytes {
        self.stored_parts().0.clone()
    }

    fn __len__(&self) -> usize {
        element_count(self.base.types()[0].head()).unwrap_or(0)
    }

    /// A Python number; of a complex number an array of two attributes.
    fn __getitem__(&self, index: i64) -> Result<Any> {
        Ok(self.element_attr(self.resolve_index(index)?).into())
    }

    fn __buffer__(&self) -> Result<Array> {
        let (data, splat, ..) = self.stored_parts();
        lend_buffer(&Array::from(data.clone()), splat, &self.base.types()[0])
    }
}

#[pairbond::methods]
impl DenseIntElementsAttr {
    fn __getitem__(&self, index: i64) -> Result<BigInt> {
        let (width, sign) = match self.base.stored_parts().2 {
            // A truth value is 0 or 1.
            Element::Integer(1, Sign::Signless) => (1, Sign::Unsigned),
            Element::Integer(width, sign) => (width, sign),
            _ => unreachable!("integers"),
        };
        let bytes = self.base.element_bytes(self.base.resolve_index(index)?);
        Ok(integer_of(bytes, width, sign))
    }
}

#[pairbond::methods]
impl DenseFPElementsAttr {
    /// Rounded, if it is of a kind with more digits than Python's.
    fn __getitem__(&self, index: i64) -> Result<f64> {
        let Element::Float(kind) = self.base.stored_parts().2 else {
            unreachable!("floats")
        };
        Ok(kind.nearest(float_bits(
            self.base.element_bytes(self.base.resolve_index(index)?),
        )))
    }
}

/// Elements that are attributes: as many as the shape has, or one for all.
fn of_all(attributes: &[Ref<Attribute>], shaped: Option<Ref<Type>>) -> Result<Ref<Attribute>> {
    let Some(first) = attributes.first() else {
        return Err(Error::value_error("Attributes list must be non-empty."));
    };
    let shaped = match shaped {
        Some(shaped) => shaped,
        None => {
            let of = first.type_of().cloned();
            let of = of.ok_or_else(|| Error::value_error("dense elements are numbers"))?;
            tensor_type(of, vec![attributes.len() as i64])?
        }
    };
    let Some(wanted) = element_count(shaped.head()) else {
        return Err(static_shape(&shaped));
    };
    if attributes.len() != wanted && attributes.len() != 1 {
        let found = attributes.len();
        return Err(Error::value_error(format!(
            "expected {wanted} attributes, as the shape has, and not {found}"
        )));
    }
    let inner = Type::element_or_self(&shaped);
    let element =
        Element::from_type(inner).ok_or_else(|| Error::value_error("dense elements are numbers"))?;
    let mut data = Vec::new();
    or_unwind(data.try_reserve_exact(attributes.len() * element.byte_size()));
    for attribute in attributes {
        same_context(shaped.context(), attribute.context(), "an attribute")?;
        let Some(bytes) = attr_to_element(attribute, inner, element) else {
            return Err(wrong_element(&shaped, attribute, attributes.len() == 1));
        };
        data.extend(bytes);
    }
    Ok(dense_attr(shaped, &data, element.byte_size()))
}

/// The error about an attribute that is no element of a type, in the words of MLIR's bindings.
#[cold]
fn wrong_element(shaped: &Ref<Type>, attribute: &Ref<Attribute>, is_only: bool) -> Error {
    Error::value_error(match attribute.type_of() {
        Some(found) if !is_only => format!(
            "All attributes must be of the same type and match the type parameter: expected={}({}), but got={}({})",
            class_name(shaped.as_borrow()),
            shaped,
            class_name(found.as_borrow()),
            found
        ),
        _ => format!(
            "Shaped element type and attribute type must be equal: shaped=Type({}), element=Attribute({})",
            shaped, attribute
        ),
    })
}
