//! [`DenseArrayAttr`]: numbers in a row, and a class for each kind of them that takes and gives
//! Python's.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

use super::aggregates::place;
use super::buffers::lent_row;
use super::elements::{Element, bits, stored, value};
use super::numbers::{FloatAttr, IntegerAttr, float_of, from_python, integer_of, value_of};
use super::{Attribute, AttributeHead, array_element};
use crate::class::its;
use crate::context::{Context, chosen};
use crate::error;
use crate::ir::slices::{Key, Picked, pick};
use crate::numbers::FloatKind;
use crate::types::{Sign, Type, TypeHead};

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
            array_element(&element_type).ok_or_else(|| error::ir("expected integer or float type"))?;
        let bytes = attrs.iter().map(|it| stored(it, &element_type, element));
        let Some(bytes) = bytes.collect::<Option<Vec<_>>>() else {
            return Err(error::ir("all elements must be of the element type"));
        };
        Ok(its(of_bytes(bytes.concat(), element_type)))
    }

    #[getter]
    fn element_type(&self) -> Ref<Type> {
        self.base.types()[0].clone()
    }

    fn __len__(&self) -> usize {
        let (data, element) = self.parts();
        data.len() / element.size()
    }

    /// A Python number; of other kinds than those with a class of their own an attribute.
    fn __getitem__(&self, key: Key) -> Result<Picked<Any, Vec<Any>>> {
        let (data, element) = self.parts();
        let of = |bytes: &[u8]| Any::from(value(element, bytes, &self.base.types()[0]));
        match key {
            Key::Place(index) => Ok(Picked::One(of(self.at(index)?.0))),
            slice => {
                let all: Vec<Any> = data.chunks_exact(element.size()).map(of).collect();
                pick(&all, &slice, "dense array")
            }
        }
    }

    fn __buffer__(&self) -> Result<Array> {
        let (data, element) = self.parts();
        lent_row(&Array::from(data.clone()), element)
    }

    #[hidden]
    fn parts(&self) -> (&Bytes, Element) {
        match (self.base.head(), Element::of(&self.base.types()[0])) {
            (AttributeHead::DenseArray(data), Some(element)) => (data, element),
            _ => unreachable!("a dense array is one of numbers"),
        }
    }

    /// The bytes of an element.
    #[hidden]
    fn at(&self, index: i64) -> Result<(&[u8], Element)> {
        let (data, element) = self.parts();
        let start = place(index, self.__len__(), "dense array")? * element.size();
        Ok((&data[start..start + element.size()], element))
    }
}

fn of_bytes(bytes: Vec<u8>, element_type: Ref<Type>) -> Ref<Attribute> {
    Attribute::typed(AttributeHead::DenseArray(bytes.into()), element_type)
}

/// What Python has for an element.
trait Number: Sized {
    /// Its bytes; `None`: the number does not fit.
    fn stored(&self, element: Element) -> Option<Vec<u8>>;
    fn of(bytes: &[u8], element: Element) -> Self;
}

impl Number for i64 {
    fn stored(&self, element: Element) -> Option<Vec<u8>> {
        let Element::Integer(width, sign) = element else {
            return None;
        };
        from_python(&(*self).into(), width, sign).map(|it| it.to_vec())
    }

    fn of(bytes: &[u8], element: Element) -> Self {
        let Element::Integer(width, sign) = element else {
            unreachable!("integers")
        };
        integer_of(bytes, width, sign)
            .to_i64()
            .expect("of 64 bits at most")
    }
}

impl Number for bool {
    fn stored(&self, _: Element) -> Option<Vec<u8>> {
        Some(vec![u8::from(*self)])
    }

    fn of(bytes: &[u8], _: Element) -> Self {
        bytes[0] != 0
    }
}

impl Number for f64 {
    fn stored(&self, element: Element) -> Option<Vec<u8>> {
        let Element::Float(kind) = element else {
            return None;
        };
        Some(kind.encode(*self).to_le_bytes()[..element.size()].to_vec())
    }

    fn of(bytes: &[u8], element: Element) -> Self {
        let Element::Float(kind) = element else {
            unreachable!("floats")
        };
        kind.nearest(bits(bytes))
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
    let r#type = Type::simple(&chosen(context)?, r#type);
    let element = array_element(&r#type).expect("numbers");
    let bytes = values.iter().map(|it| it.stored(element));
    let Some(bytes) = bytes.collect::<Option<Vec<_>>>() else {
        let message = format!("a value does not fit {}", crate::print::type_text(&r#type));
        return Err(Error::new(ErrorKind::Overflow, message));
    };
    Ok(of_bytes(bytes.concat(), r#type))
}

const fn integer(width: u32) -> TypeHead {
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
                of_numbers(&values, $head, context).map(its)
            }

            fn __getitem__(&self, key: Key) -> Result<Picked<$number, Vec<$number>>> {
                match key {
                    Key::Place(index) => {
                        let (bytes, element) = self.base.at(index)?;
                        Ok(Picked::One(Number::of(bytes, element)))
                    }
                    slice => pick(&self.__iter__(), &slice, "dense array"),
                }
            }

            fn __reversed__(&self) -> Vec<$number> {
                self.__iter__().into_iter().rev().collect()
            }

            fn __iter__(&self) -> Vec<$number> {
                let (data, element) = self.base.parts();
                data.chunks_exact(element.size()).map(|it| Number::of(it, element)).collect()
            }

            fn __add__(&self, other: Vec<Item<$number>>) -> Result<Ref<$class>> {
                let other = other.into_iter().map(|it| it.0);
                let all: Vec<$number> = self.__iter__().into_iter().chain(other).collect();
                of_numbers(&all, $head, Some(self.base.base.context().clone())).map(its)
            }
        }
    )*

        /// An attribute of numbers in a row as an object of the class for them.
        pub(super) fn shown(base: Attribute) -> Ref<Attribute> {
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
    DenseBoolArrayAttr = "pairbond_ir.DenseBoolArrayAttr", "Truth values in a row.", bool, integer(1);
    DenseI8ArrayAttr = "pairbond_ir.DenseI8ArrayAttr", "Integers of 8 bits in a row.", i64, integer(8);
    DenseI16ArrayAttr = "pairbond_ir.DenseI16ArrayAttr", "Integers of 16 bits in a row.", i64, integer(16);
    DenseI32ArrayAttr = "pairbond_ir.DenseI32ArrayAttr", "Integers of 32 bits in a row.", i64, integer(32);
    DenseI64ArrayAttr = "pairbond_ir.DenseI64ArrayAttr", "Integers of 64 bits in a row.", i64, integer(64);
    DenseF32ArrayAttr = "pairbond_ir.DenseF32ArrayAttr", "Floats of 32 bits in a row.", f64, TypeHead::Float(FloatKind::F32);
    DenseF64ArrayAttr = "pairbond_ir.DenseF64ArrayAttr", "Floats of 64 bits in a row.", f64, TypeHead::Float(FloatKind::F64);
}
