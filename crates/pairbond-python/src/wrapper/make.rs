//! The first wrapper of an object: claims the object for its interpreter, takes it over from one
//! that has ended, or makes a guest.

use std::ptr::NonNull;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::event::{Kind, notify_object_event};
use pairbond_core::frontend::frontend_of;
use pairbond_core::object::{Custody, ErasedRef, Header, Pair, Retagged, on_wrapped};
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::ffi::enable_try_incref;
use crate::interp::{self, Entered, Interp};
use crate::owned::Owned;
use crate::wrapper::birth::{is_exact, track_new};
use crate::wrapper::fetch::hand_over;
use crate::wrapper::{Wrapper, allocate, held, is_plain_class, is_tracked_from_birth};

/// A new reference to the object's wrapper, made if there is none; null with an exception set.
///
/// # Safety
/// Attached to the interpreter; the object is alive and a native reference to it is held.
#[inline(always)]
pub(crate) unsafe fn find_or_make_or_null(interp: *const Interp, object: *const Header) -> *mut py::PyObject {
    // SAFETY: attached to the interpreter; the object is alive and a native reference to it is
    // held: the caller ensures it.
    let made = unsafe { find_or_make(&*interp, &*object, false) };
    raise_or_return(made.map(|(wrapper, _)| wrapper))
}

/// As [`find_or_make_or_null`], of a native reference that is given away, whatever happens.
///
/// # Safety
/// Attached to the interpreter; the caller gives away a native reference to the object.
#[inline(always)]
pub(crate) unsafe fn find_or_make_given(interp: *const Interp, object: *const Header) -> *mut py::PyObject {
    // SAFETY: attached to the interpreter; the caller gives away a native reference to the object:
    // the caller ensures it.
    let reference = unsafe { ErasedRef::from_raw(NonNull::new_unchecked(object.cast_mut())) };
    // SAFETY: attached to the interpreter; the caller gives away a native reference to the object:
    // the caller ensures it.
    let made = unsafe { find_or_make(&*interp, &*object, true) };
    raise_or_return(made.map(|(wrapper, taken)| {
        if taken {
            let _ = reference.into_raw();
        } else {
            hand_over(reference);
        }
        wrapper
    }))
}

fn raise_or_return(made: Result<Owned, Error>) -> *mut py::PyObject {
    match made {
        Ok(wrapper) => wrapper.into_ptr(),
        Err(error) => {
            crate::errors::raise(error);
            std::ptr::null_mut()
        }
    }
}

/// The wrapper, and whether a native reference that is `given` is the node's own now.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn find_or_make(interp: &Interp, object: &Header, given: bool) -> Result<(Owned, bool), Error> {
    // Most are unclaimed. Another interpreter's is not for us to publish over, so with several
    // each claims first.
    if object.custody().pair().tag() == 0
        && !interp::several()
        // SAFETY: this thread is attached to `interp`, and the caller keeps the object.
        && let Some(made) = unsafe { publish_first(interp, object, given, Custody::publish_first) }?
    {
        return Ok(made);
    }
    let custody = object.custody();
    while let Err(other) = custody.claim_for(interp.tag()) {
        if frontend_of(other).is_disarmed() {
            if let Retagged::Ours { wrapper } = custody.retag(other, interp.tag()) {
                object.count_wrapper(-isize::from(wrapper));
                break;
            }
        } else if !TypeInfo::is_shareable(object) {
            return Err(foreign_error(interp, object, other));
        // SAFETY: the calling thread is attached to the interpreter: the caller ensures it.
        } else if let Some(guest) = unsafe { guest_wrapper(interp, object, other) }? {
            return Ok((guest, false));
        }
    }
    // SAFETY: attached, the object is ours, and a native reference is held.
    unsafe {
        let known = |pair: Pair| Owned::from_borrowed(pair.wrapper().cast());
        if !custody.pair().wrapper().is_null() {
            return Ok((known(custody.pair()), false));
        }
        if interp::several()
            && let Some(guest) = interp.guests.promote(object, interp.tag())
        {
            let taken = publish_wrapper(interp, guest.as_ptr(), object, given);
            return Ok((guest, taken));
        }
        let made = publish_first(interp, object, given, Custody::publish_wrapper)?;
        Ok(made.unwrap_or_else(|| (known(custody.pair()), false)))
    }
}

