//! Ctrl-C during a collection of ours: ends it early, and is handled as soon as the interpreter's
//! loop goes on.
//!
//! CPython has no way to see that a signal waits without taking it, and its handlers are Python
//! code, which must not run while native objects are scanned. So SIGINT is taken from it here, and
//! its handler is called by a pending call: on the main thread, between two instructions, as
//! CPython itself would have done. (`PyErr_SetInterrupt` would put it back, and write a second
//! byte to `signal.set_wakeup_fd`.)

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::convert::owned_or_error;
use crate::owned::Owned;
use crate::running;

const SIGINT: c_int = 2;

thread_local! {
    /// An interrupt was taken on this thread, and waits to be delivered.
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose collections end early on Ctrl-C. The calling thread is attached.
pub(super) fn interruptible<R>(work: impl FnOnce() -> R) -> R {
    pairbond_core::trace::interruptible(is_interrupted, work)
}

/// Returns whether Ctrl-C came, and its handler was not called yet. The calling thread is attached.
/// Asked while objects are scanned: runs no Python code, and takes no lock of ours.
pub(super) fn is_interrupted() -> bool {
    // SAFETY: attached, by the contract of `interruptible`. True on the main thread of the main
    // interpreter only.
    if TAKEN.get() || unsafe { py::PyOS_InterruptOccurred() } == 0 {
        return TAKEN.get();
    }
    // SAFETY: the calling thread is attached, by the contract of `interruptible`.
    unsafe {
        match py::Py_AddPendingCall(Some(deliver), ptr::null_mut()) {
            0 => TAKEN.set(true),
            _ => py::PyErr_SetInterrupt(),
        }
    }
    true
}

extern "C" fn deliver(_: *mut c_void) -> c_int {
    TAKEN.set(false);
    // SAFETY: CPython calls it on the main thread, attached.
    unsafe {
        // Before 3.12 another interpreter may have it.
        if py::PyInterpreterState_Get() != py::PyInterpreterState_Main() {
            py::PyErr_SetInterrupt();
            return 0;
        }
        match handle() {
            Ok(()) => 0,
            Err(error) => {
                crate::errors::raise(error);
                -1
            }
        }
    }
}

/// Calls Python's handler of SIGINT.
///
/// # Safety
/// Attached.
unsafe fn handle() -> Result<(), Error> {
    // SAFETY: attached; each result is checked. The frame is borrowed from the thread.
    unsafe {
        let attribute = |object: &Owned, name: &CStr| {
            owned_or_error(running::PyObject_GetAttrString(object.as_ptr(), name.as_ptr()))
        };
        let signal = owned_or_error(running::PyImport_ImportModule(c"signal".as_ptr()))?;
        let number = owned_or_error(py::PyLong_FromLong(SIGINT.into()))?;
        let get = attribute(&signal, c"getsignal")?;
        let handler = owned_or_error(running::PyObject_CallOneArg(get.as_ptr(), number.as_ptr()))?;
        if py::PyCallable_Check(handler.as_ptr()) == 0 {
            // It was changed to `SIG_IGN` or `SIG_DFL` meanwhile.
            return Ok(());
        }
        let frame = py::PyEval_GetFrame().cast::<py::PyObject>();
        let frame = if frame.is_null() { py::Py_None() } else { frame };
        let arguments = [number.as_ptr(), frame];
        let names = ptr::null_mut();
        let result = running::PyObject_Vectorcall(handler.as_ptr(), arguments.as_ptr(), 2, names);
        owned_or_error(result).map(drop)
    }
}
