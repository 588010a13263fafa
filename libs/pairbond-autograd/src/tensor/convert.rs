//! Numbers of another dtype.

use super::{T, from_vec};
use crate::data::{DType, Element, dispatch};
use crate::kernels::{Of, Work, map_elements};

/// Without a history; the same tensor if it is of that dtype.
pub(crate) fn to_dtype_untracked(a: &T, dtype: DType) -> T {
    if a.dtype() == dtype {
        return a.clone();
    }
    let exact = a.dtype() == DType::Int64 && dtype == DType::Bool;
    let memory = a.storage().read_memory();
    dispatch!(a.dtype(), From => dispatch!(dtype, To => {
        let convert = |value: From| if exact { To::of_i64(value.to_i64()) } else { To::of_f64(value.to_f64()) };
        let numbers = map_elements(Of { numbers: memory.typed_slice::<From>(), geometry: a.geometry() }, Work::Light, convert);
        from_vec(numbers, a.shape())
    }))
}
