//! One interpreter's class of a native type.

use std::ffi::{c_int, c_uint, c_void};

use pairbond_core::error::{Error, ErrorKind, ResultExt};
use pairbond_core::types::TypeInfo;
use pairbond_value::class::{Binding, Class};
use pyo3_ffi as py;

use super::definition::{self, Definition};
use super::{callable, class_getter};
#[cfg(feature = "library")]
use super::{native_callable, native_construct};
use crate::convert::from_text;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::interp::Interp;
use crate::interp::api::api;
use crate::owned::Owned;
use crate::running;
use crate::wrapper::Wrapper;

/// The class of `T` in an interpreter: the one that is there (another module may offer the same
/// type, and a module may be imported anew), or a new one, which is registered.
///
/// # Errors
/// The key is taken by a type with another layout (`ImportError`), or what CPython raised.
pub fn build<T: Class>(interp: &Interp, module: &Owned) -> Result<Owned, Error> {
    let info = pairbond_value::class::register_class::<T>().or_raise(ErrorKind::Import)?;
    build_defined(interp, info, module, &definition::of::<T>)
}

/// As [`build`], of a registered type.
///
/// # Errors
/// The class of its base is not there, or what CPython raised.
pub(super) fn build_defined(
    interp: &Interp,
    info: &'static TypeInfo,
    module: &Owned,
    definition: &dyn Fn() -> &'static Definition,
) -> Result<Owned, Error> {
    let Some(parent) = info.base() else {
        return Err(Error::type_error("pairbond.Object is there already"));
    };
    let base = interp.class_of(parent);
    let known = interp.class_of(info);
    if known != base {
        // SAFETY: attached; the interpreter keeps its classes.
        return Ok(unsafe { Owned::from_borrowed(known.cast()) });
    }
    if parent
        .base()
        .is_some_and(|grandparent| interp.class_of(grandparent) == base)
    {
        return Err(Error::new(
            ErrorKind::Import,
            format!(
                "{} extends {}, whose class must be there first: list it before, or import its module",
                info.key(),
                parent.key()
            ),
        ));
    }
    let definition = definition();
    let class = make_class(definition, base, module)?;
    complete_class(interp, info, definition, &class)?;
    if definition.immutable_type {
        // SAFETY: a class that has not been shared. As the last step: from here on the class cannot
        // be completed.
        unsafe { crate::ffi::set_flag(class.as_ptr().cast(), py::Py_TPFLAGS_IMMUTABLETYPE) };
    }
    // SAFETY: attached; the class was made just now.
    unsafe { interp.register_class(info, class.as_ptr().cast()) };
    Ok(class)
}

