//! An [`Error`] becomes the current exception.

use std::error::Error as StdError;
use std::ffi::CStr;
use std::io;
use std::sync::OnceLock;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::keep_reserve;
use pairbond_value::value::{Any, Foreign};
use pyo3_ffi as py;

use super::{kinds, state};
use crate::interp::{self, Interp};
use crate::owned::Owned;
use crate::running;

// POSIX numbers these differently only for the last.
const ENOENT: i32 = 2;
const EACCES: i32 = 13;
const ETIMEDOUT: i32 = if cfg!(target_os = "linux") {
    110
} else if cfg!(windows) {
    10060
} else {
    60
};

/// A chain of causes is cut here: a longer one is a bug in a `source()`.
const CAUSES: usize = 32;

/// Makes the error the current exception. When that fails (no memory), another exception is set.
#[cold]
#[inline(never)]
pub fn raise(error: Error) {
    set_exception(error);
    // Any error may have been made of the reserve.
    keep_reserve();
}

fn set_exception(error: Error) {
    if matches!(error.kind(), ErrorKind::Closed) {
        let_it_end();
    }
    if let Some(exception) = error.foreign() {
        if error.is_plain() && exception.tag() == interp::tag() {
            return restore_foreign(error);
        }
        return raise_again(&error, exception);
    }
    if error.is_plain()
        && let Some(class) = kinds::class_of_words(error.kind())
    {
        // CPython makes the exception object, when it is needed.
        if let Some(text) = text_or_none(error.message()) {
            // SAFETY: attached; a class of exceptions that takes any words.
            unsafe { py::PyErr_SetObject(class, text.as_ptr()) }
        }
        return;
    }
    let Some(exception) = exception_of(&error) else {
        return;
    };
    // SAFETY: attached; an exception object and its class. This also sets the context, as `raise`
    // in Python does.
    unsafe { py::PyErr_SetObject(exception.class().cast(), exception.as_ptr()) }
}

/// Waits for the end of the interpreter that the calling thread, a daemon thread, is part of: until
/// CPython ends it a moment later it could only report an error that cannot be handled. Not for
/// ever, because a function that was registered with `atexit` may wait for the thread.
#[cold]
fn let_it_end() {
    if Interp::current().is_ok_and(Interp::is_closed_by_another) {
        // SAFETY: attached, without an exception.
        unsafe {
            let state = py::PyEval_SaveThread();
            std::thread::sleep(std::time::Duration::from_secs(2));
            // It does not return when the interpreter has ended.
            py::PyEval_RestoreThread(state);
        }
    }
}

/// The exception object of an error, with causes, fields and notes; `None`, with an exception set,
/// when Python could not make it.
fn exception_of(error: &Error) -> Option<Owned> {
    let exception = make_exception(
        error.kind(),
        error.message(),
        io_error(error.source()),
        error.path(),
    )?;
    if error.is_plain() {
        return Some(exception);
    }
    let cause = match error.cause() {
        Some(cause) => existing_exception(cause).or_else(|| self::exception_of(cause)),
        None => cause_exceptions(error),
    };
    if let Some(cause) = cause {
        // SAFETY: attached; the reference is given away.
        unsafe { py::PyException_SetCause(exception.as_ptr(), cause.into_ptr()) };
    }
    add_fields(&exception, error);
    add_notes(&exception, error.notes());
    if let Some(backtrace) = error.backtrace() {
        add_notes(
            &exception,
            &[format!("Rust frames:\n{}", our_frames(&backtrace.to_string()))],
        );
    }
    Some(exception)
}

/// The frames between the making of the error and Python.
fn our_frames(backtrace: &str) -> String {
    let ends = |line: &&str| !line.contains("catch_unwind") && !line.contains("__rust_try");
    let frames: Vec<&str> = backtrace.lines().take_while(ends).collect();
    frames.join("\n")
}

