//! The end of a C function that Python calls: an object, or an exception that is set.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pyo3_ffi as py;

use super::{catch_panic, raise};
use crate::interp;
use crate::owned::Owned;

/// Runs the Rust side of a call. No panic leaves it, and its result is as CPython expects: an
/// object, or null with an exception set.
#[inline(always)]
pub(crate) fn finish_call(run: impl FnOnce() -> Result<Owned, Error>) -> *mut py::PyObject {
    interp::entry();
    match catch_panic(run) {
        Ok(result) => result.into_ptr(),
        Err(error) => raise_null(error),
    }
}

/// As [`finish_call`], for slots that return a number: what `run` gives, or -1 with an exception
/// set.
#[inline(always)]
pub(crate) fn finish_status(run: impl FnOnce() -> Result<c_int, Error>) -> c_int {
    interp::entry();
    match catch_panic(run) {
        Ok(result) => result,
        Err(error) => {
            raise_null(error);
            -1
        }
    }
}

#[cold]
#[inline(never)]
fn raise_null(error: Error) -> *mut py::PyObject {
    raise(error);
    std::ptr::null_mut()
}
