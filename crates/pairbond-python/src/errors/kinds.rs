//! Which exception class an [`ErrorKind`] names.

use pairbond_core::error::ErrorKind;
use pyo3_ffi as py;

use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// The class. Falls back to `RuntimeError` when there is no such class.
pub(super) fn class(kind: &ErrorKind) -> Owned {
    // SAFETY: attached; the built-in classes live as long as the interpreter.
    unsafe {
        let builtin = match kind {
            ErrorKind::Type | ErrorKind::NoSuchOperation => py::PyExc_TypeError,
            ErrorKind::Value => py::PyExc_ValueError,
            ErrorKind::Key => py::PyExc_KeyError,
            ErrorKind::Index => py::PyExc_IndexError,
            ErrorKind::Attribute => py::PyExc_AttributeError,
            ErrorKind::Overflow => py::PyExc_OverflowError,
            ErrorKind::ZeroDivision => py::PyExc_ZeroDivisionError,
            ErrorKind::NotImplemented => py::PyExc_NotImplementedError,
            ErrorKind::StopIteration => py::PyExc_StopIteration,
            ErrorKind::Memory => py::PyExc_MemoryError,
            ErrorKind::Os(_) => py::PyExc_OSError,
            ErrorKind::FileNotFound => py::PyExc_FileNotFoundError,
            ErrorKind::Permission => py::PyExc_PermissionError,
            ErrorKind::Timeout => py::PyExc_TimeoutError,
            ErrorKind::Unicode => py::PyExc_UnicodeError,
            ErrorKind::Import => py::PyExc_ImportError,
            ErrorKind::Interpreter => return own("InterpreterError"),
            ErrorKind::Closed => return own("ClosedError"),
            ErrorKind::Invalidated => return own("InvalidatedError"),
            ErrorKind::Panic => return own("PanicError"),
            ErrorKind::Custom(name) => match custom(name) {
                Some(class) => return class,
                None => py::PyExc_RuntimeError,
            },
            _ => py::PyExc_RuntimeError,
        };
        Owned::from_borrowed(builtin)
    }
}

/// One of the package's own classes, or `RuntimeError`, which they all derive from, while the package is not there.
fn own(name: &str) -> Owned {
    let class = match (crate::api::marker() != 0).then(Interp::current) {
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

/// The class `"module.Name"`: looked up in the module each time, so that a reloaded module's own is found.
fn custom(name: &str) -> Option<Owned> {
    let (module, attribute) = name.rsplit_once('.')?;
    let (module, attribute) = (super::raise::text(module)?, super::raise::text(attribute)?);
    // SAFETY: attached; new references or null with an exception set, which nobody wants to see.
    let class = unsafe {
        Owned::from_new(py::PyImport_GetModule(module.as_ptr())).and_then(|module| {
            Owned::from_new(running::PyObject_GetAttr(module.as_ptr(), attribute.as_ptr()))
        })
    };
    // SAFETY: attached; a living object.
    let fits = class.filter(|class| unsafe { py::PyExceptionClass_Check(class.as_ptr()) } != 0);
    if fits.is_none() {
        // SAFETY: attached.
        unsafe { py::PyErr_Clear() };
    }
    fits
}
