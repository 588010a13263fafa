//! Panics.
//!
//! A panic unwinds to the entry point that Python called, and becomes a `pairbond.PanicError`, or
//! the error that it was panicked with ([`panics`](pairbond_core::error::panics)).
//!
//! Nothing is recorded on the way in, so that a call that does not panic pays nothing. The hook
//! judges by the state of the thread: one that is attached and runs Python code has come to Rust
//! through an entry point. (A program that embeds Python is attached as well, but runs none when it
//! panics by itself.) For the time of a `#[detach]` function, which has no such trace,
//! [`set_detached`] records it.

use std::cell::Cell;

use pairbond_core::error::panics;
pub use pairbond_core::error::panics::catch_panic;
use pyo3_ffi as py;

use crate::ffi::attached_interpreter;

thread_local! {
    static DETACHED: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook, once in this binary.
pub fn install_hook() {
    panics::install_hook(becomes_exception);
}

fn becomes_exception() -> bool {
    let called_by_python = || {
        // SAFETY: this thread is attached to the interpreter. Borrowed, and null when no Python
        // code is running; nothing is allocated or run.
        !attached_interpreter().is_null() && !unsafe { py::PyEval_GetGlobals() }.is_null()
    };
    DETACHED.try_with(Cell::get).unwrap_or(false) || called_by_python()
}

/// Says whether this thread is detached inside a call from Python, where a panic becomes an
/// exception too.
pub(crate) fn set_detached(detached: bool) {
    let _ = DETACHED.try_with(|flag| flag.set(detached));
}
