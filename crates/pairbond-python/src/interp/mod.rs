//! One open interpreter: its tag, frontend table, classes, deferred releases, and its end.
//!
//! * this file – the methods of an [`Interp`] for every binary, through the shared table.
//! * `local` – the implementation; only the copy in `pairbond._pairbond` runs.
//! * `api` – the table that separately built extension modules share.
//! * `attach` – attaching threads, and counting references from any of them, for the core.
//! * `kept` – the numbers of classes and objects that an interpreter keeps.
//! * `trace` – the queue of events on their way to Python (`releases.rs`).
//! * `waker` – makes the main thread drain queues, where CPython does not.
//! * `named` – classes of nodes of trees by the nodes' names.
//! * `guests` – wrappers of objects that belong to other interpreters.
//! * `spare` – memory of wrappers that died, for the next ones; `texts` – strings that were given
//!   before.
//! * `held_list`, `moved_list` – lists of wrappers: those that native code keeps, those without an
//!   object.
//! * `collector` – the state of a collection; `pace` – when to look for garbage among wrappers that
//!   Python's collector does not know. `gc` uses both.
//!
//! An `Interp` is never freed: the core may call a table of an interpreter that is gone, which then
//! finds `open` false.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::{Deferred, FrontendTable};
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use api::api;

pub mod api;
pub(crate) mod attach;
mod class_table;
pub(crate) mod collector;
mod guests;
pub(crate) mod held_list;
pub(crate) mod kept;
pub mod local;
mod moved_list;
mod named;
pub(crate) mod pace;
pub(crate) mod spare;
mod texts;
pub(crate) mod trace;
#[cfg(not(Py_3_13))]
mod waker;

pub use class_table::Classes;
use collector::Collector;
pub use guests::{Entered, Guests};
use held_list::Held;
use moved_list::Moved;
pub use named::Named;
pub(crate) use pace::Pace;
pub use spare::Spare;

/// One interpreter in which pairbond is imported.
#[repr(C)]
pub struct Interp {
    tag: u16,
    /// False from the `atexit` callback on: no thread attaches any more.
    open: AtomicBool,
    /// The state of the thread that closed it.
    closer: AtomicPtr<py::PyThreadState>,
    /// True from the end on: nothing is deferred any more, because the queue will not be drained.
    ended: AtomicBool,
    /// Threads between looking at `open` and having done what that allows: being attached, or
    /// having asked for a pending call.
    attaching: AtomicUsize,
    /// A pending call was asked for and has not come yet.
    pending: AtomicBool,
    /// CPython's state; compared, and used while `open` only.
    state: *mut py::PyInterpreterState,
    /// CPython's number, for messages.
    id: i64,
    is_main: bool,
    pub(crate) deferred: Deferred,
    /// References to wrappers that threads took when they could not attach any more. To be counted.
    late: Mutex<Vec<usize>>,
    table: FrontendTable,
    classes: Classes,
    base: AtomicPtr<py::PyTypeObject>,
    /// CPython tells of collections and of the end.
    watched: AtomicBool,
    exceptions: [AtomicPtr<py::PyObject>; EXCEPTIONS.len()],
    /// Classes that are no wrappers' (iterators, views, …), for the binary in charge.
    helpers: [AtomicPtr<py::PyTypeObject>; kept::HELPERS],
    /// Objects that calls are given again and again, for the binary in charge.
    constants: [AtomicPtr<py::PyObject>; kept::CONSTANTS],
    /// `gc.get_objects`, for the end.
    get_objects: AtomicPtr<py::PyObject>,
    pub(crate) gc: Collector,
    pub(crate) spare: Spare,
    pub(crate) held: Held,
    pub(crate) moved: Moved,
    pub(crate) trace: trace::Trace,
    pub(crate) guests: Guests,
    pub(crate) named: Named,
}

/// The fields that an extension module's copy of this crate reads: they may not move within a
/// version of the binary interface.
pub(crate) const SHAPE: u64 = {
    use pairbond_core::abi::shapes::mix_hash;
    macro_rules! offsets {
        ($($field:ident),* $(,)?) => {{
            let mut hash = mix_hash(0, size_of::<crate::layout::Wrapper>());
            hash = mix_hash(hash, size_of::<Spare>());
            hash = mix_hash(hash, align_of::<Interp>());
            $(hash = mix_hash(hash, std::mem::offset_of!(Interp, $field));)*
            hash
        }};
    }
    offsets![
        tag,
        open,
        ended,
        attaching,
        pending,
        state,
        id,
        is_main,
        deferred,
        late,
        table,
        classes,
        base,
        exceptions,
        helpers,
        constants,
        get_objects,
        gc,
        spare,
        held,
        moved,
        trace,
        guests,
        named,
    ]
};

// SAFETY: shared between threads by design; fields that are not atomic never change, or have an
// owner (`gc`).
unsafe impl Send for Interp {}
// SAFETY: shared between threads by design; fields that are not atomic never change, or have an
// owner (`gc`).
unsafe impl Sync for Interp {}

/// The package's exceptions: name, base, documentation.
pub const EXCEPTIONS: [(&str, &str, &str); 5] = [
    ("Error", "RuntimeError", "Base class of pairbond's own errors."),
    (
        "InterpreterError",
        "Error",
        "The native object belongs to another interpreter of this process.",
    ),
    (
        "ClosedError",
        "Error",
        "The interpreter that would be needed has ended.",
    ),
    (
        "InvalidatedError",
        "Error",
        "The native object was moved away or erased; its handle can no longer be used.",
    ),
    (
        "PanicError",
        "Error",
        "Rust code panicked. The objects involved stay usable.",
    ),
];

