//! The first wrapper of an object: claims the object for its interpreter, takes it over from one that has ended, or makes a guest.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::event::{Kind, happened};
use pairbond_core::frontend::frontend;
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header, Pair, Retagged};
use pairbond_core::tree::wrapped;
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use crate::convert::owned;
use crate::ffi::enable_try_incref;
use crate::interp::{self, Entered, Interp};
use crate::owned::Owned;
use crate::wrapper::birth::{TRACK_ALL, collect_if_crowded, deciding_class, is_exact, track_new};
use crate::wrapper::{Wrapper, allocate, held, moved};

/// See [`Api::make_wrapper`](crate::api::Api).
///
/// # Safety
/// Attached to the interpreter; the object is alive and a native reference to it is held.
pub(crate) unsafe extern "C" fn make(interp: *const Interp, object: *const Header) -> *mut py::PyObject {
    // SAFETY: promised. An allocation may collect, too, so nobody relies on it that this does not.
    let made = unsafe {
        if (*object).info().tree().is_some() {
            collect_if_crowded();
        }
        make_or_find(&*interp, &*object)
    };
    match made {
        Ok(wrapper) => wrapper.into_ptr(),
        Err(error) => {
            crate::errors::raise(error);
            std::ptr::null_mut()
        }
    }
}

unsafe fn make_or_find(interp: &Interp, object: &Header) -> Result<Owned, Error> {
    let custody = object.custody();
    while let Err(other) = custody.claim(interp.tag()) {
        if frontend(other).is_disarmed() {
            if let Retagged::Ours { wrapper } = custody.retag(other, interp.tag()) {
                object.count_wrapper(-isize::from(wrapper));
                break;
            }
        } else if !TypeInfo::is_shareable(object) {
            return Err(foreign(interp, object, other));
        // SAFETY: promised by the caller.
        } else if let Some(guest) = unsafe { guest(interp, object, other) }? {
            return Ok(guest);
        }
    }
    let pair = custody.pair();
    if !pair.wrapper().is_null() {
        // SAFETY: the object owns a reference to it; ours.
        return Ok(unsafe { Owned::from_borrowed(pair.wrapper().cast()) });
    }
    // SAFETY: attached, the object is ours, and a native reference is held.
    unsafe {
        if interp::several()
            && let Some(guest) = interp.guests.promote(object, interp.tag())
        {
            object.count_wrapper(1);
            wrapped(object);
            happened(Kind::Tied, object, interp.tag());
            if !object.info().is_traced() {
                held::list(interp, guest.as_ptr(), object);
            }
            return Ok(guest);
        }
        let class = interp.class_of(object.info());
        let named = interp.named.find(object, class);
        let mine = match &named {
            Some(named) => empty(named.as_ptr().cast(), object)?,
            None => empty(class, object)?,
        };
        let wrapper = mine.as_ptr();
        let mut pair = Pair::new(interp.tag(), wrapper.cast());
        if named.is_some() {
            pair = pair.overriding();
        }
        // The object's own reference.
        py::Py_INCREF(wrapper);
        match custody.publish(pair) {
            Ok(()) => {
                object.count_wrapper(1);
                wrapped(object);
                happened(Kind::Tied, object, interp.tag());
                if !object.info().is_traced() {
                    held::list(interp, wrapper, object);
                }
                Ok(mine)
            }
            Err(winner) => {
                // Another thread was first; ours stands for nothing.
                (*wrapper.cast::<Wrapper>()).native = std::ptr::null_mut();
                py::Py_DECREF(wrapper);
                Ok(Owned::from_borrowed(winner.wrapper().cast()))
            }
        }
    }
}