/// A new wrapper, if it is the one that gets published; and whether a native reference that is
/// `given` was taken.
///
/// # Safety
/// Attached to the interpreter; the object is alive and a native reference to it is held.
unsafe fn publish_first(
    interp: &Interp,
    object: &Header,
    given: bool,
    publish: impl FnOnce(&Custody, Pair) -> Result<(), Pair>,
) -> Result<Option<(Owned, bool)>, Error> {
    // SAFETY: attached to the interpreter; the object is alive and a native reference to it is
    // held: the caller ensures it.
    unsafe {
        let class = interp.class_of(object.info());
        let named = interp.named.find(object, class);
        let mine = match &named {
            Some(named) => {
                let class = named.as_ptr().cast();
                let mine = empty_wrapper(class, object)?;
                // What a class statement made CPython has shown to its collector.
                if is_plain_class(interp, class) && !is_tracked_from_birth(object.info()) {
                    py::PyObject_GC_UnTrack(mine.as_ptr().cast());
                }
                mine
            }
            None => empty_wrapper(class, object)?,
        };
        let wrapper = mine.as_ptr();
        let mut pair = Pair::new(interp.tag(), wrapper.cast());
        if named.is_some() {
            pair = pair.with_overriding();
        }
        // The object's own reference.
        py::Py_INCREF(wrapper);
        if publish(object.custody(), pair).is_err() {
            // Another thread was first; ours stands for nothing.
            (*wrapper.cast::<Wrapper>()).native = std::ptr::null_mut();
            py::Py_DECREF(wrapper);
            return Ok(None);
        }
        let taken = publish_wrapper(interp, wrapper, object, given);
        Ok(Some((mine, taken)))
    }
}

/// What follows when a wrapper was published: as [`wrapped`].
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
pub(super) unsafe fn publish_wrapper(
    interp: &Interp,
    wrapper: *mut py::PyObject,
    object: &Header,
    given: bool,
) -> bool {
    object.count_wrapper(1);
    let taken = on_wrapped(object, given);
    notify_object_event(Kind::Tied, object, interp.tag());
    if !object.info().is_traced() {
        // SAFETY: the thread is attached, and the caller keeps the wrapper.
        unsafe { held::list_wrapper(interp, wrapper, object) };
    }
    taken
}

/// A new wrapper that names the object, and that the object does not know yet.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn empty_wrapper(class: *mut py::PyTypeObject, object: &Header) -> Result<Owned, Error> {
    // SAFETY: attached; the class is alive, and one for the object.
    unsafe {
        let mine = owned_or_error(allocate(class))?;
        // What a class statement made (an enumeration) CPython has shown to its collector.
        if is_tracked_from_birth(object.info()) && is_exact(class) {
            track_new(mine.as_ptr());
        }
        (*mine.as_ptr().cast::<Wrapper>()).native = std::ptr::from_ref(object).cast_mut();
        enable_try_incref(mine.as_ptr());
        Ok(mine)
    }
}

/// The guest of an object that belongs to interpreter `owner`. `None`: it does not any more.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn guest_wrapper(interp: &Interp, object: &Header, owner: u16) -> Result<Option<Owned>, Error> {
    // SAFETY: attached; a native reference is held, so that another can be counted, which the guest
    // owns.
    unsafe {
        if let Some(guest) = interp.guests.find(object) {
            return Ok(Some(guest));
        }
        let mine = empty_wrapper(interp.class_of(object.info()), object)?;
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
            Entered::NoMemory => {
                (*mine.as_ptr().cast::<Wrapper>()).native = std::ptr::null_mut();
                Err(Error::new(
                    ErrorKind::Memory,
                    "there is no memory for a further guest",
                ))
            }
        }
    }
}

/// The native reference that a dying wrapper owns whose object does not name it: a guest, or one
/// that was severed.
///
/// # Safety
/// Attached to the wrapper's interpreter.
#[cold]
pub(super) unsafe fn take_guest_ref(wrapper: *mut py::PyObject, object: NonNull<Header>) -> ErasedRef {
    // SAFETY: its reference keeps the object.
    unsafe {
        if let Ok(interp) = Interp::current() {
            interp.guests.leave(object.as_ref(), wrapper);
        }
        ErasedRef::from_raw(object)
    }
}

#[cold]
fn foreign_error(interp: &Interp, object: &Header, other: u16) -> Error {
    Error::new(
        ErrorKind::Interpreter,
        format!(
            "this {} belongs to {}; Python interpreter {} cannot have a wrapper of it",
            object.info().key(),
            frontend_of(other).name(),
            interp.id(),
        ),
    )
}
