//! Errors of C: a `pb_error` is a [`Error`] in a box.

use super::Text;
use pairbond_core::error::{Error, ErrorKind, panics};
use pairbond_value::convert::erased::wire;

/// Where a function writes its error; null where the caller does not want it.
pub(super) type Problem = *mut *mut Error;

/// Runs `run` for C. `None`: it failed, and its error is written.
///
/// # Safety
/// `problem` is null or a place for an error.
pub(super) unsafe fn catch_errors<T>(problem: Problem, run: impl FnOnce() -> Result<T, Error>) -> Option<T> {
    match panics::catch_panic(run) {
        Ok(value) => Some(value),
        Err(error) => {
            if !problem.is_null() {
                // SAFETY: the caller's place.
                unsafe { problem.write(Box::into_raw(Box::new(error))) };
            }
            None
        }
    }
}

/// As [`catch_errors`], for a function without a result; returns whether it succeeded.
///
/// # Safety
/// As for [`catch_errors`].
pub(super) unsafe fn catch_errors_as_bool(problem: Problem, run: impl FnOnce() -> Result<(), Error>) -> bool {
    // SAFETY: `problem` is null or a place for an error: the caller ensures it.
    unsafe { catch_errors(problem, run) }.is_some()
}

/// As [`catch_errors`], for what cannot report an error: `None` stands for it.
pub(super) fn catch_silently<T>(run: impl FnOnce() -> T) -> Option<T> {
    panics::catch_panic(|| Ok::<_, Error>(run())).ok()
}

/// Takes an error over that C has made; one that it forgot to make is said so.
///
/// # Safety
/// `error` is null or an error that is given away.
pub(crate) unsafe fn take_error(error: *mut Error) -> Error {
    if error.is_null() {
        return Error::runtime_error("a function of a C library failed without an error");
    }
    // SAFETY: made by `Box::into_raw`, and given away.
    *unsafe { Box::from_raw(error) }
}

/// Calls a function of C that reports its error.
///
/// # Errors
/// The one that it reports.
///
/// # Safety
/// On `false` the function has written an error that is given away, or nothing.
pub(super) unsafe fn call_checked(call: impl FnOnce(Problem) -> bool) -> Result<(), Error> {
    let mut error = std::ptr::null_mut();
    if call(&raw mut error) {
        return Ok(());
    }
    // SAFETY: what the function wrote, or null.
    Err(unsafe { take_error(error) })
}

/// The kinds by their numbers in `pairbond.h`, which are those that cross between binaries of Rust.
/// A number that is read only, or unknown, is a `RuntimeError`.
pub(super) fn kind_of(number: i32) -> ErrorKind {
    const PANIC: i32 = 21;
    const CUSTOM: i32 = 22;
    match number {
        PANIC | CUSTOM => ErrorKind::Runtime,
        number => wire::kind_of(number.into(), None, None),
    }
}

/// A text that may not be UTF-8, for messages.
///
/// # Safety
/// As [`Text::as_bytes`].
pub(super) unsafe fn text_lossy(text: Text) -> String {
    // SAFETY: the bytes of `text` can be read, or there are none: the caller ensures it.
    String::from_utf8_lossy(unsafe { text.as_bytes() }).into_owned()
}

pub(super) unsafe extern "C" fn new(kind: i32, message: Text) -> *mut Error {
    // SAFETY: a text of the caller.
    let message = unsafe { text_lossy(message) };
    Box::into_raw(Box::new(Error::new(kind_of(kind), message)))
}

pub(super) unsafe extern "C" fn new_custom(class: Text, message: Text) -> *mut Error {
    // SAFETY: texts of the caller.
    let (class, message) = unsafe { (text_lossy(class), text_lossy(message)) };
    Box::into_raw(Box::new(Error::new(ErrorKind::Custom(class.into()), message)))
}

/// The same error once more; an exception stays the same object.
pub(super) unsafe extern "C" fn copy_error(error: *const Error) -> *mut Error {
    // SAFETY: an error of the caller.
    Box::into_raw(Box::new(unsafe { &*error }.copy()))
}

pub(super) unsafe extern "C" fn error_kind(error: *const Error) -> i32 {
    // SAFETY: an error of the caller.
    unsafe { &*error }.kind().wire_number().0 as i32
}

pub(super) unsafe extern "C" fn error_message(error: *const Error) -> Text {
    // SAFETY: an error of the caller, which keeps its message.
    catch_silently(|| Text::new(unsafe { &*error }.message())).unwrap_or(Text::EMPTY)
}

pub(super) unsafe extern "C" fn add_note(error: *mut Error, note: Text) {
    // SAFETY: an error of the caller, which no other thread uses; a text.
    unsafe {
        let with = error.read().with_note(text_lossy(note));
        error.write(with);
    }
}

pub(super) unsafe extern "C" fn set_cause(error: *mut Error, cause: *mut Error) {
    // SAFETY: errors of the caller, which no other thread uses; the cause is given away.
    unsafe {
        let with = error.read().with_cause(take_error(cause));
        error.write(with);
    }
}

pub(super) unsafe extern "C" fn error_cause(error: *const Error) -> *const Error {
    // SAFETY: an error of the caller, which keeps its cause.
    unsafe { &*error }
        .cause()
        .map_or(std::ptr::null(), std::ptr::from_ref)
}

pub(super) unsafe extern "C" fn drop_error(error: *mut Error) {
    if !error.is_null() {
        // SAFETY: made by `Box::into_raw`, and given away.
        catch_silently(|| std::mem::drop(unsafe { Box::from_raw(error) }));
    }
}
