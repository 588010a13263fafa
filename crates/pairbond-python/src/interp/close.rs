//! The end of an interpreter.
//!
//! 1. `atexit` (the interpreter still works): take its functions out of the registry, stop deferring and attaching, wait for threads that are just attaching, drain the queue.
//! 2. The interpreter collects and tears its modules down; wrappers die as usual, on the one thread that is left.
//! 3. The capsule in the interpreter's dictionary goes: forget the interpreter, disarm its tag. Objects that native code still holds keep a
//!    stale tag, which no later interpreter ever has; the first that fetches them takes them over.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pyo3_ffi as py;

use super::{Interp, local};

/// Step 1.
///
/// # Safety
/// Attached to the interpreter.
pub unsafe fn begin(interp: &'static Interp) {
    // While its objects still work.
    pairbond_core::value::end_functions(interp.tag());
    interp.open.store(false, Ordering::SeqCst);
    while interp.attaching.load(Ordering::SeqCst) != 0 {
        // SAFETY: attached; the threads that wait need the interpreter to get in.
        unsafe {
            let state = py::PyEval_SaveThread();
            std::thread::sleep(Duration::from_micros(100));
            py::PyEval_RestoreThread(state);
        }
    }
    // SAFETY: attached; the classes are alive.
    unsafe {
        local::drain(interp);
        interp.spare.close(&interp.classes);
        interp.trace.close(interp.tag());
    }
}

/// Step 3: the destructor of the capsule in `PyInterpreterState_GetDict`.
///
/// # Safety
/// Called by CPython, once.
pub unsafe extern "C" fn end(capsule: *mut py::PyObject) {
    // SAFETY: our capsule; interpreters are never freed.
    unsafe {
        let interp = py::PyCapsule_GetPointer(capsule, std::ptr::null()).cast::<Interp>();
        if let Some(interp) = interp.as_ref() {
            interp.open.store(false, Ordering::SeqCst);
            local::drain(interp);
            if interp.is_main {
                crate::package::leaks::at_end(interp);
            }
            pairbond_core::frontend::disarm(interp.tag());
            local::remove(interp);
            interp.held.forget();
        }
    }
}

/// Sees to it that [`end`] is called.
///
/// # Safety
/// Attached to the interpreter.
pub unsafe fn watch(interp: &'static Interp) -> bool {
    // SAFETY: attached.
    unsafe {
        let dict = py::PyInterpreterState_GetDict(interp.state);
        if dict.is_null() {
            return false;
        }
        let pointer = std::ptr::from_ref(interp).cast_mut().cast::<c_void>();
        let capsule = py::PyCapsule_New(pointer, std::ptr::null(), Some(end));
        if capsule.is_null() {
            return false;
        }
        let stored = py::PyDict_SetItemString(dict, c"pairbond".as_ptr(), capsule) == 0;
        py::Py_DECREF(capsule);
        stored
    }
}
