//! `repr`: that of objects whose type has none, and of erased nodes and wrappers without an object,
//! whose own one may need fields that are gone.

use std::ffi::CStr;

use pairbond_core::error::Error;
use pairbond_core::object::{erased_by, is_erased};
use pyo3_ffi as py;

use super::Wrapper;
use crate::errors::{finish_call, owned_or_error, take};
use crate::owned::Owned;
use crate::running;

type Object = *mut py::PyObject;

/// `<lockgraph.Package object at 0x…>`, as for Python objects.
pub(crate) unsafe extern "C" fn default_repr(object: Object) -> Object {
    // SAFETY: attached; a living wrapper.
    finish_call(|| unsafe { plain_repr(object) })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(crate) unsafe fn plain_repr(object: Object) -> Result<Owned, Error> {
    // SAFETY: attached; a living wrapper.
    unsafe {
        let class: Object = py::Py_TYPE(object).cast();
        let attribute = |name: &CStr| {
            let value = owned_or_error(running::PyObject_GetAttrString(class, name.as_ptr()))?;
            let mut len = 0;
            let text = py::PyUnicode_AsUTF8AndSize(value.as_ptr(), &mut len);
            if text.is_null() {
                return Err(take());
            }
            let text = std::slice::from_raw_parts(text.cast::<u8>(), len as usize);
            Ok(String::from_utf8_lossy(text).into_owned())
        };
        let (module, name) = (attribute(c"__module__")?, attribute(c"__qualname__")?);
        let state = match (*object.cast::<Wrapper>()).native.as_ref() {
            None if super::moved::is_moved(object) => " (moved away)".to_owned(),
            None => " (not initialised)".to_owned(),
            Some(native) => erased_by(native).map_or_else(String::new, |by| format!(" (erased), by {by}")),
        };
        let text = format!("<{module}.{name} object at {object:p}{state}>");
        Owned::from_text(&text).ok_or_else(take)
    }
}

/// Whether a wrapper stands for no object, or for a node that was erased.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(crate) unsafe fn is_gone(object: Object) -> bool {
    // SAFETY: attached; a living wrapper.
    unsafe { (*object.cast::<Wrapper>()).native.as_ref() }.is_none_or(is_erased)
}

/// `tp_repr` of a class whose `__repr__` is a method: that of a library without a frontend, or of a
/// class of nodes that a class statement made.
unsafe extern "C" fn of_class(object: Object) -> Object {
    // SAFETY: attached; a living wrapper. As CPython does for a class with a `__repr__`.
    unsafe {
        let class: Object = py::Py_TYPE(object).cast();
        let Some(method) = Owned::from_new(running::PyObject_GetAttrString(class, c"__repr__".as_ptr()))
        else {
            return std::ptr::null_mut();
        };
        let made = running::PyObject_CallOneArg(method.as_ptr(), object);
        if made.is_null() && is_gone(object) && py::PyErr_ExceptionMatches(py::PyExc_Exception) != 0 {
            crate::errors::clear();
            return default_repr(object);
        }
        made
    }
}

/// Lets a library's class with a `__repr__` use [`of_class`], after CPython filled the slot.
///
/// # Safety
/// Attached; a class that no other thread uses yet.
pub(crate) unsafe fn set_repr_method(class: *mut py::PyTypeObject) {
    // SAFETY: attached; a class that no other thread uses yet: the caller ensures it.
    unsafe { (*class).tp_repr = Some(of_class) };
}

/// Lets a class of nodes that a class statement made, with a `__repr__` of its own, use
/// [`of_class`]. Called for each node that gets a wrapper of such a class.
///
/// # Safety
/// Attached; a living class of wrappers that no library made.
pub(super) unsafe fn guard_repr(class: *mut py::PyTypeObject) {
    // SAFETY: attached; a living class of wrappers that no library made: the caller ensures it.
    unsafe {
        let native = super::deciding_class(class);
        let function = |class: *mut py::PyTypeObject| (*class).tp_repr.map(|f| f as usize);
        if !native.is_null()
            && function(class) != function(native)
            && function(class) != Some(of_class as *const () as usize)
        {
            (*class).tp_repr = Some(of_class);
        }
    }
}
