//! Signals during a collection of ours.
//!
//! Their handlers are Python code. It may run between two parts of the garbage that is cleared, and
//! before the first scan: [`handle_signals`] runs them there. CPython discards exceptions that are
//! raised in a collection, so a pending call raises them, on the main thread, between two
//! instructions, and the collection ends as early as it can.
//!
//! Python code must not run while native objects are scanned, and CPython has no way to see that a
//! signal waits without taking it; SIGINT can be taken from it ([`is_interrupted`]). It ends a scan
//! where nothing has been decided yet; its handler is called by [`handle_signals`] or the pending
//! call, as CPython itself would have done. (`PyErr_SetInterrupt` would put it back, and write a
//! second byte to `signal.set_wakeup_fd`.)
//!
//! Handlers of other signals wait for the next place where Python code may run. Of two million
//! lists in cycles (collected in 0.65 s) a snapshot takes 0.09 s; the two snapshots with CPython's
//! passes over the wrappers 0.32 s, and condemning 0.27 s: so long they wait at most. A part that
//! is cleared takes some milliseconds. CPython's collection of as many lists of its own, 0.23 s,
//! runs no handler at all.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr;

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::owned::Owned;
use crate::running;

const SIGINT: c_int = 2;

/// The state of signals of a thread, which is the main thread.
struct Signals {
    /// SIGINT was taken from CPython, and its handler was not called yet.
    taken: Cell<bool>,
    /// The exception of a handler, until it can be raised.
    raised: Cell<Option<Error>>,
    /// [`deliver`] will be called.
    scheduled: Cell<bool>,
}

thread_local! {
    // Not dropped: there is no moment at which the thread does not have it.
    static SIGNALS: ManuallyDrop<Signals> = const {
        ManuallyDrop::new(Signals {
            taken: Cell::new(false),
            raised: Cell::new(None),
            scheduled: Cell::new(false),
        })
    };
}

/// Runs `work`, whose collections end early on Ctrl-C. The calling thread is attached.
pub(super) fn interruptible<R>(work: impl FnOnce() -> R) -> R {
    pairbond_core::trace::run_interruptible(is_interrupted, work)
}

/// Returns whether Ctrl-C came, and its handler was not called yet, or what a handler raised waits.
/// The calling thread is attached. Asked while objects are scanned: runs no Python code, and takes
/// no lock of ours.
pub(super) fn is_interrupted() -> bool {
    // SAFETY: attached, by the contract of `interruptible`. True on the main thread of the main
    // interpreter only.
    if is_waiting() || unsafe { py::PyOS_InterruptOccurred() } == 0 {
        return is_waiting();
    }
    match schedule() {
        true => SIGNALS.with(|signals| signals.taken.set(true)),
        // SAFETY: may be called anywhere.
        false => unsafe { py::PyErr_SetInterrupt() },
    }
    true
}

/// Returns whether [`is_interrupted`] or [`handle_signals`] has returned true, and nothing came of
/// it yet.
pub(super) fn is_waiting() -> bool {
    SIGNALS.with(|signals| signals.taken.get()) || has_raised()
}

/// Returns whether something waits to be raised.
fn has_raised() -> bool {
    SIGNALS.with(|signals| {
        let raised = signals.raised.take();
        let some = raised.is_some();
        signals.raised.set(raised);
        some
    })
}

/// Runs the handlers of signals that came, if this is the thread for that. Returns whether the
/// collection should end: one has raised something, which waits until it can be raised.
///
/// # Safety
/// The calling thread is attached, and Python code may run.
pub(super) unsafe fn handle_signals() -> bool {
    let handled = {
        if has_raised() || crate::errors::is_set() {
            let waits = is_waiting();
            if waits {
                schedule();
            }
            return waits;
        }
        // SAFETY: the calling thread is attached, by this function's contract, and no exception is
        // set when handlers are called.
        unsafe {
            if SIGNALS.with(|signals| signals.taken.take()) {
                handle_interrupt()
            } else if running::PyErr_CheckSignals() != 0 {
                Err(crate::errors::take())
            } else {
                Ok(())
            }
        }
    };
    let Err(error) = handled else { return false };
    SIGNALS.with(|signals| signals.raised.set(Some(error)));
    // Should there be no place, the next call finds one.
    schedule();
    true
}

/// Makes CPython call [`deliver`]. Returns `false` if too much waits for that.
fn schedule() -> bool {
    SIGNALS.with(|signals| {
        if !signals.scheduled.get() {
            // SAFETY: may be called anywhere.
            let added = unsafe { py::Py_AddPendingCall(Some(deliver), ptr::null_mut()) } == 0;
            signals.scheduled.set(added);
        }
        signals.scheduled.get()
    })
}

extern "C" fn deliver(_: *mut c_void) -> c_int {
    let (taken, raised) = SIGNALS.with(|signals| {
        signals.scheduled.set(false);
        (signals.taken.take(), signals.raised.take())
    });
    // Before 3.12 another interpreter may have it.
    // SAFETY: CPython calls it on the main thread, attached.
    if unsafe { py::PyInterpreterState_Get() != py::PyInterpreterState_Main() } {
        if taken {
            // SAFETY: CPython calls it on the main thread, attached.
            unsafe { py::PyErr_SetInterrupt() };
        }
        if raised.is_some() {
            SIGNALS.with(|signals| signals.raised.set(raised));
            schedule();
        }
        return 0;
    }
    let handled = match raised {
        Some(error) => Err(error),
        // SAFETY: CPython calls it on the main thread, attached.
        None if taken => unsafe { handle_interrupt() },
        None => Ok(()),
    };
    match handled {
        Ok(()) => 0,
        Err(error) => {
            crate::errors::raise(error);
            -1
        }
    }
}

/// Calls Python's handler of SIGINT.
///
/// # Safety
/// Attached.
unsafe fn handle_interrupt() -> Result<(), Error> {
    // SAFETY: attached; each result is checked. The frame is borrowed from the thread.
    unsafe {
        let signal = Owned::import(c"signal")?;
        let number = owned_or_error(py::PyLong_FromLong(SIGINT.into()))?;
        let get = signal.get_attr(c"getsignal")?;
        let handler = get.call1(&number)?;
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
