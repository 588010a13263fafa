//! Iterating over a few elements that were collected for it: what an `__iter__` that returns a
//! `Vec` gives. A list and its iterator would be two objects and three allocations, and this one's
//! memory is used again.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::error::Error;
use pyo3_ffi as py;

use super::keep::reduce_iterator;
use crate::convert::FEW;
use crate::errors::finish_call;
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::classes::{helper_class, slots};
use crate::heap_types::support::{Methods, Object_, method_noargs};
use crate::interp::Interp;
use crate::owned::Owned;

/// Goes through a few elements.
#[repr(C)]
struct Iterator {
    base: py::PyObject,
    /// The place that comes next. Threads that share an iterator may each be given the same
    /// element, and no more comes of it.
    next: AtomicUsize,
    /// Counted references, which it keeps; null behind the last.
    places: [Object_; FEW],
}

impl Iterator {
    /// The remaining elements, borrowed.
    fn remaining(&self) -> &[Object_] {
        let rest = self
            .places
            .get(self.next.load(Ordering::Relaxed)..)
            .unwrap_or(&[]);
        let len = rest.iter().position(|item| item.is_null());
        &rest[..len.unwrap_or(rest.len())]
    }
}

/// See [`Api::element_iterator`](crate::interp::api::Api).
///
/// # Safety
/// Attached; `elements` are [`FEW`].
pub(crate) unsafe extern "C" fn new_element_iterator(elements: *const Object_) -> Object_ {
    let made = match Interp::current() {
        // SAFETY: attached; the interpreter's class of such objects.
        Ok(interp) => unsafe { iterator_allocate(interp.helper_class(super::ELEMENT_ITERATOR)) },
        Err(error) => {
            crate::errors::raise(error);
            std::ptr::null_mut()
        }
    };
    if made.is_null() {
        // SAFETY: attached; counted references that are given up, as many as `FEW`.
        (0..FEW).for_each(|at| unsafe { py::Py_XDECREF(*elements.add(at)) });
        return made;
    }
    let iterator = made.cast::<Iterator>();
    // SAFETY: attached; `elements` are `FEW`: the caller ensures it. Every field is written before
    // the collector may look.
    unsafe {
        (&raw mut (*iterator).next).write(AtomicUsize::new(0));
        (&raw mut (*iterator).places).write(elements.cast::<[Object_; FEW]>().read());
        py::PyObject_GC_Track(made.cast());
    }
    made
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn iterator_allocate(class: *mut py::PyTypeObject) -> Object_ {
    // SAFETY: attached; the interpreter keeps the class.
    unsafe {
        match crate::interp::api::spare_wrappers().and_then(|spare| spare.take(class)) {
            Some(block) => block,
            None => _PyObject_GC_New(class),
        }
    }
}

unsafe extern "C" fn iterator_dealloc(object: Object_) {
    // SAFETY: called by CPython, once; the remaining elements are released.
    unsafe {
        py::PyObject_GC_UnTrack(object.cast());
        // A death may run Python code, which may ask for another one like this.
        for item in (*object.cast::<Iterator>()).places {
            py::Py_XDECREF(item);
        }
        let class = py::Py_TYPE(object);
        if !crate::interp::api::spare_wrappers().is_some_and(|spare| spare.put(object, class)) {
            py::PyObject_GC_Del(object.cast());
        }
        py::Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn iterator_traverse(object: Object_, visit: py::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: called by CPython's collector.
    unsafe {
        let items = (*object.cast::<Iterator>()).places;
        let owned = items.into_iter().filter(|item| !item.is_null());
        let mut all = std::iter::once(py::Py_TYPE(object).cast()).chain(owned);
        all.find_map(|it| Some(visit(it, arg)).filter(|status| *status != 0))
            .unwrap_or(0)
    }
}

unsafe extern "C" fn next(iterator: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    let this = unsafe { &*iterator.cast::<Iterator>() };
    let at = this.next.load(Ordering::Relaxed);
    match this.places.get(at) {
        Some(item) if !item.is_null() => {
            this.next.store(at + 1, Ordering::Relaxed);
            // SAFETY: called by CPython with one of ours.
            unsafe { py::Py_INCREF(*item) };
            *item
        }
        _ => std::ptr::null_mut(),
    }
}

unsafe extern "C" fn length_hint(iterator: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    finish_call(|| unsafe {
        crate::heap_types::support::new_int((*iterator.cast::<Iterator>()).remaining().len())
    })
}

unsafe extern "C" fn iterator_reduce(iterator: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    finish_call(|| unsafe {
        let mut rest = (*iterator.cast::<Iterator>()).remaining().iter();
        reduce_iterator(|| Ok(rest.next().map(|item| Owned::from_borrowed(*item))))
    })
}

static METHODS: Methods<3> = Methods([
    method_noargs(c"__length_hint__", length_hint, c"How many elements are left."),
    method_noargs(c"__reduce__", iterator_reduce, c"An iterator over what is left."),
    py::PyMethodDef::zeroed(),
]);

/// The thread is attached.
pub(super) fn make_iterator(module: &Owned) -> Result<Owned, Error> {
    let slots = slots![
        Py_tp_dealloc: destructor = iterator_dealloc;
        Py_tp_traverse: traverseproc = iterator_traverse;
        Py_tp_iter: getiterfunc = py::PyObject_SelfIter;
        Py_tp_iternext: iternextfunc = next;
    ];
    let methods = (py::Py_tp_methods, METHODS.0.as_ptr().cast_mut().cast::<c_void>());
    let [dealloc, traverse, iter, next] = slots;
    let slots = [dealloc, traverse, iter, next, methods];
    // SAFETY: attached; a living module: the caller ensures it. Each slot has the type that its
    // number says.
    unsafe { helper_class(module, c"pairbond.ElementIterator", size_of::<Iterator>(), &slots) }
}
