//! The slot of `__next__` of a class of a library: CPython calls it without looking the method up,
//! and without an exception at the end of the iteration. As in
//! [`native_function`](super::native_function), a class takes one of a fixed number of functions,
//! and has the method alone if all are taken.

use std::sync::atomic::{AtomicPtr, Ordering};

use pairbond_plugin::Entry;
use pairbond_value::class::Binding;
use pyo3_ffi as py;

use super::loaded::loaded_call;
use super::protocol_slots::finish_next;
use crate::call::Bound;
use crate::convert::PySink;

/// How many functions there are.
const COUNT: usize = 64;

/// The entries by the number of their functions. Never changed once set.
static ENTRIES: [AtomicPtr<Entry>; COUNT] = [const { AtomicPtr::new(std::ptr::null_mut()) }; COUNT];

/// Returns the slot for a method `__next__`; `None` for another method, or when all functions are
/// taken.
pub(super) fn next_slot_of(entry: &'static Entry) -> Option<py::PyType_Slot> {
    let signature = entry.signature();
    let is_next = signature.binding == Binding::Instance
        && signature.name == "__next__"
        && signature.parameters.is_empty();
    let mine = std::ptr::from_ref(entry).cast_mut();
    let take = |place: &AtomicPtr<Entry>| {
        let (set, get) = (Ordering::AcqRel, Ordering::Acquire);
        match place.compare_exchange(std::ptr::null_mut(), mine, set, get) {
            Ok(_) => true,
            Err(other) => std::ptr::eq(other, mine),
        }
    };
    let number = ENTRIES.iter().position(|place| is_next && take(place))?;
    Some(py::PyType_Slot {
        slot: py::Py_tp_iternext,
        pfunc: ALL[number] as *mut std::ffi::c_void,
    })
}

unsafe extern "C" fn next_numbered<const NUMBER: usize>(object: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: set before a class got the function of that number, to an entry that is never freed;
    // CPython calls it with an object that is alive.
    unsafe { next(&*ENTRIES[NUMBER].load(Ordering::Acquire), object) }
}

/// # Safety
/// Attached; a living object. The entry is that of a method without parameters.
#[inline(never)]
unsafe fn next(entry: &'static Entry, object: *mut py::PyObject) -> *mut py::PyObject {
    finish_next(|| {
        if entry.takes_words() {
            // SAFETY: the caller's object; no arguments.
            unsafe { loaded_call(entry, object, std::ptr::null(), 0, std::ptr::null_mut()) }
        } else {
            entry.call(&Bound::of_receiver(object), PySink)
        }
    })
}

macro_rules! all {
    ($($at:literal)*) => {
        [$(next_numbered::<$at>),*]
    };
}

static ALL: [py::iternextfunc; COUNT] = all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
