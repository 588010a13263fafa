//! Panics.
//!
//! A panic unwinds to the entry point that Python called, and becomes a `pairbond.PanicError`. Where it happened only the panic hook is told,
//! so one is installed when the first module is imported (each binary has a hook of its own: other extensions see nothing of it). It keeps
//! silent for panics that will become exceptions, since a program that handles the exception does not want a report on its standard error as
//! well, and hands all others to the hook that was there before.
//!
//! Nothing is noted on the way in, so that a call that does not panic pays nothing. The hook judges by what it finds: a thread that is attached
//! and runs Python code has come to Rust through an entry point. (A program that embeds Python is attached as well, but runs none when
//! it panics by itself.) For the time of a `#[detach]` function, which nobody can see, [`set_detached`] says so.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::panic_text;
use pyo3_ffi as py;

use crate::ffi::attached_interpreter;

struct Place {
    location: String,
    backtrace: Option<String>,
}

thread_local! {
    static LAST: RefCell<Option<Place>> = const { RefCell::new(None) };
    static DETACHED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`; a panic becomes an error that says what and where.
///
/// # Errors
/// What `f` returns, or [`ErrorKind::Panic`].
#[inline(always)]
pub fn catch<R>(f: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    // What a panic leaves half-done is the callee's; ours are only references, which unwinding gives back.
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => result,
        Err(payload) => Err(panicked(payload)),
    }
}

#[cold]
#[inline(never)]
fn panicked(payload: Box<dyn Any + Send>) -> Error {
    let text = panic_text(&*payload)
        .unwrap_or("a panic without a message")
        .to_owned();
    // A payload may have a destructor, which may panic.
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    match LAST.try_with(RefCell::take).ok().flatten() {
        Some(Place { location, backtrace }) => {
            let error = Error::new(ErrorKind::Panic, format!("{text} (Rust panicked at {location})"));
            match backtrace {
                Some(backtrace) => error.with_note(format!("Rust frames:\n{backtrace}")),
                None => error,
            }
        }
        None => Error::new(ErrorKind::Panic, text),
    }
}

/// The message of a panic.
/// Installs the hook, once in this binary.
pub fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !becomes_exception() {
                return previous(info);
            }
            let location = info
                .location()
                .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
            // Captured only where RUST_BACKTRACE asks for it.
            let backtrace = Backtrace::capture();
            let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
            let _ = LAST.try_with(|last| last.replace(Some(Place { location, backtrace })));
        }));
    });
}

fn becomes_exception() -> bool {
    let called_by_python = || {
        // SAFETY: attached. Borrowed, and null when no Python code is running; nothing is allocated or run.
        !attached_interpreter().is_null() && !unsafe { py::PyEval_GetGlobals() }.is_null()
    };
    DETACHED.try_with(Cell::get).unwrap_or(false) || called_by_python()
}

/// Says whether this thread is detached inside a call from Python, where a panic becomes an exception too.
pub(crate) fn set_detached(detached: bool) {
    let _ = DETACHED.try_with(|flag| flag.set(detached));
}
