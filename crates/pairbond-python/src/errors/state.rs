//! The current exception as one object. Before 3.12 CPython keeps it as three, which may not be an
//! exception object yet.

use pyo3_ffi as py;

use crate::owned::Owned;

/// Takes the current exception; `None` when there is none.
#[cfg(Py_3_12)]
pub(crate) fn fetch_exception() -> Option<Owned> {
    // SAFETY: attached; a new reference or null.
    unsafe { Owned::from_new(py::PyErr_GetRaisedException()) }
}

/// Makes an exception the current one, as it is: no context is set, and its traceback stays.
#[cfg(Py_3_12)]
pub(crate) fn restore_exception(exception: Owned) {
    // SAFETY: attached; the reference is given away.
    unsafe { py::PyErr_SetRaisedException(exception.into_ptr()) }
}

/// Takes the current exception; `None` when there is none.
#[cfg(not(Py_3_12))]
pub(crate) fn fetch_exception() -> Option<Owned> {
    let (mut class, mut value, mut traceback) =
        (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: attached; the three references are ours, and normalising leaves an exception object
    // that may be given its traceback.
    unsafe {
        py::PyErr_Fetch(&mut class, &mut value, &mut traceback);
        let _class = Owned::from_new(class)?;
        crate::running::PyErr_NormalizeException(&mut class, &mut value, &mut traceback);
        std::mem::forget(_class);
        let _class = Owned::from_new(class);
        let traceback = Owned::from_new(traceback);
        let value = Owned::from_new(value)?;
        if let Some(traceback) = traceback {
            py::PyException_SetTraceback(value.as_ptr(), traceback.as_ptr());
        }
        Some(value)
    }
}

/// Makes an exception the current one, as it is: no context is set, and its traceback stays.
#[cfg(not(Py_3_12))]
pub(crate) fn restore_exception(exception: Owned) {
    // SAFETY: attached; an exception object's class and traceback, and the object itself, are given
    // away.
    unsafe {
        let class = exception.class().cast::<py::PyObject>();
        py::Py_INCREF(class);
        let traceback = py::PyException_GetTraceback(exception.as_ptr());
        py::PyErr_Restore(class, exception.into_ptr(), traceback);
    }
}
