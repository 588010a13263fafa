//! Untracked wrappers: which wrappers CPython's collector does not know, and how garbage among
//! them is found.
//!
//! Only a cycle through a Python object needs CPython's collector: through an attribute of a
//! wrapper, an instance of a Python class, or a native field that holds a Python object. Most
//! wrappers are in no such cycle, and a collector that tracks them traverses them in vain.
//!
//! * **Untracked at birth** ([`is_tracked_from_birth`]): wrappers of classes that a library made,
//!   of types whose declared fields own no Python object; and of classes made in Python that nodes
//!   of a name have ([`is_plain_class`]), when a node gets its wrapper.
//! * **Setting an attribute does not track the wrapper**: `STORE_ATTR` stays specialised and
//!   `object.__setattr__` works. CPython treats the referents of an untracked object as externally
//!   referenced, so it keeps too much and never too little. The next sweep or full collection finds
//!   the attribute and tracks the wrapper for good. (Reading `__dict__` tracks it at once.)
//! * **A sweep** (`trace/sweep.rs`) frees native garbage whose wrappers are dormant. It runs when
//!   `interp/pace.rs` or the growth of trees asks for it, and at the start of each full collection.
//! * **A full collection** tracks the wrappers of each native component that has an *edge*: a
//!   tracked wrapper, or a Python object in a field. When it stops, those without references to
//!   Python objects are untracked again.
//!
//! Free-threaded builds track all wrappers: their collector visits every object of the heap
//! anyway. So does a process from the moment on in which a second interpreter imports pairbond,
//! because guests are not reachable from the list of objects.
//!
//! Tests: `tests/python/untracked_cases.py`, `tests/python/promises_world.py --bare`.

use std::cell::RefCell;
use std::ffi::c_void;

use pairbond_core::memory::try_push;
use pairbond_core::object::{Header, Holder, is_mostly_alive};
use pairbond_core::trace::{Look, Swept, each_wrapper, release_kept, sweep_dormant};
use pyo3_ffi as py;

use super::interrupt::{interruptible, is_interrupted};
use crate::interp::pace::{FEW, Left, TRACK_ALL};
use crate::interp::{Interp, local};
use crate::wrapper::{self, is_plain_class, is_tracked_from_birth, weak_references};

/// Sweeps if there may be enough garbage, or in any case if trees have grown (`crowded`). See
/// [`Api::sweep`](crate::interp::api::Api).
///
/// # Safety
/// The calling thread is attached, and foreign code may run as it may during an allocation.
pub(crate) unsafe extern "C" fn sweep_now(crowded: bool) {
    // SAFETY: the caller's contract is that of the function.
    unsafe { sweep_beside(None, crowded) }
}

/// As [`sweep_now`], where the caller holds the object `held`. If it is a node of the tree that is
/// most of the heap, no sweep runs: a program that builds or reads one large tree would otherwise
/// scan it each time that it has doubled.
///
/// # Safety
/// As for [`sweep_now`].
pub(crate) unsafe fn sweep_beside(held: Option<&Header>, crowded: bool) {
    // SAFETY: attached, so `current` returns this thread's interpreter; interpreters are never
    // freed. Foreign code may run, by this function's contract.
    let Some(interp) = (unsafe { local::current_interp().as_ref() }) else {
        return;
    };
    let is_alive = || held.is_some_and(|node| is_mostly_alive(node, count_traced().objects));
    if TRACK_ALL {
        if !is_alive() {
            // SAFETY: attached; foreign code may run, by this function's contract.
            unsafe { py::PyGC_Collect() };
        }
        return;
    }
    let pace = &interp.spare.pace;
    // A running collection has already decided which objects are garbage.
    if interp.gc.is_collecting() {
        pace.expect_births(FEW / 10);
        return;
    }
    if !crowded && !is_sweep_due_by_count(interp) {
        return;
    }
    if is_alive() {
        let left = count_traced();
        let dormant = left.wrappers;
        pace.swept(Left { dormant, ..left });
        return;
    }
    // Set first: destructors may create wrappers.
    pace.expect_births(FEW);
    // SAFETY: attached; foreign code may run, by this function's contract.
    let edges = unsafe { free_garbage(interp) };
    release_kept();
    note_left(interp);
    match (crowded, edges) {
        (true, true) => {
            // SAFETY: attached; foreign code may run, by this function's contract.
            unsafe { py::PyGC_Collect() };
        }
        // The sweep has found what trees would ask for.
        (false, false) => super::end_full_collection(),
        _ => {}
    }
}

