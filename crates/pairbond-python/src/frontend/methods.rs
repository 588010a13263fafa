//! Methods of native types that Python classes override: functions that the core calls.

use std::ffi::c_void;
use std::ptr::NonNull;

use pairbond_core::any::RawAny;
use pairbond_core::error::Error;
use pairbond_core::frontend::{Arguments, Overrides};
use pairbond_core::object::{ErasedBorrow, Header};
use pairbond_core::types::{TypeInfo, note_unchanged_class};
use pairbond_value::class::{FUNCTION_METHOD, Overridable};
use pairbond_value::convert::{Sink, Source};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::class_methods::{
    class_attribute, class_version, find_definition, intern_text, is_method, is_unmodified,
};
use super::value_functions::{raised_error, write_failure, write_result};
use crate::class::is_native_method;
use crate::convert::{PySink, PySource};
use crate::errors::owned_or_error;
use crate::interp::attach::{interp_of_context, run_attached};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{fetch, is_exact};

/// The wrapper that the object has in this interpreter, or null.
fn wrapper_in_context(context: *mut c_void, object: &Header) -> *mut py::PyObject {
    let pair = object.custody().pair();
    if pair.tag() == interp_of_context(context).tag() {
        pair.wrapper().cast()
    } else {
        std::ptr::null_mut()
    }
}

pub(super) unsafe extern "C" fn frontend_overrides(
    context: *mut c_void,
    object: *const Header,
    method: *const Overridable,
    out: *mut RawAny,
) -> Overrides {
    // SAFETY: as the table's contract says: a living object, a method, the caller's place.
    unsafe {
        let (object, method) = (&*object, &*method);
        let answer = run_attached(context, || {
            let wrapper = wrapper_in_context(context, object);
            if !wrapper.is_null() {
                return look_for_override(context, py::Py_TYPE(wrapper), object.info(), method);
            }
            if !may_get_wrapper(context, object) {
                // Cut off meanwhile.
                return Ok(false);
            }
            let class = interp_of_context(context).class_of(object.info());
            let overrides = look_for_override(context, class, object.info(), method)?;
            if overrides {
                // It is the wrapper's method that will be called, and the wrapper that tells the
                // core whose it is.
                drop(fetch(ErasedBorrow::from_header(NonNull::from(object)))?);
            }
            Ok(overrides)
        });
        match answer {
            Ok(false) => Overrides::No,
            Ok(true) => Overrides::Yes,
            Err(error) => {
                write_failure(error, out);
                Overrides::Failed
            }
        }
    }
}

/// Whether an object that has no wrapper is to get one for the sake of its class's methods.
fn may_get_wrapper(context: *mut c_void, object: &Header) -> bool {
    let pair = object.custody().pair();
    let tag = interp_of_context(context).tag();
    (pair.tag() == 0 || pair.tag() == tag) && !object.info().has_unchanged_class_in(tag)
}

/// Whether a class, which is of wrappers of a type's objects, has another method of that name than
/// the native type; remembered with the class's version.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn look_for_override(
    context: *mut c_void,
    class: *mut py::PyTypeObject,
    info: &'static TypeInfo,
    method: &Overridable,
) -> Result<bool, Error> {
    let interp = interp_of_context(context);
    // SAFETY: attached; living classes. The version is given to a class when something is looked up
    // in it.
    unsafe {
        let name = intern_text(method.name())?;
        let owner = interp.class_of(method.owner());
        drop(class_attribute(class.cast(), &name)?);
        let before = class_version(class);
        let found = class_attribute(class.cast(), &name)?;
        let native = find_definition(if is_exact(class) { class } else { owner }, method.name());
        let overrides = match (found, native) {
            (Some(found), Some(native)) => !is_method(&found, native),
            (None, None) => false,
            (None, Some(_)) => true,
            (Some(found), None) if method.owner().is_beside_rust() => {
                !is_native_method(interp, &found, method.name())
            }
            // No class of a library takes functions over. An attribute that is no method of a
            // definition is the class's own (of an enumeration).
            (Some(found), None) => {
                method.name() == FUNCTION_METHOD
                    || class_attribute(owner.cast(), &name)?.map(|it| it.as_ptr()) != Some(found.as_ptr())
            }
        };
        if class_version(class) == before {
            method.remember_override(interp.tag(), before, overrides);
            // The change may have been undone, or may concern none of the methods: then calls need
            // not look.
            if before != 0
                && !overrides
                && interp.keeps(class)
                && is_unmodified(interp, class, info)?
                && class_version(class) == before
            {
                note_unchanged_class(interp.tag(), &raw mut (*class).tp_version_tag, before);
            }
        }
        Ok(overrides)
    }
}

pub(super) unsafe extern "C" fn call_method(
    context: *mut c_void,
    object: *const Header,
    name: *const u8,
    len: usize,
    arguments: *const Arguments,
    out: *mut RawAny,
) -> bool {
    // SAFETY: as the table's contract says: a living object, a text, the caller's arguments and
    // place.
    unsafe {
        let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
        let result = run_attached(context, || {
            let object = &*object;
            let wrapper = match wrapper_in_context(context, object) {
                // The wrapper of an object that native code keeps may have been given back since
                // its class was asked.
                wrapper if wrapper.is_null() && may_get_wrapper(context, object) => {
                    fetch(ErasedBorrow::from_header(NonNull::from(object)))?
                }
                wrapper if wrapper.is_null() => {
                    return Err(Error::runtime_error("the object has lost its Python self"));
                }
                wrapper => Owned::from_borrowed(wrapper),
            };
            call_method_of(wrapper.as_ptr(), name, (*arguments).values())
        });
        write_result(result.map(Some), out)
    }
}

/// `wrapper.name(*arguments)`
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn call_method_of(wrapper: *mut py::PyObject, name: &str, arguments: &[Any]) -> Result<Any, Error> {
    let name = intern_text(name)?;
    let mut all = Vec::new();
    all.try_reserve_exact(1 + arguments.len())?;
    // SAFETY: attached; the native object keeps its wrapper; new references or null; an owned
    // reference has the layout of a pointer.
    all.push(unsafe { Owned::from_borrowed(wrapper) });
    for argument in arguments {
        all.push(PySink.write_any(argument)?);
    }
    // SAFETY: attached; the native object keeps its wrapper; new references or null; an owned
    // reference has the layout of a pointer.
    unsafe {
        let result = owned_or_error(running::PyObject_VectorcallMethod(
            name.as_ptr(),
            all.as_ptr().cast(),
            all.len(),
            std::ptr::null_mut(),
        ))?;
        PySource::new(result.as_ptr()).read_any().map_err(raised_error)
    }
}
