//! Attributes of a class: descriptors whose getter is called with the class, also when an object is
//! asked.
//!
//! CPython has none such for C (`property` and `PyGetSetDef` are about objects). Each interpreter
//! has a type for them, which the binary in charge makes; a descriptor keeps nothing but its
//! definition, which lives for the process.

use std::ffi::{c_int, c_void};

use pairbond_core::error::{Error, ErrorKind};
use pyo3_ffi as py;

use crate::convert::from_text;
use crate::errors::owned_or_error;
use crate::errors::{finish_call, finish_status};
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::classes;
use crate::heap_types::classes::{Constant, attribute};
use crate::interp::api::api;
use crate::interp::{Interp, kept, local};
use crate::owned::Owned;

type Object = *mut py::PyObject;

#[repr(C)]
struct ClassGetter {
    base: py::PyObject,
    /// Its `get` is given the class, and its closure; nothing sets.
    definition: *const py::PyGetSetDef,
}

/// A new descriptor. The definition lives for the process.
///
/// # Errors
/// Out of memory.
pub(super) fn new(definition: &'static py::PyGetSetDef) -> Result<Owned, Error> {
    // SAFETY: attached; a definition that lives for the process.
    unsafe { owned_or_error((api().new_class_getter)(definition)) }
}

/// See [`Api::new_class_getter`](crate::interp::api::Api).
///
/// # Safety
/// Attached; a definition with a name and a getter.
pub(crate) unsafe extern "C" fn new_class_getter(definition: *const py::PyGetSetDef) -> Object {
    finish_call(|| {
        let class = Interp::current()?.helper_class(kept::CLASS_GETTER);
        // SAFETY: attached; a definition with a name and a getter: the caller ensures it. Every
        // field is written before the collector may look.
        unsafe {
            let made = owned_or_error(_PyObject_GC_New(class))?;
            (&raw mut (*made.as_ptr().cast::<ClassGetter>()).definition).write(definition);
            py::PyObject_GC_Track(made.as_ptr().cast());
            Ok(made)
        }
    })
}

/// # Safety
/// A living descriptor of this type.
unsafe fn definition_of(descriptor: Object) -> &'static py::PyGetSetDef {
    // SAFETY: a living descriptor of this type: the caller ensures it. Definitions live for the
    // process.
    unsafe { &*(*descriptor.cast::<ClassGetter>()).definition }
}

/// # Safety
/// A living descriptor of this type.
unsafe fn name_of(descriptor: Object) -> std::borrow::Cow<'static, str> {
    // SAFETY: a living descriptor of this type: the caller ensures it. Names live for the process.
    unsafe { std::ffi::CStr::from_ptr(definition_of(descriptor).name) }.to_string_lossy()
}

unsafe extern "C" fn descriptor_get(descriptor: Object, object: Object, class: Object) -> Object {
    // SAFETY: called by CPython with one of ours, and an object or a class.
    unsafe {
        let definition = definition_of(descriptor);
        let class = if class.is_null() || class == py::Py_None() {
            py::Py_TYPE(object).cast()
        } else {
            class
        };
        match definition.get {
            Some(get) => get(class, definition.closure),
            None => std::ptr::null_mut(),
        }
    }
}

/// Without it an object's own attribute would hide the class's.
unsafe extern "C" fn descriptor_set(descriptor: Object, object: Object, _: Object) -> c_int {
    // SAFETY: called by CPython with one of ours and a living object.
    finish_status(|| unsafe {
        let class = crate::ffi::type_name(py::Py_TYPE(object));
        Err(Error::new(
            ErrorKind::Attribute,
            format!(
                "'{class}' object attribute '{}' is read-only: it is the class's",
                name_of(descriptor)
            ),
        ))
    })
}

unsafe extern "C" fn descriptor_repr(descriptor: Object) -> Object {
    // SAFETY: called by CPython with one of ours.
    finish_call(|| from_text(&format!("<class getter '{}'>", unsafe { name_of(descriptor) })))
}

unsafe extern "C" fn get_name(descriptor: Object, _: *mut c_void) -> Object {
    // SAFETY: called by CPython with one of ours.
    finish_call(|| from_text(&unsafe { name_of(descriptor) }))
}

unsafe extern "C" fn get_doc(descriptor: Object, _: *mut c_void) -> Object {
    // SAFETY: called by CPython with one of ours; texts live for the process.
    finish_call(|| unsafe {
        match definition_of(descriptor).doc {
            doc if doc.is_null() => Ok(Owned::none()),
            doc => from_text(&std::ffi::CStr::from_ptr(doc).to_string_lossy()),
        }
    })
}

unsafe extern "C" fn descriptor_dealloc(descriptor: Object) {
    // SAFETY: called by CPython, once.
    unsafe {
        py::PyObject_GC_UnTrack(descriptor.cast());
        let class = py::Py_TYPE(descriptor);
        py::PyObject_GC_Del(descriptor.cast());
        py::Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn descriptor_traverse(
    descriptor: Object,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: called by CPython's collector.
    unsafe { visit(py::Py_TYPE(descriptor).cast(), arg) }
}

static ATTRIBUTES: Constant<[py::PyGetSetDef; 3]> = Constant([
    attribute(c"__name__", get_name),
    attribute(c"__doc__", get_doc),
    classes::END,
]);

/// Makes an interpreter's type of them. The thread is attached to `interp`.
pub(crate) fn publish_descriptor(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let [dealloc, traverse, get, set, repr] = classes::slots![
        Py_tp_dealloc: destructor = descriptor_dealloc;
        Py_tp_traverse: traverseproc = descriptor_traverse;
        Py_tp_descr_get: descrgetfunc = descriptor_get;
        Py_tp_descr_set: descrsetfunc = descriptor_set;
        Py_tp_repr: reprfunc = descriptor_repr;
    ];
    let attributes = (
        py::Py_tp_getset,
        ATTRIBUTES.0.as_ptr().cast_mut().cast::<c_void>(),
    );
    let slots = [dealloc, traverse, get, set, repr, attributes];
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    let class =
        unsafe { classes::helper_class(module, c"pairbond.ClassGetter", size_of::<ClassGetter>(), &slots) }?;
    local::set_helper_class(interp, kept::CLASS_GETTER, class.into_ptr());
    Ok(())
}