/// Makes a wrapper that stands for nothing the self of an object that has none.
///
/// # Errors
/// The wrapper has an object, or is of a class of another native type; the object has a self, or belongs to another interpreter.
///
/// # Safety
/// Attached; a living wrapper, and an object to which a native reference is held.
pub(crate) unsafe fn adopt(wrapper: *mut py::PyObject, object: ErasedBorrow<'_>) -> Result<(), Error> {
    let (interp, header) = (Interp::current()?, object.header());
    // SAFETY: promised; the field is used atomically because another thread may give the wrapper an object, too.
    unsafe {
        let class = py::Py_TYPE(wrapper);
        if deciding_class(class) != interp.class_of(header.info()) {
            return Err(Error::type_error(format!(
                "a {} cannot stand for a {}",
                crate::ffi::type_name(class),
                header.info().key()
            )));
        }
        let field = AtomicPtr::from_ptr(&raw mut (*wrapper.cast::<Wrapper>()).native);
        if !field.load(Ordering::Acquire).is_null() || moved::is_moved(wrapper) {
            return Err(Error::type_error(
                "the self that is to be given stands for an object already",
            ));
        }
        let custody = header.custody();
        if custody.claim(interp.tag()).is_err() || !custody.pair().wrapper().is_null() {
            return Err(taken(header));
        }
        enable_try_incref(wrapper);
        if field
            .compare_exchange(
                std::ptr::null_mut(),
                std::ptr::from_ref(header).cast_mut(),
                Ordering::AcqRel,
                Ordering::Acquire,
            )
            .is_err()
        {
            return Err(Error::type_error(
                "the self that is to be given stands for an object already",
            ));
        }
        let mut pair = Pair::new(interp.tag(), wrapper.cast());
        if !is_exact(class) {
            pair = pair.overriding();
        }
        // The object's own reference.
        py::Py_INCREF(wrapper);
        if custody.publish(pair).is_err() {
            field.store(std::ptr::null_mut(), Ordering::Release);
            py::Py_DECREF(wrapper);
            return Err(taken(header));
        }
        header.count_wrapper(1);
        wrapped(header);
        happened(Kind::Tied, header, interp.tag());
        if header.info().is_traced() || TRACK_ALL {
            crate::wrapper::track(wrapper);
        }
        if !header.info().is_traced() {
            held::list(interp, wrapper, header);
        }
        Ok(())
    }
}

#[cold]
fn taken(object: &Header) -> Error {
    Error::value_error(format!("this {} has a self already", object.info().key()))
}

/// A new wrapper that names the object, and that the object does not know yet.
unsafe fn empty(class: *mut py::PyTypeObject, object: &Header) -> Result<Owned, Error> {
    // SAFETY: attached; the class is alive, and one for the object.
    unsafe {
        let mine = owned(allocate(class))?;
        // What a class statement made (an enumeration) CPython has shown to its collector.
        if (object.info().is_traced() || TRACK_ALL) && is_exact(class) {
            track_new(mine.as_ptr());
        }
        (*mine.as_ptr().cast::<Wrapper>()).native = std::ptr::from_ref(object).cast_mut();
        enable_try_incref(mine.as_ptr());
        Ok(mine)
    }
}

/// The guest of an object that belongs to interpreter `owner`. `None`: it does not any more.
unsafe fn guest(interp: &Interp, object: &Header, owner: u16) -> Result<Option<Owned>, Error> {
    // SAFETY: attached; a native reference is held, so that another can be counted, which the guest owns.
    unsafe {
        if let Some(guest) = interp.guests.find(object) {
            return Ok(Some(guest));
        }
        let mine = empty(interp.class_of(object.info()), object)?;
        object.custody().acquire();
        let reference = ErasedRef::from_raw(NonNull::from(object));
        match interp.guests.enter(object, owner, mine.as_ptr()) {
            Entered::Listed => {
                let _ = reference.into_raw();
                Ok(Some(mine))
            }
            // In either case ours stands for nothing.
            Entered::Another(guest) => {
                (*mine.as_ptr().cast::<Wrapper>()).native = std::ptr::null_mut();
                Ok(Some(guest))
            }
            Entered::NotTheirs => {
                (*mine.as_ptr().cast::<Wrapper>()).native = std::ptr::null_mut();
                Ok(None)
            }
        }
    }
}

/// The native reference that a dying wrapper owns whose object does not name it: a guest, or one that was severed.
///
/// # Safety
/// Attached to the wrapper's interpreter.
#[cold]
pub(super) unsafe fn depart(wrapper: *mut py::PyObject, object: NonNull<Header>) -> ErasedRef {
    // SAFETY: its reference keeps the object.
    unsafe {
        if let Ok(interp) = Interp::current() {
            interp.guests.leave(object.as_ref(), wrapper);
        }
        ErasedRef::from_raw(object)
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
