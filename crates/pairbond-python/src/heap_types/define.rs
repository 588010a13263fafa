//! Definitions of methods.

use std::ffi::{CStr, c_int};

use pyo3_ffi as py;

use super::support::Object_;
pub(crate) use crate::call::method_table::Methods;
use crate::call::method_table::method_definition as plain;

pub(crate) const fn method_noargs(
    name: &'static CStr,
    function: py::PyCFunction,
    doc: &'static CStr,
) -> py::PyMethodDef {
    plain(name, function, py::METH_NOARGS, doc)
}

pub(crate) const fn method_one(
    name: &'static CStr,
    function: py::PyCFunction,
    doc: &'static CStr,
) -> py::PyMethodDef {
    plain(name, function, py::METH_O, doc)
}

pub(crate) const fn method_fast(
    name: &'static CStr,
    function: py::PyCFunctionFast,
    flags: c_int,
    doc: &'static CStr,
) -> py::PyMethodDef {
    py::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunctionFast: function,
        },
        ml_flags: py::METH_FASTCALL | flags,
        ml_doc: doc.as_ptr(),
    }
}

pub(crate) const fn with_keywords(
    name: &'static CStr,
    function: py::PyCFunctionWithKeywords,
    doc: &'static CStr,
) -> py::PyMethodDef {
    py::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunctionWithKeywords: function,
        },
        ml_flags: py::METH_VARARGS | py::METH_KEYWORDS,
        ml_doc: doc.as_ptr(),
    }
}

/// `List[int]`
pub(crate) const fn method_generic() -> py::PyMethodDef {
    plain(
        c"__class_getitem__",
        generic_alias,
        py::METH_O | py::METH_CLASS,
        c"See PEP 585.",
    )
}

unsafe extern "C" fn generic_alias(class: Object_, argument: Object_) -> Object_ {
    // SAFETY: called by CPython with a class and an argument.
    unsafe { py::Py_GenericAlias(class, argument) }
}
