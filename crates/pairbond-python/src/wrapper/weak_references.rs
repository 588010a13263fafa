//! Python's weak references to a wrapper, looked at and cleared where CPython's collector is not the one that does so.

use pyo3_ffi as py;

/// CPython's `PyWeakReference` (Include/cpython/weakrefobject.h), the same from 3.11 to 3.15 with a GIL.
#[repr(C)]
struct WeakReference {
    base: py::PyObject,
    object: *mut py::PyObject,
    callback: *mut py::PyObject,
    hash: py::Py_hash_t,
    before: *mut WeakReference,
    next: *mut WeakReference,
}

/// Where the list of a wrapper's weak references begins; `None` if its class allows none. (For managed ones that is before the object.)
unsafe fn list(wrapper: *mut py::PyObject) -> Option<*mut *mut WeakReference> {
    // SAFETY: a living wrapper; where they begin its type says.
    unsafe {
        let offset = (*py::Py_TYPE(wrapper)).tp_weaklistoffset;
        (offset != 0).then(|| wrapper.byte_offset(offset).cast())
    }
}

/// Whether there is any.
///
/// # Safety
/// Attached; a living wrapper, or a dying one that nobody else uses.
#[inline]
pub(crate) unsafe fn exist(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: promised.
    unsafe { list(wrapper).is_some_and(|list| !(*list).is_null()) }
}

/// Whether somebody is to be called when the wrapper dies.
///
/// # Safety
/// Attached to the wrapper's interpreter, which has a GIL; a living wrapper.
#[inline]
pub(crate) unsafe fn have_callback(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: promised; the list changes under the GIL only.
    unsafe {
        let mut next = list(wrapper).map_or(std::ptr::null_mut(), |list| *list);
        while let Some(reference) = next.as_ref() {
            if !reference.callback.is_null() {
                return true;
            }
            next = reference.next;
        }
        false
    }
}

/// Clears all of them, and calls nobody.
///
/// # Safety
/// Attached to the wrapper's interpreter, which has a GIL; a living wrapper.
#[cfg(Py_3_13)]
pub(crate) unsafe fn clear(wrapper: *mut py::PyObject) {
    unsafe extern "C" {
        fn PyUnstable_Object_ClearWeakRefsNoCallbacks(object: *mut py::PyObject);
    }
    // SAFETY: promised.
    unsafe {
        if exist(wrapper) {
            PyUnstable_Object_ClearWeakRefsNoCallbacks(wrapper);
        }
    }
}

/// As above, by what CPython's own collector calls.
///
/// # Safety
/// As above.
#[cfg(not(Py_3_13))]
pub(crate) unsafe fn clear(wrapper: *mut py::PyObject) {
    unsafe extern "C" {
        fn _PyWeakref_ClearRef(reference: *mut WeakReference);
    }
    // SAFETY: promised. It takes the reference off the list.
    unsafe {
        let Some(list) = list(wrapper) else { return };
        while !(*list).is_null() {
            _PyWeakref_ClearRef(*list);
        }
    }
}
