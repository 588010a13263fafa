//! `__repr__` of a type in Rust.

use pairbond_value::class::Callable;
use pyo3_ffi as py;

use super::protocol_slots::call_with;
use crate::errors::finish_call;
use crate::wrapper::repr::{is_gone, plain_repr};

/// That of the type, or the plain one of an object that is gone.
pub(super) unsafe extern "C" fn of_type<M: Callable>(object: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: alive during the call.
    finish_call(|| unsafe {
        match call_with::<M, 0>(object, []) {
            Err(_) if is_gone(object) => plain_repr(object),
            result => result,
        }
    })
}
