//! `is_erased`, and the native half of `erasing`.

use pairbond_core::error::Error;
use pairbond_core::tree;
use pyo3_ffi as py;

use super::functions::{Methods, finish, method, native_of, none};
use crate::convert::from_text;
use crate::interp;
use crate::owned::Owned;

pub(super) static FUNCTIONS: Methods<3> = Methods::new([
    method(c"is_erased", is_erased, py::METH_O, c"is_erased(obj, /)\n--\n\nWhether the object was part of a tree and was erased from it: using it raises InvalidatedError."),
    method(c"_erasing", erasing, py::METH_O, c"_erasing(name, /)\n--\n\nNames what erases on this thread, or nothing for None; returns what it was."),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn is_erased(_: *mut py::PyObject, object: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached.
    unsafe {
        finish(native_of(object).map(|native| py::PyBool_FromLong(tree::is_erased(native.header()).into())))
    }
}

unsafe extern "C" fn erasing(_: *mut py::PyObject, name: *mut py::PyObject) -> *mut py::PyObject {
    interp::entry();
    // SAFETY: attached; the caller's argument outlives the call.
    finish(unsafe { name_reason(name) })
}

unsafe fn name_reason(name: *mut py::PyObject) -> Result<*mut py::PyObject, Error> {
    // SAFETY: promised.
    unsafe {
        let before = if name == py::Py_None() {
            tree::set_reason(None)
        } else {
            let mut len = 0;
            let text = py::PyUnicode_AsUTF8AndSize(name, &mut len);
            if text.is_null() {
                return Err(crate::errors::take());
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len as usize);
            // SAFETY: CPython's UTF-8.
            tree::set_reason(Some(std::str::from_utf8_unchecked(bytes)))
        };
        match before {
            Some(before) => from_text(before).map(Owned::into_ptr),
            None => Ok(none()),
        }
    }
}
