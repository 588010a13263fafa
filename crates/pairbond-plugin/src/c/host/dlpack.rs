//! DLPack's tensors (`DLManagedTensor` of `dlpack.h`) in and out of C.
//!
//! A tensor that comes in is taken, also where it is refused: its deleter runs once, with the last
//! array of its memory. One that goes out owns the array's native block, so that its deleter may be
//! called on any thread, attached or not.

use std::ffi::c_void;

use super::functions::context_owner;
use crate::c::errors::{Problem, catch_errors};
use pairbond_core::error::Error;
use pairbond_core::object::Ref;
use pairbond_value::value::{Any, Array, ManagedTensor, Tensor};

/// # Safety
/// A tensor that was taken over, given back once.
unsafe extern "C" fn give_back(managed: *mut c_void) {
    // SAFETY: the caller's tensor.
    unsafe { ManagedTensor::give_back(managed.cast()) }
}

/// An array of a tensor's memory; the tensor is taken.
pub(super) unsafe extern "C" fn from_dlpack(
    managed: *mut ManagedTensor,
    readonly: bool,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: a tensor that is given away, whose memory lives until its deleter is called, or null;
    // places for a value and an error.
    let made = unsafe {
        catch_errors(problem, || {
            if managed.is_null() {
                return Err(Error::value_error("there is no tensor"));
            }
            let owner = context_owner(managed.cast(), Some(give_back));
            (*managed).tensor.lend_array(readonly, owner)
        })
    };
    let Some(body) = made else { return false };
    // SAFETY: a place for a value, and for an error.
    unsafe {
        catch_errors(problem, || {
            out.write(Any::from_object(
                Array::from_ref(Ref::try_new(body)?).into_erased(),
            ));
            Ok(())
        })
    }
    .is_some()
}

/// A tensor of an array's memory, which its deleter gives back. Null: see the error.
pub(super) unsafe extern "C" fn to_dlpack(value: *const Any, problem: Problem) -> *mut ManagedTensor {
    // SAFETY: a value, and a place for an error.
    unsafe { catch_errors(problem, || export_tensor(&*value)) }.unwrap_or(std::ptr::null_mut())
}

fn export_tensor(value: &Any) -> Result<*mut ManagedTensor, Error> {
    let array = super::arrays::array_body(value)?;
    if array.is_readonly() {
        return Err(Error::value_error(
            "the array is read-only, which a DLManagedTensor cannot say",
        ));
    }
    ManagedTensor::from_array(&array).ok_or_else(|| Error::value_error(Tensor::PARTS))
}
