//! [`Tensor`]: memory as DLPack describes it (`DLTensor` of `dlpack.h` 1.0), looked at before it is
//! believed.

use std::ffi::c_void;

use super::body::{ArrayBody, Lent};
use crate::error::{Error, ErrorKind};
use crate::value::{Any, DType, Device};

/// More axes than anybody has; who says more than this did not mean a tensor.
const MOST_AXES: usize = 64;

/// A tensor of DLPack's.
#[derive(Debug)]
#[repr(C)]
pub struct Tensor {
    /// Where it begins, but for `byte_offset`.
    pub data: *mut c_void,
    /// Where that lies.
    pub device: Device,
    /// The number of axes.
    pub ndim: i32,
    /// What the elements are.
    pub dtype: DType,
    /// The number of elements along each axis.
    pub shape: *mut i64,
    /// In elements; null: row after row.
    pub strides: *mut i64,
    /// Of the first element.
    pub byte_offset: u64,
}

impl Tensor {
    /// An array of its memory, which lives as long as `owner`.
    ///
    /// # Errors
    /// Its description is invalid, or is larger than memory; elements of parts of bytes.
    ///
    /// # Safety
    /// `shape` and `strides` are null or point at as many numbers as there are axes (up to 64); the
    /// elements that it describes are as [`ArrayBody::lent`] wants them.
    pub unsafe fn lend(&self, readonly: bool, owner: Any) -> Result<ArrayBody, Error> {
        let item = self.dtype.item_size()? as i64;
        let axes = usize::try_from(self.ndim)
            .ok()
            .filter(|axes| *axes <= MOST_AXES)
            .ok_or_else(|| odd(format!("a tensor of {} dimensions", self.ndim)))?;
        if axes > 0 && self.shape.is_null() {
            return Err(odd("a tensor without a shape".into()));
        }
        // SAFETY: `shape` and `strides` are null or point at as many numbers as there are axes (up
        // to 64); the elements that it describes are as `ArrayBody::lent` wants them: the caller
        // ensures it.
        let numbers = |from: *mut i64| (0..axes).map(move |axis| unsafe { *from.add(axis) });
        let shape = numbers(self.shape)
            .map(|n| usize::try_from(n).map_err(|_| odd(format!("a tensor with {n} elements along an axis"))))
            .collect::<Result<Vec<_>, _>>()?;
        let bytes = |stride: i64| {
            let bytes = stride
                .checked_mul(item)
                .and_then(|bytes| isize::try_from(bytes).ok());
            bytes.ok_or_else(|| odd(format!("a tensor with a stride of {stride} elements")))
        };
        let strides = if self.strides.is_null() {
            None
        } else {
            Some(numbers(self.strides).map(bytes).collect::<Result<Vec<_>, _>>()?)
        };
        let start = if !self.data.is_null() {
            self.data.cast::<u8>().wrapping_add(self.byte_offset as usize)
        } else if shape.contains(&0) {
            std::ptr::NonNull::<u64>::dangling().as_ptr().cast()
        } else {
            return Err(odd("a tensor without memory".into()));
        };
        let memory = Lent {
            start,
            dtype: self.dtype,
            device: self.device,
            readonly,
            shape: &shape,
            strides: strides.as_deref(),
        };
        // SAFETY: `shape` and `strides` are null or point at as many numbers as there are axes (up
        // to 64); the elements that it describes are as `ArrayBody::lent` wants them: the caller
        // ensures it.
        unsafe { ArrayBody::lent(&memory, owner) }
    }
}

#[cold]
fn odd(what: String) -> Error {
    Error::new(ErrorKind::Custom("builtins.BufferError".into()), what)
}