/// Returns whether the number of dormant wrappers has doubled. If not, sets when to check again.
fn is_sweep_due_by_count(interp: &Interp) -> bool {
    let pace = &interp.spare.pace;
    if let Some(missing) = pace.missing(count_traced().wrappers) {
        pace.expect_births(missing);
        return false;
    }
    let (dormant, found) = count_dormant(interp);
    let many = pace.are_many(dormant);
    if !many {
        pace.expect_twice(count_traced().wrappers.saturating_sub(found));
    }
    many
}

/// Records what a sweep or a full collection has left.
fn note_left(interp: &Interp) {
    let dormant = count_dormant(interp).0;
    interp.spare.pace.swept(Left {
        dormant,
        ..count_traced()
    });
}

/// Returns the numbers of objects of traced types and of their wrappers; dormant ones are not
/// counted.
fn count_traced() -> Left {
    let mut count = Left {
        objects: 0,
        wrappers: 0,
        dormant: 0,
    };
    pairbond_core::runtime::each_type(|info| {
        if info.is_traced() {
            let counted = info.object_count();
            count.objects += counted.objects.max(0) as usize;
            count.wrappers += counted.wrappers.max(0) as usize;
        }
    });
    count
}

/// Returns the number of dormant wrappers, and the number of others that have gained attributes
/// since they were created. The latter are tracked from here on: CPython collects those that are
/// garbage by themselves.
fn count_dormant(interp: &Interp) -> (usize, usize) {
    let (mut dormant, mut unknown) = (0, Vec::new());
    each_wrapper(interp.tag(), &mut |native, wrapper| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: `each_wrapper` shows live wrappers of this interpreter, to which the thread is
        // attached.
        unsafe {
            if is_dormant(wrapper, native.custody().state().holder()) {
                dormant += 1;
            } else if wrapper::may_have_attributes(wrapper)
                && py::PyObject_GC_IsTracked(wrapper) == 0
                && !is_dying(wrapper)
            {
                // Without memory it is found again by the next sweep.
                let _ = try_push(&mut unknown, wrapper);
            }
        }
    });
    let found = unknown.len();
    for wrapper in unknown {
        // SAFETY: still alive: no foreign code has run since the walk.
        unsafe { wrapper::track_wrapper(wrapper) }
    }
    (dormant, found)
}

/// Frees native garbage whose wrappers are dormant. Returns whether a tree may hold a Python
/// object.
///
/// # Safety
/// The calling thread is attached, foreign code may run, and no collection is running.
pub(super) unsafe fn free_garbage(interp: &Interp) -> bool {
    // SAFETY: the caller's contract is that of both functions.
    unsafe {
        let swept = scan(interp, false);
        let trees = swept.trees;
        finish_scan(interp, swept);
        trees
    }
}

/// Prepares a full collection: frees native garbage, and tracks the wrappers that the collection
/// must traverse. Returns whether it has tracked any.
///
/// # Safety
/// As for [`free_garbage`].
pub(super) unsafe fn prepare(interp: &Interp) -> bool {
    // SAFETY: the wrappers in `shown` live until foreign code runs, which `end` is the first to do.
    unsafe {
        let mut swept = scan(interp, true);
        let mut shown = false;
        for wrapper in std::mem::take(&mut swept.shown) {
            let wrapper = wrapper.cast::<py::PyObject>();
            if py::PyObject_GC_IsTracked(wrapper) == 0 && !is_dying(wrapper) {
                wrapper::track_wrapper(wrapper);
                shown = true;
            }
        }
        finish_scan(interp, swept);
        shown
    }
}

/// Ends a full collection: untracks the wrappers that [`prepare`] tracked and that hold no Python
/// object, and frees what CPython's garbage was the last to refer to.
///
/// # Safety
/// As for [`free_garbage`].
pub(super) unsafe fn finish(interp: &Interp, collected: bool) {
    // SAFETY: the caller's contract is that of each function; the state is not borrowed meanwhile.
    unsafe {
        if (*interp.gc.state()).shown {
            untrack(interp);
        }
        if collected {
            free_garbage(interp);
        }
    }
    // The number counts all objects, and is another when the next collection ends.
    if !is_interrupted() {
        note_left(interp);
    }
}

/// Untracks all wrappers that hold no Python object.
///
/// # Safety
/// The calling thread is attached, and no collection is running.
unsafe fn untrack(interp: &Interp) {
    each_wrapper(interp.tag(), &mut |native, wrapper| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: a live wrapper of this interpreter; untracking calls no code of users.
        unsafe {
            if !is_tracked_from_birth(native.info()) && holds_no_python_object(interp, wrapper) {
                py::PyObject_GC_UnTrack(wrapper.cast());
            }
        }
    });
}

