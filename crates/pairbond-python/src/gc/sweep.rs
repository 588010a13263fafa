//! Wrappers that Python's collector does not know, because they hold nothing of Python's: who is born so, and what finds them when they are garbage.
//!
//! A garbage cycle that only Python's collector can find leads through a Python object: an attribute of a wrapper, an instance of a Python class, a native
//! field that holds a Python object. Most wrappers have none of these. A collector that knows them walks over all of them again and again, and finds nothing.
//!
//! * **Born untracked** ([`is_tracked_from_birth`]): wrappers of classes that libraries made, of types whose declared fields own no Python object.
//! * **Nobody notices** that one gets an attribute: so storing one costs what it costs CPython, and `object.__setattr__` works. What an untracked object
//!   refers to counts as referred to from outside, so too little is collected, and never too much. The next sweep or full collection sees it, and then it
//!   stays tracked. (Whoever asks for `__dict__` has it tracked at once.)
//! * **Freed by a sweep** (`trace/sweep.rs`) when nothing but their objects refers to them and nothing else refers to these: when there are twice as
//!   many such wrappers as after the last sweep (counted when there are twice as many wrappers at all), when trees have grown likewise, and when a full
//!   collection starts.
//! * **Shown for a full collection** if their native component has an *edge*: another wrapper that is tracked, or a Python object in a field. When it stops,
//!   those that still hold nothing are untracked.
//!
//! Free-threaded builds track all wrappers: their collector looks at all objects of the heap in any case, tracked or not. So does a process in which a
//! second interpreter was opened, from then on: wrappers of another interpreter's objects are found by no walk over objects.
//!
//! Tests: `tests/python/untracked_cases.py`.

use std::cell::RefCell;
use std::ffi::c_void;

use pairbond_core::object::Holder;
use pairbond_core::trace::{Look, Swept, each_wrapper, sweep};
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use super::pace::FEW;
use crate::interp::{Interp, local};
use crate::wrapper::{self, TRACK_ALL, weak_references};

/// Whether Python's collector must know a wrapper of an object of this type when it is made, if its class was made by a library.
#[inline]
pub(crate) fn is_tracked_from_birth(info: &TypeInfo) -> bool {
    TRACK_ALL || info.is_traced() && !may_be_untracked(info)
}

/// Whether values own no Python object by their declared fields, and the interpreter is the only one and not about to end.
#[inline]
fn may_be_untracked(info: &TypeInfo) -> bool {
    info.has_native_fields() && crate::api::spare().is_some_and(|spare| spare.pace.allows_untracked())
}

/// See [`Api::sweep`](crate::api::Api): so many wrappers were born as there had to be for a sweep, or (`crowded`) trees have grown.
pub(crate) unsafe extern "C" fn sweep_now(crowded: bool) {
    // SAFETY: called attached, where an allocation could collect as well; interpreters are never freed.
    unsafe {
        let Some(interp) = local::current().as_ref() else {
            return;
        };
        if TRACK_ALL {
            py::PyGC_Collect();
            return;
        }
        let pace = &interp.spare.pace;
        // A collection that is under way has found out what its garbage is.
        if interp.gc.is_collecting() {
            pace.expect_births(FEW / 10);
            return;
        }
        if !crowded && !is_time(interp) {
            return;
        }
        // Before destructors run, which may make wrappers.
        pace.expect_births(FEW);
        let edges = free(interp);
        note_left(interp);
        if crowded && edges {
            py::PyGC_Collect();
        }
    }
}

/// Whether there are twice as many dormant wrappers as were left the last time. If not, what there is says when to look again.
fn is_time(interp: &Interp) -> bool {
    let pace = &interp.spare.pace;
    if let Some(missing) = pace.missing(count()) {
        pace.expect_births(missing);
        return false;
    }
    let (dormant, found) = count_dormant(interp);
    let many = pace.are_many(dormant);
    if !many {
        pace.expect_twice(count().saturating_sub(found));
    }
    many
}

/// Notes what a sweep, or a full collection, has left.
fn note_left(interp: &Interp) {
    interp.spare.pace.swept(count(), count_dormant(interp).0);
}

/// Wrappers of objects of traced types.
fn count() -> usize {
    let traced = pairbond_core::runtime::types()
        .into_iter()
        .filter(|info| info.is_traced());
    traced.map(|info| info.counted().wrappers.max(0) as usize).sum()
}

/// How many wrappers only their objects refer to. Others that have got attributes since they were born are tracked from here on, and counted, too: Python's
/// collector finds those that are garbage by themselves.
fn count_dormant(interp: &Interp) -> (usize, usize) {
    let (mut dormant, mut unknown) = (0, Vec::new());
    each_wrapper(interp.tag(), &mut |native, wrapper| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: a living wrapper of this interpreter; attached.
        unsafe {
            if is_dormant(wrapper, native.custody().state().holder()) {
                dormant += 1;
            } else if wrapper::may_have_attributes(wrapper)
                && py::PyObject_GC_IsTracked(wrapper) == 0
                && !is_dying(wrapper)
            {
                unknown.push(wrapper);
            }
        }
    });
    let found = unknown.len();
    for wrapper in unknown {
        // SAFETY: alive: nothing foreign ran since.
        unsafe { wrapper::track(wrapper) }
    }
    (dormant, found)
}

