//! Definitions of methods and functions, as CPython reads them; attributes of modules.

use std::ffi::{CStr, c_int};

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::owned::Owned;
use crate::running;

pub(crate) const fn method_definition(
    name: &'static CStr,
    function: py::PyCFunction,
    flags: c_int,
    doc: &'static CStr,
) -> py::PyMethodDef {
    py::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunction: function,
        },
        ml_flags: flags,
        ml_doc: doc.as_ptr(),
    }
}

/// Definitions are read by CPython only.
#[repr(transparent)]
pub(crate) struct Methods<const N: usize>(pub(crate) [py::PyMethodDef; N]);
// SAFETY: constants, which are never written to.
unsafe impl<const N: usize> Sync for Methods<N> {}

impl<const N: usize> Methods<N> {
    pub(crate) const fn new(all: [py::PyMethodDef; N]) -> Self {
        Methods(all)
    }

    pub(crate) const fn as_ptr(&self) -> *const py::PyMethodDef {
        self.0.as_ptr()
    }
}

pub(crate) const fn method_fast(
    name: &'static CStr,
    function: py::PyCFunctionFast,
    doc: &'static CStr,
) -> py::PyMethodDef {
    py::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunctionFast: function,
        },
        ml_flags: py::METH_FASTCALL,
        ml_doc: doc.as_ptr(),
    }
}

/// Adds an attribute; the reference is given away, also on failure.
///
/// # Safety
/// The calling thread is attached and keeps `module`; `value` is a new reference that is given
/// away, or null with an exception set.
pub(crate) unsafe fn add_attribute(
    module: *mut py::PyObject,
    name: &CStr,
    value: *mut py::PyObject,
) -> Result<(), Error> {
    // SAFETY: attached; a new reference or null with an exception.
    unsafe {
        let value = Owned::from_new(value).ok_or_else(crate::errors::take)?;
        if running::PyObject_SetAttrString(module, name.as_ptr(), value.as_ptr()) != 0 {
            return Err(crate::errors::take());
        }
    }
    Ok(())
}
