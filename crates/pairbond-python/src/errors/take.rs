//! The current exception becomes an [`Error`].

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::value::Foreign;
use pyo3_ffi as py;

use super::state;
use crate::ffi::attached_interpreter;
use crate::interp;
use crate::owned::Owned;
use crate::running;

/// Takes the current exception: the error owns it, and raises the same object again. Its message is
/// `ValueError: message`.
#[cold]
#[inline(never)]
pub fn take() -> Error {
    let Some(exception) = state::fetch_exception() else {
        return Error::runtime_error("a Python function failed without saying why");
    };
    if crate::layout::wrapper_marker() == 0 || interp::tag() == 0 {
        // An extension module that cannot join: native objects, also the one that would hold the
        // exception, are not to be had.
        return Error::new(ErrorKind::Import, exception_words(exception.as_ptr()));
    }
    // SAFETY: a counted reference of the attached interpreter, given away.
    let foreign = unsafe { Foreign::from_raw(interp::tag(), exception.into_ptr().cast()) };
    Error::from_foreign(foreign, describe_exception)
}

/// As [`take`], after CPython could not make a class: before 3.12 it does not always say that
/// memory was exhausted.
#[cold]
pub(crate) fn take_of_class() -> Error {
    if !super::is_set() {
        return Error::new(ErrorKind::Memory, "out of memory");
    }
    take()
}

/// What an exception says; `None` on a thread that is not attached to its interpreter. It is not
/// attached for the purpose: the thread may hold a lock that another waits for with the GIL in its
/// hands.
pub(crate) fn describe_exception(exception: &Foreign) -> Option<String> {
    let attached = !attached_interpreter().is_null() && interp::tag() == exception.tag();
    attached.then(|| {
        // Something may be under way that has an exception set.
        let current = state::fetch_exception();
        let words = exception_words(exception.as_ptr().cast());
        if let Some(current) = current {
            state::restore_exception(current);
        }
        words
    })
}

pub(super) fn exception_words(exception: *mut py::PyObject) -> String {
    // SAFETY: a living object.
    let name = unsafe { crate::ffi::type_name(py::Py_TYPE(exception)) };
    // SAFETY: attached; a new reference or null with an exception set.
    let text = unsafe { Owned::from_new(running::PyObject_Str(exception)) }.and_then(|text| text_of(&text));
    if text.is_none() {
        // An exception whose `str` fails is known by its name.
        super::clear();
    }
    match text {
        Some(text) if !text.is_empty() => format!("{name}: {text}"),
        _ => name,
    }
}

/// The text of a Python string, surrogates replaced. Leaves no exception behind.
pub(crate) fn text_of(string: &Owned) -> Option<String> {
    // SAFETY: attached; the encoded bytes are read while they are alive.
    unsafe {
        let bytes = Owned::from_new(py::PyUnicode_AsEncodedString(
            string.as_ptr(),
            c"utf-8".as_ptr(),
            c"replace".as_ptr(),
        ));
        let Some(bytes) = bytes else {
            super::clear();
            return None;
        };
        let start = py::PyBytes_AsString(bytes.as_ptr()).cast::<u8>();
        let slice = std::slice::from_raw_parts(start, py::PyBytes_Size(bytes.as_ptr()) as usize);
        Some(String::from_utf8_lossy(slice).into_owned())
    }
}

/// A new reference, or the exception that was set instead.
///
/// # Safety
/// Attached; a new reference that is given away, or null with an exception set.
#[inline]
pub(crate) unsafe fn owned_or_error(object: *mut py::PyObject) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference that is given away, or null with an exception set: the
    // caller ensures it.
    match unsafe { Owned::from_new(object) } {
        Some(object) => Ok(object),
        None => Err(take()),
    }
}
