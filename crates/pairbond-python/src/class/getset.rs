//! Attributes.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{Borrow, ErasedBorrow, Object, check_node, read_unless_erased};
use pairbond_value::class::{Callable, Getter, Setter};
use pairbond_value::convert::{Mismatch, Source};
use pyo3_ffi as py;

use crate::convert::{PySink, PySource};
use crate::errors::{finish_call, finish_status};
use crate::wrapper::Wrapper;

pub(super) unsafe extern "C" fn field_get<G: Getter>(
    object: *mut py::PyObject,
    _: *mut c_void,
) -> *mut py::PyObject {
    finish_call(|| {
        let owner = owner_of::<G>(object)?;
        read_unless_erased(owner.get(), owner.header(), || G::get(owner, PySink))?
    })
}

/// Of an attribute of the class: the callable takes nothing.
pub(super) unsafe extern "C" fn get_of_class<M: Callable>(
    class: *mut py::PyObject,
    _: *mut c_void,
) -> *mut py::PyObject {
    // SAFETY: called by CPython, attached, with a living class.
    unsafe { crate::call::noargs::<M>(class, std::ptr::null_mut()) }
}

pub(super) unsafe extern "C" fn field_set<S: Setter>(
    object: *mut py::PyObject,
    value: *mut py::PyObject,
    _: *mut c_void,
) -> c_int {
    finish_status(|| {
        let owner = owner_of::<S>(object)?;
        if value.is_null() {
            return Err(no_deletion(<S::Owner as Object>::KEY, S::NAME));
        }
        // SAFETY: the value is alive during the call.
        S::set(owner, unsafe { PySource::new(value) })?;
        Ok(0)
    })
}

/// The native object. CPython has checked the class of the wrapper, but `__class__` can be
/// assigned.
#[inline(always)]
fn owner_of<'a, G: Getter>(object: *mut py::PyObject) -> Result<Borrow<'a, G::Owner>, Error> {
    // SAFETY: alive during the call, and a wrapper: CPython checks the class before it calls a
    // descriptor's function.
    let source = unsafe {
        if let Some(native) = NonNull::new((*object.cast::<Wrapper>()).native)
            && let Some(owner) = ErasedBorrow::from_header(native).downcast::<G::Owner>()
        {
            check_node(owner.get(), owner.header())?;
            return Ok(owner);
        }
        PySource::<'a>::new(object)
    };
    match source.read_object() {
        Ok(_) => Err(wrong_owner_error(source, <G::Owner as Object>::KEY, G::NAME)),
        Err(Mismatch::Raised(error)) => Err(error),
        Err(_) => Err(wrong_owner_error(source, <G::Owner as Object>::KEY, G::NAME)),
    }
}

#[cold]
pub(super) fn wrong_owner_error(source: PySource<'_>, key: &str, name: &str) -> Error {
    Error::type_error(format!(
        "attribute '{name}' is of {key} objects, not of {}",
        source.describe()
    ))
}

#[cold]
pub(super) fn no_deletion(key: &str, name: &str) -> Error {
    Error::new(
        ErrorKind::Attribute,
        format!("attribute '{name}' of {key} objects cannot be deleted"),
    )
}
