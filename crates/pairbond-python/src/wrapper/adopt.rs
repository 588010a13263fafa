//! A wrapper that was made before its object, by code that copies or loads one.

use std::sync::atomic::{AtomicPtr, Ordering};

use pairbond_core::error::Error;
use pairbond_core::object::{ErasedBorrow, Header, Pair};
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use super::birth::{deciding_class, is_exact};
use super::make::publish_wrapper;
use super::{Wrapper, moved};
use crate::ffi::enable_try_incref;
use crate::interp::Interp;
use crate::wrapper::is_tracked_from_birth;

/// Attaches an empty wrapper to an object that has none. `type_of_class`
/// finds the type of a class that was defined in Python.
///
/// # Errors
/// The wrapper has an object, or is of a class of another native type; the object has a wrapper, or
/// belongs to another interpreter.
///
/// # Safety
/// Attached; a living wrapper, and an object to which a native reference is held.
pub(crate) unsafe fn adopt_object(
    wrapper: *mut py::PyObject,
    object: ErasedBorrow<'_>,
    type_of_class: unsafe fn(*mut py::PyTypeObject) -> Option<&'static TypeInfo>,
) -> Result<(), Error> {
    let (interp, header) = (Interp::current()?, object.header());
    // SAFETY: attached; a living wrapper, which keeps its class.
    let (class, is_class) = unsafe {
        let class = py::Py_TYPE(wrapper);
        let is_class = deciding_class(class) == interp.class_of(header.info())
            || type_of_class(class).is_some_and(|info| std::ptr::eq(info, header.info()));
        (class, is_class)
    };
    if !is_class {
        return Err(Error::type_error(format!(
            "a {} cannot stand for a {}",
            // SAFETY: a living class.
            unsafe { crate::ffi::type_name(class) },
            header.info().key()
        )));
    }
    // SAFETY: a living wrapper. The field is used atomically because another thread may give the
    // wrapper an object, too.
    let field = unsafe { AtomicPtr::from_ptr(&raw mut (*wrapper.cast::<Wrapper>()).native) };
    // SAFETY: a living wrapper.
    if !field.load(Ordering::Acquire).is_null() || unsafe { moved::is_moved(wrapper) } {
        return Err(Error::type_error(
            "the self that is to be given stands for an object already",
        ));
    }
    let custody = header.custody();
    if custody.claim_for(interp.tag()).is_err() || !custody.pair().wrapper().is_null() {
        return Err(taken_error(header));
    }
    // SAFETY: attached; a living wrapper.
    unsafe { enable_try_incref(wrapper) };
    let native = std::ptr::from_ref(header).cast_mut();
    if field
        .compare_exchange(std::ptr::null_mut(), native, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        return Err(Error::type_error(
            "the self that is to be given stands for an object already",
        ));
    }
    let mut pair = Pair::new(interp.tag(), wrapper.cast());
    // SAFETY: a living class.
    if !unsafe { is_exact(class) } {
        pair = pair.with_overriding();
    }
    // SAFETY: attached; a living wrapper. The object's own reference, which is given up again if it
    // has got another wrapper meanwhile; otherwise the two are a pair from here on.
    unsafe {
        py::Py_INCREF(wrapper);
        if custody.publish_wrapper(pair).is_err() {
            field.store(std::ptr::null_mut(), Ordering::Release);
            py::Py_DECREF(wrapper);
            return Err(taken_error(header));
        }
        publish_wrapper(interp, wrapper, header, false);
        if is_tracked_from_birth(header.info()) {
            crate::wrapper::track_wrapper(wrapper);
        }
        if pair.may_override() && header.info().is_node() {
            super::repr::guard_repr(class);
        }
    }
    Ok(())
}

#[cold]
fn taken_error(object: &Header) -> Error {
    Error::value_error(format!("this {} has a self already", object.info().key()))
}