/// Tracks all wrappers, present and future: the interpreter is shutting down.
///
/// # Safety
/// The calling thread is attached.
pub(super) unsafe fn track_all(interp: &Interp) {
    interp.spare.pace.end();
    let mut all = Vec::new();
    // Not in the walk: a debug build traverses an object that it tracks.
    each_wrapper(interp.tag(), &mut |_, wrapper| {
        // Without memory for the list the rest stays untracked: CPython's last collections do not
        // free it.
        let _ = try_push(&mut all, wrapper.cast::<py::PyObject>());
    });
    for wrapper in all {
        // SAFETY: still alive: no foreign code has run since the walk.
        unsafe {
            if !is_dying(wrapper) {
                wrapper::track_wrapper(wrapper);
            }
        }
    }
}

/// Returns whether a wrapper is being deallocated, or waits for that (`wrapper/nesting.rs`,
/// CPython's trashcan). It must not be tracked again.
///
/// # Safety
/// The wrapper's memory is valid, and the calling thread attached.
unsafe fn is_dying(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: valid memory, by this function's contract.
    unsafe { py::Py_REFCNT(wrapper) == 0 }
}

/// Returns whether the wrapper's object holds the only reference to it.
///
/// # Safety
/// A live wrapper of the interpreter to which the calling thread is attached.
unsafe fn is_dormant(wrapper: *mut py::PyObject, holder: Holder) -> bool {
    // SAFETY: a live wrapper, by this function's contract.
    holder == Holder::Native && unsafe { py::Py_REFCNT(wrapper) } == 1
}

/// Sweeps, without clearing anything yet. Tracks the wrappers that hold a Python object and were
/// untracked.
///
/// # Safety
/// The calling thread is attached.
unsafe fn scan(interp: &Interp, show: bool) -> Swept {
    let unknown = RefCell::new(Vec::new());
    let look_at = |wrapper: *mut c_void, holder: Holder| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: the sweep passes live wrappers of this interpreter.
        unsafe {
            if py::PyObject_GC_IsTracked(wrapper) != 0 {
                Look::Edge
            } else if is_dying(wrapper) {
                Look::Plain
            } else if !holds_no_python_object(interp, wrapper) {
                // Without memory it is tracked after the next sweep.
                let _ = try_push(&mut unknown.borrow_mut(), wrapper);
                Look::Edge
            } else if is_dormant(wrapper, holder) {
                Look::Dormant
            } else {
                Look::Plain
            }
        }
    };
    let swept = interruptible(|| sweep_dormant(interp.tag(), &look_at, show));
    for wrapper in unknown.take() {
        // SAFETY: still alive: no foreign code has run since the sweep.
        unsafe { wrapper::track_wrapper(wrapper) }
    }
    swept
}

/// Returns whether a wrapper has no attributes, and its deallocation calls no code of users: no
/// finalizer, no weakref callback.
///
/// # Safety
/// A live wrapper of the interpreter to which the calling thread is attached.
unsafe fn holds_no_python_object(interp: &Interp, wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a live wrapper; with a GIL no other attached thread runs.
    unsafe {
        let is_bare = wrapper::trim::is_bare(wrapper)
            || is_plain_class(interp, py::Py_TYPE(wrapper)) && !wrapper::may_have_attributes(wrapper);
        is_bare && !weak_references::have_callback(wrapper)
    }
}

/// Tracks the wrappers of a class made in Python, which the interpreter keeps no longer.
///
/// # Safety
/// The calling thread is attached to the interpreter.
pub(crate) unsafe fn track_class(interp: &Interp, class: *mut py::PyTypeObject) {
    let mut found = Vec::new();
    each_wrapper(interp.tag(), &mut |_, wrapper| {
        let wrapper = wrapper.cast::<py::PyObject>();
        // SAFETY: `each_wrapper` shows live wrappers of this interpreter.
        if unsafe { py::Py_TYPE(wrapper) } == class {
            // Without memory it is tracked after the next sweep.
            let _ = try_push(&mut found, wrapper);
        }
    });
    for wrapper in found {
        // SAFETY: still alive: no foreign code has run since the walk.
        unsafe {
            if !is_dying(wrapper) {
                wrapper::track_wrapper(wrapper);
            }
        }
    }
}

/// Clears the weakrefs to all wrappers that are about to be deallocated, and then their objects.
///
/// # Safety
/// As for [`free_garbage`].
unsafe fn finish_scan(interp: &Interp, swept: Swept) {
    let Swept {
        condemned, ending, ..
    } = swept;
    for wrapper in ending {
        // SAFETY: alive until its object is cleared below; `holds_no_python_object` found no
        // callback.
        unsafe { weak_references::clear_weakrefs(wrapper.cast()) }
    }
    // SAFETY: the caller's contract is that of the function.
    unsafe { interp.gc.clear(condemned) }
}
