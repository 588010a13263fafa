//! A value in a message: the type's name and a short form of the value. It never raises, and never takes long: an error about an argument must
//! not print a million elements.

use pyo3_ffi as py;

use crate::errors::text_of;
use crate::owned::Owned;

const LONGEST: usize = 60;

/// `str 'abc'`, `list of 3`, `None`, `Package <Package serde>`.
#[cold]
pub(crate) fn short(object: *mut py::PyObject) -> String {
    // SAFETY: attached; a living object.
    unsafe {
        if object == py::Py_None() {
            return "None".into();
        }
        let class = py::Py_TYPE(object);
        let name = crate::ffi::type_name(class);
        if py::PyList_Check(object) != 0
            || py::PyTuple_Check(object) != 0
            || py::PyDict_Check(object) != 0
            || py::PyAnySet_Check(object) != 0
        {
            let len = py::PyObject_Size(object);
            py::PyErr_Clear();
            return format!("{name} of {len}");
        }
        let repr = if py::PyUnicode_CheckExact(object) != 0 {
            // Only the beginning: `repr` of a book takes long.
            Owned::from_new(py::PyUnicode_Substring(object, 0, LONGEST as py::Py_ssize_t))
                .and_then(|s| repr(s.as_ptr()))
        } else if py::PyBytes_CheckExact(object) != 0 {
            let len = py::PyBytes_Size(object).min(LONGEST as py::Py_ssize_t);
            Owned::from_new(py::PyBytes_FromStringAndSize(py::PyBytes_AsString(object), len))
                .and_then(|s| repr(s.as_ptr()))
        } else if (*class).tp_repr.map(|f| f as usize)
            == (*(&raw mut py::PyBaseObject_Type)).tp_repr.map(|f| f as usize)
            || is_huge(object)
        {
            None
        } else {
            repr(object)
        };
        py::PyErr_Clear();
        match repr {
            Some(repr) => format!("{name} {}", cut(&repr)),
            None => name,
        }
    }
}

/// An int whose digits take long to compute.
unsafe fn is_huge(object: *mut py::PyObject) -> bool {
    let mut overflow = 0;
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyLong_CheckExact(object) == 0 {
            return false;
        }
        py::PyLong_AsLongLongAndOverflow(object, &mut overflow);
        overflow != 0 && super::int::i128(object).is_err()
    }
}

unsafe fn repr(object: *mut py::PyObject) -> Option<String> {
    // SAFETY: attached; a living object; a new reference or null with an exception, which the caller clears.
    unsafe { Owned::from_new(py::PyObject_Repr(object)) }.and_then(|text| text_of(&text))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