/// Frees garbage that holds nothing of Python's. Whether a tree may hold something of Python's.
///
/// # Safety
/// Attached, where foreign code may run; no collection is under way.
pub(super) unsafe fn free(interp: &Interp) -> bool {
    // SAFETY: promised.
    unsafe {
        let swept = look(interp, false);
        let trees = swept.trees;
        end(interp, swept);
        trees
    }
}

/// Before a full collection: frees garbage that holds nothing of Python's, and shows what the collection must know. Whether that was anything.
///
/// # Safety
/// As for [`free`].
pub(super) unsafe fn prepare(interp: &Interp) -> bool {
    // SAFETY: promised. Wrappers that are to be shown live until foreign code runs, which `end` is the first to do.
    unsafe {
        let mut swept = look(interp, true);
        let mut shown = false;
        for wrapper in std::mem::take(&mut swept.shown) {
            let wrapper = wrapper.cast::<py::PyObject>();
            if py::PyObject_GC_IsTracked(wrapper) == 0 && !is_dying(wrapper) {
                wrapper::track(wrapper);
                shown = true;
            }
        }
        end(interp, swept);
        shown
    }
}

/// After a full collection: what was shown and holds nothing of Python's need not be known any more; and what the collector's garbage was the last to refer
/// to is garbage now.
///
/// # Safety
/// Attached, where foreign code may run; no collection is under way.
pub(super) unsafe fn finish(interp: &Interp, collected: bool) {
    // SAFETY: promised.
    unsafe {
        if (*interp.gc.state()).shown {
            untrack(interp);
        }
        if collected {
            free(interp);
        }
    }
    note_left(interp);
}

unsafe fn untrack(interp: &Interp) {
    each_wrapper(interp.tag(), &mut |native, wrapper| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: alive; taking it off the collector's list calls nobody.
        unsafe {
            if !is_tracked_from_birth(native.info()) && holds_nothing(wrapper) {
                py::PyObject_GC_UnTrack(wrapper.cast());
            }
        }
    });
}

/// Shows all wrappers to Python's collector, for good: the interpreter is ending.
///
/// # Safety
/// Attached.
pub(super) unsafe fn track_all(interp: &Interp) {
    interp.spare.pace.end();
    let mut all = Vec::new();
    each_wrapper(interp.tag(), &mut |_, wrapper| {
        all.push(wrapper.cast::<py::PyObject>());
    });
    for wrapper in all {
        // SAFETY: alive: nothing foreign runs in between.
        unsafe {
            if !is_dying(wrapper) {
                wrapper::track(wrapper);
            }
        }
    }
}

/// Whether the end of a wrapper has begun, or waits (`wrapper/nesting.rs`, CPython's trashcan): no collector may know it again.
unsafe fn is_dying(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a wrapper whose memory is there; attached.
    unsafe { py::Py_REFCNT(wrapper) == 0 }
}

/// Whether only the wrapper's object refers to it.
unsafe fn is_dormant(wrapper: *mut py::PyObject, holder: Holder) -> bool {
    // SAFETY: a living wrapper of this interpreter; attached.
    holder == Holder::Native && unsafe { py::Py_REFCNT(wrapper) } == 1
}

/// Looks at everything. Wrappers that hold something and that Python's collector does not know are tracked from here on.
///
/// # Safety
/// Attached.
unsafe fn look(interp: &Interp, show: bool) -> Swept {
    let unknown = RefCell::new(Vec::new());
    let look_at = |wrapper: *mut c_void, holder: Holder| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: a living wrapper of this interpreter; attached.
        unsafe {
            if py::PyObject_GC_IsTracked(wrapper) != 0 {
                Look::Edge
            } else if is_dying(wrapper) {
                Look::Plain
            } else if !holds_nothing(wrapper) {
                unknown.borrow_mut().push(wrapper);
                Look::Edge
            } else if is_dormant(wrapper, holder) {
                Look::Dormant
            } else {
                Look::Plain
            }
        }
    };
    let swept = sweep(interp.tag(), &look_at, show);
    for wrapper in unknown.take() {
        // SAFETY: alive: nothing foreign ran since.
        unsafe { wrapper::track(wrapper) }
    }
    swept
}

/// Whether a wrapper has no attributes, and its end calls nobody: no finalizer, no callback of a weak reference.
unsafe fn holds_nothing(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a living wrapper; attached.
    unsafe { wrapper::trim::is_bare(wrapper) && !weak_references::have_callback(wrapper) }
}

/// Clears weak references to wrappers that are about to end, all before anything ends; then they end.
unsafe fn end(interp: &Interp, swept: Swept) {
    for wrapper in &swept.ending {
        // SAFETY: alive until their objects are cleared; no weak reference has a callback.
        unsafe { weak_references::clear(wrapper.cast()) }
    }
    let count = swept.condemned.clear();
    interp.gc.count_native(count);
}
