//! Integers, truth values and floats.

use pairbond::prelude::*;
use pairbond::value::BigInt;

use super::{Attribute, AttributeHead, Location, with_reported_errors};
use crate::class::cast_to_class;
use crate::context::types::{Type, TypeHead, common_context};
use crate::context::{Context, context_or_current};
use crate::error;
use crate::numbers::{self, Digits, FloatKind, Sign};

class! {
    /// An integer of a type.
    IntegerAttr: Attribute = "pairbond_ir.IntegerAttr"
}
class! {
    /// True or false: an integer of one bit.
    BoolAttr: IntegerAttr = "pairbond_ir.BoolAttr"
}
class! {
    /// A float of a type.
    FloatAttr: Attribute = "pairbond_ir.FloatAttr"
}

/// Width and sign of an integer or index type.
pub(crate) fn width_of(r#type: &Type) -> Option<(u32, Sign)> {
    match r#type.head() {
        TypeHead::Integer { width, sign } => Some((*width, *sign)),
        TypeHead::Index => Some((64, Sign::Signed)),
        _ => None,
    }
}

/// The kind of a float type.
pub(crate) fn kind_of(r#type: &Type) -> Option<FloatKind> {
    match r#type.head() {
        TypeHead::Float(kind) => Some(*kind),
        _ => None,
    }
}

pub(super) fn value_of(attribute: &Attribute) -> BigInt {
    let (AttributeHead::Integer(bytes), Some((width, sign))) =
        (attribute.head(), width_of(&attribute.types()[0]))
    else {
        unreachable!("an integer attribute has an integer type")
    };
    integer_of(bytes, width, sign)
}

/// The integer that is stored so.
pub(super) fn integer_of(bytes: &[u8], width: u32, sign: Sign) -> BigInt {
    BigInt::from_le_bytes(&numbers::sign_extend(bytes, width, sign != Sign::Unsigned))
}

#[pairbond::methods]
impl IntegerAttr {
    /// A value of an integer or index type, which it must fit.
    #[classmethod]
    fn get(r#type: Ref<Type>, value: BigInt) -> Result<Ref<IntegerAttr>> {
        let Some((width, sign)) = width_of(&r#type) else {
            return Err(error::ir_error("expected integer or index type"));
        };
        let Some(bytes) = from_python(&value, width, sign) else {
            return Err(error::ir_error("integer constant out of range for attribute"));
        };
        Ok(cast_to_class(Attribute::with_type(
            AttributeHead::Integer(bytes),
            r#type,
        )))
    }

    /// Signed, unless its type is unsigned.
    #[getter]
    fn value(&self) -> BigInt {
        value_of(&self.base)
    }

    fn __int__(&self) -> BigInt {
        value_of(&self.base)
    }
}

/// A value in a type's bytes, `None` if it does not fit.
pub(super) fn from_python(value: &BigInt, width: u32, sign: Sign) -> Option<Digits> {
    if let Some(small) = value.to_i128() {
        return numbers::fit_small(small, width, sign);
    }
    numbers::fit_bigint(&value.into(), width, sign)
}

#[pairbond::methods]
impl BoolAttr {
    /// True or false.
    #[classmethod]
    fn get(value: bool, context: Option<Ref<Context>>) -> Result<Ref<BoolAttr>> {
        Ok(cast_to_class(bool_attr(&context_or_current(context)?, value)))
    }

    #[getter]
    fn value(&self) -> bool {
        matches!(self.base.base.head(), AttributeHead::Integer(value) if value[0] == 1)
    }

    fn __bool__(&self) -> bool {
        self.value()
    }
}

/// `true` or `false`.
pub(crate) fn bool_attr(context: &Ref<Context>, value: bool) -> Ref<Attribute> {
    let head = TypeHead::Integer {
        width: 1,
        sign: Sign::Signless,
    };
    let value = AttributeHead::Integer([u8::from(value)][..].into());
    Attribute::with_type(value, Type::without_parts(context, head))
}

pub(super) fn float_of(attribute: &Attribute) -> f64 {
    let (AttributeHead::Float(bits), Some(kind)) = (attribute.head(), kind_of(&attribute.types()[0])) else {
        unreachable!("a float attribute has a float type")
    };
    kind.nearest(*bits)
}

fn float_attr(r#type: Ref<Type>, value: f64) -> Result<Ref<FloatAttr>> {
    let Some(kind) = kind_of(&r#type) else {
        return Err(error::ir_error("expected floating point type"));
    };
    Ok(cast_to_class(Attribute::with_type(
        AttributeHead::Float(kind.encode(value)),
        r#type,
    )))
}

#[pairbond::methods]
impl FloatAttr {
    /// The value of a type that is nearest.
    #[classmethod]
    fn get(r#type: Ref<Type>, value: f64, loc: Option<Ref<Location>>) -> Result<Ref<FloatAttr>> {
        with_reported_errors(loc, "attribute", || float_attr(r#type, value))
    }

    /// The same, in a context. It is checked all the same.
    #[classmethod]
    fn get_unchecked(r#type: Ref<Type>, value: f64, context: Option<Ref<Context>>) -> Result<Ref<FloatAttr>> {
        common_context(context, std::slice::from_ref(&r#type))?;
        float_attr(r#type, value)
    }

    #[classmethod]
    fn get_f32(value: f64, context: Option<Ref<Context>>) -> Result<Ref<FloatAttr>> {
        float_attr(
            Type::without_parts(&context_or_current(context)?, TypeHead::Float(FloatKind::F32)),
            value,
        )
    }

    #[classmethod]
    fn get_f64(value: f64, context: Option<Ref<Context>>) -> Result<Ref<FloatAttr>> {
        float_attr(
            Type::without_parts(&context_or_current(context)?, TypeHead::Float(FloatKind::F64)),
            value,
        )
    }

    /// As a Python float, to which wider kinds are rounded.
    #[getter]
    fn value(&self) -> f64 {
        float_of(&self.base)
    }

    fn __float__(&self) -> f64 {
        self.value()
    }
}