/// The exception object that an error came from, if it is this interpreter's.
fn existing_exception(error: &Error) -> Option<Owned> {
    let exception = error.foreign().filter(|it| it.tag() == interp::tag())?;
    // SAFETY: attached to the interpreter that the object belongs to; the error keeps it alive.
    Some(unsafe { Owned::from_borrowed(exception.as_ptr().cast()) })
}

/// An exception of this interpreter is the same object again, with its traceback.
fn restore_foreign(error: Error) {
    let Ok(exception) = error.into_foreign() else {
        return;
    };
    // SAFETY: attached to the interpreter that the object belongs to; its counted reference is
    // ours, or one more is counted while it is alive.
    let exception = unsafe {
        match exception.into_object() {
            Ok((_, object)) => Owned::from_new(object.cast()).expect("an exception"),
            Err(shared) => Owned::from_borrowed(shared.as_ptr().cast()),
        }
    };
    state::restore_exception(exception);
}

/// An exception that came from Python is the same object again, with its traceback.
fn raise_again(error: &Error, exception: &Foreign) {
    if exception.tag() != interp::tag() {
        let message = format!("an exception in another interpreter: {}", error.message());
        return raise(Error::new(ErrorKind::Interpreter, message));
    }
    // SAFETY: attached to the interpreter that the object belongs to; the error keeps it alive.
    let exception = unsafe { Owned::from_borrowed(exception.as_ptr().cast()) };
    if !error.is_plain() {
        add_fields(&exception, error);
        add_notes(&exception, error.notes());
    }
    state::restore_exception(exception);
}

/// Reports an error where none can be raised: `sys.unraisablehook`, with `context` as the object.
/// The current exception stays.
#[cold]
pub fn unraisable(error: Error, context: &str) {
    let current = state::fetch_exception();
    let context = text_or_none(context);
    raise(error);
    // SAFETY: attached; an exception is set.
    unsafe { running::PyErr_WriteUnraisable(context.as_ref().map_or(std::ptr::null_mut(), Owned::as_ptr)) };
    drop(context);
    if let Some(current) = current {
        state::restore_exception(current);
    }
}

/// An exception object; `None`, with an exception set, when Python could not make it.
fn make_exception(
    kind: &ErrorKind,
    message: &str,
    io: Option<&io::Error>,
    path: Option<&std::path::Path>,
) -> Option<Owned> {
    let number = match kind {
        ErrorKind::Os(number) => number.or_else(|| io?.raw_os_error()),
        ErrorKind::FileNotFound | ErrorKind::Permission | ErrorKind::Timeout => {
            // A path goes with a number: `OSError(errno, strerror, filename)`.
            let usual = match kind {
                ErrorKind::FileNotFound => ENOENT,
                ErrorKind::Permission => EACCES,
                _ => ETIMEDOUT,
            };
            io.and_then(io::Error::raw_os_error)
                .or_else(|| path.map(|_| usual))
        }
        _ => None,
    };
    let (class, note) = kinds::class_of_kind(kind);
    let Some(number) = number else {
        let exception = call_or_none(&class, [&text_or_none(message)?])?;
        if let Some(note) = note {
            add_notes(&exception, &[note]);
        }
        return Some(exception);
    };
    // `OSError(errno, strerror)` chooses the subclass itself; what Rust adds to the system's words,
    // Python adds in front.
    let strerror = message
        .strip_suffix(&format!(" (os error {number})"))
        .unwrap_or(message);
    // SAFETY: attached; a new reference or null.
    let number = unsafe { Owned::from_new(py::PyLong_FromLong(number.into())) }?;
    // SAFETY: attached; a built-in class.
    let base = unsafe { Owned::from_borrowed(py::PyExc_OSError) };
    match path {
        None => call_or_none(&base, [&number, &text_or_none(strerror)?]),
        Some(path) => {
            let Some(path) = Owned::from_path(path) else {
                return call_or_none(&base, [&number, &text_or_none(strerror)?]);
            };
            call_or_none(&base, [&number, &text_or_none(strerror)?, &path])
        }
    }
}

