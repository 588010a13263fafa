//! What a wrapper's `tp_traverse` and `tp_clear` do about its native object.
//!
//! # The short way
//! In a pass the wrappers are asked one after the other, mostly in the order of their nodes. So the state of the pass is found at one address
//! ([`PASS`]), the wrapper is compared with the one that is expected, and everything is answered from the snapshot's arrays: no native object is read
//! ([`answer`]). Anything else goes the [long way](traverse), and begins and ends passes.
//!
//! A pass has visit functions of its own, so that says which pass it is; `gc.get_referents` has another. What is to be known of a class is
//! found out once for a row of wrappers of that class.
//!
//! On the short way a wrapper does not report its class, if that is one that a library made: the interpreter owns a reference to it as long as it is open,
//! that nobody reports, so the class is alive whatever is said. That is one visit of three. When the interpreter ends, or has let
//! go of a class, it is reported as usual.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use pairbond_core::error::Error;
use pairbond_core::frontend::frontend;
use pairbond_core::object::Header;
use pairbond_core::trace::{Node, Snapshot, Speaker, Turn};
use pyo3_ffi as py;

use super::state::{Busy, State};
use crate::convert::owned;
use crate::interp::{Interp, several};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{allocate, is_exact, visit_dict, visit_own_dict};

/// The state of the sole interpreter while it has a snapshot; null when there are several interpreters.
///
/// Set and read attached. A second interpreter says that there are [several] before any of its wrappers is asked, so whoever finds a state here that is not
/// its own does not look at it.
static PASS: AtomicPtr<State> = AtomicPtr::new(ptr::null_mut());

/// The visitor of `gc.get_referents`, as a number; and the wrapper that is asked to find it out.
static REFERENTS: AtomicUsize = AtomicUsize::new(0);
static ASKED: AtomicPtr<py::PyObject> = AtomicPtr::new(ptr::null_mut());

/// Whether it is not a collector who asks, but `gc.get_referents`: a finalizer may call that between the passes, when what the snapshot knows is no longer so.
/// It is shown what a wrapper owns as a Python object, as at any other time.
#[inline]
fn is_foreign(visit: py::visitproc) -> bool {
    visit as usize == REFERENTS.load(Ordering::Relaxed)
}

/// Finds out who [is foreign](is_foreign): the same for all interpreters of a process.
///
/// # Errors
/// Python's.
///
/// # Safety
/// Attached; the module `gc`, and `pairbond.Object`.
pub(crate) unsafe fn find_out(gc: &Owned, base: *mut py::PyTypeObject) -> Result<(), Error> {
    if REFERENTS.load(Ordering::Relaxed) != 0 {
        return Ok(());
    }
    // SAFETY: promised. The wrapper is unknown to the collector, which cannot be the one who asks.
    unsafe {
        let wrapper = owned(allocate(base))?;
        let get = owned(running::PyObject_GetAttrString(
            gc.as_ptr(),
            c"get_referents".as_ptr(),
        ))?;
        ASKED.store(wrapper.as_ptr(), Ordering::Relaxed);
        let answer = running::PyObject_CallOneArg(get.as_ptr(), wrapper.as_ptr());
        ASKED.store(ptr::null_mut(), Ordering::Relaxed);
        owned(answer).map(drop)
    }
}

/// A wrapper without a native object is asked.
pub(crate) fn notice(wrapper: *mut py::PyObject, visit: py::visitproc) {
    if ptr::eq(ASKED.load(Ordering::Relaxed), wrapper) {
        REFERENTS.store(visit as usize, Ordering::Relaxed);
    }
}

/// The snapshot of a state is about to go.
pub(super) fn retire(state: *mut State) {
    let _others = PASS.compare_exchange(state, ptr::null_mut(), Ordering::Relaxed, Ordering::Relaxed);
}

#[inline]
fn is_subtracting(wrapper: *mut py::PyObject, arg: *mut c_void) -> bool {
    if cfg!(Py_GIL_DISABLED) {
        arg.is_null()
    } else {
        ptr::eq(arg.cast(), wrapper)
    }
}

