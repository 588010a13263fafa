//! The same numbers in another dtype.

use pairbond::prelude::*;

use crate::data::{DType, Element, dispatch};
use crate::engine::{Tensors, record};
use crate::tensor::T;

/// Without a history; the same tensor if it is of that dtype.
pub(crate) fn to_dtype_untracked(a: &T, dtype: DType) -> T {
    if a.dtype() == dtype {
        return a.clone();
    }
    let exact = a.dtype() == DType::Int64 && dtype == DType::Bool;
    let memory = a.storage().read();
    dispatch!(a.dtype(), From => dispatch!(dtype, To => {
        let convert = |value: From| if exact { To::of_i64(value.to_i64()) } else { To::of_f64(value.to_f64()) };
        let numbers = crate::kernels::map(super::common::of!(a, memory, From), crate::kernels::Work::Light, convert);
        crate::tensor::from_vec(numbers, a.shape())
    }))
}

/// With its history; the same tensor if it is of that dtype.
pub(crate) fn to_dtype(a: &T, dtype: DType) -> Result<T> {
    if a.dtype() == dtype {
        return Ok(a.clone());
    }
    let out = to_dtype_untracked(a, dtype);
    record("ToCopyBackward0", [a], &[], a.dtype(), out, |g, dtype| {
        Ok([Some(to_dtype(&g.gradient(), *dtype)?)])
    })
}
