//! How wrappers answer Python's collector, so that cycles through native references are found exactly.
//!
//! Python's collector finds garbage by subtracting: it asks every tracked object for the references that it owns and sees which objects are only
//! referred to from inside. A wrapper's native object owns references too; so do native objects that have no wrapper. They are answered from a
//! [`Snapshot`] of the native graph that is taken when the first wrapper is asked in a subtracting pass of a **full** collection, while Python stands
//! still. The snapshot is validated: native threads that are not attached go on running, and whatever they touched counts as held.
//!
//! * Young collections report what wrappers own as Python objects, and nothing native: conservative.
//! * A pass is subtracting when `arg` is the object itself (GIL) or null (free-threaded): undocumented, true from 3.11 to 3.15; everything else reports
//!   at least what the subtracting pass did.
//! * CPython subtracts twice, the second time after finalizers ran: a new pass begins when a wrapper is asked again, and takes a fresh snapshot.
//! * The first `tp_clear` looks once more, condemns all native garbage together, so that weak references no longer upgrade, and clears it.
//!
//! Native objects without wrappers that keep only each other alive are nobody's to report: the native collector looks for them when the
//! collection is over. That is a survey of its own, so it is left out where it would find nothing but what this very collection has made garbage,
//! which is the next one's: when the collection found all wrappers alive and the snapshot shows no such objects; and when the first
//! `tp_clear` has looked, which condemns all native garbage. A snapshot that could not say (another interpreter's objects, references that were
//! moved meanwhile) does not count, nor does one that was never taken, because no wrapper was asked.
//!
//! If somebody removes our callbacks from `gc.callbacks`, no snapshot is taken and cycles through native objects stay: nothing dangles.
//!
//! Who may touch [`Collector`]: the thread that collects, from "start" to "stop". CPython runs one collection at a time per interpreter.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

#[cfg(Py_GIL_DISABLED)]
use pairbond_core::CellLock;
use pairbond_core::frontend::{collecting, frontend};
use pairbond_core::object::Header;
use pairbond_core::trace::{Pins, Snapshot, collect, settle};
use pyo3_ffi as py;

use crate::interp::{Interp, local};

/// The state of one interpreter's collection.
pub struct Collector(UnsafeCell<State>);

// SAFETY: see the head of this module.
unsafe impl Sync for Collector {}
// SAFETY: as above.
unsafe impl Send for Collector {}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Phase {
    Subtracting,
    Reaching,
}

struct State {
    /// Between "start" and "stop" of a full collection.
    armed: bool,
    /// The interpreter is ending: see [`arm_for_good`].
    ending: bool,
    phase: Phase,
    /// Subtracting passes so far in this collection.
    passes: u32,
    /// This collection has condemned all native garbage, with wrappers or without.
    condemned: bool,
    snapshot: Option<Snapshot>,
    /// Of the pass before: memory is given back when the world goes on.
    retired: Vec<Pins>,
    stats: Stats,
    #[cfg(Py_GIL_DISABLED)]
    busy: CellLock,
}

/// What the collections of an interpreter did.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    /// Full collections with a snapshot.
    pub collections: u64,
    /// Native objects emptied because they were garbage with a wrapper.
    pub cleared: u64,
    /// Native objects collected without any wrapper.
    pub native: u64,
}

