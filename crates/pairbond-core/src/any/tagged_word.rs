//! [`Word`]: a counted reference in one word, to a native object or to an object of a frontend.
//!
//! A Python object that crosses into Rust needs nothing native: the word holds the interpreter's
//! tag above the pointer, and owns one counted reference. Only a *clone* needs something that can
//! be counted without the interpreter, from any thread: the first clone moves the reference into a
//! [`ForeignBody`], which both words refer to from then on.
//!
//! # Who may do what
//! * The word changes once, from a foreign pointer to the body that owns it, by a clone through a
//!   shared reference: one compare-and-swap, the loser throws its body away. A concurrent reader
//!   sees the same foreign object in either form.
//! * A collector that traces a word reports its current form: the foreign object, or the body. A
//!   clone that moves the reference meanwhile would leave no mark on the owner, so it counts in
//!   [`moved_count`] *after* the exchange; a survey in which that number changed is thrown away
//!   (`trace/survey.rs`). A thread that cloned and then gave up the reference that kept the owner
//!   alive did so after it had counted.
//!
//! # Roads not taken
//! * A native object for each crossing: an allocation, an entry in the collector's list, and both
//!   undone, for each callback.
//! * A weak table from callables to functions: a lock and a search on each crossing, to find out
//!   what the pointer says already.
//! * Counting clones in the frontend: a thread that is not attached would wait for the interpreter,
//!   maybe under a field's lock.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::foreign::ForeignBody;
use super::moved::moved_count;
use crate::frontend::frontend_of;
use crate::object::Trace;
use crate::object::{ErasedBorrow, ErasedRef, Header, Ref};
pub use crate::raw::Word;
use crate::sync::statics::{AtomicPtr, Ordering};
use crate::types::Tracer;

const SHIFT: u32 = 48;

/// What a word holds.
pub enum Held<'a> {
    /// An object of the frontend with that tag.
    Foreign(u16, *mut c_void),
    /// A native object.
    Native(ErasedBorrow<'a>),
}

impl Word {
    /// Takes over a counted reference of a frontend.
    ///
    /// # Panics
    /// If the pointer needs more than 48 bits, or the tag is 0.
    ///
    /// # Safety
    /// `object` is a counted reference of the frontend with that tag, given away.
    #[inline]
    pub unsafe fn from_foreign(tag: u16, object: *mut c_void) -> Self {
        assert!(
            tag != 0 && object.addr() >> SHIFT == 0 && !object.is_null(),
            "a foreign object needs a tag and an address of 48 bits"
        );
        Word(AtomicPtr::new(
            object.map_addr(|address| address | usize::from(tag) << SHIFT),
        ))
    }

    #[inline]
    pub fn from_native(object: ErasedRef) -> Self {
        Word(AtomicPtr::new(object.into_raw().as_ptr().cast()))
    }

    #[inline]
    pub fn held(&self) -> Held<'_> {
        let word = self.0.load(Ordering::Acquire);
        let tag = (word.addr() >> SHIFT) as u16;
        if tag == 0 {
            // SAFETY: made by `native` or `share`: the word owns a reference to the object.
            return Held::Native(unsafe {
                ErasedBorrow::from_header(NonNull::new_unchecked(word.cast::<Header>()))
            });
        }
        Held::Foreign(tag, word.map_addr(|address| address & ((1 << SHIFT) - 1)))
    }

    /// The foreign object with its tag, in either form.
    #[inline]
    pub fn as_foreign(&self) -> Option<(u16, *mut c_void)> {
        match self.held() {
            Held::Foreign(tag, object) => Some((tag, object)),
            Held::Native(body) => body
                .downcast::<ForeignBody>()
                .map(|body| (body.tag(), body.object())),
        }
    }

    /// As [`as_foreign`](Self::as_foreign), of an object that is there.
    #[inline]
    pub fn at_hand(&self) -> Option<(u16, *mut c_void)> {
        match self.held() {
            Held::Foreign(tag, object) => Some((tag, object)),
            Held::Native(body) => body
                .downcast::<ForeignBody>()
                .filter(|body| !body.is_promised())
                .map(|body| (body.tag(), body.object())),
        }
    }

    /// The foreign object, given away with its reference, if no other word refers to it.
    pub fn into_object(self) -> Result<(u16, *mut c_void), Self> {
        match self.held() {
            Held::Foreign(tag, object) => {
                let _ = ManuallyDrop::new(self);
                Ok((tag, object))
            }
            Held::Native(_) => Err(self),
        }
    }

    /// The body of a foreign object that is shared.
    pub fn as_body(&self) -> Option<crate::object::Borrow<'_, ForeignBody>> {
        match self.held() {
            Held::Native(body) => body.downcast::<ForeignBody>(),
            Held::Foreign(..) => None,
        }
    }

    /// The native object, when the word does not stand for a foreign one.
    pub fn as_native(&self) -> Option<ErasedBorrow<'_>> {
        match self.held() {
            Held::Native(body) if !body.is::<ForeignBody>() => Some(body),
            _ => None,
        }
    }

    /// Moves a foreign reference into a body of its own, unless another thread does.
    #[cold]
    fn share_foreign(&self) {
        let word = self.0.load(Ordering::Acquire);
        let Held::Foreign(tag, object) = self.held() else {
            return;
        };
        // Where there is no memory for it, it releases nothing.
        let body = Ref::new(ForeignBody::empty(tag));
        // SAFETY: the word's reference, which is the body's if it is published.
        unsafe { body.set_object(object) };
        let shared = body.as_ptr().as_ptr().cast();
        match self
            .0
            .compare_exchange(word, shared, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => {
                let _ = body.into_erased().into_raw();
                moved_count().fetch_add(1, Ordering::AcqRel);
            }
            // SAFETY: the body was not shared; the reference stays with its owner.
            Err(_) => unsafe { body.set_object(std::ptr::null_mut()) },
        }
    }
}

impl std::fmt::Debug for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Word({:p})", self.0.load(Ordering::Relaxed))
    }
}

impl Clone for Word {
    #[inline]
    fn clone(&self) -> Self {
        if let Held::Foreign(..) = self.held() {
            self.share_foreign();
        }
        match self.held() {
            Held::Native(body) => {
                // SAFETY: borrows the word's own reference, which stays.
                let own = ManuallyDrop::new(unsafe { ErasedRef::from_raw(body.as_ptr()) });
                Word::from_native(ErasedRef::clone(&own))
            }
            Held::Foreign(..) => unreachable!("a shared reference has a body"),
        }
    }
}

impl Drop for Word {
    #[inline]
    fn drop(&mut self) {
        match self.held() {
            // SAFETY: the counted reference is given away.
            Held::Foreign(tag, object) => unsafe { frontend_of(tag).release_wrapper(object) },
            // SAFETY: the word's reference is given away.
            Held::Native(body) => drop(unsafe { ErasedRef::from_raw(body.as_ptr()) }),
        }
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl Trace for Word {
    const TRACED: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        match self.held() {
            Held::Foreign(tag, object) => tracer.visit_foreign(tag, object),
            Held::Native(body) => tracer.visit_edge(body.header()),
        }
    }
}
