//! Python's operations on values of any kind, for native code that drives Python: attributes,
//! items, methods, iteration, imports.
//!
//! Each attaches the calling thread to the interpreter of the object if it is not attached, so that
//! they work on any thread. A value that is no Python object yet (a number, a native object without
//! wrapper) becomes one first, for which the thread must be attached.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::frontend_of;
use pairbond_value::convert::{Sink, Source};
use pairbond_value::value::{Any, Foreign};
use pyo3_ffi as py;

use crate::convert::{PySink, PySource, from_text};
use crate::errors::take;
use crate::errors::{check_status, owned_or_error};
use crate::ffi::attached_interpreter;
use crate::owned::Owned;
use crate::{interp, running};

/// Runs `act` attached to the interpreter that `value` belongs to; where it belongs to none, to the
/// one that the thread is attached to.
fn with_attached<R>(value: Option<&Any>, act: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    if let Some(Any::Foreign(object)) = value
        && object.tag() != interp_tag()
    {
        let frontend = frontend_of(object.tag());
        let entered = frontend.enter().ok_or_else(|| {
            let message = "the Python object's interpreter is closed, or is another than the one that this thread is attached to";
            Error::new(ErrorKind::Closed, message)
        })?;
        let result = act();
        frontend.leave(entered);
        return result;
    }
    if attached_interpreter().is_null() {
        return Err(Error::runtime_error(
            "this thread is not attached to a Python interpreter: only an object that came from Python knows its own",
        ));
    }
    act()
}

fn interp_tag() -> u16 {
    if attached_interpreter().is_null() {
        0
    } else {
        interp::tag()
    }
}

/// Runs `act` attached, with the Python object of a value.
fn with_object<R>(value: &Any, act: impl FnOnce(&Owned) -> Result<R, Error>) -> Result<R, Error> {
    with_attached(Some(value), || act(&PySink.write_any(value)?))
}

/// Returns the value of a new reference, or the exception that was set instead.
///
/// # Safety
/// The thread is attached; `object` is a new reference that is given away, or null with an
/// exception set.
unsafe fn take_value(object: *mut py::PyObject) -> Result<Any, Error> {
    // SAFETY: the thread is attached; `object` is a new reference that is given away, or null with
    // an exception set: the caller ensures it. The object is alive while it is read.
    let object = unsafe { owned_or_error(object) }?;
    // SAFETY: attached; the object is alive while it is read.
    unsafe { PySource::new(object.as_ptr()) }
        .read_any()
        .map_err(|mismatch| {
            mismatch.into_error(
                || "a Python value".into(),
                "any object",
                || "one that cannot be read".into(),
            )
        })
}

/// Imports a module.
///
/// # Errors
/// What importing raises; the thread is not attached.
pub fn import(name: &str) -> Result<Any, Error> {
    with_attached(None, || {
        let name = from_text(name)?;
        // SAFETY: attached; a new reference or null.
        unsafe { take_value(running::PyImport_Import(name.as_ptr())) }
    })
}

/// Returns an attribute.
///
/// # Errors
/// `AttributeError`, and what computing the attribute raises.
pub fn get_attr(object: &Any, name: &str) -> Result<Any, Error> {
    // SAFETY: `get_attr_by` passes living objects, on an attached thread.
    get_attr_by(object, name, |object, name| unsafe {
        running::PyObject_GetAttr(object, name)
    })
}

/// Returns an attribute as objects have them that define nothing of their own
/// (`object.__getattribute__`).
///
/// # Errors
/// `AttributeError`, and what computing the attribute raises.
pub fn get_attr_generic(object: &Any, name: &str) -> Result<Any, Error> {
    // SAFETY: `get_attr_by` passes living objects, on an attached thread.
    get_attr_by(object, name, |object, name| unsafe {
        py::PyObject_GenericGetAttr(object, name)
    })
}

/// Sets an attribute, or deletes it.
///
/// # Errors
/// What setting or deleting raises.
pub fn set_attr(object: &Any, name: &str, value: Option<&Any>) -> Result<(), Error> {
    // SAFETY: `set_attr_by` passes living objects, on an attached thread; a null value deletes.
    set_attr_by(object, name, value, |object, name, value| unsafe {
        running::PyObject_SetAttr(object, name, value)
    })
}

/// Sets or deletes an attribute as objects have them that define nothing of their own
/// (`object.__setattr__`).
///
/// # Errors
/// `AttributeError`, and what setting the attribute raises.
pub fn set_attr_generic(object: &Any, name: &str, value: Option<&Any>) -> Result<(), Error> {
    // SAFETY: `set_attr_by` passes living objects, on an attached thread; a null value deletes.
    set_attr_by(object, name, value, |object, name, value| unsafe {
        py::PyObject_GenericSetAttr(object, name, value)
    })
}

