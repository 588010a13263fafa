//! The guests of an interpreter: wrappers of objects that belong to another one.
//!
//! # Promises
//! 1. A guest is unique in its interpreter while it lives: found here, by the address of its native
//!    object.
//! 2. It owns one plain native reference, so the address stays the object's for as long as the
//!    guest is listed.
//! 3. When the object becomes this interpreter's (its first one has ended), the guest becomes its
//!    self.
//!
//! A wrapper whose native object does not name it is a guest; nothing in the wrapper says so. The
//! list owns nothing: a guest that dies takes itself out before it gives its reference back. Under
//! the lock references are counted, and nothing else: no Python code, no allocation by Python.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::object::{ErasedRef, Header, Pair};
use pyo3_ffi as py;

use crate::ffi::try_incref;
use crate::owned::Owned;

/// The list; see the head of this file.
pub struct Guests(Mutex<HashMap<usize, usize>>);

/// How listing a guest ended.
pub enum Entered {
    /// It is the object's guest.
    Listed,
    /// Another thread was first.
    Another(Owned),
    /// The object does not belong to the interpreter any more.
    NotTheirs,
    /// There is no memory to list it.
    NoMemory,
}

fn address_of(object: &Header) -> usize {
    std::ptr::from_ref(object).addr()
}

fn wrapper_of_number(number: usize) -> *mut py::PyObject {
    std::ptr::with_exposed_provenance_mut(number)
}

impl Guests {
    pub(super) fn new() -> Self {
        Guests(Mutex::default())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The living guest of an object.
    ///
    /// # Safety
    /// Attached to the interpreter.
    pub unsafe fn find(&self, object: &Header) -> Option<Owned> {
        // SAFETY: attached to the interpreter: the caller ensures it.
        unsafe { living_guest(&self.lock(), object) }
    }

    /// Lists a guest, unless another thread listed one or the object is not `owner`'s any more.
    ///
    /// # Safety
    /// Attached to the interpreter; a living guest of the object.
    pub unsafe fn enter(&self, object: &Header, owner: u16, guest: *mut py::PyObject) -> Entered {
        let mut all = self.lock();
        if object.custody().pair().tag() != owner {
            return Entered::NotTheirs;
        }
        // SAFETY: attached to the interpreter; a living guest of the object: the caller ensures it.
        if let Some(other) = unsafe { living_guest(&all, object) } {
            return Entered::Another(other);
        }
        if all.try_reserve(1).is_err() {
            return Entered::NoMemory;
        }
        all.insert(address_of(object), guest.expose_provenance());
        Entered::Listed
    }

    /// Takes a dying guest off the list, unless a younger one has taken its place.
    pub fn leave(&self, object: &Header, guest: *mut py::PyObject) {
        let mut all = self.lock();
        if all.get(&address_of(object)) == Some(&guest.addr()) {
            all.remove(&address_of(object));
        }
    }

    /// Makes the guest of an object that the interpreter has claimed the object's self.
    ///
    /// # Safety
    /// Attached to the interpreter, whose tag the object carries; the caller holds a native
    /// reference.
    pub unsafe fn promote(&self, object: &Header, tag: u16) -> Option<Owned> {
        let mut all = self.lock();
        let guest = {
            // SAFETY: attached to the interpreter, whose tag the object carries; the caller holds a
            // native reference: the caller ensures it. The guest is alive.
            let guest = unsafe { living_guest(&all, object) }?;
            // The object's own reference.
            // SAFETY: attached; the guest is alive.
            unsafe { py::Py_INCREF(guest.as_ptr()) };
            if object
                .custody()
                .publish_wrapper(Pair::new(tag, guest.as_ptr().cast()))
                .is_err()
            {
                // SAFETY: attached; the reference that was counted above.
                unsafe { py::Py_DECREF(guest.as_ptr()) };
                return None;
            }
            guest
        };
        all.remove(&address_of(object));
        drop(all);
        // SAFETY: the guest's reference, which an object's own wrapper does not have; the caller's
        // keeps the object.
        drop(unsafe { ErasedRef::from_raw(NonNull::from(object)) });
        Some(guest)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn living_guest(all: &HashMap<usize, usize>, object: &Header) -> Option<Owned> {
    let guest = wrapper_of_number(*all.get(&address_of(object))?);
    // SAFETY: attached; a listed guest's memory is valid: it takes itself out, under the lock,
    // before it is freed.
    unsafe {
        if try_incref(guest) {
            Owned::from_new(guest)
        } else {
            None
        }
    }
}
