//! Finding the wrappers that native code keeps: for statistics, `trim` and the leak report.
//!
//! Objects that can own references are on the collector's list, and lead to their wrappers. Other
//! objects are on no list, since making and dropping one must cost nothing. So their *wrappers* are
//! listed, and not from birth, but when native code first gets hold of them: when the wrapper of an
//! object that was made natively is made, or native code takes custody of one that was made in
//! Python. Both allocate or exchange something anyway. What lives and dies in Python pays for a bit
//! of the pair that is looked at.
//!
//! A listed wrapper stays listed until it dies; the list is a superset. `interp/held_list.rs`
//! stores it.

#[cfg(Py_GIL_DISABLED)]
use std::ffi::c_void;

use pairbond_core::object::{Header, Holder};
use pairbond_core::trace::each_wrapper;
use pyo3_ffi as py;

use crate::interp::{Interp, local};
use crate::layout::{is_self, native};

/// See [`Api::hold`](crate::interp::api::Api).
///
/// # Safety
/// Attached to the interpreter of the living wrapper.
pub(crate) unsafe extern "C" fn hold_wrapper(wrapper: *mut py::PyObject) {
    // SAFETY: attached to the interpreter of the living wrapper: the caller ensures it.
    // Interpreters are never freed.
    unsafe {
        if let Some(interp) = local::current_interp().as_ref()
            && let Some(native) = native(wrapper)
            && is_self(wrapper, native)
        {
            list_wrapper(interp, wrapper, native.as_ref());
        }
    }
}

/// Lists a wrapper, unless it is listed.
///
/// # Safety
/// Attached to the interpreter of the living wrapper, which is the self of that object; the
/// object's type is not traced.
pub(super) unsafe fn list_wrapper(interp: &Interp, wrapper: *mut py::PyObject, native: &Header) {
    // Without a GIL two threads may list one at the same time: the first does.
    if native.custody().note_listed() {
        interp.held.list(wrapper);
    }
}

/// Takes a wrapper off the list that dies or has no object any more.
///
/// # Safety
/// Attached to its interpreter.
#[cold]
#[inline(never)]
pub(super) unsafe fn unlist_wrapper(wrapper: *mut py::PyObject) {
    // SAFETY: interpreters are never freed. When this one is gone, so are its lists.
    if let Some(interp) = unsafe { local::current_interp().as_ref() } {
        interp.held.unlist(wrapper);
    }
}

/// Runs `work` while no other thread that is attached to this interpreter does anything. It must
/// not call into Python.
///
/// # Safety
/// Attached.
#[cfg(not(Py_GIL_DISABLED))]
pub(crate) unsafe fn with_stopped_world(work: &mut dyn FnMut()) {
    work();
}

/// As above: CPython stops the world to show all objects to a visitor, which works at the first and
/// wants to see no more.
///
/// # Safety
/// Attached.
#[cfg(Py_GIL_DISABLED)]
pub(crate) unsafe fn with_stopped_world(work: &mut dyn FnMut()) {
    struct Once<'a>(Option<&'a mut dyn FnMut()>);
    unsafe extern "C" fn visit_once(_: *mut py::PyObject, once: *mut c_void) -> std::ffi::c_int {
        // SAFETY: the argument below.
        if let Some(work) = unsafe { &mut *once.cast::<Once<'_>>() }.0.take() {
            work();
        }
        0
    }
    let mut once = Once(Some(work));
    // SAFETY: attached; there is always an object to show.
    unsafe { crate::ffi::PyUnstable_GC_VisitObjects(visit_once, (&raw mut once).cast()) }
}

/// Shows every object of this interpreter in native custody with its wrapper, while neither object
/// nor wrapper can go and no other thread of the interpreter does anything. Threads that are not
/// attached may clone and drop native references all the while.
///
/// # Safety
/// Attached to `interp`; `each` calls nothing of Python's, and makes and destroys no native object.
pub(crate) unsafe fn each_held(interp: &Interp, each: &mut dyn FnMut(&Header, *mut py::PyObject)) {
    // SAFETY: attached to `interp`; `each` calls nothing of Python's, and makes and destroys no
    // native object: the caller ensures it. The world stands still.
    unsafe {
        with_stopped_world(&mut || {
            each_listed(interp, each);
            each_wrapper(interp.tag(), &mut |object, wrapper| {
                if object.custody().state().holder() == Holder::Native {
                    each(object, wrapper.cast());
                }
            });
        });
    }
}

/// The part of [`each_held`] that no collector lists.
///
/// # Safety
/// As for [`each_held`], and the world stands still.
pub(crate) unsafe fn each_listed(interp: &Interp, each: &mut dyn FnMut(&Header, *mut py::PyObject)) {
    interp.held.each_listed(&mut |wrapper| {
        // SAFETY: a listed wrapper is alive: it is unlisted before it dies. So is its object.
        if let Some(native) = unsafe { (*wrapper).native.as_ref() }
            && native.custody().state().holder() == Holder::Native
        {
            each(native, wrapper.cast());
        }
    });
}