/// The causes below an error as exceptions, each the cause of the one above.
fn cause_exceptions(error: &Error) -> Option<Owned> {
    let mut chain: Vec<&(dyn StdError + 'static)> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        chain.push(cause);
        next = if chain.len() < CAUSES {
            cause.source()
        } else {
            None
        };
    }
    // An error that was converted with `?` has itself as the source: it is the one being raised.
    let mut below: Option<Owned> = None;
    for (depth, cause) in chain.iter().enumerate().rev() {
        let message = cause.to_string();
        if depth == 0 && message == error.message() {
            break;
        }
        let io = cause.downcast_ref::<io::Error>();
        let kind = io.map_or(ErrorKind::Runtime, |io| ErrorKind::Os(io.raw_os_error()));
        let Some(exception) = make_exception(&kind, &message, io, None) else {
            // The error itself matters more than its causes.
            super::clear();
            continue;
        };
        if let Some(below) = below.take() {
            // SAFETY: attached; the reference is given away.
            unsafe { py::PyException_SetCause(exception.as_ptr(), below.into_ptr()) };
        }
        below = Some(exception);
    }
    below
}

fn io_error<'a>(source: Option<&'a (dyn StdError + 'static)>) -> Option<&'a io::Error> {
    source?.downcast_ref::<io::Error>()
}

/// Makes the object of a value; `None` with an exception set. The thread is attached.
pub(crate) type MakeObject = fn(&Any) -> Option<Owned>;

static MAKE_OBJECT: OnceLock<MakeObject> = OnceLock::new();

/// Sets what makes the values of an exception's fields: conversions stand above errors. The first
/// call counts.
pub(crate) fn convert_fields_with(make: MakeObject) {
    let _ = MAKE_OBJECT.set(make);
}

fn object_of(value: &Any) -> Option<Owned> {
    MAKE_OBJECT.get().and_then(|make| make(value))
}

fn add_fields(exception: &Owned, error: &Error) {
    for (name, value) in error.fields() {
        // SAFETY: attached; three objects that are alive.
        let added = text_or_none(name)
            .zip(object_of(value))
            .is_some_and(|(name, value)| unsafe {
                running::PyObject_SetAttr(exception.as_ptr(), name.as_ptr(), value.as_ptr()) == 0
            });
        if !added {
            // A field that cannot be set is not worth another exception.
            super::clear();
        }
    }
}

fn add_notes(exception: &Owned, notes: &[String]) {
    for note in notes {
        let method = get_attribute(exception, c"add_note");
        let added = method.and_then(|method| call_or_none(&method, [&text_or_none(note)?]));
        if added.is_none() {
            // A note that cannot be added is not worth another exception.
            super::clear();
        }
    }
}

fn get_attribute(object: &Owned, name: &CStr) -> Option<Owned> {
    // SAFETY: attached; a new reference or null.
    unsafe { Owned::from_new(running::PyObject_GetAttrString(object.as_ptr(), name.as_ptr())) }
}

fn call_or_none<const N: usize>(callable: &Owned, arguments: [&Owned; N]) -> Option<Owned> {
    let pointers = arguments.map(Owned::as_ptr);
    // SAFETY: attached; the arguments are alive; a new reference or null.
    unsafe {
        Owned::from_new(running::PyObject_Vectorcall(
            callable.as_ptr(),
            pointers.as_ptr(),
            N,
            std::ptr::null_mut(),
        ))
    }
}

/// A Python string; `None`, with an exception set, when there is no memory.
pub(super) fn text_or_none(text: &str) -> Option<Owned> {
    // SAFETY: attached; a new reference or null.
    unsafe {
        Owned::from_new(py::PyUnicode_FromStringAndSize(
            text.as_ptr().cast(),
            text.len() as py::Py_ssize_t,
        ))
    }
}
