//! The same numbers in another dtype.

use pairbond::prelude::*;

use crate::data::DType;
use crate::engine::{Tensors, record_op};
use crate::tensor::{T, to_dtype_untracked};

/// With its history; the same tensor if it is of that dtype.
pub(crate) fn to_dtype(a: &T, dtype: DType) -> Result<T> {
    if a.dtype() == dtype {
        return Ok(a.clone());
    }
    let out = to_dtype_untracked(a, dtype);
    record_op("ToCopyBackward0", [a], &[], a.dtype(), out, |g, dtype| {
        Ok([Some(to_dtype(&g.result_grad(), *dtype)?)])
    })
}
