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
//!
//! Wrappers of a class that a class statement made die by CPython's `subtype_dealloc`, which gives
//! up their attributes before it calls us: their depth is bounded as CPython does it, but since
//! their attributes lead through here again, a row that alternates is bounded by the lower of both.

use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;

use pairbond_core::stack::{Anchor, Mark};
use pyo3_ffi as py;

use crate::ffi::attached_interpreter;

/// CPython's own limit, where it counts.
const DEEPEST: usize = 50;

thread_local!(static NESTING: Nesting = const { Nesting {
    outermost: Anchor::new(),
    interpreter: Cell::new(std::ptr::null_mut()),
    depth: Cell::new(0),
    waiting: UnsafeCell::new(ManuallyDrop::new(Vec::new())),
} });

/// The deaths that are under way on a thread. The interpreter and the depth are those of the marked
/// frame.
struct Nesting {
    outermost: Anchor,
    interpreter: Cell<*mut py::PyInterpreterState>,
    depth: Cell<usize>,
    /// Never dropped: wrappers die while thread-locals are destroyed, too.
    waiting: UnsafeCell<ManuallyDrop<Vec<(*mut py::PyInterpreterState, *mut py::PyObject)>>>,
}

impl Nesting {
    /// Takes the wrapper of an interpreter that came last.
    fn take(&self, interpreter: *mut py::PyInterpreterState) -> Option<*mut py::PyObject> {
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
pub(super) unsafe fn finish_bounded(wrapper: *mut py::PyObject, finish: unsafe fn(*mut py::PyObject)) {
    let interpreter = attached_interpreter();
    let mark = Mark::new();
    NESTING.with(|nesting| {
        if nesting.outermost.is_inside() && nesting.interpreter.get() == interpreter {
            let depth = nesting.depth.get();
            if depth == DEEPEST {
                // SAFETY: as in `take`.
                unsafe { (*nesting.waiting.get()).push((interpreter, wrapper)) };
                return;
            }
            nesting.depth.set(depth + 1);
            // SAFETY: attached; a dying wrapper that is unreachable and the collector does not
            // know; `finish` may be called with it, once: the caller ensures it.
            unsafe { finish(wrapper) };
            nesting.depth.set(depth);
            return;
        }
        // SAFETY: left below, and `mark` lives longer. (A thread that an ending interpreter ends
        // inside of `finish` hangs there: `running.rs`.)
        unsafe { nesting.outermost.mark_frame(&mark) };
        nesting.interpreter.set(interpreter);
        nesting.depth.set(1);
        let mut next = Some(wrapper);
        while let Some(wrapper) = next {
            // SAFETY: attached; a dying wrapper that is unreachable and the collector does not
            // know; `finish` may be called with it, once: the caller ensures it. Of this wrapper or
            // of the one that waited.
            unsafe { finish(wrapper) };
            next = nesting.take(interpreter);
        }
        nesting.outermost.unmark_frame();
    })
}
