//! Methods of native types that Python classes override, and Python's containers for Rust to look into: functions that the core calls.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use pairbond_core::class::Overridable;
use pairbond_core::convert::{Mismatch, Part, Request, Sink, Source};
use pairbond_core::error::Error;
use pairbond_core::frontend::{Arguments, Overrides};
use pairbond_core::object::Header;
use pairbond_core::value::{Any, List};
use pyo3_ffi as py;

use super::table::{attached, interp};
use crate::convert::{PySink, PySource, from_text, owned, parts as library};
use crate::owned::Owned;
use crate::running;

/// Leaves a failure where the core finds it.
///
/// # Safety
/// The caller's place for a result.
unsafe fn fail(error: Error, out: *mut Any) {
    // SAFETY: the caller's place for a result: the caller ensures it.
    unsafe { out.write(Any::Error(std::sync::Arc::new(error))) }
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
            if wrapper.is_null() {
                // Cut off meanwhile.
                return Ok(false);
            }
            look(context, py::Py_TYPE(wrapper), method)
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

/// Whether a class has another method of that name than the native type's class; remembered with the class's version.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn look(
    context: *mut c_void,
    class: *mut py::PyTypeObject,
    method: &Overridable,
) -> Result<bool, Error> {
    let interp = interp(context);
    // SAFETY: attached; living classes. The version is given to a class when something is looked up in it.
    unsafe {
        let name = from_text(method.name())?;
        let mut name = name.into_ptr();
        py::PyUnicode_InternInPlace(&mut name);
        let name = Owned::from_new(name).expect("interned in place");
        let owner: *mut py::PyObject = interp.class_of(method.owner()).cast();
        let find = |class| attribute(class, &name);
        let native = find(owner)?;
        drop(find(class.cast())?);
        let before = version(class);
        let overrides = find(class.cast())?.as_ref().map(Owned::as_ptr) != native.as_ref().map(Owned::as_ptr);
        if version(class) == before {
            method.remember(interp.tag(), before, overrides);
        }
        Ok(overrides)
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
    // SAFETY: as the table's contract says: a living object, a text, the caller's arguments and place.
    unsafe {
        let name = std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len));
        let result = attached(context, || {
            let wrapper = wrapper(context, &*object);
            if wrapper.is_null() {
                return Err(Error::runtime_error("the object has lost its Python self"));
            }
            method(wrapper, name, (*arguments).values())
        });
        match result {
            Ok(value) => {
                out.write(value);
                true
            }
            Err(error) => {
                fail(error, out);
                false
            }
        }
    }
}

/// `wrapper.name(*arguments)`
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn method(wrapper: *mut py::PyObject, name: &str, arguments: &[Any]) -> Result<Any, Error> {
    // SAFETY: attached; the native object keeps its wrapper; new references or null; an owned reference has the layout of a pointer.
    unsafe {
        let mut name = from_text(name)?.into_ptr();
        py::PyUnicode_InternInPlace(&mut name);
        let name = Owned::from_new(name).expect("interned in place");
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
    // SAFETY: as the table's contract says: a living object of this interpreter, the caller's place.
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
        list(result, out)
    }
}

/// `None` for an object of another type.
fn found(read: Result<Vec<Any>, Mismatch>) -> Result<Option<Vec<Any>>, Error> {
    match read {
        Ok(all) => Ok(Some(all)),
        Err(Mismatch::Type) => Ok(None),
        Err(other) => Err(raised(other)),
    }
}

/// Leaves a list, nothing or a failure where the core finds it.
///
/// # Safety
/// The caller's place for a result, which has a value.
unsafe fn list(result: Result<Option<Vec<Any>>, Error>, out: *mut Any) -> bool {
    // SAFETY: promised.
    unsafe {
        match result {
            Ok(Some(all)) => {
                out.write(Any::from(all.into_iter().collect::<List<Any>>()));
                true
            }
            Ok(None) => false,
            Err(error) => {
                fail(error, out);
                false
            }
        }
    }
}

pub(super) unsafe extern "C" fn parts(
    context: *mut c_void,
    object: *mut c_void,
    request: *const Request<'_>,
    out: *mut Any,
) -> bool {
    // SAFETY: as the table's contract says: a living object of this interpreter, a request, the caller's place.
    unsafe {
        let request = &*request;
        let read = || found(library::read(object.cast(), request.class, request.names));
        list(attached(context, read), out)
    }
}

pub(super) unsafe extern "C" fn construct(
    context: *mut c_void,
    value: *const Part<'_>,
    out: *mut Any,
) -> bool {
    // SAFETY: as the table's contract says: a value for the time of the call, the caller's place; the object is alive while it is read.
    unsafe {
        let made = attached(context, || {
            let made = library::make(&*value)?;
            PySource::new(made.as_ptr()).any().map_err(raised)
        });
        match made {
            Ok(value) => {
                out.write(value);
                true
            }
            Err(error) => {
                fail(error, out);
                false
            }
        }
    }
}
