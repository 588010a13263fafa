//! Methods of native types that Python classes override, and Python's containers for Rust to look
//! into: functions that the core calls.

use std::collections::HashSet;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use pairbond_core::class::{FUNCTION_METHOD, Overridable};
use pairbond_core::convert::{Mismatch, Part, Request, Sink, Source};
use pairbond_core::error::Error;
use pairbond_core::frontend::{Arguments, Overrides};
use pairbond_core::object::{ErasedBorrow, Header};
use pairbond_core::types::{TypeInfo, note_unchanged_class, record_class};
use pairbond_core::value::{Any, List};
use pyo3_ffi as py;

use super::Interp;
use super::table::{attached, interp};
use crate::convert::{PySink, PySource, from_text, owned, parts as library};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{fetch, is_exact};

/// Leaves a failure where the core finds it.
///
/// # Safety
/// The caller's place for a result.
unsafe fn fail(error: Error, out: *mut Any) {
    // SAFETY: the caller's place for a result: the caller ensures it.
    unsafe { out.write(Any::Error(std::sync::Arc::new(error))) }
}

/// Leaves a value, nothing or a failure where the core finds it. Returns whether there is a value.
///
/// # Safety
/// The caller's place for a result, which has a value.
unsafe fn deliver(result: Result<Option<Any>, Error>, out: *mut Any) -> bool {
    match result {
        Ok(Some(value)) => {
            // SAFETY: the caller's place for a result.
            unsafe { out.write(value) };
            true
        }
        Ok(None) => false,
        Err(error) => {
            // SAFETY: the caller's place for a result.
            unsafe { fail(error, out) };
            false
        }
    }
}

/// The wrapper that the object has in this interpreter, or null.
fn wrapper(context: *mut c_void, object: &Header) -> *mut py::PyObject {
    let pair = object.custody().pair();
    if pair.tag() == interp(context).tag() {
        pair.wrapper().cast()
    } else {
        std::ptr::null_mut()
    }
}

pub(super) unsafe extern "C" fn overrides(
    context: *mut c_void,
    object: *const Header,
    method: *const Overridable,
    out: *mut Any,
) -> Overrides {
    // SAFETY: as the table's contract says: a living object, a method, the caller's place.
    unsafe {
        let (object, method) = (&*object, &*method);
        let answer = attached(context, || {
            let wrapper = wrapper(context, object);
            if !wrapper.is_null() {
                return look(context, py::Py_TYPE(wrapper), method);
            }
            if !may_get_wrapper(context, object) {
                // Cut off meanwhile.
                return Ok(false);
            }
            let overrides = look(context, interp(context).class_of(object.info()), method)?;
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
                fail(error, out);
                Overrides::Failed
            }
        }
    }
}

/// Whether an object that has no wrapper is to get one for the sake of its class's methods.
fn may_get_wrapper(context: *mut c_void, object: &Header) -> bool {
    let pair = object.custody().pair();
    let tag = interp(context).tag();
    (pair.tag() == 0 || pair.tag() == tag) && !object.info().has_unchanged_class_in(tag)
}

/// Whether a class has another method of that name than the native type; remembered with the
/// class's version.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn look(
    context: *mut c_void,
    class: *mut py::PyTypeObject,
    method: &Overridable,
) -> Result<bool, Error> {
    let interp = interp(context);
    // SAFETY: attached; living classes. The version is given to a class when something is looked up
    // in it.
    unsafe {
        let name = interned(method.name())?;
        let owner = interp.class_of(method.owner());
        drop(attribute(class.cast(), &name)?);
        let before = version(class);
        let found = attribute(class.cast(), &name)?;
        let native = definition(if is_exact(class) { class } else { owner }, method.name());
        let overrides = match (found, native) {
            (Some(found), Some(native)) => !is_method(&found, native),
            (None, None) => false,
            (None, Some(_)) => true,
            // No class of a library takes functions over. What is no method of a definition is the
            // class's own (of an enumeration).
            (Some(found), None) => {
                method.name() == FUNCTION_METHOD
                    || attribute(owner.cast(), &name)?.map(|it| it.as_ptr()) != Some(found.as_ptr())
            }
        };
        if version(class) == before {
            method.remember(interp.tag(), before, overrides);
            // What was changed may have been changed back, or may be none of the methods: then
            // calls need not look.
            if before != 0
                && !overrides
                && interp.keeps(class)
                && is_as_made(class)?
                && version(class) == before
            {
                note_unchanged_class(interp.tag(), &raw mut (*class).tp_version_tag, before);
            }
        }
        Ok(overrides)
    }
}

