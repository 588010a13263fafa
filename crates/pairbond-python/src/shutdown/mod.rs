//! The end of an interpreter.
//!
//! 1. `atexit` (the interpreter still works): take its functions out of the registry, stop
//!    attaching, wait for threads that are just attaching, drain the queue. From here on each
//!    collection takes native references into account.
//! 2. The interpreter collects and tears its modules down; wrappers die as usual, on the one thread
//!    that is left. Native threads go on queueing dropped references.
//! 3. The capsule in the interpreter's dictionary goes: drain for the last time, sever all wrappers
//!    of objects that native code still holds (see `sever`), disarm the tag, release the Python
//!    objects that native code holds, give the classes back. What native threads release from then
//!    on is gone already.
//!
//! Wrappers that Python owns stay as they are: either they die in the rest of the interpreter's
//! end, and their objects with them, or something that never lets go of its Python references keeps
//! both.

mod sever;

use std::ffi::c_void;
#[cfg(feature = "package")]
use std::sync::OnceLock;

use pairbond_core::trace::disarm_foreign_refs;
use pyo3_ffi as py;

use crate::interp::{Interp, local};
use crate::owned::Owned;
use crate::releases;

/// Prints living objects at the end of the main interpreter. The calling thread is attached to it.
#[cfg(feature = "package")]
type Report = unsafe fn(&Interp);

#[cfg(feature = "package")]
static REPORT: OnceLock<Report> = OnceLock::new();

/// Sets what prints living objects at the end; the first call counts.
#[cfg(feature = "package")]
pub(crate) fn report_at_end(report: Report) {
    let _ = REPORT.set(report);
}

/// Step 1.
///
/// # Safety
/// Attached to the interpreter.
pub(crate) unsafe fn begin(interp: &'static Interp) {
    // While its objects still work.
    pairbond_value::value::end_functions(interp.tag());
    interp.close_to_threads();
    // SAFETY: attached; the classes are alive.
    unsafe {
        releases::drain_releases(interp);
        interp.spare.close();
        interp.trace.close(interp.tag());
        crate::gc::arm_for_good(interp);
    }
}

/// Step 3: the destructor of the capsule in `PyInterpreterState_GetDict`.
///
/// # Safety
/// Called by CPython, once.
unsafe extern "C" fn end(capsule: *mut py::PyObject) {
    // SAFETY: our capsule; interpreters are never freed; attached, and no other thread of the
    // interpreter is left.
    unsafe {
        let interp = py::PyCapsule_GetPointer(capsule, std::ptr::null()).cast::<Interp>();
        let Some(interp) = interp.as_ref() else { return };
        interp.mark_closed();
        crate::gc::finish(interp);
        releases::drain_releases(interp);
        local::count_late(interp);
        #[cfg(feature = "package")]
        if let Some(report) = REPORT.get().filter(|_| interp.is_main()) {
            report(interp);
        }
        sever::sever_all(interp);
        let held = disarm_foreign_refs(interp.tag(), &mut || {
            pairbond_core::frontend::disarm_interpreter(interp.tag());
        });
        interp.mark_ended();
        releases::drain_releases(interp);
        for object in held {
            py::Py_DECREF(object.cast());
        }
        local::remove_interp(interp);
        interp.held.forget();
        interp.moved.forget();
        local::give_back(interp, crate::class::forget_attributes);
    }
}

/// Sees to it that [`end`] is called.
///
/// # Safety
/// Attached to the interpreter.
pub(crate) unsafe fn ensure_end(interp: &'static Interp) -> bool {
    // SAFETY: this thread is attached to the interpreter.
    unsafe {
        let dict = py::PyInterpreterState_GetDict(interp.state());
        if dict.is_null() {
            return false;
        }
        let pointer = std::ptr::from_ref(interp).cast_mut().cast::<c_void>();
        if !py::PyDict_GetItemString(dict, c"pairbond".as_ptr()).is_null() {
            return true;
        }
        let Some(capsule) = Owned::from_new(py::PyCapsule_New(pointer, std::ptr::null(), None)) else {
            return false;
        };
        // One that is not kept must not end the interpreter.
        py::PyDict_SetItemString(dict, c"pairbond".as_ptr(), capsule.as_ptr()) == 0
            && py::PyCapsule_SetDestructor(capsule.as_ptr(), Some(end)) == 0
    }
}
