//! The Python methods of tensors, which are operations, one line each; functions that create
//! tensors, or are no methods; and the tape's trait for tensors ([`value`]).

mod creation;
mod free;
mod iterator;
mod math;
mod numbers;
mod operators;
mod reductions;
mod reshape;
mod show;
mod signature_types;
mod strided;
mod tensor;
mod value;

use pairbond::Object;
use pairbond::prelude::*;

pub(crate) use creation::*;
pub(crate) use free::*;
pub use iterator::TensorIterator;

use crate::tensor::{T, Tensor};

/// The tensor that a part of it is asked as, as it is now.
#[inline]
pub(super) fn whole_tensor<B: Object>(part: Borrow<'_, B>) -> Result<T> {
    let tensor = part.to_ref().downcast::<Tensor>();
    let tensor = tensor.map_err(|_| Error::type_error("only a Tensor can do that"))?;
    Ok(T::from_tensor(tensor))
}