/// Records an interpreter's class of a type, for overridable methods.
///
/// # Safety
/// Attached to the interpreter, which keeps the class: it is registered for the type.
pub(super) unsafe fn record(interp: &Interp, info: &'static TypeInfo, class: *mut py::PyTypeObject) {
    // SAFETY: attached; a living class. The interpreter keeps it until it forgets it, and observes
    // what that says.
    unsafe {
        // CPython gives a class its version when something is looked up in it. What follows needs
        // no exception, and reports none.
        let found = Owned::from_new(running::PyObject_GetAttrString(
            class.cast(),
            c"__init__".as_ptr(),
        ));
        let before = version(class);
        let is_base_unchanged = || (info.base()).is_none_or(|base| base.has_unchanged_class_in(interp.tag()));
        let unchanged = found.is_some()
            && ((is_exact(class) && is_base_unchanged()) || is_as_made(class).unwrap_or(false))
            && version(class) == before;
        py::PyErr_Clear();
        record_class(
            interp.tag(),
            info,
            &raw mut (*class).tp_version_tag,
            unchanged.then_some(before),
            &|other| std::ptr::eq(interp.class_of(other), class),
        );
    }
}

/// Whether a class has each method that the native types have which it stands for and extends, and
/// takes no functions over.
///
/// # Safety
/// The calling thread is attached, and the caller keeps the objects alive.
unsafe fn is_as_made(class: *mut py::PyTypeObject) -> Result<bool, Error> {
    // SAFETY: attached; a living class, whose bases live as long.
    unsafe {
        let mut seen = HashSet::new();
        let mut at = class;
        while !at.is_null() {
            for method in methods(at) {
                let name = CStr::from_ptr(method.ml_name);
                let is_bound_otherwise = method.ml_flags & (py::METH_STATIC | py::METH_CLASS) != 0;
                if !seen.insert(name) || is_bound_otherwise {
                    continue;
                }
                let found = attribute(class.cast(), &interned(&name.to_string_lossy())?)?;
                if !found.is_some_and(|found| is_method(&found, method)) {
                    return Ok(false);
                }
            }
            at = (*at).tp_base;
        }
        Ok(attribute(class.cast(), &interned(FUNCTION_METHOD)?)?.is_none())
    }
}

/// The definitions of methods of a class that a library made; others have none.
///
/// # Safety
/// A living class.
unsafe fn methods(class: *mut py::PyTypeObject) -> impl Iterator<Item = &'static py::PyMethodDef> {
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
unsafe fn definition(mut class: *mut py::PyTypeObject, name: &str) -> Option<&'static py::PyMethodDef> {
    // SAFETY: attached; a living class, whose bases live as long.
    unsafe {
        while !class.is_null() {
            let found = methods(class).find(|it| CStr::from_ptr(it.ml_name).to_bytes() == name.as_bytes());
            if found.is_some() {
                return found;
            }
            class = (*class).tp_base;
        }
        None
    }
}

/// Whether an attribute of a class is the method with that definition.
///
/// # Safety
/// The calling thread is attached, and the caller keeps the objects alive.
unsafe fn is_method(found: &Owned, definition: &py::PyMethodDef) -> bool {
    // SAFETY: a living object, looked into when it is of the class whose objects begin like that.
    unsafe {
        std::ptr::eq(py::Py_TYPE(found.as_ptr()), &raw mut py::PyMethodDescr_Type)
            && std::ptr::eq(
                (*found.as_ptr().cast::<crate::ffi::MethodDescriptor>()).method,
                definition,
            )
    }
}

/// A string that is compared by address.
fn interned(text: &str) -> Result<Owned, Error> {
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
unsafe fn version(class: *mut py::PyTypeObject) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { AtomicU32::from_ptr(&raw mut (*class).tp_version_tag) }.load(Ordering::Acquire)
}

