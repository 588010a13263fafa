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

/// Adds functions to a module. The thread is attached.
///
/// # Errors
/// Out of memory.
pub(crate) fn add_functions<const N: usize>(
    module: &Owned,
    functions: &'static Methods<N>,
) -> Result<(), Error> {
    assert!(functions.0[N - 1].ml_name.is_null(), "the last one is zeroed");
    let first = functions.as_ptr().cast_mut();
    // SAFETY: attached, with a living object, which CPython checks to be a module. The definitions
    // end, and live for the process.
    crate::errors::check_status(unsafe { py::PyModule_AddFunctions(module.as_ptr(), first) })
}

/// Adds an attribute to a module. The thread is attached.
///
/// # Errors
/// Out of memory.
pub(crate) fn add_attribute(module: &Owned, name: &CStr, value: &Owned) -> Result<(), Error> {
    let (module, value) = (module.as_ptr(), value.as_ptr());
    // SAFETY: attached, with living objects.
    crate::errors::check_status(unsafe { running::PyObject_SetAttrString(module, name.as_ptr(), value) })
}