impl Interp {
    /// The attached thread's interpreter.
    ///
    /// # Errors
    /// pairbond is not imported in it (`ImportError`).
    #[inline]
    pub fn current() -> Result<&'static Interp, Error> {
        if let Some(sole) = api::sole_interp() {
            return Ok(sole);
        }
        // SAFETY: attached, as for every function of this crate; interpreters are never freed.
        unsafe { (api().current)().as_ref() }
            .ok_or_else(|| Error::new(ErrorKind::Import, "pairbond is not imported in this interpreter"))
    }

    /// The tag that this interpreter's objects carry.
    #[inline]
    pub fn tag(&self) -> u16 {
        self.tag
    }

    /// Whether another thread has begun to end the interpreter: then the calling thread, which is
    /// attached, is a daemon thread, and will end with it.
    pub(crate) fn is_closed_by_another(&self) -> bool {
        // SAFETY: this thread is attached to the interpreter.
        !self.is_open() && self.closer.load(Ordering::Acquire) != unsafe { py::PyThreadState_Get() }
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    pub(crate) fn set_watched(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    /// CPython's number of the interpreter.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Whether it is CPython's main interpreter.
    pub(crate) fn is_main(&self) -> bool {
        self.is_main
    }

    /// CPython's state of it.
    pub(crate) fn state(&self) -> *mut py::PyInterpreterState {
        self.state
    }

    /// No thread attaches any more, from now on.
    pub(crate) fn mark_closed(&self) {
        self.open.store(false, Ordering::SeqCst);
    }

    /// Nothing is deferred any more, from now on.
    pub(crate) fn mark_ended(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Makes the calling thread, which is attached, the one that closes the interpreter; waits for
    /// threads that are just attaching.
    pub(crate) fn close_to_threads(&self) {
        // SAFETY: this thread is attached to the interpreter.
        self.closer
            .store(unsafe { py::PyThreadState_Get() }, Ordering::Release);
        self.mark_closed();
        while self.attaching.load(Ordering::SeqCst) != 0 {
            // SAFETY: attached; the threads that wait need the interpreter to get in.
            unsafe {
                let state = py::PyEval_SaveThread();
                std::thread::sleep(Duration::from_micros(100));
                py::PyEval_RestoreThread(state);
            }
        }
    }

    /// Whether it has not begun to end.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// The class of a type's objects: the type's own, or that of the nearest registered ancestor.
    /// Borrowed, never null.
    #[inline]
    pub fn class_of(&self, info: &'static TypeInfo) -> *mut py::PyTypeObject {
        // SAFETY: `self` is an interpreter of the binary in charge.
        unsafe { (api().class_of)(self, info) }
    }

    /// Makes a class the one of a type's objects in this interpreter.
    ///
    /// # Safety
    /// Attached to this interpreter; a living class.
    pub unsafe fn register_class(&self, info: &'static TypeInfo, class: *mut py::PyTypeObject) {
        // SAFETY: `self` is an interpreter of the binary in charge.
        unsafe { (api().register_class)(self, info, class) }
    }

    /// Whether the interpreter keeps a class: whether it is that of some type's objects. For the
    /// binary in charge.
    pub(crate) fn keeps(&self, class: *mut py::PyTypeObject) -> bool {
        self.classes.contains(class)
    }

    /// `pairbond.Object`. Borrowed.
    pub fn base_class(&self) -> *mut py::PyTypeObject {
        self.base.load(Ordering::Acquire)
    }

    /// The class that is no wrappers' of that number. Borrowed; for the binary in charge.
    pub(crate) fn helper_class(&self, number: usize) -> *mut py::PyTypeObject {
        self.helpers[number].load(Ordering::Acquire)
    }

    /// The object of that number that calls are given. Borrowed; for the binary in charge.
    pub(crate) fn constant(&self, number: usize) -> *mut py::PyObject {
        self.constants[number].load(Ordering::Acquire)
    }

    fn late(&self) -> MutexGuard<'_, Vec<usize>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `gc.get_objects`. Borrowed.
    pub(crate) fn get_objects(&self) -> Option<*mut py::PyObject> {
        let function = self.get_objects.load(Ordering::Acquire);
        (!function.is_null()).then_some(function)
    }

    /// One of [`EXCEPTIONS`]. Borrowed; null when there is no such.
    pub fn exception(&self, name: &str) -> *mut py::PyObject {
        // SAFETY: `self` is an interpreter of the binary in charge.
        unsafe { (api().exception)(self, name.as_ptr(), name.len()) }
    }
}

/// The tag of the attached thread's interpreter; 0 when pairbond is not imported in it. One load
/// while there is a single interpreter.
#[inline]
pub fn tag() -> u16 {
    match api::sole_tag() {
        0 => tag_of_many(),
        tag => tag,
    }
}

/// Whether more than one interpreter was ever opened in this process.
#[inline]
pub fn several() -> bool {
    api::sole_tag() == 0
}

#[cold]
fn tag_of_many() -> u16 {
    // SAFETY: this thread is attached to the interpreter.
    unsafe { (api().current)().as_ref() }.map_or(0, Interp::tag)
}

/// Whether [`entry`] has something to do.
#[inline]
pub fn is_waiting() -> bool {
    api::releases_waiting() != 0
}

/// To be called at every entry from Python: releases what waits in the deferred queue.
#[inline]
pub fn entry() {
    if is_waiting() {
        // SAFETY: this thread is attached to the interpreter.
        unsafe { (api().drain)() }
    }
}
