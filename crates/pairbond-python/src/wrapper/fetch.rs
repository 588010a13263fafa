//! Native object → wrapper.
//!
//! The fast path is two loads, two compares and a reference count: no call, no lock, alike whether
//! the wrapper was used a moment ago or lay dormant for long.

use pairbond_core::error::Error;
use pairbond_core::event::{Kind, notify_object_event};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Given, Object, Ref};
use pyo3_ffi as py;

use crate::interp::api::api;
use crate::interp::{self, Interp};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::birth::{is_exact, make_pair};

/// Returns the wrapper of a native object that the caller keeps alive: a new reference.
///
/// # Errors
/// The object belongs to another interpreter, or there is no memory for a wrapper.
#[inline]
pub fn fetch(object: ErasedBorrow<'_>) -> Result<Owned, Error> {
    match existing_wrapper(object) {
        Some(wrapper) => Ok(wrapper),
        None => fetch_slow(object),
    }
}

/// The wrapper of a native object, if it has one of this interpreter: a new reference.
#[inline]
pub fn existing_wrapper(object: ErasedBorrow<'_>) -> Option<Owned> {
    let pair = object.header().custody().pair();
    let wrapper = pair.wrapper().cast::<py::PyObject>();
    if wrapper.is_null() || pair.tag() != interp::tag() {
        return None;
    }
    // SAFETY: the object owns a reference to its wrapper, so that lives; attached, and the wrapper
    // is our interpreter's.
    Some(unsafe { Owned::from_borrowed(wrapper) })
}

#[cold]
#[inline(never)]
fn fetch_slow(object: ErasedBorrow<'_>) -> Result<Owned, Error> {
    let interp = Interp::current()?;
    // SAFETY: attached to `interp`; the object is alive.
    unsafe { Owned::from_new((api().make_wrapper)(interp, object.as_ptr().as_ptr())) }
        .ok_or_else(crate::errors::take)
}

/// The wrapper of a native object that is given away. When it was the last native reference, the
/// object's own reference to its wrapper is handed out, and nothing else happens.
///
/// # Errors
/// As [`fetch`]; the reference is dropped then.
#[inline]
pub fn give(object: ErasedRef) -> Result<Owned, Error> {
    let pair = object.header().custody().pair();
    if !pair.wrapper().is_null() && pair.tag() == interp::tag() {
        if let Given::Wrapper(pair) = object.header().custody().give_to_wrapper() {
            notify_object_event(Kind::HandedOver, object.header(), pair.tag());
            // The wrapper owns the object now; our reference became its.
            let _ = object.into_raw();
            // SAFETY: the object's counted reference to its wrapper is ours.
            return Ok(unsafe {
                Owned::from_new(pair.wrapper().cast()).expect("a pair in custody has a wrapper")
            });
        }
        return fetch(object.as_borrow());
    }
    give_slow(object)
}

#[cold]
#[inline(never)]
fn give_slow(object: ErasedRef) -> Result<Owned, Error> {
    let interp = Interp::current()?;
    // SAFETY: attached to `interp`; the reference is given away.
    unsafe { Owned::from_new((api().give_wrapper)(interp, object.into_raw().as_ptr())) }
        .ok_or_else(crate::errors::take)
}

/// Drops a native reference to an object whose wrapper is kept by the caller: if it was the last
/// one, the wrapper keeps the object from here on.
pub(super) fn hand_over(object: ErasedRef) {
    if let Given::Wrapper(pair) = object.header().custody().give_to_wrapper() {
        notify_object_event(Kind::HandedOver, object.header(), pair.tag());
        let _ = object.into_raw();
        // SAFETY: the object's counted reference to its wrapper is surplus: the caller has another.
        unsafe { running::decref(pair.wrapper().cast()) };
    }
}

/// A new object with its wrapper: as [`give`] of a reference to it, but the wrapper has custody
/// from birth.
///
/// # Errors
/// As [`fetch`].
#[inline]
pub fn give_new<T: Object + Send + Sync>(value: T) -> Result<Owned, Error> {
    // What wrappers of nodes are of may depend on the node.
    if T::NODE.is_none() {
        let class = Interp::current()?.class_of(T::info());
        // SAFETY: attached; the interpreter keeps the class. What a class statement made (an
        // enumeration) is not for us to allocate.
        unsafe {
            if is_exact(class) {
                return make_pair(class, || Ok(value));
            }
        }
    }
    give(Ref::try_new(value)?.into_erased())
}
