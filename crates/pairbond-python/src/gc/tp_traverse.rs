//! The fast path of `tp_traverse`: reporting from the snapshot.
//!
//! In a pass the wrappers are traversed one after the other, mostly in the order of their nodes. So
//! the state of the pass is at a fixed address ([`PASS`]), the wrapper is compared with the
//! expected one, and its edges are read from the snapshot's arrays, not from the native object
//! ([`report_from_snapshot`]). Most wrappers report no object or one. All other cases take the
//! [slow path](super::traverse).
//!
//! A pass has visit functions of its own, which identify it; `gc.get_referents` has another. The
//! facts of a class are looked up once for a row of wrappers of that class.
//!
//! On the fast path a wrapper does not report its class, if that is one that a library made: the
//! interpreter owns a reference to it as long as it is open, which is not reported, so the class is
//! alive in any case. That is one visit of three. When the interpreter ends, or has let go of a
//! class, it is reported as usual.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use pairbond_core::trace::{Node, Snapshot, VisitAction};
use pyo3_ffi as py;

use crate::interp::collector::{Busy, State};
use crate::interp::several;
use crate::wrapper::{has_no_dict, is_exact, visit_dict, visit_own_dict};

/// The state of the sole interpreter while it has a snapshot; null when there are several
/// interpreters.
///
/// Set and read attached. A second interpreter announces that there are [several] before any of its
/// wrappers is traversed, so a thread that finds a state here that is not its own does not look at
/// it.
static PASS: AtomicPtr<State> = AtomicPtr::new(ptr::null_mut());

/// The visitor of that snapshot's phase, as a number; 0 while there is none. Other visitors are
/// served by the slow path.
static VISITOR: AtomicUsize = AtomicUsize::new(0);

/// A pass has a snapshot.
pub(super) fn begin_pass(state: *mut State) {
    if !several() {
        PASS.store(state, Ordering::Relaxed);
    }
}

/// Whether the sole interpreter has no snapshot.
#[inline]
pub(super) fn is_without_pass() -> bool {
    PASS.load(Ordering::Relaxed).is_null()
}

/// The snapshot of a state is about to go.
pub(super) fn end_pass(state: *mut State) {
    if PASS
        .compare_exchange(state, ptr::null_mut(), Ordering::Relaxed, Ordering::Relaxed)
        .is_ok()
    {
        VISITOR.store(0, Ordering::Relaxed);
    }
}

/// Whose visits are answered the short way from here on.
pub(super) fn publish_visitor(state: *mut State, snapshot: &Snapshot) {
    if ptr::eq(PASS.load(Ordering::Relaxed), state) {
        VISITOR.store(snapshot.visitor(), Ordering::Relaxed);
    }
}

/// The short way: all that a wrapper reports, if it is of the same class as the one before, and
/// that is known without looking at its object. `None`: nothing was done.
///
/// # Safety
/// Called from `tp_traverse` of a living wrapper.
#[inline(always)]
pub(super) unsafe fn report_from_snapshot(
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> Option<c_int> {
    // SAFETY: called from `tp_traverse` of a living wrapper: the caller ensures it. With a GIL the
    // state is not borrowed during calls; without, the flag guards it.
    unsafe {
        let (state, _busy) = pass_of(visit)?;
        if !ptr::eq(py::Py_TYPE(wrapper), (*state).plain) {
            return None;
        }
        let values = (*state).values;
        Some(match (*state).visit_action(wrapper, visit)? {
            VisitAction::Nothing => visit_own_dict(wrapper, values, visit, arg),
            VisitAction::One(object) if has_no_dict(wrapper, values) => visit(object.cast(), arg),
            VisitAction::One(object) => report_one_edge(object, wrapper, visit, arg),
            VisitAction::More(node) => report_edges(state, node, wrapper, visit, arg),
        })
    }
}

/// As [`report_from_snapshot`], of a wrapper whose class may be another.
///
/// # Safety
/// As for [`report_from_snapshot`].
pub(super) unsafe fn report_for_any_class(
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> Option<c_int> {
    // SAFETY: as for `report_from_snapshot`.
    unsafe {
        let (state, _busy) = pass_of(visit)?;
        let action = (*state).visit_action(wrapper, visit)?;
        let class = py::Py_TYPE(wrapper);
        let finalizes = (*class).tp_finalize.is_some();
        if finalizes && let Some(spare) = crate::interp::api::spare_wrappers() {
            spare.expect_finalizers();
        }
        if (*state).classes.get() || !is_exact(class) {
            let status = visit(class.cast(), arg);
            if status != 0 {
                return Some(status);
            }
        } else if !finalizes {
            (*state).plain = class;
            #[cfg(Py_3_14)]
            {
                (*state).values = crate::wrapper::values_of(class);
            }
        }
        Some(match action {
            VisitAction::Nothing => visit_dict(wrapper, visit, arg),
            VisitAction::One(object) => report_one_edge(object, wrapper, visit, arg),
            VisitAction::More(node) => report_edges(state, node, wrapper, visit, arg),
        })
    }
}

/// The state of the pass that asks with this visitor, if it is known, for as long as the flag is
/// kept.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[inline(always)]
unsafe fn pass_of(visit: py::visitproc) -> Option<(*mut State, Busy)> {
    if VISITOR.load(Ordering::Relaxed) != visit as usize || several() {
        return None;
    }
    // With a GIL there is a state if there is a visitor; without, another thread may be about to
    // end both.
    let state = PASS.load(Ordering::Relaxed);
    if cfg!(Py_GIL_DISABLED) && state.is_null() {
        return None;
    }
    Some((state, Busy::at_once(state)?))
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(never)]
unsafe fn report_one_edge(
    object: *mut c_void,
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: as for `report_from_snapshot`. The snapshot's Python references are alive while
    // Python stands still.
    unsafe {
        let status = visit_dict(wrapper, visit, arg);
        if status != 0 {
            return status;
        }
        visit(object.cast(), arg)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(never)]
unsafe fn report_edges(
    state: *mut State,
    node: Node,
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: as for `report_one_edge`.
    unsafe {
        let status = visit_dict(wrapper, visit, arg);
        let Some(snapshot) = &mut (*state).snapshot else {
            return status;
        };
        if status != 0 {
            return status;
        }
        snapshot.run_visit_action(node, &mut |object| visit(object.cast(), arg))
    }
}
