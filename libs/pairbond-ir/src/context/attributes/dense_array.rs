//! [`DenseArrayAttr`]: numbers in a row, and a class for each kind of them that takes and gives
//! Python's.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

use super::buffers::lent_row;
use super::elements::{Element, attr_to_element, element_to_attr, float_bits};
use super::numbers::{FloatAttr, IntegerAttr, float_of, from_python, integer_of, value_of};
use super::{Attribute, AttributeHead, array_element};
use crate::class::cast_to_class;
use crate::context::types::{Type, TypeHead};
use crate::context::{Context, context_or_current};
use crate::error;
use crate::numbers::{FloatKind, Sign};
use crate::slices::{Key, Picked, pick_elements, resolve_index};

class! {
    /// Numbers in a row.
    DenseArrayAttr: Attribute = "pairbond_ir.DenseArrayAttr"
}

#[pairbond::methods]
impl DenseArrayAttr {
    /// Of attributes of the element type.
    #[classmethod]
    fn of_attributes(element_type: Ref<Type>, attrs: Vec<Ref<Attribute>>) -> Result<Ref<DenseArrayAttr>> {
        let element =
            array_element(&element_type).ok_or_else(|| error::ir_error("expected integer or float type"))?;
        let bytes = attrs.iter().map(|it| attr_to_element(it, &element_type, element));
        let Some(bytes) = bytes.collect::<Option<Vec<_>>>() else {
            return Err(error::ir_error("all elements must be of the element type"));
        };
        Ok(cast_to_class(of_bytes(bytes.concat(), element_type)))
    }

    #[getter]
    fn element_type(&self) -> Ref<Type> {
        self.base.types()[0].clone()
    }

    fn __len__(&self) -> usize {
        let (data, element) = self.stored_parts();
        data.len() / element.byte_size()
    }

    /// A Python number; of other kinds than those with a class of their own an attribute.
    fn __getitem__(&self, key: Key) -> Result<Picked<Any, Vec<Any>>> {
        let (data, element) = self.stored_parts();
        let of = |bytes: &[u8]| Any::from(element_to_attr(element, bytes, &self.base.types()[0]));
        match key {
            Key::Place(index) => Ok(Picked::One(of(self.element_at(index)?.0))),
            slice => {
                let all: Vec<Any> = data.chunks_exact(element.byte_size()).map(of).collect();
                pick_elements(&all, &slice, "dense array")
            }
        }
    }

    fn __buffer__(&self) -> Result<Array> {
        let (data, element) = self.stored_parts();
        lent_row(&Array::from(data.clone()), element)
    }

    #[hidden]
    fn stored_parts(&self) -> (&Bytes, Element) {
        match (self.base.head(), Element::from_type(&self.base.types()[0])) {
            (AttributeHead::DenseArray(data), Some(element)) => (data, element),
            _ => unreachable!("a dense array is one of numbers"),
        }
    }

    /// The bytes of an element.
    #[hidden]
    fn element_at(&self, index: i64) -> Result<(&[u8], Element)> {
        let (data, element) = self.stored_parts();
        let start = resolve_index(index, self.__len__(), "dense array")? * element.byte_size();
        Ok((&data[start..start + element.byte_size()], element))
    }
}

fn of_bytes(bytes: Vec<u8>, element_type: Ref<Type>) -> Ref<Attribute> {
    Attribute::with_type(AttributeHead::DenseArray(bytes.into()), element_type)
}

/// The Python type of an element.
trait Number: Sized {
    /// Its bytes; `None`: the number does not fit.
    fn to_bytes(&self, element: Element) -> Option<Vec<u8>>;
    fn from_bytes(bytes: &[u8], element: Element) -> Self;
}

impl Number for i64 {
    fn to_bytes(&self, element: Element) -> Option<Vec<u8>> {
        let Element::Integer(width, sign) = element else {
            return None;
        };
        from_python(&(*self).into(), width, sign).map(|it| it.to_vec())
    }

    fn from_bytes(bytes: &[u8], element: Element) -> Self {
        let Element::Integer(width, sign) = element else {
            unreachable!("integers")
        };
        integer_of(bytes, width, sign)
            .to_i64()
            .expect("of 64 bits at most")
    }
}

impl Number for bool {
    fn to_bytes(&self, _: Element) -> Option<Vec<u8>> {
        Some(vec![u8::from(*self)])
    }

    fn from_bytes(bytes: &[u8], _: Element) -> Self {
        bytes[0] != 0
    }
}

impl Number for f64 {
    fn to_bytes(&self, element: Element) -> Option<Vec<u8>> {
        let Element::Float(kind) = element else {
            return None;
        };
        Some(kind.encode(*self).to_le_bytes()[..element.byte_size()].to_vec())
    }

    fn from_bytes(bytes: &[u8], element: Element) -> Self {
        let Element::Float(kind) = element else {
            unreachable!("floats")
        };
        kind.nearest(float_bits(bytes))
    }
}

/// Of Python: whether an object is true.
const TRUTH: &str = "pairbond_ir.truth";

/// An element as it may be given: the number, an attribute of one, or to be a truth value whatever
/// is true or not.
struct Item<N>(N);

