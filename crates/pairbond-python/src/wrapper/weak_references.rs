//! Weakrefs to a wrapper: inspecting and clearing them outside of CPython's collector.

use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3_ffi as py;

/// CPython's `PyWeakReference` (Include/cpython/weakrefobject.h): the same layout in GIL builds
/// from 3.11 to 3.15.
#[repr(C)]
struct WeakReference {
    base: py::PyObject,
    object: *mut py::PyObject,
    callback: *mut py::PyObject,
    hash: py::Py_hash_t,
    before: *mut WeakReference,
    next: *mut WeakReference,
}

/// Returns where the list of a wrapper's weakrefs begins, or `None` if its class allows none. (A
/// managed list begins before the object.)
///
/// # Safety
/// A wrapper whose memory is valid.
unsafe fn weakref_list(wrapper: *mut py::PyObject) -> Option<*mut *mut WeakReference> {
    // SAFETY: the type of a wrapper is alive, and `tp_weaklistoffset` is relative to the object.
    unsafe {
        let offset = (*py::Py_TYPE(wrapper)).tp_weaklistoffset;
        (offset != 0).then(|| wrapper.byte_offset(offset).cast())
    }
}

/// Returns whether there are weakrefs.
///
/// # Safety
/// The calling thread is attached; a live wrapper, or a dying one that no other thread uses.
#[inline]
pub(crate) unsafe fn has_weakrefs(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a wrapper, by this function's contract. On free-threaded builds a weakref that dies
    // on another thread takes itself off the list of a dying wrapper; CPython writes the list
    // atomically, and that thread does not use the wrapper after that.
    unsafe {
        weakref_list(wrapper).is_some_and(|list| !AtomicPtr::from_ptr(list).load(Ordering::Acquire).is_null())
    }
}

/// Returns whether a weakref has a callback.
///
/// # Safety
/// Attached to the wrapper's interpreter, which has a GIL; a live wrapper.
#[inline]
pub(crate) unsafe fn have_callback(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a live wrapper; the GIL, which this thread holds, guards the list.
    let mut next = unsafe { weakref_list(wrapper).map_or(std::ptr::null_mut(), |list| *list) };
    // SAFETY: a live wrapper; the GIL, which this thread holds, guards the list.
    while let Some(reference) = unsafe { next.as_ref() } {
        if !reference.callback.is_null() {
            return true;
        }
        next = reference.next;
    }
    false
}

/// Clears all weakrefs without calling callbacks.
///
/// # Safety
/// Attached to the wrapper's interpreter, which has a GIL; a live wrapper.
#[cfg(Py_3_13)]
pub(crate) unsafe fn clear_weakrefs(wrapper: *mut py::PyObject) {
    unsafe extern "C" {
        fn PyUnstable_Object_ClearWeakRefsNoCallbacks(object: *mut py::PyObject);
    }
    // SAFETY: a live wrapper, by this function's contract.
    unsafe {
        if has_weakrefs(wrapper) {
            PyUnstable_Object_ClearWeakRefsNoCallbacks(wrapper);
        }
    }
}

/// Clears all weakrefs without calling callbacks, with the function that CPython's collector uses.
///
/// # Safety
/// Attached to the wrapper's interpreter, which has a GIL; a live wrapper.
#[cfg(not(Py_3_13))]
pub(crate) unsafe fn clear_weakrefs(wrapper: *mut py::PyObject) {
    unsafe extern "C" {
        fn _PyWeakref_ClearRef(reference: *mut WeakReference);
    }
    // SAFETY: a live wrapper. `_PyWeakref_ClearRef` removes the weakref from the list.
    unsafe {
        let Some(list) = weakref_list(wrapper) else { return };
        while !(*list).is_null() {
            _PyWeakref_ClearRef(*list);
        }
    }
}
