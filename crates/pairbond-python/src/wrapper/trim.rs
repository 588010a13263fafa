//! Freeing dispensable wrappers.
//!
//! A dormant wrapper costs memory for as long as its object lives. `trim` frees those that are told
//! from a new one by their address only: the object's is the only reference, no attributes, no weak
//! references, no subclass, no finalizer. It is the one call after which `id()` may change.
//!
//! Why no thread can be about to use such a wrapper: a fetch goes from reading the object's pair
//! word to counting a reference without a point at which CPython may stop the thread or take the
//! GIL away, and here no other attached thread runs ([`held::each`](super::held::each)). Threads
//! that are not attached never follow the pair word. They may drop the last native reference at
//! that moment; then custody is on its way to the wrapper, and
//! [`Custody::trim`](pairbond_core::object::Custody::trim) refuses.
//!
//! Not in the middle of a collection (from a finalizer): what that has found out about wrappers
//! must stay true.

use std::ptr::NonNull;

use pairbond_core::event::{self, Event, Kind};
use pairbond_core::object::{ErasedRef, Header, Released, on_unwrapped, run_release_action};
use pyo3_ffi as py;

use super::birth::is_exact;
use super::weak_references;
use super::{Wrapper, held, object_slots};
use crate::interp::Interp;
use crate::running;

/// Gives dormant wrappers back; how many.
///
/// # Safety
/// Attached to `interp`; no reference to a wrapper is held that is not counted.
pub(crate) unsafe fn trim_dormant(interp: &Interp) -> usize {
    let mut wrappers: Vec<*mut py::PyObject> = Vec::new();
    let mut duties: Vec<(NonNull<Header>, Released)> = Vec::new();
    // Nodes of trees own themselves on account of their wrappers.
    let mut nodes: Vec<ErasedRef> = Vec::new();
    let mut told: Vec<Event> = Vec::new();
    let observed = event::observed();
    let mut give_back = |native: &Header, wrapper: *mut py::PyObject| {
        // SAFETY: attached to the interpreter; the walk shows living wrappers.
        if interp.gc.is_collecting() || !unsafe { is_dispensable(wrapper) } {
            return;
        }
        // Without memory the others stay as they are.
        let has_places = has_place(&mut wrappers)
            && has_place(&mut duties)
            && has_place(&mut nodes)
            && has_place(&mut told);
        if !has_places {
            return;
        }
        if let Some(duty) = native.custody().trim() {
            // SAFETY: a living wrapper; its object's count of it becomes ours.
            unsafe {
                (*wrapper.cast::<Wrapper>()).native = std::ptr::null_mut();
                hide_wrapper(wrapper);
            }
            native.count_wrapper(-1);
            nodes.extend(on_unwrapped(native));
            wrappers.push(wrapper);
            if observed {
                told.push(Event::of_object(Kind::Severed, native, interp.tag()));
            }
            if duty != Released::Shared {
                duties.push((NonNull::from(native), duty));
            }
        }
    };
    // SAFETY: attached to `interp`; no reference to a wrapper is held that is not counted: the
    // caller ensures it. Nothing in the walk calls Python.
    unsafe { held::each_held(interp, &mut give_back) };
    // First all wrappers, which runs no foreign code: no code meets one that has lost its object.
    for wrapper in &wrappers {
        // SAFETY: attached; the counted references that became ours.
        unsafe { running::decref(*wrapper) };
    }
    told.iter().for_each(Event::notify_observers);
    for (native, duty) in duties {
        // SAFETY: the object lost its wrapper above, which leaves this to be done once.
        unsafe { run_release_action(native, duty) };
    }
    drop(nodes);
    wrappers.len()
}

fn has_place<T>(list: &mut Vec<T>) -> bool {
    list.try_reserve(1).is_ok()
}

/// Without a GIL other threads run again before the wrapper is freed: `gc.get_objects` must not
/// find it.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn hide_wrapper(wrapper: *mut py::PyObject) {
    // SAFETY: a living wrapper.
    unsafe {
        if cfg!(Py_GIL_DISABLED)
            && crate::ffi::has_flag(py::Py_TYPE(wrapper), py::Py_TPFLAGS_HAVE_GC)
            && py::PyObject_GC_IsTracked(wrapper) != 0
        {
            py::PyObject_GC_UnTrack(wrapper.cast());
        }
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn is_dispensable(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: the thread is attached, and the caller keeps the wrapper.
    unsafe { py::Py_REFCNT(wrapper) == 1 && is_replaceable(wrapper) }
}

/// Whether a wrapper is told from a new one by its address only: bare, and without weak references.
///
/// # Safety
/// As for [`is_bare`].
pub(super) unsafe fn is_replaceable(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: A living wrapper, and no other attached thread runs: the caller ensures it.
    unsafe { is_bare(wrapper) && !weak_references::has_weakrefs(wrapper) }
}

/// Whether a wrapper has no attributes, no subclass and no finalizer.
///
/// # Safety
/// A living wrapper, and no other attached thread runs.
pub(crate) unsafe fn is_bare(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: A living wrapper, and no other attached thread runs: the caller ensures it.
    unsafe {
        let class = py::Py_TYPE(wrapper);
        is_exact(class) && (*class).tp_finalize.is_none() && !object_slots::has_attributes(wrapper)
    }
}