/// An attribute of a class, if it has it.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn attribute(class: *mut py::PyObject, name: &Owned) -> Result<Option<Owned>, Error> {
    // SAFETY: attached; a living class; a new reference or null with an exception.
    unsafe {
        let found = Owned::from_new(running::PyObject_GetAttr(class, name.as_ptr()));
        if found.is_none() {
            if py::PyErr_ExceptionMatches(py::PyExc_AttributeError) == 0 {
                return Err(crate::errors::take());
            }
            py::PyErr_Clear();
        }
        Ok(found)
    }
}

pub(super) unsafe extern "C" fn call_method(
    context: *mut c_void,
    object: *const Header,
    name: *const u8,
    len: usize,
    arguments: *const Arguments,
    out: *mut Any,
) -> bool {
    // SAFETY: as the table's contract says: a living object, a text, the caller's arguments and
    // place.
    unsafe {
        let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
        let result = attached(context, || {
            let object = &*object;
            let wrapper = match wrapper(context, object) {
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
            method(wrapper.as_ptr(), name, (*arguments).values())
        });
        deliver(result.map(Some), out)
    }
}

/// `wrapper.name(*arguments)`
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn method(wrapper: *mut py::PyObject, name: &str, arguments: &[Any]) -> Result<Any, Error> {
    // SAFETY: attached; the native object keeps its wrapper; new references or null; an owned
    // reference has the layout of a pointer.
    unsafe {
        let name = interned(name)?;
        let mut all = Vec::new();
        all.try_reserve_exact(1 + arguments.len())?;
        all.push(Owned::from_borrowed(wrapper));
        for argument in arguments {
            all.push(PySink.any(argument)?);
        }
        let result = owned(running::PyObject_VectorcallMethod(
            name.as_ptr(),
            all.as_ptr().cast(),
            all.len(),
            std::ptr::null_mut(),
        ))?;
        PySource::new(result.as_ptr()).any().map_err(raised)
    }
}

fn raised(mismatch: Mismatch) -> Error {
    mismatch.explain(
        || "the result of a Python method".into(),
        "any object",
        || "another".into(),
    )
}

pub(super) unsafe extern "C" fn unfold(
    context: *mut c_void,
    object: *mut c_void,
    mapping: bool,
    out: *mut Any,
) -> bool {
    // SAFETY: as the table's contract says: a living object of this interpreter, the caller's
    // place.
    unsafe {
        let result = attached(context, || {
            let source = PySource::new(object.cast());
            let mut all = Vec::new();
            let done = if mapping {
                source.mapping(|key, value| {
                    all.push(key.any()?);
                    all.push(value.any()?);
                    Ok(())
                })
            } else {
                source
                    .sequence(|_, item| {
                        all.push(item.any()?);
                        Ok(())
                    })
                    .map(drop)
            };
            found(done.map(|()| all))
        });
        deliver(result.map(as_list), out)
    }
}

fn as_list(all: Option<Vec<Any>>) -> Option<Any> {
    all.map(|all| Any::from(all.into_iter().collect::<List<Any>>()))
}

/// `None` for an object of another type.
fn found(read: Result<Vec<Any>, Mismatch>) -> Result<Option<Vec<Any>>, Error> {
    match read {
        Ok(all) => Ok(Some(all)),
        Err(Mismatch::Type) => Ok(None),
        Err(other) => Err(raised(other)),
    }
}

pub(super) unsafe extern "C" fn parts(
    context: *mut c_void,
    object: *mut c_void,
    request: *const Request<'_>,
    out: *mut Any,
) -> bool {
    // SAFETY: as the table's contract says: a living object of this interpreter, a request, the
    // caller's place.
    unsafe {
        let request = &*request;
        let read = || found(library::read(object.cast(), request.class, request.names));
        deliver(attached(context, read).map(as_list), out)
    }
}

pub(super) unsafe extern "C" fn construct(
    context: *mut c_void,
    value: *const Part<'_>,
    out: *mut Any,
) -> bool {
    // SAFETY: as the table's contract says: a value for the time of the call, the caller's place;
    // the object is alive while it is read.
    unsafe {
        let made = attached(context, || {
            let made = library::make(&*value)?;
            PySource::new(made.as_ptr()).any().map_err(raised)
        });
        deliver(made.map(Some), out)
    }
}
