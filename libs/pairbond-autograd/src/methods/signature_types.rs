//! Arguments and results of methods of tensors.

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

use super::tensor::Data;
use crate::data::{DType, resolve_axis};
use crate::tensor::lists::Shape;
use crate::tensor::{T, exchange};

/// All lengths, or that of one dimension.
pub(super) enum OneOrAll {
    One(usize),
    All(Shape),
}

impl OneOrAll {
    pub(super) fn from_dim(all: &[usize], dim: Option<i64>) -> Result<Self> {
        let Some(dim) = dim else {
            return Ok(OneOrAll::All(Shape(all.to_vec())));
        };
        let axis = resolve_axis(dim, all.len())?;
        let one = all.get(axis).copied();
        one.map(OneOrAll::One)
            .ok_or_else(|| Error::index_error("a tensor without dimensions has no such dimension"))
    }
}

impl pairbond::convert::IntoValue for OneOrAll {
    fn into_value<S: pairbond::convert::Sink>(self, out: S) -> Result<S::Out> {
        match self {
            OneOrAll::One(one) => one.into_value(out),
            OneOrAll::All(all) => all.into_value(out),
        }
    }
}

/// The argument of `to`: a dtype, that of a tensor, or the only device that there is.
pub(super) struct Target(pub(super) Option<DType>);

impl<'a> FromValue<'a> for Target {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        "a dtype, a Tensor or the device 'cpu'".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if let Ok(dtype) = DType::from_value(source) {
            return Ok(Target(Some(dtype)));
        }
        if let Ok(tensor) = T::from_value(source) {
            return Ok(Target(Some(tensor.dtype())));
        }
        match source.read_str()? {
            "cpu" => Ok(Target(None)),
            other => Err(Mismatch::Value(format!(
                "there is no device '{other}', only 'cpu'"
            ))),
        }
    }
}

/// The right side of an assignment to elements: anything that a tensor can be made of.
pub(super) struct Value(Data);

impl<'a> FromValue<'a> for Value {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        Data::expected_type()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Data::from_value(source).map(Value)
    }
}

impl Value {
    pub(super) fn into_tensor(self, beside: DType) -> Result<T> {
        match self.0 {
            Data::Tensor(tensor) => Ok(tensor),
            Data::Array(array) => exchange::copy_array(&array, Some(beside)),
            Data::Nested(nested) => Ok(nested.into_tensor(Some(beside))),
        }
    }
}
