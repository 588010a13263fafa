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
//! * What both passes condemned is cleared natively in `tp_clear`, if its count is still what the snapshot saw.
//!
//! If somebody removes our callbacks from `gc.callbacks`, no snapshot is taken and cycles through native objects stay: nothing dangles.
//!
//! Who may touch [`Collector`]: the thread that collects, from "start" to "stop". CPython runs one collection at a time per interpreter.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

use pairbond_core::frontend::frontend;
use pairbond_core::object::Header;
use stub::{Snapshot, collect};
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
    phase: Phase,
    /// Subtracting passes so far in this collection.
    passes: u32,
    snapshot: Option<Snapshot>,
    stats: Stats,
    #[cfg(Py_GIL_DISABLED)]
    busy: std::sync::atomic::AtomicBool,
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

impl Collector {
    pub(crate) fn new() -> Self {
        Collector(UnsafeCell::new(State {
            armed: false,
            phase: Phase::Reaching,
            passes: 0,
            snapshot: None,
            stats: Stats::default(),
            #[cfg(Py_GIL_DISABLED)]
            busy: std::sync::atomic::AtomicBool::new(false),
        }))
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
    let state = unsafe { &mut *interp.gc.0.get() };
    state.armed = cfg!(Py_GIL_DISABLED) || generation >= 2;
    state.phase = Phase::Reaching;
    state.passes = 0;
    settle(state);
}

/// `gc.callbacks` "stop".
///
/// # Safety
/// Attached; called by the collecting thread.
pub unsafe fn stop(interp: &Interp) {
    // SAFETY: the collecting thread. The state is not borrowed while objects die.
    unsafe {
        let state = interp.gc.0.get();
        let full = std::mem::replace(&mut (*state).armed, false);
        settle(&mut *state);
        if full {
            let natives = collect();
            (*state).stats.native += natives as u64;
        }
        local::drain(interp);
    }
}

/// Ends a snapshot; what died while it was taken dies now.
fn settle(state: &mut State) {
    if let Some(snapshot) = state.snapshot.take() {
        snapshot.settle();
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
    let subtracting = if cfg!(Py_GIL_DISABLED) { arg.is_null() } else { std::ptr::eq(arg.cast(), wrapper) };
    let Some(state) = collector(native) else { return 0 };
    // SAFETY: with a GIL only one thread is here at a time; without, whoever has the flag.
    unsafe {
        if !(*state).armed {
            return 0;
        }
        // `gc.get_referents` on another thread, while finalizers run, must not meet the collector. Nobody is stopped while it has the flag.
        #[cfg(Py_GIL_DISABLED)]
        if (*state).busy.swap(true, std::sync::atomic::Ordering::Acquire) {
            return 0;
        }
        let status =
            if subtracting { subtract(&mut *state, native, visit, arg) } else { reach(&mut *state, native, visit, arg) };
        #[cfg(Py_GIL_DISABLED)]
        (*state).busy.store(false, std::sync::atomic::Ordering::Release);
        status
    }
}

fn subtract(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    let known = state.snapshot.as_ref().and_then(|s| s.node_of(native));
    let again = match (&state.snapshot, known) {
        (Some(snapshot), Some(node)) => snapshot.is_subtracted(node),
        (Some(_), None) => false,
        (None, _) => true,
    };
    if again || state.phase == Phase::Reaching {
        begin(state, native);
    }
    let Some(snapshot) = &mut state.snapshot else { return 0 };
    let Some(node) = snapshot.node_of(native) else { return 0 };
    let mut status = 0;
    snapshot.subtract(node, &mut |object| {
        // SAFETY: the snapshot's Python references are alive while Python stands still.
        let result = unsafe { visit(object.cast(), arg) };
        if result != 0 {
            status = result;
        }
    });
    status
}

fn begin(state: &mut State, native: &Header) {
    state.passes += 1;
    state.phase = Phase::Subtracting;
    let old = state.snapshot.take();
    let tag = native.custody().pair().tag();
    state.snapshot = Snapshot::take(tag, &|wrapper| {
        // SAFETY: a wrapper of this interpreter, alive while Python stands still.
        unsafe { py::PyObject_GC_IsTracked(wrapper.cast()) != 0 }
    });
    if state.passes == 1 {
        state.stats.collections += 1;
    }
    if let Some(old) = old {
        match &mut state.snapshot {
            // What the first one must settle is settled with the second, after the collection.
            Some(new) => new.inherit(old),
            None => state.snapshot = Some(old.expired()),
        }
    }
}

fn reach(state: &mut State, native: &Header, visit: py::visitproc, arg: *mut c_void) -> c_int {
    state.phase = Phase::Reaching;
    let Some(snapshot) = &mut state.snapshot else { return 0 };
    let Some(node) = snapshot.node_of(native) else { return 0 };
    let mut status = 0;
    snapshot.reach(node, &mut |object| {
        // SAFETY: as in `subtract`.
        let result = unsafe { visit(object.cast(), arg) };
        if result != 0 {
            status = result;
        }
    });
    status
}

/// Empties the mutable references of a native object whose wrapper both passes condemned.
///
/// # Safety
/// Called from `tp_clear` of its wrapper.
pub(crate) unsafe fn clear(native: &Header) {
    let Some(state) = collector(native) else { return };
    // SAFETY: the collecting thread; the state is not borrowed while references are dropped.
    unsafe {
        if !(*state).armed || (*state).passes < 2 {
            return;
        }
        let Some(snapshot) = &(*state).snapshot else { return };
        let Some((strong, holder)) = snapshot.node_of(native).and_then(|node| snapshot.expected(node)) else { return };
        if native.custody().condemn(strong, holder) {
            (*state).stats.cleared += 1;
            native.info().clear(native);
        }
    }
}

mod stub {
    use super::*;
    pub fn collect() -> usize { 0 }
    pub struct Snapshot;
    impl Snapshot {
        pub fn take(_: u16, _: &dyn Fn(*mut c_void) -> bool) -> Option<Self> { None }
        pub fn node_of(&self, _: &Header) -> Option<u32> { None }
        pub fn is_subtracted(&self, _: u32) -> bool { false }
        pub fn subtract(&mut self, _: u32, _: &mut dyn FnMut(*mut c_void)) {}
        pub fn reach(&mut self, _: u32, _: &mut dyn FnMut(*mut c_void)) {}
        pub fn expected(&self, _: u32) -> Option<(u64, pairbond_core::object::Holder)> { None }
        pub fn settle(self) {}
        pub fn inherit(&mut self, _: Self) {}
        pub fn expired(self) -> Self { self }
    }
}
