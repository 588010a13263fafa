//! Values of any kind, callables, and objects that stay Python's.

use std::ffi::c_void;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Extracted, Ref, Taken};
use pairbond_value::convert::Mismatch;
use pairbond_value::value::{
    Any, Bytes, Callback, DTypeBody, DeviceBody, Foreign, Function, FunctionBody, Str,
};
use pyo3_ffi as py;

use crate::owned::Owned;
use crate::running;
use crate::{interp, wrapper};

/// The native object of a wrapper, borrowed.
#[inline]
pub(super) fn read_object<'a>(object: *mut py::PyObject) -> Result<ErasedBorrow<'a>, Mismatch> {
    // SAFETY: attached; the caller's source keeps the object, and a wrapper its native object.
    match unsafe { wrapper::borrow(object) } {
        Some(native) => Ok(native),
        None => Err(no_native(object)),
    }
}

#[cold]
fn no_native(object: *mut py::PyObject) -> Mismatch {
    // SAFETY: attached; a living object.
    if unsafe { wrapper::is_wrapper(object) } {
        Mismatch::Raised(wrapper::uninitialized_error(object))
    } else {
        Mismatch::Type
    }
}

/// An owned reference to the native object of a living wrapper. The thread is attached, so the
/// wrapper can be retained here and now.
#[inline]
pub(super) fn owned_object(owner: *mut py::PyObject, object: ErasedBorrow<'_>) -> ErasedRef {
    let custody = object.header().custody();
    if let Extracted::RetainFirst(_) = custody.extract_native() {
        // SAFETY: attached; the wrapper is alive, and the reference becomes the native object's, or
        // is given back.
        unsafe {
            py::Py_INCREF(owner);
            match custody.take_custody() {
                Taken::Took => crate::interp::held_list::note_held(owner, object.header()),
                Taken::Surplus => running::decref(owner),
            }
        }
    }
    // SAFETY: a strong reference was counted, or came with custody.
    unsafe { ErasedRef::from_raw(object.as_ptr()) }
}

/// An opaque Python object.
pub(super) fn read_foreign(object: *mut py::PyObject) -> Result<Foreign, Mismatch> {
    let tag = interp::tag();
    if tag == 0 {
        return Err(Error::new(ErrorKind::Closed, "pairbond is not open in this interpreter").into());
    }
    // SAFETY: attached; a living object; the counted reference is given away.
    Ok(unsafe { Foreign::from_raw(tag, Owned::from_borrowed(object).into_ptr().cast::<c_void>()) })
}

/// A callable: a function that is native already, or any other object that can be called.
pub(super) fn read_function(object: *mut py::PyObject) -> Result<Function, Mismatch> {
    // SAFETY: attached; a living object.
    if unsafe { py::Py_TYPE(object) } == &raw mut py::PyFunction_Type {
        return Ok(Function::from_foreign(read_foreign(object)?));
    }
    // SAFETY: attached; a living object.
    if let Some(native) = unsafe { wrapper::borrow(object) }
        && native.is::<FunctionBody>()
    {
        return Ok(as_function(object, native));
    }
    // SAFETY: attached; a living object.
    if unsafe { py::PyCallable_Check(object) } == 0 {
        return Err(Mismatch::Type);
    }
    Ok(Function::from_foreign(read_foreign(object)?))
}

/// As [`read_function`], of an argument that is called during the call.
#[inline]
pub(super) fn read_callback<'a>(object: *mut py::PyObject) -> Result<Callback<'a>, Mismatch> {
    let tag = interp::tag();
    // SAFETY: attached; a living object, which the caller's source keeps, and as long as the thread
    // is attached; other callables and threads of an interpreter that is not open take the long
    // way.
    unsafe {
        if tag != 0 && py::Py_TYPE(object) == &raw mut py::PyFunction_Type {
            let callable = std::ptr::NonNull::new_unchecked(object.cast());
            return Ok(Callback::from_lent(
                tag,
                callable,
                super::callables::call_attached,
            ));
        }
    }
    read_other_callback(object, tag)
}

fn read_other_callback<'a>(object: *mut py::PyObject, tag: u16) -> Result<Callback<'a>, Mismatch> {
    // SAFETY: attached; a living object, which the caller's source keeps as long as the thread is
    // attached.
    unsafe {
        let is_function = wrapper::borrow(object).is_some_and(|native| native.is::<FunctionBody>());
        if tag == 0 || is_function || py::PyCallable_Check(object) == 0 {
            return read_function(object).map(Callback::from);
        }
        let callable = std::ptr::NonNull::new_unchecked(object.cast());
        Ok(Callback::from_lent(
            tag,
            callable,
            super::callables::call_attached,
        ))
    }
}

fn as_function(object: *mut py::PyObject, native: ErasedBorrow<'_>) -> Function {
    // SAFETY: the caller has seen that it is a function.
    Function::from_ref(unsafe { Ref::from_raw(owned_object(object, native).into_raw()) })
}

/// The value of a native object: some classes stand for values that need no object.
fn native_any(object: *mut py::PyObject, native: ErasedBorrow<'_>) -> Any {
    if native.is::<FunctionBody>() {
        return Any::Function(as_function(object, native));
    }
    if !native.header().info().is_traced() {
        if let Some(dtype) = native.downcast::<DTypeBody>() {
            return Any::DType(dtype.get().value());
        }
        if let Some(device) = native.downcast::<DeviceBody>() {
            return Any::Device(device.get().value());
        }
    }
    Any::Object(owned_object(object, native))
}

/// Whether an object is a `float`, and no number. Runs no code, on any thread.
///
/// # Safety
/// A living object.
#[inline]
pub(crate) unsafe fn is_nan(object: *mut py::PyObject) -> bool {
    // SAFETY: a living object: the caller ensures it. A float never changes.
    unsafe { py::Py_TYPE(object) == &raw mut py::PyFloat_Type && py::PyFloat_AS_DOUBLE(object).is_nan() }
}

/// Whatever it is. Only objects of exactly the built-in types are copied; a subclass or a string
/// that is not UTF-8 comes back as the very same object, like all the rest.
pub(super) fn read_any(object: *mut py::PyObject) -> Result<Any, Mismatch> {
    // SAFETY: attached; a living object; the types are static.
    unsafe {
        if object == py::Py_None() {
            return Ok(Any::None);
        }
        let class = py::Py_TYPE(object);
        if class == &raw mut py::PyUnicode_Type {
            match super::text::read_str(object) {
                Ok(text) => return Ok(Any::Str(Str::from(text))),
                Err(Mismatch::Value(_)) => {}
                Err(other) => return Err(other),
            }
        } else if class == &raw mut py::PyLong_Type {
            match super::int::read_i64(object) {
                Ok(value) => return Ok(Any::Int(value)),
                Err(Mismatch::Overflow) => return super::int::read_big_int(object).map(Any::from),
                Err(other) => return Err(other),
            }
        } else if class == &raw mut py::PyFloat_Type {
            return Ok(Any::Float(py::PyFloat_AS_DOUBLE(object)));
        } else if class == &raw mut py::PyBool_Type {
            return Ok(Any::Bool(object == py::Py_True()));
        } else if class == &raw mut py::PyBytes_Type {
            return Ok(Any::Bytes(Bytes::from(super::text::read_bytes(object)?)));
        } else if let Some(native) = wrapper::borrow(object) {
            return Ok(native_any(object, native));
        }
    }
    read_foreign(object).map(Any::Foreign)
}
