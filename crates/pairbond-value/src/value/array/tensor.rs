//! [`Tensor`]: memory as DLPack describes it (`DLTensor` of `dlpack.h` 1.0), looked at before it is
//! believed.

use std::ffi::c_void;

use super::Axes;
use super::body::{ArrayBody, Lent};
use crate::error::{Error, ErrorKind};
use crate::object::Ref;
use crate::value::{Any, BlockBody, DType, Device};

/// A bound on the number of axes: a larger number is no tensor's.
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
    /// The type of the elements.
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
    /// [`Tensor::export_array`].
    #[must_use]
    pub fn from_array(array: &ArrayBody) -> Option<*mut Self> {
        unsafe extern "C" fn delete_tensor(managed: *mut ManagedTensor) {
            // SAFETY: made by `of`, and given back once.
            unsafe { Tensor::free_exported(managed) }
        }
        Tensor::export_array(array, |tensor| ManagedTensor {
            tensor,
            context: std::ptr::null_mut(),
            deleter: Some(delete_tensor as unsafe extern "C" fn(*mut Self)),
        })
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

/// The caller's struct with a tensor of an array's memory, and what the tensor points at.
#[repr(C)]
struct Exported<M> {
    managed: M,
    shape: Axes<i64>,
    strides: Axes<i64>,
    _block: Ref<BlockBody>,
}

impl Tensor {
    /// Why there is no tensor of an array.
    pub const PARTS: &'static str = "DLPack cannot say that elements lie parts of an element apart";

    /// What `manage` makes of a tensor of an array's memory. It owns the native block, and must be
    /// [freed](Self::free_exported). `None`: elements lie parts of an element apart.
    #[must_use]
    pub fn export_array<M>(array: &ArrayBody, manage: impl FnOnce(Tensor) -> M) -> Option<*mut M> {
        let item = array.item_size() as isize;
        // Most elements have a size that is a power of two: then no number is divided.
        let is_part = |stride: &isize| match item.count_ones() {
            1 => stride & (item - 1) != 0,
            _ => stride % item != 0,
        };
        let in_elements = |stride: isize| match item.count_ones() {
            1 => stride >> item.trailing_zeros(),
            _ => stride / item,
        };
        if array.strides().iter().any(is_part) {
            return None;
        }
        let axes = array.shape().len();
        let mut exported: Box<std::mem::MaybeUninit<Exported<M>>> = Box::new_uninit();
        let place = exported.as_mut_ptr();
        // SAFETY: every field is written; the tensor points into the allocation, which stays where
        // it is.
        unsafe {
            let shape = &raw mut (*place).shape;
            shape.write(array.shape().iter().map(|n| *n as i64).collect());
            let strides = &raw mut (*place).strides;
            strides.write(array.strides().iter().map(|it| in_elements(*it) as i64).collect());
            (&raw mut (*place)._block).write(array.block().clone());
            let tensor = Tensor {
                data: array.start_ptr().cast(),
                device: array.device(),
                ndim: axes as i32,
                dtype: array.dtype(),
                shape: (*shape).as_mut_ptr(),
                strides: (*strides).as_mut_ptr(),
                byte_offset: 0,
            };
            (&raw mut (*place).managed).write(manage(tensor));
        }
        Some(Box::into_raw(exported).cast())
    }

    /// Frees what [`export_array`](Self::export_array) returned. On any thread.
    ///
    /// # Safety
    /// It came from there, and is freed once.
    pub unsafe fn free_exported<M>(managed: *mut M) {
        // SAFETY: the beginning of an allocation of `export`: the caller ensures it.
        drop(unsafe { Box::from_raw(managed.cast::<Exported<M>>()) });
    }

    /// An array of its memory, which lives as long as `owner`.
    ///
    /// # Errors
    /// Its description is invalid, or is larger than memory; elements of parts of bytes.
    ///
    /// # Safety
    /// `shape` and `strides` are null or point at as many numbers as there are axes (up to 64); the
    /// elements that it describes are as [`ArrayBody::from_lent`] wants them.
    pub unsafe fn lend_array(&self, readonly: bool, owner: Any) -> Result<ArrayBody, Error> {
        let item = self.dtype.item_size()? as i64;
        let axes = usize::try_from(self.ndim)
            .ok()
            .filter(|axes| *axes <= MOST_AXES)
            .ok_or_else(|| unusual_tensor(format!("a tensor of {} dimensions", self.ndim)))?;
        if axes > 0 && self.shape.is_null() {
            return Err(unusual_tensor("a tensor without a shape".into()));
        }
        // SAFETY: `shape` and `strides` are null or point at as many numbers as there are axes (up
        // to 64); the elements that it describes are as `ArrayBody::from_lent` wants them: the
        // caller ensures it.
        let numbers = |from: *mut i64| (0..axes).map(move |axis| unsafe { *from.add(axis) });
        let shape = numbers(self.shape)
            .map(|n| {
                usize::try_from(n)
                    .map_err(|_| unusual_tensor(format!("a tensor with {n} elements along an axis")))
            })
            .collect::<Result<Axes<_>, _>>()?;
        let bytes = |stride: i64| {
            let bytes = stride
                .checked_mul(item)
                .and_then(|bytes| isize::try_from(bytes).ok());
            bytes.ok_or_else(|| unusual_tensor(format!("a tensor with a stride of {stride} elements")))
        };
        let strides = if self.strides.is_null() {
            None
        } else {
            Some(numbers(self.strides).map(bytes).collect::<Result<Axes<_>, _>>()?)
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
        // to 64); the elements that it describes are as `ArrayBody::from_lent` wants them: the
        // caller ensures it.
        unsafe { ArrayBody::from_lent(&memory, owner) }
    }
}

#[cold]
fn unusual_tensor(what: String) -> Error {
    Error::new(ErrorKind::Custom("builtins.BufferError".into()), what)
}
