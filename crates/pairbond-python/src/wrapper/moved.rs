//! Wrappers that have lost their object to a callee that took it by value.
//!
//! Such a wrapper stands for nothing, as one whose `__init__` was not called, but it stays so, and
//! its error says why. Mostly there are none, so nothing in a wrapper says it: they are listed
//! until they die, and a lookup takes no lock while the list is empty.

use pairbond_core::error::{Error, ErrorKind};
#[cfg(feature = "package")]
use pairbond_core::object::ErasedBorrow;
use pyo3_ffi as py;

use crate::interp::api::api;
#[cfg(feature = "package")]
use crate::layout::{borrow, is_wrapper};

/// Whether the object of a wrapper, which has none, was moved away.
///
/// # Safety
/// Attached to the interpreter of the living wrapper.
pub(crate) unsafe fn is_moved(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: attached; interpreters are never freed.
    let interp = unsafe { (api().current)().as_ref() };
    interp.is_some_and(|interp| interp.moved.contains(wrapper))
}

/// The native object of an argument that has to be a wrapper.
///
/// # Errors
/// `TypeError`: it is no wrapper; as [`uninitialized_error`]: it has no object.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
#[cfg(feature = "package")]
pub(crate) unsafe fn native_of(object: *mut py::PyObject) -> Result<ErasedBorrow<'static>, Error> {
    // SAFETY: attached; the caller's argument outlives the call.
    unsafe {
        borrow(object).ok_or_else(|| {
            if is_wrapper(object) {
                return uninitialized_error(object);
            }
            Error::type_error(format!(
                "expected a pairbond object, got {}",
                crate::ffi::type_name(py::Py_TYPE(object))
            ))
        })
    }
}

/// The error about a wrapper whose object was never made, or was moved away.
#[cold]
pub(crate) fn uninitialized_error(object: *mut py::PyObject) -> Error {
    // SAFETY: attached; a living wrapper.
    let (name, moved) = unsafe { (crate::ffi::type_name(py::Py_TYPE(object)), is_moved(object)) };
    if moved {
        let message = format!(
            "this {name} was moved away, to whoever took it by value: there is nothing behind it any more"
        );
        return Error::new(ErrorKind::Invalidated, message);
    }
    // SAFETY: as above; a wrapper's class extends one that a library made, or is one.
    let base = unsafe { crate::ffi::type_name(super::deciding_class(py::Py_TYPE(object))) };
    let hint = if base == name {
        String::new()
    } else {
        format!(" ({name}.__init__() has to call super().__init__())")
    };
    Error::runtime_error(format!(
        "{base}.__init__() was not called: there is no native object behind this {name}{hint}"
    ))
}
