//! [`Collector`]: the state of an interpreter's collection, and the lock that guards it. `gc` is
//! where collections run.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(Py_GIL_DISABLED)]
use pairbond_core::CellLock;
use pairbond_core::object::Header;
use pairbond_core::trace::{Condemned, Pins, Snapshot, VisitAction};
use pyo3_ffi as py;

/// The state of one interpreter's collection.
pub struct Collector(UnsafeCell<State>);

// SAFETY: see the head of `gc`.
unsafe impl Sync for Collector {}
// SAFETY: see the head of `gc`.
unsafe impl Send for Collector {}

pub(crate) struct State {
    /// Between "start" and "stop" of a full collection. Read without the flag, too.
    pub(crate) armed: Relaxed,
    /// The interpreter is ending: see [`arm_for_good`](crate::gc::arm_for_good).
    pub(crate) ending: bool,
    /// Subtracting passes so far in this collection.
    pub(crate) passes: u32,
    /// Nothing native is reported until this collection is over: there is no snapshot, for want of
    /// memory or because of Ctrl-C, or handlers of signals run before garbage is condemned.
    pub(crate) blind: bool,
    /// Wrappers report their classes, too: not all of them are the interpreter's any more.
    /// Written without the flag, when a class is defined anew.
    pub(crate) classes: Relaxed,
    /// The class of the wrapper that was asked last on the short way, if such wrappers need not
    /// report it and have no finalizer.
    pub(crate) plain: *mut py::PyTypeObject,
    /// Where its objects have the count of their values, if that is known.
    pub(crate) values: isize,
    /// This collection has condemned all native garbage, with wrappers or without.
    pub(crate) condemned: bool,
    /// This collection was shown wrappers that the collector does not know otherwise.
    pub(crate) shown: bool,
    pub(crate) snapshot: Option<Snapshot>,
    /// Of the pass before: memory is given back when the world goes on.
    pub(crate) retired: Vec<Pins>,
    /// Garbage of collections that were interrupted, to be cleared by the next.
    pub(crate) rest: Vec<Condemned>,
    /// Read without the flag.
    pub(crate) stats: Counters,
    #[cfg(Py_GIL_DISABLED)]
    busy: CellLock,
}

/// A flag that threads read and write without the state's: a load or a store is all that it takes.
#[derive(Debug)]
pub(crate) struct Relaxed(AtomicBool);

impl Relaxed {
    const fn new() -> Self {
        Relaxed(AtomicBool::new(false))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set(&self, to: bool) {
        self.0.store(to, Ordering::Relaxed);
    }
}

impl State {
    /// The snapshot's [turn](Snapshot::visit_action) for a wrapper that is asked.
    #[inline(always)]
    pub(crate) fn visit_action(
        &mut self,
        wrapper: *mut py::PyObject,
        visit: py::visitproc,
    ) -> Option<VisitAction> {
        let snapshot = self.snapshot.as_mut()?;
        // Without a GIL another thread may have begun a phase since this one looked for its
        // visitor.
        if cfg!(Py_GIL_DISABLED) && snapshot.visitor() != visit as usize {
            return None;
        }
        snapshot.visit_action(wrapper.cast())
    }
}

/// Statistics of an interpreter's collections.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    /// Full collections with a snapshot.
    pub collections: u64,
    /// Native objects emptied because they were garbage with a wrapper.
    pub cleared: u64,
    /// Native objects collected without any wrapper.
    pub native: u64,
}

/// The counters behind [`Stats`].
#[derive(Default, Debug)]
pub(crate) struct Counters {
    pub(crate) collections: AtomicU64,
    pub(crate) cleared: AtomicU64,
    pub(crate) native: AtomicU64,
}

/// Exclusive use of the state. With a GIL an attached thread has it; without, a flag is needed:
/// `gc.get_referents` and weak references on other threads, while finalizers run, must not meet the
/// collector. A thread that has it does not stop, or call anything foreign.
pub(crate) struct Busy(#[cfg(Py_GIL_DISABLED)] *const CellLock);

#[cfg(not(Py_GIL_DISABLED))]
impl Busy {
    #[inline]
    pub(crate) fn at_once(_: *mut State) -> Option<Self> {
        Some(Busy())
    }
    pub(crate) fn wait(_: *mut State) -> Self {
        Busy()
    }
}

#[cfg(Py_GIL_DISABLED)]
impl Busy {
    #[inline]
    pub(crate) fn at_once(state: *mut State) -> Option<Self> {
        // SAFETY: the state of an interpreter, which is never freed.
        let busy = unsafe { &raw const (*state).busy };
        // SAFETY: the state of an interpreter, which is never freed. Made only with the
        // lock: dropping one gives it back, also if it was not used.
        unsafe { (*busy).try_lock() }.then(|| Busy(busy))
    }
    pub(crate) fn wait(state: *mut State) -> Self {
        // SAFETY: the state of an interpreter, which is never freed.
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
            armed: Relaxed::new(),
            ending: false,
            passes: 0,
            blind: false,
            classes: Relaxed::new(),
            plain: std::ptr::null_mut(),
            values: 0,
            condemned: false,
            shown: false,
            snapshot: None,
            retired: Vec::new(),
            rest: Vec::new(),
            stats: Counters::default(),
            #[cfg(Py_GIL_DISABLED)]
            busy: CellLock::new(),
        }))
    }

    #[inline]
    pub(crate) fn state(&self) -> *mut State {
        self.0.get()
    }

    /// A class was replaced by another for the same type: the interpreter does not keep it any
    /// more.
    ///
    /// # Safety
    /// Attached to the interpreter.
    pub(crate) unsafe fn class_was_replaced(&self) {
        // SAFETY: the state lives as long as this, and nothing of it is borrowed exclusively that
        // this flag is part of.
        unsafe { (*self.0.get()).classes.set(true) }
    }

    /// Whether the collection that is under way has found an object unreachable so far. Asked by
    /// attached threads, that is, between two passes.
    pub(crate) fn condemned(&self, native: &Header) -> bool {
        let state = self.0.get();
        let _busy = Busy::wait(state);
        // SAFETY: with a GIL only one thread is here at a time; without, the holder of the flag. No
        // pass is under way.
        let snapshot = unsafe { &(*state).snapshot };
        snapshot
            .as_ref()
            .is_some_and(|snapshot| snapshot.is_condemned(native))
    }

    /// Takes the garbage that interrupted collections have left. The calling thread is attached.
    pub(crate) fn take_rest(&self) -> Vec<Condemned> {
        let state = self.state();
        let _busy = Busy::wait(state);
        // SAFETY: the thread is attached, and the state is not borrowed.
        std::mem::take(unsafe { &mut (*state).rest })
    }

    /// So many native objects were collected without Python's collector.
    pub(crate) fn count_native(&self, objects: usize) {
        // SAFETY: as in `class_was_replaced`.
        let native = unsafe { &(*self.0.get()).stats.native };
        native.fetch_add(objects as u64, Ordering::Relaxed);
    }

    /// Whether a collection is under way. Asked by attached threads, that is, between two passes.
    pub(crate) fn is_collecting(&self) -> bool {
        // SAFETY: as in `class_was_replaced`.
        unsafe { (*self.0.get()).armed.get() }
    }

    /// A copy of the statistics.
    pub fn stats(&self) -> Stats {
        // SAFETY: as in `class_was_replaced`.
        let counters = unsafe { &(*self.0.get()).stats };
        let now = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            collections: now(&counters.collections),
            cleared: now(&counters.cleared),
            native: now(&counters.native),
        }
    }
}
