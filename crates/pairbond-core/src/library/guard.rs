//! Panics, which must not leave the binary that they happened in: its standard library is the only one that can catch them.
//!
//! They become errors that say where. Only the panic hook is told, so one is installed when a library joins; it keeps silent for panics that will be
//! errors of a call, and hands all others on.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::wire;
use crate::convert::Mismatch;
use crate::error::{Error, ErrorKind};
use crate::frontend::panic_text;
use crate::value::Any;

thread_local! {
    /// How many guarded calls this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Where it panicked last, with frames if the environment asks for them.
    static LAST: RefCell<Option<(String, Option<String>)>> = const { RefCell::new(None) };
}

/// Installs the hook, once in this binary.
pub(super) fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if DEPTH.try_with(Cell::get).unwrap_or(0) == 0 {
                return previous(info);
            }
            let place = info
                .location()
                .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
            let frames = Backtrace::capture();
            let frames = (frames.status() == BacktraceStatus::Captured).then(|| frames.to_string());
            let _ = LAST.try_with(|last| last.replace(Some((place, frames))));
        }));
    });
}

fn catch<T, E: From<Error>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
    let result = catch_unwind(AssertUnwindSafe(run));
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() - 1));
    result.unwrap_or_else(|payload| {
        let text = panic_text(&*payload)
            .unwrap_or("a panic without a message")
            .to_owned();
        // A payload may have a destructor, which may panic.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        Err(match LAST.try_with(RefCell::take).ok().flatten() {
            None => Error::new(ErrorKind::Panic, text),
            Some((place, frames)) => {
                let error = Error::new(ErrorKind::Panic, format!("{text} (Rust panicked at {place})"));
                match frames {
                    Some(frames) => error.with_note(format!("Rust frames:\n{frames}")),
                    None => error,
                }
            }
        }
        .into())
    })
}

/// The place for a result of `()`.
pub(super) const NOTHING: *mut () = std::ptr::NonNull::dangling().as_ptr();

/// Runs `run` for another binary: `true`, and `out` is written; or `false`, and `problem` is.
///
/// # Safety
/// Both are the caller's places.
pub(super) unsafe fn guarded<T>(
    out: *mut T,
    problem: *mut Any,
    run: impl FnOnce() -> Result<T, Error>,
) -> bool {
    // SAFETY: promised.
    unsafe {
        match catch(run) {
            Ok(value) => out.write(value),
            Err(error) => {
                problem.write(wire::pack(&error));
                return false;
            }
        }
    }
    true
}

/// As [`guarded`], for reading values.
///
/// # Safety
/// As there.
pub(super) unsafe fn reading<T>(
    out: *mut T,
    problem: *mut Any,
    run: impl FnOnce() -> Result<T, Mismatch>,
) -> bool {
    // SAFETY: promised.
    unsafe {
        match catch(run) {
            Ok(value) => out.write(value),
            Err(mismatch) => {
                problem.write(wire::pack_mismatch(mismatch));
                return false;
            }
        }
    }
    true
}

/// The other side of [`guarded`]: what `call` writes.
///
/// # Errors
/// What it writes as the problem.
pub(super) fn asked<T>(call: impl FnOnce(*mut T, *mut Any) -> bool) -> Result<T, Error> {
    ask(call).map_err(|problem| wire::unpack(&problem))
}

/// The other side of [`reading`].
///
/// # Errors
/// What it writes as the problem.
pub(super) fn read<T>(call: impl FnOnce(*mut T, *mut Any) -> bool) -> Result<T, Mismatch> {
    ask(call).map_err(|problem| wire::unpack_mismatch(&problem))
}

pub(super) fn ask<T>(call: impl FnOnce(*mut T, *mut Any) -> bool) -> Result<T, Any> {
    let mut out = std::mem::MaybeUninit::<T>::uninit();
    let mut problem = Any::None;
    if call(out.as_mut_ptr(), &raw mut problem) {
        // SAFETY: what is called writes the one or the other.
        Ok(unsafe { out.assume_init() })
    } else {
        Err(problem)
    }
}