impl<'a> FromValue<'a> for Item<i64> {
    fn expected_type() -> Cow<'static, str> {
        "int".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let given = i64::from_value(source);
        let Err(Mismatch::Type) = given else {
            return given.map(Item);
        };
        let attribute = Ref::<IntegerAttr>::from_value(source)?;
        let value = value_of(&attribute.upcast()).to_i64();
        value.map(Item).ok_or(Mismatch::Overflow)
    }
}

impl<'a> FromValue<'a> for Item<f64> {
    fn expected_type() -> Cow<'static, str> {
        "float".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let given = f64::from_value(source);
        let Err(Mismatch::Type) = given else {
            return given.map(Item);
        };
        Ok(Item(float_of(&Ref::<FloatAttr>::from_value(source)?.upcast())))
    }
}

impl<'a> FromValue<'a> for Item<bool> {
    fn expected_type() -> Cow<'static, str> {
        "bool".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if let Ok(known) = source.read_bool() {
            return Ok(Item(known));
        }
        let found = pairbond::registry::get_function(TRUTH)?.call(&[Any::from_value(source)?])?;
        Ok(Item(found.to::<bool>()?))
    }
}

fn of_numbers<N: Number>(
    values: &[N],
    r#type: TypeHead,
    context: Option<Ref<Context>>,
) -> Result<Ref<Attribute>> {
    let r#type = Type::without_parts(&context_or_current(context)?, r#type);
    let element = array_element(&r#type).expect("numbers");
    let bytes = values.iter().map(|it| it.to_bytes(element));
    let Some(bytes) = bytes.collect::<Option<Vec<_>>>() else {
        let message = format!("a value does not fit {}", r#type);
        return Err(Error::new(ErrorKind::Overflow, message));
    };
    Ok(of_bytes(bytes.concat(), r#type))
}

const fn integer_head(width: u32) -> TypeHead {
    let sign = Sign::Signless;
    TypeHead::Integer { width, sign }
}

macro_rules! arrays {
    ($($class:ident = $key:literal, $doc:literal, $number:ty, $head:expr;)*) => {$(
        class! {
            #[doc = $doc]
            $class: DenseArrayAttr = $key
        }

        #[pairbond::methods]
        impl $class {
            #[classmethod]
            fn get(values: Vec<Item<$number>>, context: Option<Ref<Context>>) -> Result<Ref<$class>> {
                let values: Vec<$number> = values.into_iter().map(|it| it.0).collect();
                of_numbers(&values, $head, context).map(cast_to_class)
            }

            fn __getitem__(&self, key: Key) -> Result<Picked<$number, Vec<$number>>> {
                match key {
                    Key::Place(index) => {
                        let (bytes, element) = self.base.element_at(index)?;
                        Ok(Picked::One(Number::from_bytes(bytes, element)))
                    }
                    slice => pick_elements(&self.__iter__(), &slice, "dense array"),
                }
            }

            fn __reversed__(&self) -> Vec<$number> {
                self.__iter__().into_iter().rev().collect()
            }

            fn __iter__(&self) -> Vec<$number> {
                let (data, element) = self.base.stored_parts();
                data.chunks_exact(element.byte_size()).map(|it| Number::from_bytes(it, element)).collect()
            }

            fn __add__(&self, other: Vec<Item<$number>>) -> Result<Ref<$class>> {
                let other = other.into_iter().map(|it| it.0);
                let all: Vec<$number> = self.__iter__().into_iter().chain(other).collect();
                of_numbers(&all, $head, Some(self.base.base.context().clone())).map(cast_to_class)
            }
        }
    )*

        /// An attribute of numbers in a row as an object of the class for them.
        pub(super) fn array_object(base: Attribute) -> Ref<Attribute> {
            let head = base.types()[0].head().clone();
            let base = DenseArrayAttr { base };
            $(if head == $head {
                return Ref::new($class { base }).upcast().upcast();
            })*
            Ref::new(base).upcast()
        }
    };
}

arrays! {
    DenseBoolArrayAttr = "pairbond_ir.DenseBoolArrayAttr", "Truth values in a row.", bool, integer_head(1);
    DenseI8ArrayAttr = "pairbond_ir.DenseI8ArrayAttr", "Integers of 8 bits in a row.", i64, integer_head(8);
    DenseI16ArrayAttr = "pairbond_ir.DenseI16ArrayAttr", "Integers of 16 bits in a row.", i64, integer_head(16);
    DenseI32ArrayAttr = "pairbond_ir.DenseI32ArrayAttr", "Integers of 32 bits in a row.", i64, integer_head(32);
    DenseI64ArrayAttr = "pairbond_ir.DenseI64ArrayAttr", "Integers of 64 bits in a row.", i64, integer_head(64);
    DenseF32ArrayAttr = "pairbond_ir.DenseF32ArrayAttr", "Floats of 32 bits in a row.", f64, TypeHead::Float(FloatKind::F32);
    DenseF64ArrayAttr = "pairbond_ir.DenseF64ArrayAttr", "Floats of 64 bits in a row.", f64, TypeHead::Float(FloatKind::F64);
}
