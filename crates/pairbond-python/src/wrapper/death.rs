//! How wrappers go: `tp_dealloc`, and what a dying one gives up, in which order.

use std::ptr::NonNull;

use pairbond_core::object::{Holder, wrapper_died};
use pyo3_ffi as py;

use crate::interp;
use crate::interp::spare::has_plain_memory;
use crate::layout::is_self;
use crate::running;
use crate::wrapper::birth::{is_exact, track_wrapper};
use crate::wrapper::make::take_guest_ref;
use crate::wrapper::{Wrapper, held, managed, weak_references};

/// Whether native references to a dying wrapper's object remain, which happens only when its
/// interpreter ends. Other threads may be looking at the class of a wrapper whose class was made in
/// Python at this moment.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` and `class`
/// alive.
unsafe fn is_cut_off(wrapper: *mut py::PyObject, class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a wrapper and its object are alive until they are given up.
    unsafe {
        if is_exact(class) {
            return false;
        }
        let native = (*wrapper.cast::<Wrapper>()).native.as_ref();
        native.is_some_and(|it| it.custody().state().holder() == Holder::Native)
    }
}

/// `tp_dealloc` of every wrapper class; for a subclass made in Python it is called by CPython's
/// `subtype_dealloc` at the end.
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn dealloc(wrapper: *mut py::PyObject) {
    // SAFETY: the wrapper's reference count is zero, and it is called once (but for finalizers that
    // resurrect).
    unsafe {
        let class = py::Py_TYPE(wrapper);
        if is_exact(class) && (*class).tp_finalize.is_some() && is_resurrected(wrapper) {
            return;
        }
        if crate::ffi::has_flag(class, py::Py_TPFLAGS_HAVE_GC) {
            py::PyObject_GC_UnTrack(wrapper.cast());
        }
        #[cfg(not(Py_3_14))]
        if weak_references::has_weakrefs(wrapper) || super::object_slots::has_attributes(wrapper) {
            return super::nesting::finish_bounded(wrapper, finish_death);
        }
        finish_death(wrapper);
    }
}

/// `Package.__del__ = f`: a class that a library made can be given a finalizer too. It wants to see
/// a tracked object.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cold]
unsafe fn is_resurrected(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: the wrapper's reference count is zero, and it is called once (but for finalizers that
    // resurrect).
    unsafe {
        if let Some(spare) = crate::interp::api::spare_wrappers() {
            spare.expect_finalizers();
        }
        track_wrapper(wrapper);
        running::PyObject_CallFinalizerFromDealloc(wrapper) < 0
    }
}

/// The last steps for a dying wrapper that has seen its finalizer, and that the collector does not
/// know.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(always)]
unsafe fn finish_death(wrapper: *mut py::PyObject) {
    // SAFETY: as above; the wrapper owns a reference to its class.
    unsafe {
        let class = py::Py_TYPE(wrapper);
        let cut_off = is_cut_off(wrapper, class);
        forget_all(wrapper);
        if cut_off {
            // The memory stays, and the class with it.
            return;
        }
        let kept = is_exact(class)
            && has_plain_memory(class)
            && (*class).tp_finalize.is_none()
            && crate::interp::api::spare_wrappers()
                .is_some_and(|spare| managed::is_as_new(wrapper, class) && spare.put(wrapper, class));
        if !kept {
            free_wrapper(wrapper, class);
        }
        py::Py_DECREF(class.cast());
    }
}

/// Gives up whatever a dying wrapper has.
///
/// # Safety
/// The calling thread is attached to the interpreter, and nothing else uses `wrapper`.
#[inline(always)]
unsafe fn forget_all(wrapper: *mut py::PyObject) {
    // SAFETY: a wrapper that is not shared.
    unsafe {
        let layout = wrapper.cast::<Wrapper>();
        let Some(native) = NonNull::new((*layout).native) else {
            forget_python(wrapper);
            forget_object(wrapper);
            return;
        };
        if !is_self(wrapper, native) {
            // Before the death is announced: from here on, a request for a guest makes a new one.
            let reference = take_guest_ref(wrapper, native);
            forget_python(wrapper);
            (*layout).native = std::ptr::null_mut();
            forget_object(wrapper);
            drop(reference);
            return;
        }
        let seen = forget_python(wrapper);
        (*layout).native = std::ptr::null_mut();
        if !seen || is_self(wrapper, native) {
            if native.as_ref().custody().pair().is_listed() {
                held::unlist_wrapper(wrapper);
            }
            // SAFETY: the wrapper's claim on the object is given up; it is not fetched any more.
            wrapper_died(native);
        }
    }
}

/// Removes a dying wrapper from lists that it may be on since it was an object's own.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cold]
#[inline(never)]
unsafe fn forget_object(wrapper: *mut py::PyObject) {
    // SAFETY: attached; interpreters are never freed. When this one is gone, so are its lists.
    unsafe {
        held::unlist_wrapper(wrapper);
        if let Some(interp) = interp::local::current_interp().as_ref() {
            interp.moved.remove(wrapper);
        }
    }
}

/// Releases what Python has attached to a dying wrapper. Returns whether code may have run: then
/// the interpreter may have ended meanwhile, and another one have taken the object over.
///
/// # Safety
/// The calling thread is attached to the interpreter, and nothing else uses `wrapper`.
#[inline(always)]
unsafe fn forget_python(wrapper: *mut py::PyObject) -> bool {
    let mut seen = false;
    // SAFETY: a wrapper that is not shared.
    unsafe {
        if weak_references::has_weakrefs(wrapper) {
            running::PyObject_ClearWeakRefs(wrapper);
            seen = true;
        }
        seen | crate::wrapper::object_slots::clear_dict(wrapper)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` and `class`
/// alive.
unsafe fn free_wrapper(wrapper: *mut py::PyObject, class: *mut py::PyTypeObject) {
    // SAFETY: nothing is left of it but the memory.
    unsafe {
        let free = (*class).tp_free.expect("a ready type has tp_free");
        free(wrapper.cast());
    }
}
