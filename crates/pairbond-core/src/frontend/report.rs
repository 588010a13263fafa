//! Destructors that panic.
//!
//! On a thread that is attached to an interpreter a destructor may run because Python dropped a
//! reference, between any two lines of a Python program, in a function of C that cannot unwind. So
//! a panic is caught where the destructor was compiled (no other binary can catch it) and reported
//! in Python's terms: an exception that cannot be caught, as one in `__del__`. On other threads,
//! and without any interpreter, it unwinds like every panic in a destructor, if the binary that
//! drops the object is the one that can catch it. Else it is reported on standard error.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::slots::attached_frontend;
use crate::error::panics;

/// Runs destructors of an object of type `key`.
#[inline]
pub fn contain_panics(key: &str, destructors: impl FnOnce()) {
    // What a panic leaves half-done is the destructor's.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(destructors)) {
        report_panic(key, payload);
    }
}

#[cold]
#[inline(never)]
fn report_panic(key: &str, payload: Box<dyn Any + Send>) {
    let frontend = attached_frontend();
    if frontend.is_none() && who::is_dropped_by_this_binary() {
        resume_unwind(payload)
    }
    let text = panics::panic_text(&*payload).unwrap_or("without a message");
    let message = format!("the destructor of {key} panicked: {text}");
    match frontend {
        Some(frontend) => frontend.report_text(&message),
        None => eprintln!("{message}"),
    }
    panics::drop_payload(payload);
}

/// Runs a function that shows the references of a `T`. What a panic leaves out is taken for
/// referenced by others, so that nothing is collected that should not be.
#[inline]
pub fn contain_trace<T>(trace: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(trace)) {
        trace_panicked(std::any::type_name::<T>(), payload);
    }
}

/// A collector is at work, so no code of an interpreter can run.
#[cold]
#[inline(never)]
fn trace_panicked(name: &str, payload: Box<dyn Any + Send>) {
    let text = panics::panic_text(&*payload).unwrap_or("without a message");
    eprintln!("pairbond: tracing a {name} panicked: {text}");
    panics::drop_payload(payload);
}

/// Which binary drops an object whose destructor panics.
#[cfg(all(target_os = "linux", not(miri)))]
mod who {
    use std::ffi::{c_int, c_void};
    use std::ptr;

    use crate::frontend::slots::{owns_runtime, runtime_code};

    unsafe extern "C" {
        // Of the unwinder that panics need anyway.
        fn _Unwind_Backtrace(
            frame: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
    }

    /// Where the binary with some code begins in memory; null when it is not known.
    fn binary_of(code: *const c_void) -> *mut c_void {
        // SAFETY: a plain structure of pointers, which `dladdr` fills in.
        unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            match libc::dladdr(code, &mut info) {
                0 => ptr::null_mut(),
                _ => info.dli_fbase,
            }
        }
    }

    struct Search {
        ours: *mut c_void,
        runtime: *mut c_void,
        /// The runtime's code was met, which called the destructor.
        in_runtime: bool,
        /// Whose code called that.
        dropper: *mut c_void,
    }

    unsafe extern "C" fn visit_frame(context: *mut c_void, search: *mut c_void) -> c_int {
        const GO_ON: c_int = 0;
        const END: c_int = 4;
        // SAFETY: called by `_Unwind_Backtrace` with a frame and the search below.
        unsafe {
            let search = &mut *search.cast::<Search>();
            let binary = binary_of(ptr::without_provenance(_Unwind_GetIP(context)));
            if binary == search.runtime {
                search.in_runtime = true;
            } else if search.in_runtime {
                search.dropper = binary;
                return END;
            }
            GO_ON
        }
    }

    pub(super) fn is_dropped_by_this_binary() -> bool {
        if owns_runtime() {
            return true;
        }
        let mut search = Search {
            ours: binary_of(is_dropped_by_this_binary as *const c_void),
            runtime: binary_of(runtime_code()),
            in_runtime: false,
            dropper: ptr::null_mut(),
        };
        // SAFETY: the function gets the argument that it expects.
        unsafe { _Unwind_Backtrace(visit_frame, (&raw mut search).cast()) };
        !search.ours.is_null() && search.dropper == search.ours
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod who {
    pub(super) fn is_dropped_by_this_binary() -> bool {
        crate::frontend::slots::owns_runtime()
    }
}
