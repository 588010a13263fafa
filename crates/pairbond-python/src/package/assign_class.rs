//! `__class__` of wrappers. It can be assigned, as in Python, as long as the native type stays:
//! from one class that a program made to another of the same native type. CPython alone would let
//! any two classes of the same size pass, and the methods fail later.

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::errors::finish_status;
use crate::errors::take;
use crate::heap_types::classes;
use crate::owned::Owned;

static DEFINITIONS: classes::Constant<[py::PyGetSetDef; 2]> = classes::Constant([
    py::PyGetSetDef {
        name: c"__class__".as_ptr(),
        get: Some(get_class),
        set: Some(set_class),
        doc: c"the object's class".as_ptr(),
        closure: std::ptr::null_mut(),
    },
    classes::END,
]);

pub(super) fn getset_definitions() -> *mut py::PyGetSetDef {
    DEFINITIONS.0.as_ptr().cast_mut()
}

unsafe extern "C" fn get_class(object: *mut py::PyObject, _: *mut c_void) -> *mut py::PyObject {
    // SAFETY: attached; a living object and its class.
    unsafe { Owned::from_borrowed(py::Py_TYPE(object).cast()).into_ptr() }
}

unsafe extern "C" fn set_class(object: *mut py::PyObject, class: *mut py::PyObject, _: *mut c_void) -> c_int {
    finish_status(|| {
        // SAFETY: attached; both are alive during the call; null deletes.
        unsafe {
            if class.is_null() || py::PyType_Check(class) == 0 {
                return Err(Error::type_error("__class__ can be set to a class only"));
            }
            let (old, new) = (py::Py_TYPE(object), class.cast::<py::PyTypeObject>());
            let native = made_by_library(old);
            if native.is_null() || native != made_by_library(new) {
                return Err(refused_class(
                    object,
                    new,
                    "is a class of another native type, which it cannot become",
                ));
            }
            if native == old && native != new {
                return Err(refused_class(
                    object,
                    new,
                    "may override what native code calls, which is decided when an object is made",
                ));
            }
            if assign_class(object, class) != 0 {
                return Err(take());
            }
            // Threads that are not attached may be reading the old class's version at this moment:
            // it stays.
            if old != native && old != new {
                py::Py_INCREF(old.cast());
            }
            Ok(0)
        }
    })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` and `new`
/// alive.
#[cold]
unsafe fn refused_class(object: *mut py::PyObject, new: *mut py::PyTypeObject, why: &str) -> Error {
    // SAFETY: the caller keeps the object, which keeps its type, and the new type.
    let (old, new) = unsafe {
        (
            crate::ffi::type_name(py::Py_TYPE(object)),
            crate::ffi::type_name(new),
        )
    };
    Error::type_error(format!("cannot assign __class__ of a {old}: {new} {why}"))
}

/// The first class from this one upwards that a library made; null when there is none.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn made_by_library(mut class: *mut py::PyTypeObject) -> *mut py::PyTypeObject {
    // SAFETY: the caller keeps the class, which keeps its bases.
    unsafe {
        while !class.is_null()
            && (*class).tp_dealloc.map(|f| f as usize) != Some(crate::interp::api::wrapper_dealloc())
        {
            class = (*class).tp_base;
        }
    }
    class
}

/// Calls CPython's setter of `object.__class__`.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` and `class`
/// alive.
unsafe fn assign_class(object: *mut py::PyObject, class: *mut py::PyObject) -> c_int {
    let Ok(name) = crate::convert::intern_text(c"__class__") else {
        return -1;
    };
    // SAFETY: attached; the descriptor is borrowed from a class that lives as long as the
    // interpreter.
    let descriptor = unsafe { crate::ffi::_PyType_Lookup(&raw mut py::PyBaseObject_Type, name.as_ptr()) };
    let set = if descriptor.is_null() {
        None
    } else {
        // SAFETY: attached; the class keeps the descriptor.
        unsafe { (*py::Py_TYPE(descriptor)).tp_descr_set }
    };
    match set {
        // SAFETY: attached; living objects, and the setter of the descriptor.
        Some(set) => unsafe { set(descriptor, object, class) },
        None => -1,
    }
}
