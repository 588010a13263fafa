//! Reductions, extremes and order.

use std::borrow::Cow;

use pairbond::convert::{FromValue, IntoValue, Mismatch, Sink, Source};
use pairbond::prelude::*;

use super::whole_tensor;
use crate::data::DType;
use crate::ops;
use crate::ops::arguments::Ints;
use crate::tensor::{T, Tensor, TensorReductions, into_tensor_result};

/// A dimension or another tensor.
enum Other {
    Dim(i64),
    Tensor(T),
}

impl<'a> FromValue<'a> for Other {
    fn expected_type() -> Cow<'static, str> {
        "int or Tensor".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.read_object() {
            Ok(_) => T::from_value(source).map(Other::Tensor),
            Err(_) => source.read_i64().map(Other::Dim),
        }
    }
}

/// One tensor, or values and where they are.
enum Found {
    One(T),
    Both((T, T)),
}

impl IntoValue for Found {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out> {
        match self {
            Found::One(one) => Ref::from(one).into_value(out),
            Found::Both((values, places)) => (Ref::from(values), Ref::from(places)).into_value(out),
        }
    }
}

#[pairbond::methods]
impl TensorReductions {
    /// The sum of all elements, or over dimensions.
    fn sum(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(false)] keepdim: bool,
        #[keyword] dtype: Option<DType>,
    ) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        let a = dtype.map_or(Ok(a.clone()), |dtype| ops::to_dtype(&a, dtype))?;
        into_tensor_result(ops::sum(&a, dim.as_ref(), keepdim))
    }

    fn mean(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::mean(&whole_tensor(this)?, dim.as_ref(), keepdim))
    }

    /// The variance.
    fn var(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(true)] unbiased: bool,
        #[default(false)] keepdim: bool,
        #[keyword] correction: Option<f64>,
    ) -> Result<Ref<Tensor>> {
        let correction = correction.unwrap_or(f64::from(u8::from(unbiased)));
        into_tensor_result(ops::var(&whole_tensor(this)?, dim.as_ref(), correction, keepdim))
    }

    /// The standard deviation.
    fn std(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(true)] unbiased: bool,
        #[default(false)] keepdim: bool,
        #[keyword] correction: Option<f64>,
    ) -> Result<Ref<Tensor>> {
        let correction = correction.unwrap_or(f64::from(u8::from(unbiased)));
        into_tensor_result(ops::std(&whole_tensor(this)?, dim.as_ref(), correction, keepdim))
    }

    fn prod(
        this: Borrow<'_, Self>,
        dim: Option<i64>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::prod(&whole_tensor(this)?, dim, keepdim))
    }

    fn logsumexp(this: Borrow<'_, Self>, dim: Ints, #[default(false)] keepdim: bool) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::logsumexp(&whole_tensor(this)?, &dim, keepdim))
    }

    fn softmax(this: Borrow<'_, Self>, dim: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::softmax(&whole_tensor(this)?, dim))
    }

    fn log_softmax(this: Borrow<'_, Self>, dim: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::log_softmax(&whole_tensor(this)?, dim))
    }

    fn cumsum(this: Borrow<'_, Self>, dim: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::cumsum(&whole_tensor(this)?, dim))
    }

    fn amax(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::amax(&whole_tensor(this)?, dim.as_ref(), keepdim))
    }

    fn amin(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::amin(&whole_tensor(this)?, dim.as_ref(), keepdim))
    }

    fn argmax(
        this: Borrow<'_, Self>,
        dim: Option<i64>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::arg_extreme(
            &whole_tensor(this)?,
            dim,
            keepdim,
            true,
            "argmax",
        ))
    }

    fn argmin(
        this: Borrow<'_, Self>,
        dim: Option<i64>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::arg_extreme(
            &whole_tensor(this)?,
            dim,
            keepdim,
            false,
            "argmin",
        ))
    }

    /// The largest element; along a dimension, with its place; or of two tensors.
    fn max(this: Borrow<'_, Self>, dim: Option<Other>, #[default(false)] keepdim: bool) -> Result<Found> {
        let a = whole_tensor(this)?;
        match dim {
            None => ops::amax(&a, None, false).map(Found::One),
            Some(Other::Tensor(other)) => ops::maximum(&a, &other).map(Found::One),
            Some(Other::Dim(dim)) => ops::extreme_of_rows(&a, dim, keepdim, true).map(Found::Both),
        }
    }

    /// The smallest element; along a dimension, with its place; or of two tensors.
    fn min(this: Borrow<'_, Self>, dim: Option<Other>, #[default(false)] keepdim: bool) -> Result<Found> {
        let a = whole_tensor(this)?;
        match dim {
            None => ops::amin(&a, None, false).map(Found::One),
            Some(Other::Tensor(other)) => ops::minimum(&a, &other).map(Found::One),
            Some(Other::Dim(dim)) => ops::extreme_of_rows(&a, dim, keepdim, false).map(Found::Both),
        }
    }

    fn all(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::reduce_truth(
            &whole_tensor(this)?,
            dim.as_ref(),
            keepdim,
            true,
        ))
    }

    fn any(
        this: Borrow<'_, Self>,
        dim: Option<Ints>,
        #[default(false)] keepdim: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::reduce_truth(
            &whole_tensor(this)?,
            dim.as_ref(),
            keepdim,
            false,
        ))
    }

    fn argsort(
        this: Borrow<'_, Self>,
        #[default(-1)] dim: i64,
        #[default(false)] descending: bool,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::argsort(&whole_tensor(this)?, dim, descending))
    }

    /// The elements in order along a dimension, and their places.
    fn sort(
        this: Borrow<'_, Self>,
        #[default(-1)] dim: i64,
        #[default(false)] descending: bool,
    ) -> Result<(Ref<Tensor>, Ref<Tensor>)> {
        let a = whole_tensor(this)?;
        let places = ops::argsort(&a, dim, descending)?;
        Ok((ops::gather(&a, dim, &places)?.into(), places.into()))
    }
}
