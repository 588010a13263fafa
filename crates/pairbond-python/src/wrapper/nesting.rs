//! How deep deaths of wrappers lie in each other, by way of what Python has attached to them.
//!
//! An attribute may be the last reference to another wrapper, whose attribute is the last reference
//! to a third … (References of native objects are no matter: their deaths have a work list.)
//! CPython bounds that depth for its own classes, and since 3.14 for all, by the stack that is
//! left. Before, the classes of a library have to see to it themselves; what 3.13 allows for its
//! own is ten thousand levels, which is more than a small stack has.
//!
//! * A wrapper that dies [`DEEPEST`] deep waits until the outermost death has given up its own
//!   attributes. Its finalizer has run, the collector does not know it, and it has no references: a
//!   weak reference or an upgrade does not count one. So it is not found meanwhile.
//! * What waits belongs to the thread, with its interpreter: in a finalizer a thread may enter
//!   another one, whose wrappers must not wait for this one. The frame of the outermost death is
//!   only marked (the core's `stack.rs`): a greenlet may suspend it, and what others drop meanwhile
//!   counts anew.
//! * Where there is no memory for the list, a wrapper waits in a chain through the words that
//!   CPython's collector has in front of it, as objects do in CPython's own trashcan: the collector
//!   does not know it any more. (One that has none, and at most weak references, dies deeper.)
//!
//! Wrappers of a class that a class statement made die by CPython's `subtype_dealloc`, which gives
//! up their attributes before it calls us: their depth is bounded as CPython does it, but since
//! their attributes lead through here again, a row that alternates is bounded by the lower of both.

use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;

use pairbond_core::memory::try_push;
use pairbond_core::stack::{Anchor, Mark};
use pyo3_ffi as py;

use crate::ffi::attached_interpreter;

/// What CPython took, where it counts.
const DEEPEST: usize = 50;

thread_local!(static NESTING: Nesting = const { Nesting {
    outermost: Anchor::new(),
    interpreter: Cell::new(std::ptr::null_mut()),
    depth: Cell::new(0),
    waiting: UnsafeCell::new(ManuallyDrop::new(Vec::new())),
    chained: Cell::new(std::ptr::null_mut()),
    chained_of: Cell::new(std::ptr::null_mut()),
} });

/// The deaths that are under way on a thread. The interpreter and the depth are those of the marked
/// frame.
struct Nesting {
    outermost: Anchor,
    interpreter: Cell<*mut py::PyInterpreterState>,
    depth: Cell<usize>,
    /// Never dropped: wrappers die while thread-locals are destroyed, too.
    waiting: UnsafeCell<ManuallyDrop<Vec<(*mut py::PyInterpreterState, *mut py::PyObject)>>>,
    /// The last of those that there was no memory to list, all of one interpreter.
    chained: Cell<*mut py::PyObject>,
    chained_of: Cell<*mut py::PyInterpreterState>,
}

/// The word in front of a wrapper that the collector links objects with, if it has one.
///
/// # Safety
/// A dying wrapper that the collector does not know.
unsafe fn link(wrapper: *mut py::PyObject) -> Option<*mut usize> {
    // SAFETY: the class of a wrapper is alive as long as it is.
    let has_link = !cfg!(Py_GIL_DISABLED)
        && unsafe { crate::ffi::has_flag(py::Py_TYPE(wrapper), py::Py_TPFLAGS_HAVE_GC) };
    // SAFETY: `PyGC_Head` is two words in front of the object, of which this is the second.
    has_link.then(|| unsafe { wrapper.cast::<usize>().sub(1) })
}

/// Bits of that word which are not of the address.
const FLAGS: usize = 3;

impl Nesting {
    /// Lets a wrapper wait. `false`: it cannot.
    ///
    /// # Safety
    /// As for [`bounded`].
    unsafe fn put(&self, interpreter: *mut py::PyInterpreterState, wrapper: *mut py::PyObject) -> bool {
        // SAFETY: as in `take`.
        let waiting = unsafe { &mut **self.waiting.get() };
        if try_push(waiting, (interpreter, wrapper)).is_ok() {
            return true;
        }
        if !self.chained.get().is_null() && self.chained_of.get() != interpreter {
            return false;
        }
        // SAFETY: promised; nothing else uses the word of a dying wrapper.
        unsafe {
            let Some(link) = link(wrapper) else {
                return false;
            };
            *link = (*link & FLAGS) | self.chained.get().expose_provenance();
        }
        self.chained.set(wrapper);
        self.chained_of.set(interpreter);
        true
    }

    /// Takes the wrapper of an interpreter that came last.
    fn take(&self, interpreter: *mut py::PyInterpreterState) -> Option<*mut py::PyObject> {
        let chained = self.chained.get();
        if !chained.is_null() && self.chained_of.get() == interpreter {
            // SAFETY: put there by `put`.
            if let Some(link) = unsafe { link(chained) } {
                // SAFETY: as above.
                unsafe {
                    let next = *link & !FLAGS;
                    *link &= FLAGS;
                    self.chained.set(std::ptr::with_exposed_provenance_mut(next));
                }
                return Some(chained);
            }
        }
        // SAFETY: only this thread reaches the list, and nothing is borrowed from it while a death
        // goes on.
        let waiting = unsafe { &mut **self.waiting.get() };
        let at = waiting.iter().rposition(|(of, _)| *of == interpreter)?;
        let (_, wrapper) = waiting.remove(at);
        if waiting.is_empty() {
            drop(std::mem::take(waiting));
        }
        Some(wrapper)
    }
}

/// Finishes the death of a wrapper that has attributes or weak references, now or, where that would
/// be too deep, soon.
///
/// # Safety
/// Attached; a dying wrapper that is unreachable and the collector does not know; `finish` may be
/// called with it, once.
pub(super) unsafe fn bounded(wrapper: *mut py::PyObject, finish: unsafe fn(*mut py::PyObject)) {
    let interpreter = attached_interpreter();
    let mark = Mark::new();
    NESTING.with(|nesting| {
        if nesting.outermost.is_inside() && nesting.interpreter.get() == interpreter {
            let depth = nesting.depth.get();
            // SAFETY: promised by the caller.
            if depth >= DEEPEST && unsafe { nesting.put(interpreter, wrapper) } {
                return;
            }
            nesting.depth.set(depth + 1);
            // SAFETY: promised by the caller.
            unsafe { finish(wrapper) };
            nesting.depth.set(depth);
            return;
        }
        // SAFETY: left below, and `mark` lives longer. (A thread that an ending interpreter ends
        // inside of `finish` hangs there: `running.rs`.)
        unsafe { nesting.outermost.enter(&mark) };
        nesting.interpreter.set(interpreter);
        nesting.depth.set(1);
        let mut next = Some(wrapper);
        while let Some(wrapper) = next {
            // SAFETY: promised by the caller, of this wrapper or of the one that waited.
            unsafe { finish(wrapper) };
            next = nesting.take(interpreter);
        }
        nesting.outermost.leave();
    })
}
