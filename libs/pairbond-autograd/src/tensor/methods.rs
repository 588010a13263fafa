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
