//! The other operand of an expression with a tensor.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

use super::{T, create, exchange};
use crate::data::{DType, Element};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Scalar {
    /// Its dtype as it is written.
    pub(crate) fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::Int64,
            Scalar::Float(_) => DType::Float32,
        }
    }

    /// Returns the dtype of a tensor of that dtype with this number: a number changes the kind
    /// only.
    pub(crate) fn dtype_with(self, other: DType) -> DType {
        if other.is_float() {
            other
        } else {
            other.promote_with(self.dtype())
        }
    }

    #[inline]
    pub(crate) fn to_element<E: Element>(self) -> E {
        match self {
            Scalar::Bool(value) => E::of_i64(value.into()),
            Scalar::Int(value) => E::of_i64(value),
            Scalar::Float(value) => E::of_f64(value),
        }
    }
}

impl<'a> FromValue<'a> for Scalar {
    fn expected_type() -> Cow<'static, str> {
        "a number".into()
    }

    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if let Ok(value) = source.read_bool() {
            return Ok(Scalar::Bool(value));
        }
        if let Ok(value) = source.read_i64() {
            return Ok(Scalar::Int(value));
        }
        source.read_f64().map(Scalar::Float)
    }
}

/// A tensor or a number.
pub(crate) enum Operand {
    Tensor(T),
    Scalar(Scalar),
}

impl Operand {
    /// As a tensor, the other operand of an operation with one.
    #[inline]
    pub(crate) fn into_tensor_beside(self, one: &T) -> T {
        self.into_tensor(one.dtype()).unify_with(one)
    }

    /// As a tensor, beside one of that dtype.
    pub(crate) fn into_tensor(self, beside: DType) -> T {
        match self {
            Operand::Tensor(tensor) => tensor,
            Operand::Scalar(value) => create::scalar_like(value, beside),
        }
    }
}

impl<'a> FromValue<'a> for Operand {
    fn expected_type() -> Cow<'static, str> {
        "Tensor or a number".into()
    }

    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if source.read_object().is_ok() {
            return T::from_value(source).map(Operand::Tensor);
        }
        match source.read_array() {
            // Numpy's own numbers are arrays to others.
            Ok(array) if !array.shape().is_empty() => {
                Ok(Operand::Tensor(exchange::copy_array(&array, None)?))
            }
            _ => Scalar::from_value(source).map(Operand::Scalar),
        }
    }
}
