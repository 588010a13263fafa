//! DLPack's tensors (`DLManagedTensor` of `dlpack.h`) in and out of C.
//!
//! A tensor that comes in is taken, also where it is refused: its deleter runs once, with the last
//! array of its memory. One that goes out owns the array's native block, so that its deleter may be
//! called on any thread, attached or not.

use std::ffi::c_void;

use super::errors::{Problem, guard};
use super::functions::owner;
use crate::error::Error;
use crate::object::Ref;
use crate::value::{Any, Array, ArrayBody, BlockBody, Tensor};

/// `DLManagedTensor`.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// What a tensor that went out points at.
struct Context {
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    _block: Ref<BlockBody>,
}

/// # Safety
/// A tensor that was taken over, given back once.
unsafe extern "C" fn give_back(managed: *mut c_void) {
    let managed = managed.cast::<Managed>();
    // SAFETY: the caller's tensor.
    unsafe {
        if let Some(deleter) = (*managed).deleter {
            deleter(managed);
        }
    }
}

/// An array of a tensor's memory; the tensor is taken.
pub(super) unsafe extern "C" fn from_dlpack(
    managed: *mut Managed,
    readonly: bool,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: a tensor that is given away, whose memory lives until its deleter is called, or null;
    // places for a value and an error.
    let made = unsafe {
        guard(problem, || {
            if managed.is_null() {
                return Err(Error::value_error("there is no tensor"));
            }
            let owner = owner(managed.cast(), Some(give_back));
            (*managed).tensor.lend(readonly, owner)
        })
    };
    let Some(body) = made else { return false };
    // SAFETY: a place for a value, and for an error.
    unsafe {
        guard(problem, || {
            out.write(Any::from_object(
                Array::from_ref(Ref::try_new(body)?).into_erased(),
            ));
            Ok(())
        })
    }
    .is_some()
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: made by `to_dlpack`, and given back once.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Context>()));
    }
}

/// A tensor of an array's memory, which its deleter gives back. Null: see the error.
pub(super) unsafe extern "C" fn to_dlpack(value: *const Any, problem: Problem) -> *mut Managed {
    // SAFETY: a value, and a place for an error.
    unsafe { guard(problem, || export(&*value)) }.unwrap_or(std::ptr::null_mut())
}

fn export(value: &Any) -> Result<*mut Managed, Error> {
    let array = super::arrays::body(value)?;
    if array.is_readonly() {
        return Err(Error::value_error(
            "the array is read-only, which a DLManagedTensor cannot say",
        ));
    }
    let item = array.item_size() as isize;
    if array.strides().iter().any(|stride| stride % item != 0) {
        return Err(Error::value_error(
            "DLPack cannot say that elements lie parts of an element apart",
        ));
    }
    let mut context = Box::new(context(&array, item));
    let tensor = Tensor {
        data: array.start().cast(),
        device: array.device(),
        ndim: array.shape().len() as i32,
        dtype: array.dtype(),
        shape: context.shape.as_mut_ptr(),
        strides: context.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    Ok(Box::into_raw(Box::new(Managed {
        tensor,
        context: Box::into_raw(context).cast(),
        deleter: Some(delete),
    })))
}

fn context(array: &ArrayBody, item: isize) -> Context {
    let in_elements = array.strides().iter().map(|stride| (stride / item) as i64);
    Context {
        shape: array.shape().iter().map(|n| *n as i64).collect(),
        strides: in_elements.collect(),
        _block: array.block().clone(),
    }
}
