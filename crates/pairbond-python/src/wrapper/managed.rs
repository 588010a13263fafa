//! Whether CPython keeps any attribute for a wrapper, without making a dictionary by asking.
//!
//! Since 3.14 the values of attributes lie behind the object, until somebody asks for its `__dict__`. `PyObject_VisitManagedDict` shows what there
//! is, but before gh-130327 not a dictionary that is laid over these values. Which of them this is, is found out once.

use pyo3_ffi as py;

/// Whether a wrapper with a managed dictionary has none, and no attributes, now.
///
/// # Safety
/// Attached; a wrapper that nobody else uses.
#[inline]
#[cfg(all(Py_3_14, not(Py_GIL_DISABLED)))]
pub(super) unsafe fn is_pristine(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: promised.
    unsafe { probe::all_is_shown() && probe::is_nothing_shown(wrapper) }
}

/// As above; nobody asks where memory is not used again, or where clearing does no harm.
#[inline]
#[cfg(not(all(Py_3_14, not(Py_GIL_DISABLED))))]
#[cfg_attr(
    not(Py_3_12),
    expect(dead_code, reason = "wrappers have fields for both before 3.12")
)]
pub(super) unsafe fn is_pristine(_: *mut py::PyObject) -> bool {
    false
}

/// Finds out what CPython shows.
///
/// # Safety
/// Attached.
pub(crate) unsafe fn find_out() {
    // SAFETY: promised.
    #[cfg(all(Py_3_14, not(Py_GIL_DISABLED)))]
    unsafe {
        probe::find_out();
    }
}

#[cfg(all(Py_3_14, not(Py_GIL_DISABLED)))]
mod probe {
    use std::ffi::{c_int, c_void};
    use std::ptr;
    use std::sync::atomic::{AtomicBool, Ordering};

    use pyo3_ffi as py;

    use crate::owned::Owned;
    use crate::running;

    /// The same for all interpreters: a property of the CPython that is loaded.
    static ALL: AtomicBool = AtomicBool::new(false);

    #[inline]
    pub(super) fn all_is_shown() -> bool {
        ALL.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) unsafe fn is_nothing_shown(object: *mut py::PyObject) -> bool {
        unsafe extern "C" fn stop(_: *mut py::PyObject, _: *mut c_void) -> c_int {
            1
        }
        // SAFETY: attached; a living object.
        unsafe { crate::ffi::PyObject_VisitManagedDict(object, stop, ptr::null_mut()) == 0 }
    }

    /// Asks for the empty dictionary of an object of an empty class, and looks whether that is shown.
    pub(super) unsafe fn find_out() {
        // SAFETY: attached; living objects.
        unsafe {
            let class = py::PyObject_CallFunction(
                (&raw mut py::PyType_Type).cast(),
                c"s(){}".as_ptr(),
                c"Probe".as_ptr(),
            );
            let shown = Owned::from_new(class)
                .and_then(|class| Owned::from_new(running::PyObject_CallNoArgs(class.as_ptr())))
                .filter(|object| is_nothing_shown(object.as_ptr()))
                .and_then(|object| {
                    let dict = running::PyObject_GetAttrString(object.as_ptr(), c"__dict__".as_ptr());
                    Owned::from_new(dict).map(|_dict| !is_nothing_shown(object.as_ptr()))
                });
            if shown.is_none() {
                py::PyErr_Clear();
            }
            ALL.store(shown == Some(true), Ordering::Relaxed);
        }
    }
}
