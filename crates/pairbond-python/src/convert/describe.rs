//! A value in a message: the type's name and a short form of the value. It never raises, and never
//! takes long: an error about an argument must not print a million elements.

use std::cell::Cell;

use pyo3_ffi as py;

use crate::errors::text_of;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

const LONGEST: usize = 60;

thread_local! {
    /// A `__repr__` that fails describes its own receiver, whose `__repr__` fails …
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// `str 'abc'`, `list of 3`, `None`, `Package <Package serde>`.
#[cold]
pub(crate) fn short_description(object: *mut py::PyObject) -> String {
    // SAFETY: attached; a living object.
    if object == unsafe { py::Py_None() } {
        return "None".into();
    }
    // SAFETY: attached; a living object.
    let name = unsafe { type_name(object) };
    if BUSY.replace(true) {
        return name;
    }
    // SAFETY: attached; a living object.
    let value = unsafe { value_description(object) };
    crate::errors::clear();
    BUSY.set(false);
    match value {
        Some(value) => format!("{name} {value}"),
        None => name,
    }
}

/// The name of the class; the native type too where it is another, which takes an assignment to
/// `__class__`.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn type_name(object: *mut py::PyObject) -> String {
    // SAFETY: attached; a living object.
    unsafe {
        let class = py::Py_TYPE(object);
        let name = crate::ffi::type_name(class);
        let Some(native) = wrapper::borrow(object) else {
            return name;
        };
        let info = native.header().info();
        let fits = Interp::current().is_ok_and(|it| py::PyType_IsSubtype(class, it.class_of(info)) != 0);
        if fits {
            name
        } else {
            format!("{name} (natively {})", info.key())
        }
    }
}

/// The value; `None` when it would say nothing, or too much. May leave an exception behind.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn value_description(object: *mut py::PyObject) -> Option<String> {
    let longest = LONGEST as py::Py_ssize_t;
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyList_Check(object) != 0
            || py::PyTuple_Check(object) != 0
            || py::PyDict_Check(object) != 0
            || py::PyAnySet_Check(object) != 0
        {
            let len = running::PyObject_Size(object);
            return (len >= 0).then(|| format!("of {len}"));
        }
        // Only the beginning of a text: `repr` of a book takes long.
        let part = if py::PyUnicode_CheckExact(object) != 0 {
            Owned::from_new(py::PyUnicode_Substring(object, 0, longest))?
        } else if py::PyBytes_CheckExact(object) != 0 {
            let len = py::PyBytes_Size(object).min(longest);
            Owned::from_new(py::PyBytes_FromStringAndSize(py::PyBytes_AsString(object), len))?
        } else if has_no_repr(object) || is_huge(object) {
            return None;
        } else {
            Owned::from_borrowed(object)
        };
        let repr = Owned::from_new(running::PyObject_Repr(part.as_ptr()))?;
        text_of(&repr).map(|text| cut_text(&text))
    }
}

/// Whether `repr` gives but the class and an address.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn has_no_repr(object: *mut py::PyObject) -> bool {
    let repr = |class: *mut py::PyTypeObject| {
        // SAFETY: a living type.
        unsafe { (*class).tp_repr.map(|f| f as usize) }
    };
    // SAFETY: attached; a living object.
    let class = unsafe { py::Py_TYPE(object) };
    let base = Interp::current().map_or(std::ptr::null_mut(), Interp::base_class);
    repr(class) == repr(&raw mut py::PyBaseObject_Type) || (!base.is_null() && repr(class) == repr(base))
}

/// An int whose digits take long to compute.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn is_huge(object: *mut py::PyObject) -> bool {
    let mut overflow = 0;
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyLong_CheckExact(object) == 0 {
            return false;
        }
        running::PyLong_AsLongLongAndOverflow(object, &mut overflow);
    }
    overflow != 0 && super::int::read_i128(object).is_err()
}

fn cut_text(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
