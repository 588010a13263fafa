//! The C functions that Python calls. Each is made for one marker, so that conversions, the callee
//! and the result are one piece of straight code; everything that is not straight is in functions
//! of its own, marked cold.

use pairbond_value::class::Callable;
use pyo3_ffi as py;

use super::args::Exact;
use super::bind::with_arguments;
use crate::convert::PySink;
use crate::errors::finish_call;

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
