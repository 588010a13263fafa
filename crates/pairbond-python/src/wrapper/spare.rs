//! Memory of wrappers that died, for the next ones.
//!
//! All wrappers of classes that a library made are alike but for their class, so one short list serves all of them; CPython keeps such lists for its
//! own small objects. A wrapper's memory comes from the collector's allocator, which takes a hundred instructions for each way.
//!
//! The list belongs to an interpreter and is guarded by its GIL. Builds without one have no list, since their collector walks its
//! heap; nor have debug builds, where memory that is given back is watched.

use std::cell::{Cell, UnsafeCell};

use pyo3_ffi as py;

use crate::interp::Classes;
use crate::wrapper::Wrapper;

/// 8 KiB or less.
const KEPT: usize = 64;
/// What says how much lies before an object.
const FLAGS: std::ffi::c_ulong = py::Py_TPFLAGS_HAVE_GC | crate::class::flags::MANAGED;
const USED: bool = !cfg!(any(Py_GIL_DISABLED, py_sys_config = "Py_DEBUG"));

/// See the head of this file.
pub struct Spare {
    blocks: UnsafeCell<[*mut py::PyObject; KEPT]>,
    count: Cell<usize>,
    /// False from the end of the interpreter on.
    open: Cell<bool>,
    /// Whether a class that a library made was seen with a finalizer (`Package.__del__ = f`), which may be taken away again.
    finalizers: Cell<bool>,
}

// SAFETY: guarded by the GIL of the interpreter that owns it.
unsafe impl Sync for Spare {}
// SAFETY: as above.
unsafe impl Send for Spare {}

impl Spare {
    pub(crate) fn new() -> Self {
        Spare {
            blocks: UnsafeCell::new([std::ptr::null_mut(); KEPT]),
            count: Cell::new(0),
            open: Cell::new(USED),
            finalizers: Cell::new(false),
        }
    }

    /// A new object of a class made by a library, uninitialised behind its head, and unknown to the collector.
    ///
    /// # Safety
    /// Attached to the interpreter whose list this is; the class is as [`fits`] says.
    #[inline]
    pub(super) unsafe fn take(&self, class: *mut py::PyTypeObject) -> Option<*mut py::PyObject> {
        let count = self.count.get().checked_sub(1)?;
        self.count.set(count);
        // SAFETY: attached; the block was a wrapper of such a class.
        unsafe { Some(py::PyObject_Init((*self.blocks.get())[count], class)) }
    }

    /// Keeps the memory of a wrapper whose end is done but for giving that back. `false`: there is no room.
    ///
    /// # Safety
    /// Attached to the interpreter whose list this is; the wrapper is of such a class, has no attributes and weak references any more, and the
    /// collector does not know it.
    #[inline]
    pub(super) unsafe fn put(&self, wrapper: *mut py::PyObject) -> bool {
        let count = self.count.get();
        // SAFETY: attached. What has been finalized is marked so, and would not be again.
        unsafe {
            if count == KEPT
                || !self.open.get()
                || self.finalizers.get() && py::PyObject_GC_IsFinalized(wrapper) != 0
            {
                return false;
            }
            (&mut *self.blocks.get())[count] = wrapper;
        }
        self.count.set(count + 1);
        true
    }

    /// The collector is about to finalize wrappers of a class that a library made.
    ///
    /// # Safety
    /// Attached to the interpreter whose list this is.
    #[cold]
    pub(super) unsafe fn expect_finalizers(&self) {
        self.finalizers.set(true);
    }

    /// Gives everything back, for good.
    ///
    /// # Safety
    /// Attached to the interpreter whose list this is, and whose classes are alive.
    pub(crate) unsafe fn close(&self, classes: &Classes) {
        self.open.set(false);
        // SAFETY: living classes.
        let Some(class) = classes.find(|class| unsafe { fits(class) }) else {
            return;
        };
        for at in 0..self.count.replace(0) {
            // SAFETY: attached; a block of the collector's allocator that nobody uses. What it was an instance of may be gone, and CPython asks
            // its type how much lies before it.
            unsafe {
                let block = (*self.blocks.get())[at];
                (*block).ob_type = class;
                py::PyObject_GC_Del(block.cast());
            }
        }
    }
}

/// Whether the memory of a class's instances is that of a plain wrapper.
///
/// # Safety
/// A living class that a library made.
#[inline]
pub(super) unsafe fn fits(class: *mut py::PyTypeObject) -> bool {
    // SAFETY: promised.
    unsafe {
        USED && (*class).tp_basicsize as usize == size_of::<Wrapper>() && crate::ffi::has_flags(class, FLAGS)
    }
}
