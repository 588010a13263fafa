//! Memory of wrappers that died, for the next ones.
//!
//! A wrapper's memory comes from the collector's allocator, which takes a hundred instructions for
//! each way; CPython keeps free lists for its own small objects, and here each class has one. Since
//! 3.14 the size and the layout of a class's instances are its own: a block is only ever used for
//! the class that it came from, and only when its attributes were not touched.
//!
//! Freeing a block reads from its class how many bytes precede it, so a block never outlives its
//! class: only blocks of classes that the interpreter keeps are kept, and when a class is
//! redefined, the blocks of the previous one [are freed](Spare::forget).
//!
//! The lists belong to an interpreter and are guarded by its GIL. Builds without one have none,
//! since their collector walks its heap; nor have debug builds, where memory that is given back is
//! watched. Where there are none nothing here is ever written: wrappers die on any thread at any
//! time.

use std::cell::{Cell, UnsafeCell};

use pyo3_ffi as py;

use super::texts::Texts;
use super::{Interp, Pace};
use crate::layout::Wrapper;

/// Classes that have a list at the same time. Two that fall on the same place take turns, which a
/// handful of classes hardly do.
const LISTS: usize = 64;
/// Blocks of a list: 2 KiB or less. What all lists take stays when their interpreter goes, 10 KiB.
const KEPT: usize = 16;
/// Wrappers of a class that are not kept at first: since 3.14 CPython gives each new instance of a
/// class one place fewer for attributes, from 30 down to as many as are used, and everybody who
/// looks at a wrapper's attributes passes over these.
const LARGE: usize = if cfg!(Py_3_14) { 32 } else { 0 };
const USED: bool = !cfg!(any(Py_GIL_DISABLED, py_sys_config = "Py_DEBUG"));

/// See the head of this file.
pub struct Spare {
    lists: [List; LISTS],
    /// False from the end of the interpreter on.
    open: Cell<bool>,
    /// Whether a class that a library made was seen with a finalizer (`Package.__del__ = f`), which
    /// may be taken away again.
    finalizers: Cell<bool>,
    /// Whether there may be wrappers of classes that the interpreter does not keep any more.
    replaced: Cell<bool>,
    texts: Texts,
    /// Here because the code that makes a wrapper has this at hand.
    pub(crate) pace: Pace,
}

/// Blocks of one class, which the interpreter keeps.
struct List {
    class: Cell<*mut py::PyTypeObject>,
    count: Cell<usize>,
    /// How many more are not kept.
    large: Cell<usize>,
    blocks: UnsafeCell<[*mut py::PyObject; KEPT]>,
}

// SAFETY: guarded by the GIL of the interpreter that owns it.
unsafe impl Sync for Spare {}
// SAFETY: guarded by the GIL of the interpreter that owns it.
unsafe impl Send for Spare {}

impl Spare {
    pub(crate) fn new() -> Self {
        Spare {
            lists: [const {
                List {
                    class: Cell::new(std::ptr::null_mut()),
                    count: Cell::new(0),
                    large: Cell::new(LARGE),
                    blocks: UnsafeCell::new([std::ptr::null_mut(); KEPT]),
                }
            }; LISTS],
            open: Cell::new(USED),
            finalizers: Cell::new(false),
            replaced: Cell::new(false),
            texts: Texts::new(),
            pace: Pace::new(),
        }
    }

    #[inline]
    fn list(&self, class: *mut py::PyTypeObject) -> &List {
        // The upper bits of a product depend on all of the address.
        let number = (class.addr() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - LISTS.ilog2());
        &self.lists[number as usize]
    }

    /// A new wrapper of a class made by a library, without a native object, and unknown to the
    /// collector.
    ///
    /// # Safety
    /// Attached to the interpreter whose lists these are; a living class.
    #[inline]
    pub(crate) unsafe fn take(&self, class: *mut py::PyTypeObject) -> Option<*mut py::PyObject> {
        let list = self.list(class);
        if list.class.get() != class {
            return None;
        }
        // SAFETY: attached; the block was a wrapper of this class, and has nothing any more. No
        // more than `KEPT` were counted.
        unsafe { list.take().map(|block| py::PyObject_Init(block, class)) }
    }

