//! Reading attributes of classes that ask for [fast getters](pairbond_core::object::Object::FAST_GETTERS).
//!
//! CPython specialises the places in a program where methods, slots and values of instances are read, and never those where a getter is (3.11 to 3.15): there
//! it looks the name up, and goes through two functions of the descriptor, each time. [`get`], as a class's `tp_getattro`, remembers what was found. The price
//! is that CPython specialises nothing that is read of such an object any more, methods among it.
//!
//! # Invariants
//! * A place belongs to one class, from [`remember`] until the class's interpreter [forgets](forget) it. It is written by that interpreter only, and what it
//!   says is read by that interpreter only: others see another class than theirs. So the GIL guards it (without one, nobody has such a `tp_getattro`).
//! * What it says holds as long as the class has that version: CPython takes a version away when anything changes that lookups in the class find, never gives
//!   it again in an interpreter, and the version 0 is none. The class keeps the descriptor as long, and the descriptor its name.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pyo3_ffi as py;

use crate::ffi;
use crate::interp::Interp;

/// What a class finds under a name.
struct Place {
    /// Null: free.
    class: AtomicPtr<py::PyTypeObject>,
    name: AtomicPtr<py::PyObject>,
    /// The class's when this was found.
    version: AtomicU32,
    /// A getter's; null: it is no getter.
    definition: AtomicPtr<py::PyGetSetDef>,
}

static PLACES: [Place; 512] = [const {
    Place {
        class: AtomicPtr::new(null_mut()),
        name: AtomicPtr::new(null_mut()),
        version: AtomicU32::new(0),
        definition: AtomicPtr::new(null_mut()),
    }
}; 512];

/// A class that nobody has: somebody is about to write what a place says.
const TAKEN: *mut py::PyTypeObject = std::ptr::without_provenance_mut(1);

#[inline(always)]
fn place(class: *mut py::PyTypeObject, name: *mut py::PyObject) -> &'static Place {
    &PLACES[((class.addr() >> 4) ^ (name.addr() >> 4)) % PLACES.len()]
}

/// `tp_getattro`
///
/// # Safety
/// Attached; living objects.
pub(crate) unsafe extern "C" fn get(object: *mut py::PyObject, name: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: promised. What the class finds is a getter, which is called as CPython calls it.
    unsafe {
        let class = py::Py_TYPE(object);
        let place = place(class, name);
        if place.class.load(Ordering::Acquire) != class
            || place.name.load(Ordering::Relaxed) != name
            || place.version.load(Ordering::Relaxed) != (*class).tp_version_tag
        {
            remember(class, name);
        } else if let Some(definition) = place.definition.load(Ordering::Relaxed).as_ref()
            && let Some(get) = definition.get
        {
            return get(object, definition.closure);
        }
        py::PyObject_GenericGetAttr(object, name)
    }
}

/// # Safety
/// Attached; living objects.
#[cold]
#[inline(never)]
unsafe fn remember(class: *mut py::PyTypeObject, name: *mut py::PyObject) {
    // SAFETY: promised. The descriptor is borrowed from the class, and nothing runs here that could change that.
    unsafe {
        if py::PyUnicode_CheckExact(name) == 0 || !Interp::current().is_ok_and(|interp| interp.keeps(class)) {
            return;
        }
        let descriptor = ffi::_PyType_Lookup(class, name);
        let version = (*class).tp_version_tag;
        if version == 0 || descriptor.is_null() {
            return;
        }
        let mut definition = null_mut();
        let common = &*descriptor.cast::<py::PyDescrObject>();
        if py::Py_TYPE(descriptor) == &raw mut py::PyGetSetDescr_Type {
            // A class can hold a descriptor that is another's.
            if py::PyType_IsSubtype(class, common.d_type) == 0 {
                return;
            }
            definition = (*descriptor.cast::<py::PyGetSetDescrObject>()).d_getset;
        } else if py::Py_TYPE(descriptor) != &raw mut py::PyMethodDescr_Type {
            return;
        }
        if common.d_name != name {
            return;
        }
        let place = place(class, name);
        let ours = place.class.load(Ordering::Acquire) == class;
        if ours
            || place
                .class
                .compare_exchange(null_mut(), TAKEN, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        {
            place.name.store(name, Ordering::Relaxed);
            place.version.store(version, Ordering::Relaxed);
            place.definition.store(definition, Ordering::Relaxed);
            place.class.store(class, Ordering::Release);
        }
    }
}

/// Frees the places of a class of which nobody reads an attribute any more, and whose interpreter keeps it no more.
pub(crate) fn forget(class: *mut py::PyTypeObject) {
    for place in &PLACES {
        let _ = place
            .class
            .compare_exchange(class, null_mut(), Ordering::Release, Ordering::Relaxed);
    }
}
