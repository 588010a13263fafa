//! `ndarray`: arrays of that crate as arguments and results.

use std::borrow::Cow;

use ndarray::Dimension;

use crate::convert::{Emit, FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::Error;
use crate::value::{Array, Number};

impl<'a, T: Number, D: Dimension> FromValue<'a> for ndarray::Array<T, D> {
    fn expected_type() -> Cow<'static, str> {
        match D::NDIM {
            Some(axes) => format!("an array of {} with {axes} axes", T::DTYPE),
            None => format!("an array of {}", T::DTYPE),
        }
        .into()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let array = Array::from_value(source)?;
        let axes = array.shape().len();
        let copy = array.view::<T>()?.to_ndarray().into_owned().into_dimensionality();
        copy.map_err(|_| {
            Mismatch::Value(format!(
                "expected {}, got one with {axes} axes",
                Self::expected_type()
            ))
        })
    }
}

impl<T: Number, D: Dimension> IntoValue for ndarray::Array<T, D> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        Array::try_from(self)?.into_value(out)
    }
}

impl<T: Number, D: Dimension> Emit for ndarray::Array<T, D> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        self.clone().into_value(out)
    }
}
