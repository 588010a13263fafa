//! How deep deaths of wrappers lie in each other, by way of what Python has attached to them.
//!
//! An attribute may be the last reference to another wrapper, whose attribute is the last reference to a third … (References of native objects are no
//! matter: their deaths have a work list.) CPython bounds that depth for its own classes, and since 3.14 for all, by the stack that is left. Before, the classes of a
//! library have to see to it themselves; what 3.13 allows for its own is ten thousand levels, which is more than a small stack has.
//!
//! * A wrapper that dies [`DEEPEST`] deep waits until the outermost death has given up its own attributes. Its finalizer has run, the collector does not know
//!   it, and nobody counts a reference to what has none: neither a weak reference nor an upgrade. So nobody finds it meanwhile.
//! * What waits is known to the frame of the outermost death; the thread knows only where that is, and of which interpreter: in a finalizer a thread
//!   may enter another one, whose wrappers must not wait for this one.
//!
//! Wrappers of a class that a class statement made die by CPython's `subtype_dealloc`, which gives up their attributes before it calls us: their depth is
//! bounded as CPython does it, but since what they own leads through here again, a row that alternates is bounded by the lower of both.

use std::cell::{Cell, UnsafeCell};
use std::ptr;

use pyo3_ffi as py;

use crate::ffi::attached_interpreter;

/// What CPython took, where it counts.
const DEEPEST: usize = 50;

thread_local!(static OUTERMOST: Cell<*const Deaths> = const { Cell::new(ptr::null()) });

/// The deaths that are under way on a thread, in an interpreter.
struct Deaths {
    interpreter: *mut py::PyInterpreterState,
    depth: Cell<usize>,
    waiting: UnsafeCell<Vec<*mut py::PyObject>>,
}

/// Finishes the death of a wrapper that has attributes or weak references, now or, where that would be too deep, soon.
///
/// # Safety
/// Attached; a dying wrapper that nobody can reach and the collector does not know; `finish` may be called with it, once.
pub(super) unsafe fn bounded(wrapper: *mut py::PyObject, finish: unsafe fn(*mut py::PyObject)) {
    let outer = OUTERMOST.get();
    let interpreter = attached_interpreter();
    // SAFETY: the frame of the outermost death takes its address back before it ends; only this thread reaches what is in it, and nothing is borrowed
    // while a death goes on.
    unsafe {
        if let Some(deaths) = outer.as_ref().filter(|it| it.interpreter == interpreter) {
            if deaths.depth.get() == DEEPEST {
                (*deaths.waiting.get()).push(wrapper);
                return;
            }
            deaths.depth.set(deaths.depth.get() + 1);
            finish(wrapper);
            deaths.depth.set(deaths.depth.get() - 1);
            return;
        }
        let deaths = Deaths {
            interpreter,
            depth: Cell::new(1),
            waiting: UnsafeCell::new(Vec::new()),
        };
        OUTERMOST.set(&raw const deaths);
        finish(wrapper);
        while let Some(next) = { (*deaths.waiting.get()).pop() } {
            finish(next);
        }
        OUTERMOST.set(outer);
    }
}
