//! Definitions of methods and functions, as CPython reads them.

use std::ffi::{CStr, c_int};

use pyo3_ffi as py;

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