/// The short way: all that a wrapper reports, if that is known without looking at its object. `None`: nothing was done.
///
/// # Safety
/// Called from `tp_traverse` of a living wrapper.
#[inline(always)]
pub(crate) unsafe fn answer(
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> Option<c_int> {
    let state = PASS.load(Ordering::Relaxed);
    if state.is_null() || several() {
        return None;
    }
    // SAFETY: see `PASS`; with a GIL only one thread is here at a time; without, whoever has the flag. The snapshot's Python references are alive
    // while Python stands still.
    unsafe {
        let _busy = Busy::at_once(state)?;
        let state = &mut *state;
        let class = py::Py_TYPE(wrapper);
        if !ptr::eq(class, state.plain) {
            return answer_of_another_class(state, wrapper, class, visit, arg);
        }
        match state.snapshot.as_mut()?.turn(wrapper.cast(), visit as usize)? {
            Turn::Nothing => Some(visit_own_dict(wrapper, class, state.values, visit, arg)),
            Turn::Visit(node) => Some(visit_listed(state, node, wrapper, visit, arg)),
            Turn::Speak(speaker) => Some(speak(speaker, wrapper, visit, arg)),
        }
    }
}

#[inline(always)]
unsafe fn visit_listed(
    state: &State,
    node: Node,
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    let Some(snapshot) = &state.snapshot else { return 0 };
    // SAFETY: as for `answer`; the wrapper's class is the one whose values are known.
    unsafe {
        let all = snapshot.listed(node);
        let status = visit_own_dict(wrapper, state.plain, state.values, visit, arg);
        if status != 0 {
            return status;
        }
        visit_all(all, visit, arg)
    }
}

#[inline(always)]
unsafe fn visit_all(all: &[*mut c_void], visit: py::visitproc, arg: *mut c_void) -> c_int {
    for object in all {
        // SAFETY: alive, see above.
        let status = unsafe { visit(object.cast(), arg) };
        if status != 0 {
            return status;
        }
    }
    0
}

#[inline(never)]
unsafe fn speak(
    speaker: Speaker<'_>,
    wrapper: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: as for `answer`.
    unsafe {
        let status = visit_dict(wrapper, visit, arg);
        if status != 0 {
            return status;
        }
        speaker.speak(&mut |object| visit(object.cast(), arg))
    }
}

/// The same of a wrapper whose class is not that of the one before.
#[inline(never)]
unsafe fn answer_of_another_class(
    state: &mut State,
    wrapper: *mut py::PyObject,
    class: *mut py::PyTypeObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> Option<c_int> {
    // SAFETY: as for `answer`.
    unsafe {
        let finalizes = (*class).tp_finalize.is_some();
        if finalizes && let Some(spare) = crate::api::spare() {
            spare.expect_finalizers();
        }
        let turn = state.snapshot.as_mut()?.turn(wrapper.cast(), visit as usize)?;
        if state.classes || !is_exact(class) {
            let status = visit(class.cast(), arg);
            if status != 0 {
                return Some(status);
            }
        } else if !finalizes {
            state.plain = class;
            #[cfg(Py_3_14)]
            {
                state.values = crate::wrapper::values_of(class);
            }
        }
        match turn {
            Turn::Nothing => Some(visit_dict(wrapper, visit, arg)),
            Turn::Visit(node) => {
                let status = visit_dict(wrapper, visit, arg);
                if status != 0 {
                    return Some(status);
                }
                Some(visit_all(state.snapshot.as_ref()?.listed(node), visit, arg))
            }
            Turn::Speak(speaker) => Some(speak(speaker, wrapper, visit, arg)),
        }
    }
}

/// Whether the sole interpreter has no snapshot, and this does not ask for one: then nothing native is reported.
#[inline]
pub(crate) fn is_silent(wrapper: *mut py::PyObject, arg: *mut c_void) -> bool {
    !is_subtracting(wrapper, arg) && PASS.load(Ordering::Relaxed).is_null() && !several()
}

fn collector(native: &Header) -> Option<*mut State> {
    let context = frontend(native.custody().pair().tag()).context();
    // SAFETY: the context of our tables is an interpreter; they are never freed.
    unsafe { context.cast::<Interp>().as_ref() }.map(|interp| interp.gc.state())
}

/// The long way: reports the references that a wrapper's native object owns, or answers for.
///
/// # Safety
/// Called from `tp_traverse` of a living wrapper with a native object.
pub(crate) unsafe fn traverse(
    wrapper: *mut py::PyObject,
    native: &Header,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    let subtracting = is_subtracting(wrapper, arg);
    let Some(state) = collector(native) else { return 0 };
    // SAFETY: with a GIL only one thread is here at a time; without, whoever has the flag.
    unsafe {
        if !(*state).armed || is_foreign(visit) {
            return 0;
        }
        // `gc.get_referents` on another thread, while finalizers run, must not meet the collector. Nobody is stopped while it has the flag.
        let Some(_busy) = Busy::at_once(state) else {
            return 0;
        };
        if subtracting {
            subtract(&mut *state, native, visit, arg)
        } else {
            reach(&mut *state, native, visit, arg)
        }
    }
}

fn subtract(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    let mut node = state.snapshot.as_mut().and_then(|snapshot| snapshot.find(native));
    let again = match (&state.snapshot, node) {
        (Some(snapshot), Some(node)) => snapshot.has_subtracted(node),
        (Some(snapshot), None) => snapshot.has_lost(native),
        (None, _) => true,
    };
    if again || state.snapshot.as_ref().is_some_and(Snapshot::is_reaching) {
        begin(state, native.custody().pair().tag());
        node = state.snapshot.as_mut().and_then(|snapshot| snapshot.find(native));
    }
    let (Some(snapshot), Some(node)) = (&mut state.snapshot, node) else {
        return 0;
    };
    // SAFETY: the snapshot's Python references are alive while Python stands still.
    snapshot.subtract(node, visit as usize, &mut |object| unsafe {
        visit(object.cast(), arg)
    })
}

/// A subtracting pass begins.
#[cold]
fn begin(state: &mut State, tag: u16) {
    state.passes += 1;
    // Finalizers may have changed a class.
    state.plain = ptr::null_mut();
    state.stats.collections += u64::from(state.passes == 1);
    retire(state);
    state
        .retired
        .extend(state.snapshot.take().map(Snapshot::into_pins));
    let take = if state.passes == 1 {
        Snapshot::take_first
    } else {
        Snapshot::take
    };
    state.snapshot = take(tag, &|wrapper| {
        // SAFETY: a wrapper of this interpreter, alive while Python stands still.
        unsafe { py::PyObject_GC_IsTracked(wrapper.cast()) != 0 }
    });
    if !several() {
        PASS.store(state, Ordering::Relaxed);
    }
}

fn reach(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    let Some(snapshot) = &mut state.snapshot else {
        return 0;
    };
    snapshot.begin_reaching_phase();
    let Some(node) = snapshot.find(native) else {
        return 0;
    };
    // SAFETY: as in `subtract`.
    snapshot.reach(node, visit as usize, &mut |object| unsafe {
        visit(object.cast(), arg)
    })
}

/// Called by the first `tp_clear` after the second pass: condemns and clears, all at once, every native object that is garbage by the collector's decision.
///
/// # Safety
/// Called from `tp_clear` of a wrapper.
pub(crate) unsafe fn clear(native: &Header) {
    let Some(state) = collector(native) else { return };
    // SAFETY: the collecting thread; the state is not borrowed while destructors run.
    unsafe {
        if !(*state).armed || (*state).passes < 2 {
            return;
        }
        // Whoever asks meanwhile waits, and finds the objects condemned.
        let (snapshot, garbage) = {
            let _busy = Busy::wait(state);
            retire(state);
            let Some(snapshot) = (*state).snapshot.take() else {
                return;
            };
            let garbage = snapshot.condemn();
            (*state).condemned = true;
            (snapshot, garbage)
        };
        drop(snapshot);
        let cleared = garbage.clear();
        (*state).stats.cleared += cleared as u64;
    }
}
