//! A wrapper's `tp_traverse` and `tp_clear` for its native object: the general case, which begins
//! and ends passes. The fast path is in [`tp_traverse`](super::tp_traverse).

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use pairbond_core::error::Error;
use pairbond_core::frontend::frontend_of;
use pairbond_core::object::Header;
use pairbond_core::trace::{Condemned, Snapshot};
use pyo3_ffi as py;

use super::interrupt::{handle_signals, interruptible, is_waiting};
use super::tp_traverse::{begin_pass, end_pass, is_without_pass, publish_visitor};
use crate::errors::owned_or_error;
use crate::interp::collector::{Busy, Collector, State};
use crate::interp::{Interp, several};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::allocate;

/// The visitor of `gc.get_referents`, as a number; and the wrapper that is traversed to find it.
static REFERENTS: AtomicUsize = AtomicUsize::new(0);
static PROBE: AtomicPtr<py::PyObject> = AtomicPtr::new(ptr::null_mut());

/// Whether the visitor is not a collector's, but that of `gc.get_referents`: a finalizer may call
/// that between the passes, when the snapshot is outdated. It gets the references that a wrapper
/// owns as a Python object, as at any other time.
#[inline]
fn is_foreign(visit: py::visitproc) -> bool {
    visit as usize == REFERENTS.load(Ordering::Relaxed)
}

/// Finds the visitor that [is foreign](is_foreign): the same for all interpreters of a process.
///
/// # Errors
/// Python's.
///
/// # Safety
/// Attached; the module `gc`, and `pairbond.Object`.
pub(crate) unsafe fn probe_get_referents(gc: &Owned, base: *mut py::PyTypeObject) -> Result<(), Error> {
    if REFERENTS.load(Ordering::Relaxed) != 0 {
        return Ok(());
    }
    // SAFETY: attached; the module `gc`, and `pairbond.Object`: the caller ensures it. The wrapper
    // is untracked, so it is not the collector that traverses it.
    unsafe {
        let wrapper = owned_or_error(allocate(base))?;
        let get = gc.get_attr(c"get_referents")?;
        PROBE.store(wrapper.as_ptr(), Ordering::Relaxed);
        let result = running::PyObject_CallOneArg(get.as_ptr(), wrapper.as_ptr());
        PROBE.store(ptr::null_mut(), Ordering::Relaxed);
        owned_or_error(result).map(drop)
    }
}

/// A wrapper without a native object is asked.
pub(super) fn learn_referents_visitor(wrapper: *mut py::PyObject, visit: py::visitproc) {
    if ptr::eq(PROBE.load(Ordering::Relaxed), wrapper) {
        REFERENTS.store(visit as usize, Ordering::Relaxed);
    }
}

#[inline]
fn is_subtracting(wrapper: *mut py::PyObject, arg: *mut c_void) -> bool {
    if cfg!(Py_GIL_DISABLED) {
        arg.is_null()
    } else {
        ptr::eq(arg.cast(), wrapper)
    }
}

/// Whether the sole interpreter has no snapshot, and this does not ask for one: then nothing native
/// is reported.
#[inline]
pub(super) fn reports_nothing_native(wrapper: *mut py::PyObject, arg: *mut c_void) -> bool {
    !is_subtracting(wrapper, arg) && is_without_pass() && !several()
}

fn collector_of(native: &Header) -> Option<&'static Collector> {
    let context = frontend_of(native.custody().pair().tag()).context();
    // SAFETY: the context of our tables is an interpreter; they are never freed.
    unsafe { context.cast::<Interp>().as_ref() }.map(|interp| &interp.gc)
}

/// The long way: reports the references that a wrapper's native object owns, or answers for.
///
/// # Safety
/// Called from `tp_traverse` of a living wrapper with a native object.
pub(super) unsafe fn traverse_native(
    wrapper: *mut py::PyObject,
    native: &Header,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    let subtracting = is_subtracting(wrapper, arg);
    let Some(state) = collector_of(native).map(Collector::state) else {
        return 0;
    };
    // SAFETY: with a GIL only one thread is here at a time; without, the holder of the flag.
    if !unsafe { (*state).armed.get() } || is_foreign(visit) {
        return 0;
    }
    // `gc.get_referents` on another thread, while finalizers run, must not meet the collector.
    // A thread is not stopped while it has the flag.
    let Some(_busy) = Busy::at_once(state) else {
        return 0;
    };
    let status = if subtracting {
        // SAFETY: with a GIL only one thread is here at a time; without, the holder of the flag.
        subtract(unsafe { &mut *state }, native, visit, arg)
    } else {
        // SAFETY: with a GIL only one thread is here at a time; without, the holder of the flag.
        visit_reachable(unsafe { &mut *state }, native, visit, arg)
    };
    // SAFETY: with a GIL only one thread is here at a time; without, the holder of the flag.
    if let Some(snapshot) = unsafe { &(*state).snapshot } {
        publish_visitor(state, snapshot);
    }
    status
}

