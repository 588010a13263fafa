//! Letting other threads run during `#[detach]` functions: arguments are converted before, results
//! after, so only Rust runs in between.

use std::ffi::c_void;

use pairbond_value::class::{DetachHooks, set_detach_hooks};
use pairbond_value::convert::Sink;
use pyo3_ffi as py;

use crate::convert::PySink;
use crate::errors::set_detached;
use crate::ffi::attached_interpreter;

pub(crate) static HOOKS: DetachHooks = DetachHooks {
    detach: detach_thread,
    attach: attach_thread,
};

/// Installs the hooks of this binary: for detaching, for panics, and for the fields of exceptions.
pub fn install_hooks() {
    crate::errors::install_hook();
    crate::errors::convert_fields_with(|value| PySink.write_any(value).ok());
    pairbond_core::memory::keep_reserve();
    set_detach_hooks(&HOOKS);
    let (class, version) = class_layout();
    // SAFETY: wrappers are Python objects, and there is one CPython in a process.
    unsafe { pairbond_value::class::set_class_layout(class, version) };
    if !attached_interpreter().is_null() {
        // SAFETY: this thread is attached to the interpreter.
        unsafe { crate::ints::find_cached() };
    }
}

/// Where an object has its class, and a class its version.
pub(crate) const fn class_layout() -> (u16, u16) {
    (
        std::mem::offset_of!(py::PyObject, ob_type) as u16,
        std::mem::offset_of!(py::PyTypeObject, tp_version_tag) as u16,
    )
}

unsafe extern "C" fn detach_thread() -> *mut c_void {
    if attached_interpreter().is_null() {
        // A plain Rust thread, or nested in another detached function.
        return std::ptr::null_mut();
    }
    set_detached(true);
    // SAFETY: this thread is attached to the interpreter.
    unsafe { py::PyEval_SaveThread().cast() }
}

unsafe extern "C" fn attach_thread(state: *mut c_void) {
    // SAFETY: from `detach_thread` on this thread. When the interpreter is ending this never
    // returns, on any version: pyo3-ffi hangs the thread where CPython before 3.14 would end it,
    // which would unwind through us.
    unsafe { py::PyEval_RestoreThread(state.cast()) };
    set_detached(false);
    // What the call dropped dies before it returns, as if it had not been detached.
    crate::interp::entry();
}
