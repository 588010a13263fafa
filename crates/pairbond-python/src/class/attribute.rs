//! Reading attributes of classes that ask for [fast
//! getters](pairbond_core::object::Object::FAST_GETTERS).
//!
//! CPython specialises the places in a program where methods, slots and values of instances are
//! read, and never those where a getter is (3.11 to 3.15): there it looks the name up, and goes
//! through two functions of the descriptor, each time. [`getattro_get`], as a class's
//! `tp_getattro`, caches the result. The price is that CPython specialises no attribute of such an
//! object any more, methods among them; a native method of an object without attributes of its own
//! is cached, too, and bound at once.
//!
//! # Invariants
//! * A place belongs to one class, from [`remember_name`] until the class's interpreter
//!   [forgets](forget) it. It is written by that interpreter only, and its contents are read by
//!   that interpreter only: others see another class than theirs. So the GIL guards it (without
//!   one, no class has such a `tp_getattro`).
//! * Its contents hold as long as the class has that version: CPython takes a version away when
//!   anything changes that lookups in the class find, never gives it again in an interpreter, and
//!   the version 0 is none. The class keeps the descriptor as long, and the descriptor its name.
//!   (For an attribute that is no getter the name may be gone, and another be in its place: then
//!   CPython searches, as it does for all that are no getters.)

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pyo3_ffi as py;

use crate::ffi;
use crate::interp::Interp;
use crate::wrapper::has_no_attributes;

/// The attribute that a class has under a name.
struct Place {
    /// Null: free.
    class: AtomicPtr<py::PyTypeObject>,
    name: AtomicPtr<py::PyObject>,
    /// The class's when this was found.
    version: AtomicU32,
    /// A getter's; null: it is no getter.
    definition: AtomicPtr<py::PyGetSetDef>,
    /// A native method's; null: it is none.
    method: AtomicPtr<py::PyMethodDef>,
}

static PLACES: [Place; 512] = [const {
    Place {
        class: AtomicPtr::new(null_mut()),
        name: AtomicPtr::new(null_mut()),
        version: AtomicU32::new(0),
        definition: AtomicPtr::new(null_mut()),
        method: AtomicPtr::new(null_mut()),
    }
}; 512];

/// A class that does not exist: a thread is about to write the place.
const TAKEN: *mut py::PyTypeObject = std::ptr::without_provenance_mut(1);

#[inline(always)]
fn place_of(class: *mut py::PyTypeObject, name: *mut py::PyObject) -> &'static Place {
    &PLACES[((class.addr() >> 4) ^ (name.addr() >> 4)) % PLACES.len()]
}

/// `tp_getattro`
///
/// # Safety
/// Attached; living objects.
pub(crate) unsafe extern "C" fn getattro_get(
    object: *mut py::PyObject,
    name: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: attached; living objects: the caller ensures it. What the class finds is a getter,
    // which is called as CPython calls it.
    unsafe {
        let class = py::Py_TYPE(object);
        let place = place_of(class, name);
        if place.class.load(Ordering::Acquire) != class
            || place.name.load(Ordering::Relaxed) != name
            || place.version.load(Ordering::Relaxed) != (*class).tp_version_tag
        {
            remember_name(class, name);
        } else if let Some(definition) = place.definition.load(Ordering::Relaxed).as_ref()
            && let Some(get) = definition.get
        {
            return get(object, definition.closure);
        } else if let method = place.method.load(Ordering::Relaxed)
            && !method.is_null()
            && has_no_attributes(object, class)
        {
            return py::PyCFunction_NewEx(method, object, null_mut());
        }
        py::PyObject_GenericGetAttr(object, name)
    }
}

/// An attribute that is neither a getter nor a method is remembered as that.
///
/// # Safety
/// Attached; living objects.
#[cold]
#[inline(never)]
unsafe fn remember_name(class: *mut py::PyTypeObject, name: *mut py::PyObject) {
    let place = place_of(class, name);
    let owner = place.class.load(Ordering::Acquire);
    // SAFETY: attached; living objects: the caller ensures it.
    unsafe {
        // A class that was changed has a version again after the next lookup.
        if (owner != class && !owner.is_null())
            || (*class).tp_version_tag == 0
            || py::PyUnicode_CheckExact(name) == 0
        {
            return;
        }
        if owner.is_null() {
            let is_kept = Interp::current().is_ok_and(|interp| interp.keeps(class));
            let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
            if !is_kept
                || place
                    .class
                    .compare_exchange(null_mut(), TAKEN, acquire, relaxed)
                    .is_err()
            {
                return;
            }
        }
        let (definition, method) = definitions_of(class, name);
        place.name.store(name, Ordering::Relaxed);
        place.version.store((*class).tp_version_tag, Ordering::Relaxed);
        place.definition.store(definition, Ordering::Relaxed);
        place.method.store(method, Ordering::Relaxed);
        place.class.store(class, Ordering::Release);
    }
}

/// The definition of the getter or method that a class finds under a name, which lives as long as
/// the class has this version; null if it finds none, or a method that is bound otherwise.
///
/// # Safety
/// Attached; living objects.
unsafe fn definitions_of(
    class: *mut py::PyTypeObject,
    name: *mut py::PyObject,
) -> (*mut py::PyGetSetDef, *mut py::PyMethodDef) {
    let none = (null_mut(), null_mut());
    // SAFETY: attached; living objects: the caller ensures it. The descriptor is borrowed from the
    // class, and nothing runs here that could change that. Both kinds begin alike.
    unsafe {
        let found = ffi::_PyType_Lookup(class, name);
        let kind = if found.is_null() {
            return none;
        } else {
            py::Py_TYPE(found)
        };
        let is_getter = kind == &raw mut py::PyGetSetDescr_Type;
        if !is_getter && kind != &raw mut py::PyMethodDescr_Type {
            return none;
        }
        // A class can hold a descriptor that is another's, and under another name, which might not
        // live as long.
        let common = &*found.cast::<py::PyDescrObject>();
        if common.d_name != name || py::PyType_IsSubtype(class, common.d_type) == 0 {
            return none;
        }
        if is_getter {
            return ((*found.cast::<py::PyGetSetDescrObject>()).d_getset, null_mut());
        }
        let method = (*found.cast::<py::PyMethodDescrObject>()).d_method;
        let knows_class = (*method).ml_flags & py::METH_METHOD != 0;
        (null_mut(), if knows_class { null_mut() } else { method })
    }
}

/// Frees the places of a class whose attributes are not read any more, and that its interpreter
/// does not keep.
pub(crate) fn forget_class(class: *mut py::PyTypeObject) {
    for place in &PLACES {
        let _ = place
            .class
            .compare_exchange(class, null_mut(), Ordering::Release, Ordering::Relaxed);
    }
}
