//! Which exception class an [`ErrorKind`] names.

use std::ffi::CString;

use pairbond_core::error::ErrorKind;
use pairbond_core::error::exception::find_exception;
use pyo3_ffi as py;

use super::exceptions;
use crate::ffi::PyImport_GetModule;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// The class, and a note where there is no such class and `RuntimeError` takes its place.
pub(super) fn class_of_kind(kind: &ErrorKind) -> (Owned, Option<String>) {
    if let ErrorKind::Custom(name) = kind {
        return match custom_class(name) {
            Ok(class) => (class, None),
            Err(why) => {
                let note =
                    format!("pairbond: this should have been raised as {name}, which cannot be had: {why}");
                // SAFETY: attached; a built-in class.
                (
                    unsafe { Owned::from_borrowed(py::PyExc_RuntimeError) },
                    Some(note),
                )
            }
        };
    }
    (of_kind(kind), None)
}

/// The class of a kind that needs no name.
fn of_kind(kind: &ErrorKind) -> Owned {
    // SAFETY: attached; the built-in classes live as long as the interpreter.
    unsafe {
        let builtin = match kind {
            ErrorKind::Memory => py::PyExc_MemoryError,
            ErrorKind::Os(_) => py::PyExc_OSError,
            ErrorKind::FileNotFound => py::PyExc_FileNotFoundError,
            ErrorKind::Permission => py::PyExc_PermissionError,
            ErrorKind::Timeout => py::PyExc_TimeoutError,
            ErrorKind::Interpreter => return own_class("InterpreterError"),
            ErrorKind::Closed => return own_class("ClosedError"),
            ErrorKind::Invalidated => return own_class("InvalidatedError"),
            ErrorKind::Panic => return own_class("PanicError"),
            kind => class_of_words(kind).unwrap_or(py::PyExc_RuntimeError),
        };
        Owned::from_borrowed(builtin)
    }
}

/// The built-in class of a kind whose exceptions are made of words and nothing else. Borrowed.
#[inline]
pub(super) fn class_of_words(kind: &ErrorKind) -> Option<*mut py::PyObject> {
    // SAFETY: the built-in classes live as long as the interpreter.
    Some(unsafe {
        match kind {
            ErrorKind::Type | ErrorKind::NoSuchOperation => py::PyExc_TypeError,
            ErrorKind::Value => py::PyExc_ValueError,
            ErrorKind::Key => py::PyExc_KeyError,
            ErrorKind::Index => py::PyExc_IndexError,
            ErrorKind::Attribute => py::PyExc_AttributeError,
            ErrorKind::Overflow => py::PyExc_OverflowError,
            ErrorKind::ZeroDivision => py::PyExc_ZeroDivisionError,
            ErrorKind::Runtime => py::PyExc_RuntimeError,
            ErrorKind::NotImplemented => py::PyExc_NotImplementedError,
            ErrorKind::StopIteration => py::PyExc_StopIteration,
            ErrorKind::Unicode => py::PyExc_UnicodeError,
            ErrorKind::Import => py::PyExc_ImportError,
            _ => return None,
        }
    })
}

/// One of the package's own classes, or `RuntimeError`, which they all derive from, while the
/// package is not there.
fn own_class(name: &str) -> Owned {
    let class = match (crate::layout::wrapper_marker() != 0).then(Interp::current) {
        Some(Ok(interp)) => interp.exception(name),
        _ => std::ptr::null_mut(),
    };
    // SAFETY: attached; borrowed from the interpreter, or a built-in class.
    unsafe {
        Owned::from_borrowed(if class.is_null() {
            py::PyExc_RuntimeError
        } else {
            class
        })
    }
}

/// The class `"module.Name"`: looked up in the module each time, so that a reloaded module's own is
/// found. A module that is not there yet is imported.
///
/// # Errors
/// Why there is no such class.
fn custom_class(name: &str) -> Result<Owned, String> {
    if let Ok(Some(class)) = exceptions::made_class(name) {
        return Ok(class);
    }
    if let Some(info) = find_exception(name) {
        return exceptions::exception_class(info).map_err(|error| error.message().to_owned());
    }
    let (module, attribute) = name
        .rsplit_once('.')
        .ok_or("it names no module: \"module.Name\" is expected")?;
    let text = |text: &str| super::raise::text_or_none(text).ok_or_else(why_not);
    let (module_name, attribute) = (text(module)?, text(attribute)?);
    // SAFETY: attached; a new reference or null, without an exception if the module is not there.
    let imported = unsafe { Owned::from_new(PyImport_GetModule(module_name.as_ptr())) };
    if let Some(class) = imported.and_then(|module| exception_class(&module, &attribute).ok()) {
        return Ok(class);
    }
    // Not imported yet, or by another thread in this moment, for which importing waits.
    let module = CString::new(module).map_err(|_| "its name has a null character".to_owned())?;
    // SAFETY: attached; a new reference or null with an exception set.
    let module = unsafe { Owned::from_new(running::PyImport_ImportModule(module.as_ptr())) };
    exception_class(&module.ok_or_else(why_not)?, &attribute)
}

/// The attribute of a module that is a class of exceptions.
fn exception_class(module: &Owned, attribute: &Owned) -> Result<Owned, String> {
    // SAFETY: attached; a new reference or null with an exception set.
    let class = unsafe { Owned::from_new(running::PyObject_GetAttr(module.as_ptr(), attribute.as_ptr())) };
    let class = class.ok_or_else(why_not)?;
    // SAFETY: attached; a living object.
    if unsafe { py::PyExceptionClass_Check(class.as_ptr()) } == 0 {
        return Err("it is no class of exceptions".to_owned());
    }
    Ok(class)
}

/// Returns the message of the current exception, and clears it.
fn why_not() -> String {
    match super::fetch_exception() {
        Some(exception) => super::take::exception_words(exception.as_ptr()),
        None => "Python does not say why".to_owned(),
    }
}
