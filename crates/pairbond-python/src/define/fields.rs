//! Fields as attributes.

use std::ffi::{CStr, c_int, c_void};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::Header;
use pairbond_dynamic::Value;
use pairbond_value::convert::Sink;
use pyo3_ffi as py;

use super::convert;
use super::plan::Access;
use crate::containers::found_value;
use crate::convert::PySink;
use crate::errors::owned_or_error;
use crate::errors::{finish_call, finish_status};
use crate::owned::Owned;
use crate::wrapper::Wrapper;
use crate::wrapper::uninitialized_error;

/// The descriptor of a field.
///
/// # Safety
/// Attached; a living class, whose instances are wrappers.
pub(super) unsafe fn field_descriptor(
    class: *mut py::PyTypeObject,
    access: &'static Access,
) -> Result<Owned, Error> {
    // SAFETY: attached; a living class, whose instances are wrappers: the caller ensures it. The
    // field belongs to the class's plan, and lives as long as the class, which the descriptor
    // refers to.
    unsafe { owned_or_error(py::PyDescr_NewGetSet(class, access.definition())) }
}

/// Returns the definition of a descriptor, but for the field.
pub(super) fn field_definition(name: &CStr, doc: &CStr) -> py::PyGetSetDef {
    py::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(field_get),
        set: Some(field_set),
        doc: if doc.is_empty() {
            std::ptr::null()
        } else {
            doc.as_ptr()
        },
        closure: std::ptr::null_mut(),
    }
}

/// The native object. CPython has checked the class of the wrapper; several native classes can be
/// bases of one, and `__class__` can be assigned.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(always)]
unsafe fn object_of<'a>(wrapper: *mut py::PyObject, access: &Access) -> Result<&'a Header, Error> {
    // SAFETY: alive during the call, and a wrapper.
    if let Some(native) = unsafe { (*wrapper.cast::<Wrapper>()).native.as_ref() }
        && (std::ptr::eq(native.info(), access.info) || native.info().is_a(access.info))
    {
        return Ok(native);
    }
    // SAFETY: alive during the call, and a wrapper.
    Err(unsafe { no_object(wrapper, access) })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cold]
unsafe fn no_object(wrapper: *mut py::PyObject, access: &Access) -> Error {
    // SAFETY: a living wrapper.
    match unsafe { (*wrapper.cast::<Wrapper>()).native.as_ref() } {
        None => uninitialized_error(wrapper),
        Some(_) => Error::type_error(format!(
            "attribute '{}' is of {} objects, not of {}",
            access.field.name(),
            access.info.key(),
            crate::convert::short_description(wrapper)
        )),
    }
}

#[cold]
fn absent_field(access: &Access) -> Error {
    Error::new(
        ErrorKind::Attribute,
        format!("{}.{} has no value", access.info.key(), access.field.name()),
    )
}

enum Read {
    Simple(Value),
    Found(crate::containers::Found),
}

unsafe extern "C" fn field_get(wrapper: *mut py::PyObject, access: *mut c_void) -> *mut py::PyObject {
    // SAFETY: the closure of our own definition; alive during the call.
    finish_call(|| unsafe {
        let access = &*access.cast::<Access>();
        let object = object_of(wrapper, access)?;
        match access
            .field
            .read(object, Read::Simple, |any| Read::Found(found_value(any)))
        {
            Some(Read::Simple(Value::Float(float))) => PySink.write_f64(float),
            Some(Read::Simple(Value::Bool(bool))) => PySink.write_bool(bool),
            Some(Read::Simple(Value::Any(any))) => PySink.write_any(&any),
            Some(Read::Found(found)) => found.object(),
            None => Err(absent_field(access)),
        }
    })
}

unsafe extern "C" fn field_set(
    wrapper: *mut py::PyObject,
    value: *mut py::PyObject,
    access: *mut c_void,
) -> c_int {
    // SAFETY: the closure of our own definition; alive during the call.
    finish_status(|| unsafe {
        let access = &*access.cast::<Access>();
        if value.is_null() {
            return match access.field.write(object_of(wrapper, access)?, None) {
                true => Ok(0),
                false => Err(absent_field(access)),
            };
        }
        let object = object_of(wrapper, access)?;
        let value = convert::convert_field(access, value)?;
        access.field.write(object, Some(value));
        Ok(0)
    })
}