fn subtract(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    if state.blind {
        return 0;
    }
    let mut node = state
        .snapshot
        .as_mut()
        .and_then(|snapshot| snapshot.find_node(native));
    let again = match (&state.snapshot, node) {
        (Some(snapshot), Some(node)) => snapshot.has_subtracted(node),
        (Some(snapshot), None) => snapshot.has_lost(native),
        (None, _) => true,
    };
    if again || state.snapshot.as_ref().is_some_and(Snapshot::is_reaching) {
        begin(state, native.custody().pair().tag());
        node = state
            .snapshot
            .as_mut()
            .and_then(|snapshot| snapshot.find_node(native));
    }
    let (Some(snapshot), Some(node)) = (&mut state.snapshot, node) else {
        return 0;
    };
    // SAFETY: the snapshot's Python references are alive while Python stands still.
    snapshot.subtract_edges(node, visit as usize, &mut |object| unsafe {
        visit(object.cast(), arg)
    })
}

/// A subtracting pass begins.
#[cold]
fn begin(state: &mut State, tag: u16) {
    state.passes += 1;
    // Finalizers may have changed a class.
    state.plain = ptr::null_mut();
    state
        .stats
        .collections
        .fetch_add(u64::from(state.passes == 1), Ordering::Relaxed);
    end_pass(state);
    state
        .retired
        .extend(state.snapshot.take().map(Snapshot::into_pins));
    let take = if state.passes == 1 {
        Snapshot::take_first
    } else {
        Snapshot::take_snapshot
    };
    state.snapshot = interruptible(|| {
        take(tag, &|wrapper| {
            // SAFETY: a wrapper of this interpreter, alive while Python stands still.
            unsafe { py::PyObject_GC_IsTracked(wrapper.cast()) != 0 }
        })
    });
    state.blind = state.snapshot.is_none();
    begin_pass(state);
}

fn visit_reachable(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    let Some(snapshot) = state.snapshot.as_mut().filter(|_| !state.blind) else {
        return 0;
    };
    snapshot.begin_reaching_phase();
    let Some(node) = snapshot.find_node(native) else {
        return 0;
    };
    // SAFETY: as in `subtract`.
    snapshot.visit_edges(node, visit as usize, &mut |object| unsafe {
        visit(object.cast(), arg)
    })
}

/// Called by the first `tp_clear` after the second pass: condemns, all at once, every native object
/// that is garbage by the collector's decision, and clears it. Handles signals before and
/// meanwhile: what a handler that raises leaves is cleared by the next collection.
///
/// # Safety
/// Called from `tp_clear` of a wrapper.
pub(super) unsafe fn clear_native(native: &Header) {
    let Some(collector) = collector_of(native) else {
        return;
    };
    let state = collector.state();
    // SAFETY: the collecting thread; the state is not borrowed while destructors and handlers run.
    unsafe {
        if !(*state).armed.get() || (*state).passes < 2 {
            return;
        }
        {
            let _busy = Busy::wait(state);
            if (*state).snapshot.is_none() {
                return;
            }
            end_pass(state);
            // A handler may look for referrers.
            (*state).blind = true;
        }
        let mut condemned = None;
        if !handle_signals() {
            condemned = interruptible(|| condemn(state, false));
        }
        if condemned.is_none() {
            // CPython clears its part of the garbage in any case.
            handle_signals();
            condemned = condemn(state, true);
        }
        if let Some((snapshot, garbage)) = condemned {
            drop(snapshot);
            let cleared = &(*state).stats.cleared;
            cleared.fetch_add(garbage.count() as u64, Ordering::Relaxed);
            collector.clear_or_keep(garbage);
        }
    }
}

/// Condemns the garbage of the last pass. Returns `None` if another thread or a handler has done
/// so, or if Ctrl-C came and `anyway` is not set.
///
/// # Safety
/// The collecting thread.
unsafe fn condemn(state: *mut State, anyway: bool) -> Option<(Snapshot, Condemned)> {
    // A concurrent upgrade waits, and finds the objects condemned.
    let _busy = Busy::wait(state);
    // SAFETY: the collecting thread.
    unsafe {
        let snapshot = (*state).snapshot.take()?;
        let garbage = snapshot.condemn_garbage();
        if !anyway && is_waiting() {
            (*state).snapshot = Some(snapshot);
            return None;
        }
        (*state).condemned = true;
        Some((snapshot, garbage))
    }
}
