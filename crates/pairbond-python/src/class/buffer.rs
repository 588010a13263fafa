//! Classes that lend memory: `__buffer__`.

use std::ffi::c_int;

use pairbond_value::class::Callable;
use pyo3_ffi as py;

use super::protocol_slots::call_with;
use crate::errors::{finish_call, owned_or_error};
use crate::running;

/// The memory of the array that `__buffer__` gives, lent by the object: a view says so, and keeps
/// it.
pub(super) unsafe extern "C" fn buffer_get<M: Callable>(
    object: *mut py::PyObject,
    view: *mut py::Py_buffer,
    flags: c_int,
) -> c_int {
    // SAFETY: called by CPython; the object is alive, and there is a place for the view.
    unsafe { crate::buffers::lend_from(object, view, flags, || call_with::<M, 0>(object, [])) }
}

/// `__buffer__(flags)`, as a method: before CPython 3.12.
pub(super) unsafe extern "C" fn buffer_view(
    object: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: called by CPython; alive during the call.
    finish_call(|| unsafe { owned_or_error(running::PyMemoryView_FromObject(object)) })
}
