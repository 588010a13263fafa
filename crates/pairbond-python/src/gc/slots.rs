//! The collector's slots of `pairbond.Object`, which every wrapper class inherits.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use pyo3_ffi as py;

use super::tp_traverse::{report_for_any_class, report_from_snapshot};
use super::traverse::{clear_native, learn_referents_visitor, reports_nothing_native, traverse_native};
use crate::layout::{Wrapper, is_self, native};
use crate::wrapper::{clear_dict, visit_dict};

/// `tp_traverse`.
///
/// For a subclass made in Python, CPython's `subtype_traverse` visits the slots that the subclass
/// added and then calls this; the dict is the base class's to visit when that has one
/// (`tp_dictoffset` is compared), and ours always has.
///
/// # Safety
/// Called by CPython's collector.
pub unsafe extern "C" fn traverse(
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: a living wrapper.
    unsafe {
        match report_from_snapshot(wrapper, visit, arg) {
            Some(status) => status,
            None => traverse_slowly(wrapper, visit, arg),
        }
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(never)]
unsafe fn traverse_slowly(wrapper: *mut py::PyObject, visit: py::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: a living wrapper.
    unsafe {
        if let Some(status) = report_for_any_class(wrapper, visit, arg) {
            return status;
        }
        let class = py::Py_TYPE(wrapper);
        if (*class).tp_finalize.is_some()
            && let Some(spare) = crate::interp::api::spare_wrappers()
        {
            spare.expect_finalizers();
        }
        let status = visit(class.cast(), arg);
        if status != 0 {
            return status;
        }
        let status = visit_dict(wrapper, visit, arg);
        if status != 0 {
            return status;
        }
        match NonNull::new((*wrapper.cast::<Wrapper>()).native) {
            Some(_) if reports_nothing_native(wrapper, arg) => 0,
            // What a guest's object owns is for the collector of the interpreter that it belongs
            // to.
            Some(native) if is_self(wrapper, native) => traverse_native(wrapper, native.as_ref(), visit, arg),
            Some(_) => 0,
            None => {
                learn_referents_visitor(wrapper, visit);
                0
            }
        }
    }
}

/// `tp_clear`.
///
/// # Safety
/// Called by CPython's collector on garbage.
pub unsafe extern "C" fn clear(wrapper: *mut py::PyObject) -> c_int {
    // SAFETY: a living wrapper that is garbage.
    unsafe {
        clear_dict(wrapper);
        if let Some(native) = native(wrapper)
            && is_self(wrapper, native)
        {
            clear_native(native.as_ref());
        }
    }
    0
}