/// Reads an attribute with one of CPython's functions, which returns a new reference, or null with
/// an exception set.
fn get_attr_by(
    object: &Any,
    name: &str,
    get: impl FnOnce(*mut py::PyObject, *mut py::PyObject) -> *mut py::PyObject,
) -> Result<Any, Error> {
    with_object(object, |object| {
        let name = from_text(name)?;
        // SAFETY: attached; the function's result.
        unsafe { take_value(get(object.as_ptr(), name.as_ptr())) }
    })
}

/// Sets or deletes an attribute with one of CPython's functions, which returns 0, or -1 with an
/// exception set.
fn set_attr_by(
    object: &Any,
    name: &str,
    value: Option<&Any>,
    set: impl FnOnce(*mut py::PyObject, *mut py::PyObject, *mut py::PyObject) -> std::ffi::c_int,
) -> Result<(), Error> {
    with_object(object, |object| {
        let name = from_text(name)?;
        let value = value.map(|it| PySink.write_any(it)).transpose()?;
        let value = value.as_ref().map_or(std::ptr::null_mut(), Owned::as_ptr);
        check_status(set(object.as_ptr(), name.as_ptr(), value))
    })
}

/// Calls an object; the last arguments have `names`.
///
/// # Errors
/// It is not callable; the exception that it raises.
pub fn call(object: &Any, arguments: &[Any], names: &[&str]) -> Result<Any, Error> {
    with_object(object, |object| {
        let tag = interp::tag();
        // SAFETY: attached to the interpreter with that tag; a counted reference, given away.
        let callable = unsafe { Foreign::from_raw(tag, object.clone().into_ptr().cast()) };
        callable.call_with(arguments, names)
    })
}

/// Returns the item of a key or index.
///
/// # Errors
/// `KeyError`, `IndexError` or `TypeError`, as the object raises it.
pub fn get_item(object: &Any, key: &Any) -> Result<Any, Error> {
    with_object(object, |object| {
        let key = PySink.write_any(key)?;
        // SAFETY: attached; living objects; a new reference or null.
        unsafe { take_value(running::PyObject_GetItem(object.as_ptr(), key.as_ptr())) }
    })
}

/// Sets the item of a key or index, or deletes it.
///
/// # Errors
/// What the object raises.
pub fn set_item(object: &Any, key: &Any, value: Option<&Any>) -> Result<(), Error> {
    with_object(object, |object| {
        let key = PySink.write_any(key)?;
        let value = value.map(|it| PySink.write_any(it)).transpose()?;
        // SAFETY: attached; living objects.
        check_status(unsafe {
            match &value {
                Some(value) => running::PyObject_SetItem(object.as_ptr(), key.as_ptr(), value.as_ptr()),
                None => running::PyObject_DelItem(object.as_ptr(), key.as_ptr()),
            }
        })
    })
}

/// Returns `len(object)`.
///
/// # Errors
/// `TypeError` if it has none.
pub fn len(object: &Any) -> Result<usize, Error> {
    with_object(object, |object| {
        // SAFETY: attached; a living object.
        let len = unsafe { running::PyObject_Size(object.as_ptr()) };
        usize::try_from(len).map_err(|_| take())
    })
}

/// Returns `str(object)`.
///
/// # Errors
/// What the object's `__str__` raises.
pub fn text(object: &Any) -> Result<String, Error> {
    with_object(object, |object| {
        // SAFETY: attached; a living object; a new reference or null.
        let text = unsafe { owned_or_error(running::PyObject_Str(object.as_ptr()))? };
        Ok(crate::errors::text_of(&text).unwrap_or_default())
    })
}

/// Whether the object is an instance of a class, or of one of a tuple of classes.
///
/// # Errors
/// `class` is neither; what a class's `__instancecheck__` raises.
pub fn is_instance(object: &Any, class: &Any) -> Result<bool, Error> {
    with_object(object, |object| {
        let class = PySink.write_any(class)?;
        // SAFETY: attached; living objects.
        match unsafe { running::PyObject_IsInstance(object.as_ptr(), class.as_ptr()) } {
            -1 => Err(take()),
            is => Ok(is != 0),
        }
    })
}

/// Returns `iter(object)`.
///
/// # Errors
/// `TypeError` if it cannot be iterated.
pub fn iterate(object: &Any) -> Result<Any, Error> {
    with_object(object, |object| {
        // SAFETY: attached; a living object; a new reference or null.
        unsafe { take_value(running::PyObject_GetIter(object.as_ptr())) }
    })
}

/// Returns the next value of an iterator; `None` at its end.
///
/// # Errors
/// What the iterator raises.
pub fn next(iterator: &Any) -> Result<Option<Any>, Error> {
    with_object(iterator, |iterator| {
        // SAFETY: attached; a living object; a new reference, or null with or without an exception.
        unsafe {
            let next = running::PyIter_Next(iterator.as_ptr());
            if next.is_null() && !crate::errors::is_set() {
                return Ok(None);
            }
            take_value(next).map(Some)
        }
    })
}
