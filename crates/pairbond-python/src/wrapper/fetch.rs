//! Native object → wrapper.
//!
//! The fast path is two loads, two compares and a reference count: no call, no lock, alike whether the wrapper was used a moment ago or lay dormant
//! for long.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::event::{Kind, happened};
use pairbond_core::frontend::frontend;
use pairbond_core::object::{ErasedBorrow, ErasedRef, Given, Header, Pair, Retagged};
use pyo3_ffi as py;

use crate::api::api;
use crate::ffi::enable_try_incref;
use crate::interp::{self, Interp};
use crate::owned::Owned;
use crate::wrapper::life::{TRACK_ALL, track_new};
use crate::wrapper::{Wrapper, allocate, held};

/// The wrapper of a native object that somebody else keeps alive: a new reference.
///
/// # Errors
/// The object belongs to another interpreter, or there is no memory for a wrapper.
#[inline]
pub fn fetch(object: ErasedBorrow<'_>) -> Result<Owned, Error> {
    match at_hand(object) {
        Some(wrapper) => Ok(wrapper),
        None => fetch_slow(object),
    }
}

/// The wrapper of a native object, if it has one of this interpreter: a new reference.
#[inline]
pub fn at_hand(object: ErasedBorrow<'_>) -> Option<Owned> {
    let pair = object.header().custody().pair();
    let wrapper = pair.wrapper().cast::<py::PyObject>();
    if wrapper.is_null() || pair.tag() != interp::tag() {
        return None;
    }
    // SAFETY: the object owns a reference to its wrapper, so that lives; attached, and the wrapper is our interpreter's.
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

/// The wrapper of a native object that is given away. When it was the last native reference, the object's own reference to its wrapper is handed
/// out, and nothing else happens.
///
/// # Errors
/// As [`fetch`]; the reference is dropped then.
#[inline]
pub fn give(object: ErasedRef) -> Result<Owned, Error> {
    let pair = object.header().custody().pair();
    if !pair.wrapper().is_null() && pair.tag() == interp::tag() {
        if let Given::Wrapper(pair) = object.header().custody().give() {
            happened(Kind::HandedOver, object.header(), pair.tag());
            // The wrapper owns the object now; what was our reference is its.
            let _ = object.into_raw();
            // SAFETY: the object's counted reference to its wrapper is ours.
            return Ok(unsafe {
                Owned::from_new(pair.wrapper().cast()).expect("a pair in custody has a wrapper")
            });
        }
        return fetch(object.as_borrow());
    }
    let wrapper = fetch_slow(object.as_borrow())?;
    // The wrapper keeps the object from here on.
    if let Given::Wrapper(pair) = object.header().custody().give() {
        happened(Kind::HandedOver, object.header(), pair.tag());
        let _ = object.into_raw();
        // SAFETY: the object's counted reference to its wrapper is surplus: `wrapper` is another.
        unsafe { py::Py_DECREF(pair.wrapper().cast()) };
    }
    Ok(wrapper)
}

/// See [`Api::make_wrapper`](crate::api::Api).
///
/// # Safety
/// Attached to the interpreter; the object is alive and a native reference to it is held.
pub(crate) unsafe extern "C" fn make(interp: *const Interp, object: *const Header) -> *mut py::PyObject {
    // SAFETY: promised.
    match unsafe { make_or_find(&*interp, &*object) } {
        Ok(wrapper) => wrapper.into_ptr(),
        Err(error) => {
            crate::errors::raise(error);
            std::ptr::null_mut()
        }
    }
}

unsafe fn make_or_find(interp: &Interp, object: &Header) -> Result<Owned, Error> {
    let custody = object.custody();
    if let Err(other) = custody.claim(interp.tag()) {
        if !frontend(other).is_disarmed() {
            return Err(foreign(interp, object, other));
        }
        match custody.retag(other, interp.tag()) {
            Retagged::Theirs => return Err(foreign(interp, object, other)),
            Retagged::Ours { wrapper } => object.count_wrapper(-isize::from(wrapper)),
        }
    }
    let pair = custody.pair();
    if !pair.wrapper().is_null() {
        // SAFETY: the object owns a reference to it; ours.
        return Ok(unsafe { Owned::from_borrowed(pair.wrapper().cast()) });
    }
    // SAFETY: attached; the class is alive.
    unsafe {
        let class = interp.class_of(object.info());
        let wrapper = allocate(class);
        if wrapper.is_null() {
            return Err(crate::errors::take());
        }
        let mine = Owned::from_new(wrapper).expect("just checked");
        if object.info().is_traced() || TRACK_ALL {
            track_new(wrapper);
        }
        let layout = wrapper.cast::<Wrapper>();
        (*layout).native = std::ptr::from_ref(object).cast_mut();
        enable_try_incref(wrapper);
        // The object's own reference.
        py::Py_INCREF(wrapper);
        match custody.publish(Pair::new(interp.tag(), wrapper.cast())) {
            Ok(()) => {
                object.count_wrapper(1);
                happened(Kind::Tied, object, interp.tag());
                if !object.info().is_traced() {
                    held::list(interp, wrapper);
                }
                Ok(mine)
            }
            Err(winner) => {
                // Another thread was first; ours stands for nothing.
                (*layout).native = std::ptr::null_mut();
                py::Py_DECREF(wrapper);
                Ok(Owned::from_borrowed(winner.wrapper().cast()))
            }
        }
    }
}

#[cold]
fn foreign(interp: &Interp, object: &Header, other: u16) -> Error {
    Error::new(
        ErrorKind::Interpreter,
        format!(
            "this {} belongs to {}; Python interpreter {} cannot have a wrapper of it",
            object.info().key(),
            frontend(other).name(),
            interp.id(),
        ),
    )
}