fn make_class(definition: &Definition, base: *mut py::PyTypeObject, module: &Owned) -> Result<Owned, Error> {
    let slot = |id: c_int, pointer: *mut c_void| py::PyType_Slot {
        slot: id,
        pfunc: pointer,
    };
    let mut slots = definition.slots.clone();
    // `PyType_FromSpec` inherits none of these: it takes `subtype_dealloc` for a class that has
    // no `tp_dealloc`, and a class with the collector's flag must bring its own `tp_traverse`.
    // SAFETY: attached; a living type.
    slots.push(slot(py::Py_tp_dealloc, unsafe {
        (*base)
            .tp_dealloc
            .map_or(std::ptr::null_mut(), |f| f as *mut c_void)
    }));
    if definition.flags & py::Py_TPFLAGS_HAVE_GC != 0 {
        // SAFETY: attached; a living type.
        slots.push(slot(py::Py_tp_traverse, unsafe {
            (*base)
                .tp_traverse
                .map_or(std::ptr::null_mut(), |f| f as *mut c_void)
        }));
        // SAFETY: attached; a living type.
        slots.push(slot(py::Py_tp_clear, unsafe {
            (*base)
                .tp_clear
                .map_or(std::ptr::null_mut(), |f| f as *mut c_void)
        }));
    }
    if definition.keeps_hash {
        // SAFETY: attached; a living type.
        slots.push(slot(py::Py_tp_hash, unsafe {
            (*base).tp_hash.map_or(std::ptr::null_mut(), |f| f as *mut c_void)
        }));
    }
    slots.retain(|slot| !slot.pfunc.is_null());
    slots.push(slot(0, std::ptr::null_mut()));
    // SAFETY: a living type.
    let mut size = unsafe { (*base).tp_basicsize as usize }.max(size_of::<Wrapper>());
    let mut flags = definition.flags;
    if definition.called {
        size = size.max(callable::SIZE);
        flags |= callable::FLAG;
    }
    let mut spec = py::PyType_Spec {
        name: definition.name.as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: flags as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached; the specification is complete, and what CPython keeps of it lives for the
    // process.
    unsafe {
        let bases = owned_or_error(py::PyTuple_New(1))?;
        py::Py_INCREF(base.cast());
        py::PyTuple_SET_ITEM(bases.as_ptr(), 0, base.cast());
        Owned::from_new(py::PyType_FromModuleAndSpec(
            module.as_ptr(),
            &mut spec,
            bases.as_ptr(),
        ))
        .ok_or_else(crate::errors::take_of_class)
    }
}

/// Sets the parts of a class that a `PyType_Spec` cannot describe.
fn complete_class(
    interp: &Interp,
    info: &'static TypeInfo,
    definition: &Definition,
    class: &Owned,
) -> Result<(), Error> {
    let set = |name: &std::ffi::CStr, value: &Owned| {
        // SAFETY: attached; living objects.
        match unsafe { running::PyObject_SetAttrString(class.as_ptr(), name.as_ptr(), value.as_ptr()) } {
            0 => Ok(()),
            _ => Err(take()),
        }
    };
    for name in &definition.late {
        let method = class.get_attr(name)?;
        set(name, &method)?;
    }
    #[cfg(feature = "library")]
    for &entry in &definition.natives {
        let name = crate::call::leak_text(entry.signature().name);
        // SAFETY: attached to the interpreter.
        let mut method =
            unsafe { native_callable::new(interp, entry, info.module(), class.as_ptr().cast()) }?;
        if matches!(entry.signature().binding, Binding::Static | Binding::Class) {
            // SAFETY: attached; a living object.
            method = unsafe { owned_or_error(crate::ffi::PyStaticMethod_New(method.as_ptr())) }?;
        }
        set(name, &method)?;
    }
    for getter in definition.class_getters {
        // SAFETY: names live for the process.
        let name = unsafe { std::ffi::CStr::from_ptr(getter.name) };
        set(name, &class_getter::new(getter)?)?;
    }
    if !definition.match_args.is_empty() {
        set(c"__match_args__", &names_tuple(&definition.match_args)?)?;
    }
    // SAFETY: a class that has not been shared.
    unsafe {
        let class = class.as_ptr().cast::<py::PyTypeObject>();
        // There is a slot for it since 3.14 only.
        (*class).tp_vectorcall = definition.vectorcall;
        // That of an attribute `__init__` looks it up again in each call.
        #[cfg(feature = "library")]
        if let Some(constructor) = definition.natives.iter().find(|it| it.made_type().is_some())
            && let Some(functions) = native_construct::functions_for(constructor)
        {
            (*class).tp_init = Some(functions.init);
        }
        if definition.has_repr_method() {
            crate::wrapper::repr::set_repr_method(class);
        }
        // As a slot it would be `__getattribute__` too, which would be a detour for subclasses that
        // are written in Python.
        if definition.fast_getters && cfg!(not(Py_GIL_DISABLED)) && !definition.late.contains(&c"__getattr__")
        {
            (*class).tp_getattro = Some(api().get_attribute);
        }
    }
    Ok(())
}

fn names_tuple(names: &[&str]) -> Result<Owned, Error> {
    // SAFETY: attached; a new tuple, each place filled once with a string; strings are not what the
    // collector looks into.
    unsafe {
        let tuple = owned_or_error(py::PyTuple_New(names.len() as py::Py_ssize_t))?;
        for (at, name) in names.iter().enumerate() {
            py::PyTuple_SET_ITEM(tuple.as_ptr(), at as py::Py_ssize_t, from_text(name)?.into_ptr());
        }
        Ok(tuple)
    }
}
