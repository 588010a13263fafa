//! Making a [`Tensor`], and the methods of the operations, one line each.

use pairbond::prelude::*;

use super::create::Nested;
use super::{DType, Operand, T, Tensor, exchange};
use crate::{engine, ops};

#[pairbond::methods]
impl Tensor {
    /// A tensor of numbers in lists, or one that shares another one's memory.
    #[new]
    fn new(
        data: Data,
        dtype: Option<DType>,
        #[keyword]
        #[default(false)]
        requires_grad: bool,
    ) -> Result<Tensor> {
        let source = match data {
            Data::Tensor(tensor) => ops::to_dtype_untracked(&tensor, dtype.unwrap_or(tensor.dtype())),
            Data::Array(array) => exchange::copy(&array, dtype)?,
            Data::Nested(nested) => nested.tensor(dtype),
        };
        let tensor = Tensor::value(source.storage.clone(), source.geometry.clone(), None);
        engine::require_grad(&tensor, requires_grad)?;
        Ok(tensor)
    }

    fn __add__(this: Borrow<'_, Self>, other: Operand) -> Result<T> {
        ops::add(&this.to_ref(), &other.tensor(this.dtype()))
    }

    fn __radd__(this: Borrow<'_, Self>, other: Operand) -> Result<T> {
        ops::add(&this.to_ref(), &other.tensor(this.dtype()))
    }

    fn __mul__(this: Borrow<'_, Self>, other: Operand) -> Result<T> {
        ops::mul(&this.to_ref(), &other.tensor(this.dtype()))
    }

    fn __rmul__(this: Borrow<'_, Self>, other: Operand) -> Result<T> {
        ops::mul(&this.to_ref(), &other.tensor(this.dtype()))
    }

    fn __neg__(this: Borrow<'_, Self>) -> Result<T> {
        ops::neg(&this.to_ref())
    }

    fn __sub__(this: Borrow<'_, Self>, other: Operand) -> Result<T> {
        ops::sub(&this.to_ref(), &other.tensor(this.dtype()))
    }

    fn __rsub__(this: Borrow<'_, Self>, other: Operand) -> Result<T> {
        ops::sub(&other.tensor(this.dtype()), &this.to_ref())
    }

    fn exp(this: Borrow<'_, Self>) -> Result<T> {
        ops::exp(&this.to_ref())
    }

    fn __matmul__(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<T> {
        ops::matmul(&this.to_ref(), &other)
    }

    fn matmul(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<T> {
        ops::matmul(&this.to_ref(), &other)
    }

    /// The sum of all elements, or over a dimension.
    fn sum(this: Borrow<'_, Self>, dim: Option<i64>, #[default(false)] keepdim: bool) -> Result<T> {
        ops::sum(&this.to_ref(), dim, keepdim)
    }

    /// Adds to its numbers.
    fn add_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        ops::add_in_place(&this.to_ref(), &other.tensor(this.dtype()))?;
        Ok(this)
    }

    /// Multiplies its numbers.
    fn mul_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        ops::mul_in_place(&this.to_ref(), &other.tensor(this.dtype()))?;
        Ok(this)
    }

    /// Takes the numbers of another one.
    fn copy_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        ops::copy_in_place(&this.to_ref(), &other.tensor(this.dtype()))?;
        Ok(this)
    }

    /// A view in which only one place of a dimension is left.
    fn select(this: Borrow<'_, Self>, dim: i64, index: i64) -> Result<T> {
        ops::select(&this.to_ref(), dim, index)
    }

    /// A view with two dimensions exchanged.
    fn transpose(this: Borrow<'_, Self>, dim0: i64, dim1: i64) -> Result<T> {
        ops::transpose(&this.to_ref(), dim0, dim1)
    }

    /// A view that repeats elements.
    fn expand(this: Borrow<'_, Self>, #[rest] shape: Vec<usize>) -> Result<T> {
        ops::expand(&this.to_ref(), &shape)
    }
}

/// What a tensor is made from.
pub(crate) enum Data {
    Tensor(T),
    Array(Array),
    Nested(Nested),
}

impl<'a> pairbond::FromValue<'a> for Data {
    fn expected() -> std::borrow::Cow<'static, str> {
        Nested::expected()
    }

    fn from_value<S: pairbond::Source<'a>>(source: S) -> Result<Self, pairbond::Mismatch> {
        match Ref::from_value(source) {
            Ok(tensor) => Ok(Data::Tensor(tensor)),
            Err(_) => match Array::from_value(source) {
                Ok(array) => Ok(Data::Array(array)),
                Err(_) => Nested::from_value(source).map(Data::Nested),
            },
        }
    }
}