/// Exclusive use of the state. With a GIL whoever is attached has it; without, a flag is needed: `gc.get_referents` and weak references on other
/// threads, while finalizers run, must not meet the collector. Nobody stops, or calls anything foreign, while having it.
struct Busy(#[cfg(Py_GIL_DISABLED)] *const CellLock);

#[cfg(not(Py_GIL_DISABLED))]
impl Busy {
    fn at_once(_: *mut State) -> Option<Self> {
        Some(Busy())
    }
    fn wait(_: *mut State) -> Self {
        Busy()
    }
}

#[cfg(Py_GIL_DISABLED)]
impl Busy {
    fn at_once(state: *mut State) -> Option<Self> {
        // SAFETY: the state of an interpreter, which is never freed.
        let busy = unsafe { &raw const (*state).busy };
        // SAFETY: as above. Made only by whoever got the lock: dropping one gives it back, also if nobody ever saw it.
        unsafe { (*busy).try_lock() }.then(|| Busy(busy))
    }
    fn wait(state: *mut State) -> Self {
        // SAFETY: as above.
        unsafe {
            let busy = &raw const (*state).busy;
            let _emptied = (*busy).lock();
            Busy(busy)
        }
    }
}

#[cfg(Py_GIL_DISABLED)]
impl Drop for Busy {
    fn drop(&mut self) {
        // SAFETY: as above; ours.
        unsafe { (*self.0).unlock() }
    }
}

impl Collector {
    pub(crate) fn new() -> Self {
        Collector(UnsafeCell::new(State {
            armed: false,
            ending: false,
            phase: Phase::Reaching,
            passes: 0,
            condemned: false,
            snapshot: None,
            retired: Vec::new(),
            stats: Stats::default(),
            #[cfg(Py_GIL_DISABLED)]
            busy: CellLock::new(),
        }))
    }

    /// Whether the collection that is under way has found an object unreachable so far. Asked by attached threads, that is, between two passes.
    pub(crate) fn condemned(&self, native: &Header) -> bool {
        // SAFETY: with a GIL only one thread is here at a time; without, whoever has the flag. No pass is under way.
        unsafe {
            let state = self.0.get();
            let _busy = Busy::wait(state);
            let snapshot = &(*state).snapshot;
            snapshot
                .as_ref()
                .is_some_and(|snapshot| snapshot.is_condemned(native))
        }
    }

    /// Whether a collection is under way. Asked by attached threads, that is, between two passes.
    pub(crate) fn is_collecting(&self) -> bool {
        // SAFETY: a flag that the collecting thread sets while others wait for the GIL, or for the world to go on.
        unsafe { (*self.0.get()).armed }
    }

    /// A copy of the statistics.
    pub fn stats(&self) -> Stats {
        // SAFETY: plain numbers; a torn read between collections is not possible while attached, and harmless.
        unsafe { (*self.0.get()).stats }
    }
}

/// `gc.callbacks` "start".
///
/// # Safety
/// Attached; called by the collecting thread.
pub unsafe fn start(interp: &Interp, generation: i64) {
    // SAFETY: the collecting thread.
    unsafe {
        // Should the callbacks have been taken away in the middle of a collection, this is its end.
        end(interp);
        if !cfg!(Py_GIL_DISABLED) && generation < 2 || !collecting().begin(interp.tag()) {
            return;
        }
        let state = interp.gc.0.get();
        let _busy = Busy::wait(state);
        (*state).armed = true;
        (*state).phase = Phase::Reaching;
        (*state).passes = 0;
        (*state).condemned = false;
    }
}

/// How a collection ended.
#[derive(PartialEq, Eq)]
enum Ended {
    /// It was not armed.
    Not,
    /// There may be native garbage that nobody has looked for.
    Unsure,
    /// No native objects without wrappers kept only each other alive when it began, or all were condemned.
    Clean,
}

/// Disarms.
///
/// # Safety
/// As for [`start`].
unsafe fn end(interp: &Interp) -> Ended {
    // SAFETY: the collecting thread. What is dropped calls nothing foreign but an allocator, and is not borrowed by then.
    unsafe {
        let state = interp.gc.0.get();
        let (armed, condemned, first, snapshot, retired) = {
            let _busy = Busy::wait(state);
            // Until the interpreter is gone: see `arm_for_good`.
            let ending = (*state).ending;
            let armed = std::mem::replace(&mut (*state).armed, ending);
            (
                armed,
                (*state).condemned,
                (*state).passes == 1,
                (*state).snapshot.take(),
                std::mem::take(&mut (*state).retired),
            )
        };
        if armed {
            collecting().end(interp.tag());
        }
        let looked = || snapshot.as_ref().is_some_and(|s| !s.may_have_native_garbage());
        let ended = match armed {
            false => Ended::Not,
            true if condemned || first && looked() => Ended::Clean,
            true => Ended::Unsure,
        };
        drop((snapshot, retired));
        ended
    }
}

/// From here on every collection takes native references into account: those that CPython runs while it tears an interpreter down are full, and it calls
/// nobody back about them.
///
/// # Safety
/// Attached; the interpreter is ending.
pub(crate) unsafe fn arm_for_good(interp: &Interp) {
    // SAFETY: attached, and no collection is under way.
    unsafe {
        let state = interp.gc.0.get();
        let _busy = Busy::wait(state);
        (*state).ending = true;
        (*state).armed = true;
    }
}

/// What [`stop`] would have done after the last collection of an interpreter that is ending.
///
/// # Safety
/// Attached.
pub(crate) unsafe fn finish(interp: &Interp) {
    // SAFETY: attached; the state is not borrowed while objects die.
    unsafe {
        {
            let state = interp.gc.0.get();
            let _busy = Busy::wait(state);
            (*state).ending = false;
        }
        end(interp);
        settle();
        collect();
    }
}

/// `gc.callbacks` "stop".
///
/// # Safety
/// Attached; called by the collecting thread.
pub unsafe fn stop(interp: &Interp) {
    // SAFETY: the collecting thread. The state is not borrowed while objects die.
    unsafe {
        let ended = end(interp);
        if ended != Ended::Not {
            settle();
        }
        if ended == Ended::Unsure {
            let natives = collect();
            (*interp.gc.0.get()).stats.native += natives as u64;
        }
        local::drain(interp);
    }
}

fn collector(native: &Header) -> Option<*mut State> {
    let context = frontend(native.custody().pair().tag()).context();
    // SAFETY: the context of our tables is an interpreter; they are never freed.
    unsafe { context.cast::<Interp>().as_ref() }.map(|interp| interp.gc.0.get())
}

/// Reports the references that a wrapper's native object owns, or answers for.
///
/// # Safety
/// Called from `tp_traverse` of a living wrapper with a native object.
pub(crate) unsafe fn traverse(
    wrapper: *mut py::PyObject,
    native: &Header,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    let subtracting = if cfg!(Py_GIL_DISABLED) {
        arg.is_null()
    } else {
        std::ptr::eq(arg.cast(), wrapper)
    };
    let Some(state) = collector(native) else { return 0 };
    // SAFETY: with a GIL only one thread is here at a time; without, whoever has the flag.
    unsafe {
        if !(*state).armed {
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
    let mut node = state.snapshot.as_ref().and_then(|snapshot| snapshot.find(native));
    let again = match &state.snapshot {
        Some(snapshot) => node.is_some_and(|node| snapshot.has_subtracted(node)),
        None => true,
    };
    if again || state.phase == Phase::Reaching {
        state.passes += 1;
        state.phase = Phase::Subtracting;
        state.stats.collections += u64::from(state.passes == 1);
        state
            .retired
            .extend(state.snapshot.take().map(Snapshot::into_pins));
        state.snapshot = Snapshot::take(native.custody().pair().tag(), &|wrapper| {
            // SAFETY: a wrapper of this interpreter, alive while Python stands still.
            unsafe { py::PyObject_GC_IsTracked(wrapper.cast()) != 0 }
        });
        node = state.snapshot.as_ref().and_then(|snapshot| snapshot.find(native));
    }
    let (Some(snapshot), Some(node)) = (&mut state.snapshot, node) else {
        return 0;
    };
    // SAFETY: the snapshot's Python references are alive while Python stands still.
    snapshot.subtract(node, &mut |object| unsafe { visit(object.cast(), arg) })
}

fn reach(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    state.phase = Phase::Reaching;
    let Some(snapshot) = &mut state.snapshot else {
        return 0;
    };
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
