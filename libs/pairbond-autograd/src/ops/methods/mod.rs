//! The operations as methods of tensors, one line each, and as functions of the module where they
//! are no methods.
//!
//! A class has one table of methods, and a table one file: so what a tensor can do is a chain of
//! classes, each of which adds a part.

pub(crate) mod free;
mod math;
mod operators;
mod reductions;
mod shape;

use pairbond::Object;
use pairbond::prelude::*;

pub use math::TensorMath;
pub use operators::TensorOperators;
pub use reductions::TensorReductions;
pub use shape::TensorShape;

use crate::tensor::{T, Tensor};

/// The tensor that a part of it is asked as, as it is now.
#[inline]
pub(super) fn whole<B: Object>(part: Borrow<'_, B>) -> Result<T> {
    let tensor = part.to_ref().downcast::<Tensor>();
    let tensor = tensor.map_err(|_| Error::type_error("only a Tensor can do that"))?;
    Ok(T::now(tensor))
}

/// A result on its way to Python.
#[inline]
pub(crate) fn given(result: Result<T>) -> Result<Ref<Tensor>> {
    result.map(T::into)
}
