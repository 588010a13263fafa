//! [`Tensor`]: memory as DLPack describes it (`DLTensor` of `dlpack.h` 1.0), looked at before it is
//! believed.

use std::ffi::c_void;

use super::body::{ArrayBody, Lent};
use crate::error::{Error, ErrorKind};
use crate::object::Ref;
use crate::value::{Any, BlockBody, DType, Device};

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

/// A tensor with its deleter: `DLManagedTensor` of `dlpack.h`.
#[derive(Debug)]
#[repr(C)]
pub struct ManagedTensor {
    /// The tensor.
    pub tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
}

impl ManagedTensor {
    /// A tensor of an array's memory, which its deleter gives back on any thread; `None` as for
    /// [`Tensor::of`].
    #[must_use]
    pub fn of(array: &ArrayBody) -> Option<*mut Self> {
        unsafe extern "C" fn delete(managed: *mut ManagedTensor) {
            // SAFETY: made by `of`, and given back once.
            unsafe {
                let managed = Box::from_raw(managed);
                Tensor::free_context(managed.context);
            }
        }
        let (tensor, context) = Tensor::of(array)?;
        let deleter = Some(delete as unsafe extern "C" fn(*mut Self));
        Some(Box::into_raw(Box::new(ManagedTensor {
            tensor,
            context,
            deleter,
        })))
    }

    /// Calls the deleter, if there is one.
    ///
    /// # Safety
    /// A tensor that was given away to the caller, and is given back once.
    pub unsafe fn give_back(this: *mut Self) {
        // SAFETY: the caller's tensor.
        unsafe {
            if let Some(deleter) = (*this).deleter {
                deleter(this);
            }
        }
    }
}

/// What a tensor of an array's memory points at.
struct Context {
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    _block: Ref<BlockBody>,
}

impl Tensor {
    /// Why there is no tensor of an array.
    pub const PARTS: &'static str = "DLPack cannot say that elements lie parts of an element apart";

    /// A tensor of an array's memory, and its context, which owns the native block and must be
    /// [freed](Self::free_context) with it. `None`: elements lie parts of an element apart.
    #[must_use]
    pub fn of(array: &ArrayBody) -> Option<(Tensor, *mut c_void)> {
        let item = array.item_size() as isize;
        if array.strides().iter().any(|stride| stride % item != 0) {
            return None;
        }
        let in_elements = array.strides().iter().map(|stride| (stride / item) as i64);
        let mut context = Box::new(Context {
            shape: array.shape().iter().map(|n| *n as i64).collect(),
            strides: in_elements.collect(),
            _block: array.block().clone(),
        });
        let tensor = Tensor {
            data: array.start().cast(),
            device: array.device(),
            ndim: array.shape().len() as i32,
            dtype: array.dtype(),
            shape: context.shape.as_mut_ptr(),
            strides: context.strides.as_mut_ptr(),
            byte_offset: 0,
        };
        Some((tensor, Box::into_raw(context).cast()))
    }

    /// Frees the context that [`of`](Self::of) returned beside a tensor. On any thread.
    ///
    /// # Safety
    /// It came from there, and is freed once.
    pub unsafe fn free_context(context: *mut c_void) {
        // SAFETY: from `of`.
        drop(unsafe { Box::from_raw(context.cast::<Context>()) });
    }

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
            .ok_or_else(|| unusual_tensor(format!("a tensor of {} dimensions", self.ndim)))?;
        if axes > 0 && self.shape.is_null() {
            return Err(unusual_tensor("a tensor without a shape".into()));
        }
        // SAFETY: `shape` and `strides` are null or point at as many numbers as there are axes (up
        // to 64); the elements that it describes are as `ArrayBody::lent` wants them: the caller
        // ensures it.
        let numbers = |from: *mut i64| (0..axes).map(move |axis| unsafe { *from.add(axis) });
        let shape = numbers(self.shape)
            .map(|n| {
                usize::try_from(n)
                    .map_err(|_| unusual_tensor(format!("a tensor with {n} elements along an axis")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let bytes = |stride: i64| {
            let bytes = stride
                .checked_mul(item)
                .and_then(|bytes| isize::try_from(bytes).ok());
            bytes.ok_or_else(|| unusual_tensor(format!("a tensor with a stride of {stride} elements")))
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
            return Err(unusual_tensor("a tensor without memory".into()));
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
fn unusual_tensor(what: String) -> Error {
    Error::new(ErrorKind::Custom("builtins.BufferError".into()), what)
}
