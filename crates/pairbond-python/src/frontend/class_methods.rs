//! The methods of a native type's class: whether a program has changed them, and the records that
//! the core's calls of overridable methods read.

use std::collections::HashSet;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::types::{TypeInfo, record_class};
use pairbond_value::class::{Binding, FUNCTION_METHOD};
use pyo3_ffi as py;

use crate::class::is_native_method;
use crate::convert::from_text;
use crate::interp::{Interp, local};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::is_exact;

/// See [`Api::register_class`](crate::interp::api::Api).
pub(crate) unsafe extern "C" fn register_class(
    interp: *const Interp,
    info: *const TypeInfo,
    class: *mut py::PyTypeObject,
) {
    // SAFETY: a living interpreter, a registered type, a living class; attached.
    unsafe {
        local::keep_class(&*interp, &*info, class);
        record_class_of(&*interp, &*info, class);
    }
}

/// Records an interpreter's class of a type, for overridable methods.
///
/// # Safety
/// Attached to the interpreter, which keeps the class: it is registered for the type.
unsafe fn record_class_of(interp: &Interp, info: &'static TypeInfo, class: *mut py::PyTypeObject) {
    // SAFETY: attached; a living class. The interpreter keeps it until it forgets it, and observes
    // what that says.
    unsafe {
        // CPython gives a class its version when something is looked up in it. What follows needs
        // no exception, and reports none.
        let found = Owned::from_new(running::PyObject_GetAttrString(
            class.cast(),
            c"__init__".as_ptr(),
        ));
        let before = class_version(class);
        let is_base_unchanged = || (info.base()).is_none_or(|base| base.has_unchanged_class_in(interp.tag()));
        let unchanged = found.is_some()
            && ((is_exact(class) && is_base_unchanged())
                || is_unmodified(interp, class, info).unwrap_or(false))
            && class_version(class) == before;
        crate::errors::clear();
        record_class(
            interp.tag(),
            info,
            &raw mut (*class).tp_version_tag,
            unchanged.then_some(before),
            &|other| std::ptr::eq(interp.class_of(other), class),
        );
    }
}

/// Whether a class, which is of wrappers of a type's objects, has each method that the native types
/// have which it stands for and extends, and takes no functions over.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps the objects alive.
pub(super) unsafe fn is_unmodified(
    interp: &Interp,
    class: *mut py::PyTypeObject,
    info: &'static TypeInfo,
) -> Result<bool, Error> {
    // SAFETY: attached; a living class, whose bases live as long.
    unsafe {
        let mut seen = HashSet::new();
        let mut at = class;
        while !at.is_null() {
            for method in method_definitions(at) {
                let name = CStr::from_ptr(method.ml_name);
                let is_bound_otherwise = method.ml_flags & (py::METH_STATIC | py::METH_CLASS) != 0;
                if !seen.insert(name) || is_bound_otherwise {
                    continue;
                }
                let found = class_attribute(class.cast(), &intern_text(&name.to_string_lossy())?)?;
                if !found.is_some_and(|found| is_method(&found, method)) {
                    return Ok(false);
                }
            }
            at = (*at).tp_base;
        }
        if class_attribute(class.cast(), &intern_text(FUNCTION_METHOD)?)?.is_some() {
            return Ok(false);
        }
        has_methods_of_c(interp, class, info)
    }
}

/// As [`is_unmodified`], of methods of types of C: they may have no definition that CPython knows.
///
/// # Safety
/// As for [`is_unmodified`].
unsafe fn has_methods_of_c(
    interp: &Interp,
    class: *mut py::PyTypeObject,
    info: &'static TypeInfo,
) -> Result<bool, Error> {
    let mut seen = HashSet::new();
    let types = std::iter::successors(Some(info), |info| info.base());
    for info in types.filter(|info| info.is_beside_rust()) {
        let methods = info.members().map_or(&[][..], |members| members.methods());
        for method in methods.iter().filter(|it| it.binding == Binding::Instance) {
            if !seen.insert(method.name) {
                continue;
            }
            // SAFETY: attached; a living class.
            let found = unsafe { class_attribute(class.cast(), &intern_text(method.name)?) }?;
            // SAFETY: attached; a living class and attribute.
            let is_unmodified = |found: Owned| unsafe {
                is_native_method(interp, &found, method.name)
                    || find_definition(class, method.name).is_some_and(|made| is_method(&found, made))
            };
            if !found.is_some_and(is_unmodified) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The definitions of methods of a class that a library made; others have none.
///
/// # Safety
/// A living class.
unsafe fn method_definitions(class: *mut py::PyTypeObject) -> impl Iterator<Item = &'static py::PyMethodDef> {
    // SAFETY: by this function's contract; libraries' definitions live for the process, and end
    // with one without a name.
    unsafe {
        let first = if is_exact(class) {
            (*class).tp_methods
        } else {
            std::ptr::null_mut()
        };
        let mut at = 0;
        std::iter::from_fn(move || {
            if first.is_null() || (*first.add(at)).ml_name.is_null() {
                return None;
            }
            at += 1;
            Some(&*first.add(at - 1))
        })
    }
}

/// The definition of the method that a class has from the native type that it stands for or the
/// nearest that this extends.
///
/// # Safety
/// The calling thread is attached, and the caller keeps the objects alive.
pub(super) unsafe fn find_definition(
    mut class: *mut py::PyTypeObject,
    name: &str,
) -> Option<&'static py::PyMethodDef> {
    while !class.is_null() {
        // SAFETY: attached; a living class, whose bases live as long.
        let found = unsafe {
            method_definitions(class).find(|it| CStr::from_ptr(it.ml_name).to_bytes() == name.as_bytes())
        };
        if found.is_some() {
            return found;
        }
        // SAFETY: attached; a living class, whose bases live as long.
        class = unsafe { (*class).tp_base };
    }
    None
}

/// Whether an attribute of a class is the method with that definition.
///
/// # Safety
/// The calling thread is attached, and the caller keeps the objects alive.
pub(super) unsafe fn is_method(found: &Owned, definition: &py::PyMethodDef) -> bool {
    // SAFETY: a living object, looked into when it is of the class whose objects begin like that.
    unsafe {
        std::ptr::eq(found.class(), &raw mut py::PyMethodDescr_Type)
            && std::ptr::eq(
                (*found.as_ptr().cast::<crate::ffi::MethodDescriptor>()).method,
                definition,
            )
    }
}

/// A string that is compared by address.
pub(super) fn intern_text(text: &str) -> Result<Owned, Error> {
    let mut text = from_text(text)?.into_ptr();
    // SAFETY: attached; an owned reference to a new string, which may be exchanged for another.
    unsafe {
        py::PyUnicode_InternInPlace(&mut text);
        Ok(Owned::from_new(text).expect("interned in place"))
    }
}

/// A class's version, which CPython writes atomically: another thread may be changing the class.
///
/// # Safety
/// A living class.
pub(super) unsafe fn class_version(class: *mut py::PyTypeObject) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { AtomicU32::from_ptr(&raw mut (*class).tp_version_tag) }.load(Ordering::Acquire)
}

/// An attribute of a class, if it has it.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
pub(super) unsafe fn class_attribute(class: *mut py::PyObject, name: &Owned) -> Result<Option<Owned>, Error> {
    // SAFETY: attached; a living class; a new reference or null with an exception.
    let found = unsafe { Owned::from_new(running::PyObject_GetAttr(class, name.as_ptr())) };
    if found.is_none() {
        if !crate::errors::is_of_kind(&ErrorKind::Attribute) {
            return Err(crate::errors::take());
        }
        crate::errors::clear();
    }
    Ok(found)
}
