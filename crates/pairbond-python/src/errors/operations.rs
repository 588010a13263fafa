//! Python's operations on objects that this crate owns, with an [`Error`] where Python raises.
//!
//! They are safe for the reason that an [`Owned`] is: only attached threads have one. Which kind of
//! object a list, a dict or a tuple has to be CPython checks itself.

use std::borrow::Borrow;
use std::ffi::CStr;

use pairbond_core::error::{Error, ErrorKind};
use pyo3_ffi as py;

use super::{kinds, owned_or_error, take};
use crate::owned::Owned;
use crate::running;

/// Clears the current exception, if there is one. The thread is attached.
#[inline]
pub(crate) fn clear() {
    // SAFETY: this thread is attached to the interpreter.
    unsafe { py::PyErr_Clear() }
}

/// Whether there is a current exception. The thread is attached.
#[inline]
pub(crate) fn is_set() -> bool {
    // SAFETY: this thread is attached to the interpreter.
    !unsafe { py::PyErr_Occurred() }.is_null()
}

/// Whether the current exception is of the built-in class of a kind that has one. The thread is
/// attached, and an exception is set.
pub(crate) fn is_of_kind(kind: &ErrorKind) -> bool {
    // SAFETY: attached, with an exception set; a built-in class.
    kinds::class_of_words(kind).is_some_and(|class| unsafe { py::PyErr_ExceptionMatches(class) } != 0)
}

/// The exception that is set, if a function of CPython has returned another status than 0.
///
/// # Errors
/// That exception.
#[inline]
pub(crate) fn check_status(status: std::ffi::c_int) -> Result<(), Error> {
    if status == 0 { Ok(()) } else { Err(take()) }
}

impl Owned {
    /// Imports a module. The thread is attached.
    ///
    /// # Errors
    /// The exception that importing raises.
    pub(crate) fn import(name: &CStr) -> Result<Self, Error> {
        // SAFETY: this thread is attached to the interpreter; a new reference or null.
        unsafe { owned_or_error(running::PyImport_ImportModule(name.as_ptr())) }
    }

    /// Returns a new dict. The thread is attached.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub(crate) fn empty_dict() -> Result<Self, Error> {
        // SAFETY: this thread is attached to the interpreter; a new reference or null.
        unsafe { owned_or_error(py::PyDict_New()) }
    }

    /// Returns a new list. The thread is attached.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub(crate) fn empty_list() -> Result<Self, Error> {
        // SAFETY: this thread is attached to the interpreter; a new reference or null.
        unsafe { owned_or_error(py::PyList_New(0)) }
    }

    /// Returns a number as Python's `int`. The thread is attached.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn from_size(number: usize) -> Result<Self, Error> {
        // SAFETY: this thread is attached to the interpreter; a new reference or null.
        unsafe { owned_or_error(py::PyLong_FromSize_t(number)) }
    }

    /// Returns a new tuple of objects.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn tuple<const N: usize>(items: [impl Borrow<Owned>; N]) -> Result<Self, Error> {
        // SAFETY: the thread is attached, for it has such objects; each place of the new tuple is
        // filled once.
        unsafe {
            let tuple = owned_or_error(py::PyTuple_New(N as py::Py_ssize_t))?;
            for (at, item) in items.into_iter().enumerate() {
                py::PyTuple_SET_ITEM(
                    tuple.as_ptr(),
                    at as py::Py_ssize_t,
                    item.borrow().clone().into_ptr(),
                );
            }
            Ok(tuple)
        }
    }

    /// Returns an attribute.
    ///
    /// # Errors
    /// `AttributeError`, and what computing the attribute raises.
    pub(crate) fn get_attr(&self, name: &CStr) -> Result<Self, Error> {
        // SAFETY: attached, with a living object; a new reference or null.
        unsafe { owned_or_error(running::PyObject_GetAttrString(self.as_ptr(), name.as_ptr())) }
    }

    /// Sets an attribute.
    ///
    /// # Errors
    /// The exception that setting the attribute raises.
    pub(crate) fn set_attr(&self, name: &Owned, value: &Owned) -> Result<(), Error> {
        // SAFETY: attached, with living objects.
        check_status(unsafe { running::PyObject_SetAttr(self.as_ptr(), name.as_ptr(), value.as_ptr()) })
    }

    /// Calls the object without arguments.
    ///
    /// # Errors
    /// The exception that the call raises.
    pub(crate) fn call0(&self) -> Result<Self, Error> {
        // SAFETY: attached, with a living object; a new reference or null.
        unsafe { owned_or_error(running::PyObject_CallNoArgs(self.as_ptr())) }
    }

    /// Calls the object with one argument.
    ///
    /// # Errors
    /// The exception that the call raises.
    pub(crate) fn call1(&self, argument: &Owned) -> Result<Self, Error> {
        // SAFETY: attached, with living objects; a new reference or null.
        unsafe { owned_or_error(running::PyObject_CallOneArg(self.as_ptr(), argument.as_ptr())) }
    }

    /// Whether Python sees the object as true.
    ///
    /// # Errors
    /// The exception that the object's `__bool__` or `__len__` raises.
    #[inline]
    pub(crate) fn is_true(&self) -> Result<bool, Error> {
        // SAFETY: attached, with a living object.
        match unsafe { running::PyObject_IsTrue(self.as_ptr()) } {
            -1 => Err(take()),
            truth => Ok(truth == 1),
        }
    }

    /// Adds an object at the end of this list.
    ///
    /// # Errors
    /// Out of memory; this is no list.
    pub(crate) fn append(&self, item: &Owned) -> Result<(), Error> {
        // SAFETY: attached, with living objects; CPython checks that the first is a list.
        check_status(unsafe { py::PyList_Append(self.as_ptr(), item.as_ptr()) })
    }

    /// Stores a value with a key in this dict.
    ///
    /// # Errors
    /// Out of memory; the key has no hash; this is no dict.
    pub(crate) fn set_item(&self, key: &Owned, value: &Owned) -> Result<(), Error> {
        // SAFETY: attached, with living objects; CPython checks that the first is a dict.
        check_status(unsafe { running::PyDict_SetItem(self.as_ptr(), key.as_ptr(), value.as_ptr()) })
    }

    /// Returns the items of a tuple; `None` for any other object.
    pub(crate) fn tuple_items(&self) -> Option<Vec<Owned>> {
        self.is_tuple().then(|| {
            // SAFETY: attached, with a living tuple, which keeps its items.
            unsafe {
                (0..py::PyTuple_GET_SIZE(self.as_ptr()))
                    .map(|at| Owned::from_borrowed(py::PyTuple_GET_ITEM(self.as_ptr(), at)))
                    .collect()
            }
        })
    }

    /// Returns the name of the object's class.
    pub(crate) fn class_name(&self) -> String {
        // SAFETY: a living object keeps its class.
        unsafe { crate::ffi::type_name(self.class()) }
    }
}
