//! The C functions that Python calls. Each is made for one marker, so that conversions, the callee
//! and the result are one piece of straight code; everything that is not straight is in functions
//! of its own, marked cold.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_value::class::Callable;
use pyo3_ffi as py;

use super::args::Exact;
use super::bind::with_arguments;
use crate::convert::PySink;
use crate::errors::{catch, raise};
use crate::interp;
use crate::owned::Owned;

/// Runs the Rust side of a call. No panic leaves it, and its result is as CPython expects: an
/// object, or null with an exception set.
#[inline(always)]
pub(crate) fn finish_call(run: impl FnOnce() -> Result<Owned, Error>) -> *mut py::PyObject {
    interp::entry();
    match catch(run) {
        Ok(result) => result.into_ptr(),
        Err(error) => raise_null(error),
    }
}

/// As [`finish_call`], for slots that return a number: what `run` gives, or -1 with an exception
/// set.
#[inline(always)]
pub(crate) fn finish_status(run: impl FnOnce() -> Result<c_int, Error>) -> c_int {
    interp::entry();
    match catch(run) {
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

/// `METH_NOARGS`
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn noargs<M: Callable>(
    receiver: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: the receiver is alive during the call; the callee has no parameters.
    finish_call(|| unsafe { M::call(&Exact::new(receiver, std::ptr::null()), PySink) })
}

/// `METH_FASTCALL | METH_KEYWORDS`
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn fastcall<M: Callable>(
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: py::Py_ssize_t,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: receiver and arguments are alive during the call.
    finish_call(|| unsafe {
        with_arguments!(M, receiver, arguments, count as usize, keywords, |args| M::call(
            args, PySink
        ))
    })
}
