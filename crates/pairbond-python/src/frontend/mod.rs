//! CPython as a frontend of the core: the functions that the core calls.
//!
//! * this file – their table, and calls of Python objects; attaching threads and counting
//!   references is in `interp/attach.rs`.
//! * `methods` – calls of methods that Python classes override; `class_methods` – whether a class
//!   was changed; `value_functions` – Python's containers and other values for
//!   the core.

mod class_methods;
mod methods;
mod value_functions;

use std::ffi::c_void;

use pairbond_core::any::RawAny;
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::{Arguments, Calls, FrontendTable};
use pyo3_ffi as py;

use crate::convert;
use crate::interp::attach::{self, frontend_enter, frontend_leave, interp_of_context, run_attached};
use crate::running;
pub(crate) use class_methods::register_class;

/// The table of an interpreter; its context is yet to be written.
pub(crate) fn new_table() -> FrontendTable {
    FrontendTable {
        name: attach::frontend_name,
        retain: attach::frontend_retain,
        release: attach::frontend_release,
        try_retain: attach::try_retain,
        enter: attach::frontend_enter,
        leave: attach::frontend_leave,
        call: frontend_call,
        visit: attach::frontend_visit,
        overrides: methods::frontend_overrides,
        call_method: methods::call_method,
        unfold: value_functions::frontend_unfold,
        condemned: attach::frontend_condemned,
        is_attached: attach::attached_here,
        report: frontend_report,
        event: attach::frontend_event,
        key: frontend_key,
        orphaned: attach::frontend_orphaned,
        call_each,
        check_signals,
        is_nan,
        parts: value_functions::frontend_parts,
        construct: value_functions::frontend_construct,
        context: std::ptr::null_mut(),
    }
}

unsafe extern "C" fn frontend_report(_: *mut c_void, text: *const u8, len: usize) {
    // SAFETY: a string of the core's.
    let text = unsafe { String::from_utf8_lossy(std::slice::from_raw_parts(text, len)) };
    crate::errors::unraisable(
        Error::new(ErrorKind::Panic, text.into_owned()),
        "a Rust destructor",
    );
}

unsafe extern "C" fn frontend_call(
    context: *mut c_void,
    callable: *mut c_void,
    arguments: *const Arguments,
    out: *mut RawAny,
) -> Option<Error> {
    // SAFETY: as the table's contract says.
    unsafe {
        let result = run_attached(context, || convert::call_python(callable.cast(), &*arguments));
        Arguments::write_outcome(result, out)
    }
}

unsafe extern "C" fn call_each(
    context: *mut c_void,
    callable: *mut c_void,
    calls: *mut Calls,
    out: *mut RawAny,
) -> bool {
    let result = run_attached(context, || {
        // SAFETY: as the table's contract says.
        unsafe { convert::call_python_each(callable.cast(), &mut *calls) }
    });
    match result {
        Ok(()) => true,
        Err(error) => {
            // SAFETY: as the table's contract says.
            unsafe { value_functions::write_failure(error, out) };
            false
        }
    }
}

unsafe extern "C" fn is_nan(_: *mut c_void, object: *mut c_void) -> bool {
    // SAFETY: as the table's contract says: a living object. The class of an object that has no
    // attributes stays as it is, and a float never changes.
    unsafe { convert::is_nan(object.cast()) }
}

unsafe extern "C" fn check_signals(context: *mut c_void, out: *mut RawAny) -> bool {
    let interp = interp_of_context(context);
    // CPython handles signals in the main interpreter, on a thread that it knows: no other is
    // attached for that. SAFETY: may be called on any thread.
    let known = || unsafe { !py::PyGILState_GetThisThreadState().is_null() };
    if !interp.is_main() || !interp.is_open() || !known() {
        return true;
    }
    // SAFETY: as the table's contract says; the token is given back on the same thread.
    let token = unsafe { frontend_enter(context) };
    if token < 0 {
        return true;
    }
    // A call while an exception propagates, from a destructor for example, must not be
    // interrupted by a second one.
    // SAFETY: as the table's contract says; the token is given back on the same thread.
    let failed = !crate::errors::is_set() && unsafe { running::PyErr_CheckSignals() } != 0;
    if failed {
        let error = crate::errors::take();
        if token > 0 {
            // As in `run_attached`.
            let _ = error.message();
        }
        // SAFETY: as the table's contract says; the token is given back on the same thread.
        unsafe { value_functions::write_failure(error, out) };
    }
    // SAFETY: as the table's contract says; the token is given back on the same thread.
    unsafe { frontend_leave(context, token) };
    !failed
}

unsafe extern "C" fn frontend_key(
    context: *mut c_void,
    a: *const RawAny,
    b: *const RawAny,
    out: *mut RawAny,
) -> bool {
    let result = run_attached(context, || {
        // SAFETY: as the table's contract says; attached while it runs.
        unsafe { convert::key((*a).as_value(), b.as_ref().map(RawAny::as_value)) }
    });
    let fine = result.is_ok();
    // SAFETY: as the table's contract says; attached while it runs.
    unsafe { out.write(result.map_or_else(RawAny::from_error, RawAny::new)) };
    fine
}
