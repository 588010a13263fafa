//! Numbers shared with others: an array of pairbond's is what numpy, DLPack and buffers are on this
//! side.

use pairbond::memory::Gather;
use pairbond::prelude::*;
use pairbond::value::Number;

use super::{Numbers, Storage, T, Tensor, from_vec};
use crate::data::{DType, Dims, Element, Geometry, dispatch};

/// A tensor that shares the numbers of an array.
pub(crate) fn share_array(array: Array) -> Result<T> {
    let dtype = known_dtype(array.dtype()).ok_or_else(|| {
        Error::type_error(format!(
            "can't convert an array of {}. The only supported types are: float64, float32, int64, and bool.",
            array.dtype()
        ))
    })?;
    if array.is_readonly() {
        return Err(Error::value_error(
            "the array is read-only, and nothing could be written to a tensor that shares it: copy it, or use tensor()",
        ));
    }
    // Also asks whether the processor can read it.
    dispatch!(dtype, E => array.view::<<E as Element>::Number>().map(drop))?;
    let len = array.shape().iter().product();
    let (array, geometry) = match (array.strided(&[len], &[1], 0), element_strides(&array, dtype)) {
        (Ok(all), Some(strides)) => {
            let geometry = Geometry {
                shape: array.shape().into(),
                strides,
                offset: 0,
            };
            (all, geometry)
        }
        // Other elements lie between them, or they lie backwards: the storage counts them in the
        // array's order.
        _ => {
            let geometry = Geometry::new_contiguous(array.shape());
            (array, geometry)
        }
    };
    Ok(Tensor::with_numbers(Numbers::whole_storage(Storage::from_array(
        array, dtype, geometry,
    ))))
}

/// Strides counted in elements.
fn element_strides(array: &Array, dtype: DType) -> Option<Dims> {
    if array.shape().contains(&0) {
        return Some(Geometry::new_contiguous(array.shape()).strides);
    }
    let item = dtype.element_size();
    let elements = |&stride: &isize| usize::try_from(stride).ok().map(|stride| stride / item);
    array.strides().iter().map(elements).collect()
}

/// The dtype of the same numbers.
fn known_dtype(dtype: pairbond::value::DType) -> Option<DType> {
    [DType::Bool, DType::Int64, DType::Float32, DType::Float64]
        .into_iter()
        .find(|&known| dispatch!(known, E => <<E as Element>::Number as Number>::DTYPE) == dtype)
}

/// A tensor of its own memory with the numbers of an array: of that dtype, or of the nearest that
/// there is.
pub(crate) fn copy_array(array: &Array, dtype: Option<DType>) -> Result<T> {
    macro_rules! try_as {
        ($($from:ty => $to:ty),*) => {$(
            if array.dtype() == <$from as Number>::DTYPE {
                let numbers: Vec<$to> = array.view::<$from>()?.iter().map(|value| value as $to).gather();
                let found = from_vec(numbers, array.shape());
                return Ok(super::to_dtype_untracked(&found, dtype.unwrap_or(found.dtype())));
            }
        )*};
    }
    try_as!(f32 => f32, f64 => f64, i64 => i64, bool => bool, i8 => i64, i16 => i64, i32 => i64, u8 => i64, u16 => i64, u32 => i64);
    Err(Error::type_error(format!(
        "can't make a tensor of an array of {}",
        array.dtype()
    )))
}

/// The numbers of a tensor as an array, which shares them.
pub(crate) fn shared_array(tensor: &T) -> Result<Array> {
    let all = tensor.storage().share_array()?;
    let Geometry {
        shape,
        strides,
        offset,
    } = tensor.geometry();
    match all.strided(shape, strides, *offset) {
        Ok(part) => Ok(part),
        Err(_) if *tensor.geometry() == Geometry::new_contiguous(all.shape()) => Ok(all),
        Err(_) => Err(Error::runtime_error(
            "the memory belongs to an array whose elements do not lie side by side, and only all of it can be shared again: use .clone()",
        )),
    }
}

/// As [`shared_array`], for the buffer protocol.
pub(crate) fn lend_buffer(tensor: &T) -> Result<Array> {
    if tensor.requires_grad() {
        return Err(Error::new(
            ErrorKind::Custom("builtins.BufferError".into()),
            "Can't export tensors that require gradient, use tensor.detach()",
        ));
    }
    shared_array(tensor)
}