    /// Keeps the memory of a wrapper whose end is done but for giving that back. `false`: it is not
    /// wanted.
    ///
    /// # Safety
    /// Attached to the interpreter whose lists these are; the wrapper is of this class, which
    /// [`has_plain_memory`]; it has no object or weak references any more, no attributes were ever
    /// cleared in it (`wrapper/managed.rs`), and the collector does not know it.
    #[inline]
    pub(crate) unsafe fn put(&self, wrapper: *mut py::PyObject, class: *mut py::PyTypeObject) -> bool {
        // SAFETY: this thread is attached to the interpreter. What has been finalized is marked so,
        // and would not be again.
        if !self.open.get() || self.finalizers.get() && unsafe { py::PyObject_GC_IsFinalized(wrapper) } != 0 {
            return false;
        }
        let list = self.list(class);
        // SAFETY: this thread is attached to the interpreter, whose list it is.
        if list.class.get() != class && !unsafe { self.change_over(list, class) } {
            return false;
        }
        let count = list.count.get();
        if count >= KEPT || list.is_large() {
            return false;
        }
        // SAFETY: the list is this interpreter's, and has as many places.
        unsafe { (&mut *list.blocks.get())[count] = wrapper };
        list.count.set(count + 1);
        true
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
    #[cold]
    #[inline(never)]
    unsafe fn change_over(&self, list: &List, class: *mut py::PyTypeObject) -> bool {
        let kept = || Interp::current().is_ok_and(|interp| interp.keeps(class));
        // SAFETY: attached; promised by the caller.
        unsafe { (!self.replaced.get() || kept()) && list.change_over(class) }
    }

    /// The interpreter keeps another class for the type from now on.
    ///
    /// # Safety
    /// Attached to the interpreter whose lists these are; the class is still alive.
    #[cold]
    pub(crate) unsafe fn forget(&self, class: *mut py::PyTypeObject) {
        if !USED {
            return;
        }
        self.replaced.set(true);
        let list = self.list(class);
        if list.class.get() == class {
            // SAFETY: this thread is attached to the interpreter.
            while unsafe { list.give_one_back() } {}
            list.class.set(std::ptr::null_mut());
        }
    }

    /// The collector is about to finalize wrappers of a class that a library made.
    ///
    /// # Safety
    /// Attached to the interpreter whose lists these are.
    #[cold]
    pub(crate) unsafe fn expect_finalizers(&self) {
        if USED {
            self.finalizers.set(true);
        }
    }

    /// Strings that were given before; `None` when none are kept.
    #[inline]
    pub(crate) fn texts(&self) -> Option<&Texts> {
        self.open.get().then_some(&self.texts)
    }

    /// Gives everything back, for good.
    ///
    /// # Safety
    /// Attached to the interpreter whose lists these are, and whose classes are alive.
    pub(crate) unsafe fn close(&self) {
        if !USED {
            return;
        }
        self.open.set(false);
        self.texts.clear();
        for list in &self.lists {
            // SAFETY: this thread is attached to the interpreter.
            while unsafe { list.give_one_back() } {}
        }
    }
}

impl List {
    /// # Safety
    /// The calling thread is attached to the interpreter.
    #[inline]
    unsafe fn take(&self) -> Option<*mut py::PyObject> {
        let count = self.count.get().checked_sub(1)?;
        self.count.set(count);
        // SAFETY: guarded by the GIL; no more than `KEPT` were counted.
        unsafe { Some(*(*self.blocks.get()).get_unchecked(count)) }
    }

    #[inline]
    fn is_large(&self) -> bool {
        let large = self.large.get();
        if large > 0 {
            self.large.set(large - 1);
        }
        large > 0
    }

    /// A free block of the collector's allocator. CPython reads the size of its prefix from its
    /// type, which lives.
    ///
    /// # Safety
    /// The calling thread is attached to the interpreter.
    #[cold]
    unsafe fn give_one_back(&self) -> bool {
        // SAFETY: this thread is attached to the interpreter.
        unsafe {
            let block = self.take();
            if let Some(block) = block {
                py::PyObject_GC_Del(block.cast());
            }
            block.is_some()
        }
    }

    /// Another class wants the place: it has it as soon as the one before has nothing left, and
    /// takes one away each time it asks.
    ///
    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
    unsafe fn change_over(&self, class: *mut py::PyTypeObject) -> bool {
        // SAFETY: this thread is attached to the interpreter.
        unsafe { self.give_one_back() };
        if self.count.get() != 0 {
            return false;
        }
        self.class.set(class);
        self.large.set(LARGE);
        true
    }
}

/// Whether the memory of a class's instances is that of a plain wrapper.
///
/// # Safety
/// A living class that a library made.
#[inline]
pub(crate) unsafe fn has_plain_memory(class: *mut py::PyTypeObject) -> bool {
    // SAFETY: A living class that a library made: the caller ensures it.
    unsafe {
        USED && (*class).tp_basicsize as usize == size_of::<Wrapper>()
            && crate::ffi::has_flag(class, py::Py_TPFLAGS_HAVE_GC)
    }
}
