//! The first field of iterators and views: the container that they keep alive.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::heap_types::classes::{helper_class, slots};
use crate::heap_types::support::Object_;
use crate::owned::Owned;

/// The head of an iterator or view. Its type adds fields behind, which own nothing.
#[repr(C)]
pub(super) struct Keeper {
    base: py::PyObject,
    /// A counted reference to the wrapper; null when an iterator has come to its end.
    container: AtomicPtr<py::PyObject>,
}

impl Keeper {
    /// Takes hold of a container, when everything else about a new object is written, and shows it
    /// to the collector.
    ///
    /// # Safety
    /// Attached; `this` is new, untracked and begins with a keeper; `container` is alive.
    pub(super) unsafe fn take_hold(this: Object_, container: Object_) {
        // SAFETY: attached; `this` is new, untracked and begins with a keeper; `container` is
        // alive: the caller ensures it.
        unsafe {
            py::Py_INCREF(container);
            (&raw mut (*this.cast::<Keeper>()).container).write(AtomicPtr::new(container));
            py::PyObject_GC_Track(this.cast());
        }
    }

    /// The container, or null.
    #[inline]
    pub(super) fn container(&self) -> Object_ {
        self.container.load(Ordering::Relaxed)
    }

    /// Lets go at the end of an iteration, as CPython's own iterators do.
    #[cfg(not(Py_GIL_DISABLED))]
    pub(super) fn let_go(&self) {
        let container = self.container.swap(std::ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: attached; our own reference. No thread uses the container through this object
        // now: that takes the GIL.
        unsafe { py::Py_XDECREF(container) }
    }

    /// Keeps it until the end, as CPython's own iterators do where another thread may be using the
    /// container through them.
    #[cfg(Py_GIL_DISABLED)]
    pub(super) fn let_go(&self) {}
}

pub(super) unsafe extern "C" fn keeper_traverse(
    object: Object_,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: called by CPython's collector.
    unsafe {
        let status = visit(py::Py_TYPE(object).cast(), arg);
        let container = (*object.cast::<Keeper>()).container();
        if status != 0 || container.is_null() {
            return status;
        }
        visit(container, arg)
    }
}

pub(super) unsafe extern "C" fn keeper_dealloc(object: Object_) {
    // SAFETY: called by CPython, once; the object's own reference to its container is given up.
    unsafe {
        py::PyObject_GC_UnTrack(object.cast());
        let (class, container) = (py::Py_TYPE(object), (*object.cast::<Keeper>()).container());
        py::PyObject_GC_Del(object.cast());
        py::Py_XDECREF(container);
        py::Py_DECREF(class.cast());
    }
}

/// A class of iterators, whose instances begin with a keeper.
///
/// # Safety
/// Attached; `next` and the methods are for such objects of that size.
pub(super) unsafe fn iterator_class(
    module: &Owned,
    name: &'static CStr,
    size: usize,
    next: py::iternextfunc,
    methods: &'static [py::PyMethodDef],
) -> Result<Owned, Error> {
    let [dealloc, traverse, iter] = slots![
        Py_tp_dealloc: destructor = keeper_dealloc;
        Py_tp_traverse: traverseproc = keeper_traverse;
        Py_tp_iter: getiterfunc = py::PyObject_SelfIter;
    ];
    let next = (py::Py_tp_iternext, next as *mut c_void);
    let methods = (py::Py_tp_methods, methods.as_ptr().cast_mut().cast());
    // SAFETY: attached; `next` and the methods are for such objects of that size:
    // the caller ensures it. Each slot has the type that its number says.
    unsafe { helper_class(module, name, size, &[dealloc, traverse, iter, next, methods]) }
}

/// The pickled and copied form of an iterator, like CPython's: `(iter, ([remaining elements],))`.
/// Nothing is taken from the iterator itself. The thread is attached.
pub(super) fn reduce_iterator(
    mut next: impl FnMut() -> Result<Option<Owned>, Error>,
) -> Result<Owned, Error> {
    let rest = Owned::empty_list()?;
    while let Some(item) = next()? {
        rest.append(&item)?;
    }
    let builtins = Owned::import(c"builtins")?;
    let iter = builtins.get_attr(c"iter")?;
    let arguments = Owned::tuple([&rest])?;
    Owned::tuple([&iter, &arguments])
}
