//! Panics that become errors, because they must not leave the binary that they happened in: its
//! standard library is the only one that can catch them.
//!
//! Where it happened only the panic hook is told, so one is installed in each binary that is called
//! from outside; other binaries have hooks of their own and see nothing of it. It keeps silent for
//! panics that will become errors, since a program that handles them does not want a report on its
//! standard error as well, and hands all others to the hook that was there before. A panic whose
//! payload is an [`Error`] becomes that error ([`Error::unwind`]).

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::{Error, ErrorKind};
use crate::alloc::AllocationError;

/// Where a thread panicked last.
struct Place {
    location: String,
    /// Frames, if the environment asks for them.
    frames: Option<String>,
}

thread_local! {
    static LAST: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Installs the hook, once in this binary; the function says whether a panic on this thread becomes
/// an error.
pub fn install_hook(becomes_error: fn() -> bool) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !becomes_error() {
                return previous(info);
            }
            let payload = info.payload();
            if payload.is::<Error>()
                || panic_text(payload).is_some_and(|text| text == AllocationError.to_string())
            {
                // It is raised as it is. To find the frames takes memory, which may be what there
                // is none of.
                return;
            }
            let location = info.location();
            let location = location.map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
            let frames = Backtrace::capture();
            let frames = (frames.status() == BacktraceStatus::Captured).then(|| frames.to_string());
            let _ = LAST.try_with(|last| last.replace(Some(Place { location, frames })));
        }));
    });
}

/// Runs `f`; a panic becomes an error that says what and where.
///
/// # Errors
/// What `f` returns, the error that it [unwound](Error::unwind) with, or [`ErrorKind::Panic`].
#[inline(always)]
pub fn catch_panic<R, E: From<Error>>(f: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
    // What a panic leaves half-done is the callee's; ours are only references, which unwinding
    // gives back.
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => result,
        Err(payload) => Err(panic_error(payload).into()),
    }
}

#[cold]
#[inline(never)]
fn panic_error(payload: Box<dyn Any + Send>) -> Error {
    let place = LAST.try_with(RefCell::take).ok().flatten();
    let payload = match payload.downcast::<Error>() {
        Ok(error) => return *error,
        Err(payload) => payload,
    };
    let text = panic_text(&*payload)
        .unwrap_or("a panic without a message")
        .to_owned();
    drop_payload(payload);
    if text == AllocationError.to_string() {
        // Of `Ref::new`, which has no other way to report it.
        return Error::new(ErrorKind::Memory, text);
    }
    let Some(Place { location, frames }) = place else {
        return Error::new(ErrorKind::Panic, text);
    };
    let error = Error::new(ErrorKind::Panic, format!("{text} (Rust panicked at {location})"));
    match frames {
        Some(frames) => error.with_note(format!("Rust frames:\n{frames}")),
        None => error,
    }
}

/// What a panic says, if it is a text or an error.
#[must_use]
pub fn panic_text(payload: &(dyn Any + Send)) -> Option<&str> {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .or_else(|| payload.downcast_ref::<Error>().map(Error::message))
}

/// Drops the payload of a panic, whose destructor may panic.
pub(crate) fn drop_payload(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}
