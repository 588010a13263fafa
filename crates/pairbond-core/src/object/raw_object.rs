//! [`RawObject`]: memory for an object of a type that is known at run time only, whose value its
//! author writes in place.

use std::ptr::NonNull;

use super::erased::ErasedRef;
use super::partially_built::Unfinished;
use crate::custody::{Custody, Header, Pair};
use crate::error::Error;
use crate::memory::{AllocationError, Home};
use crate::types::TypeInfo;

/// Lets the author of a type write the value of an object, to which no reference is given out
/// meanwhile: its author has the value's address.
#[inline(always)]
fn write_value(
    unfinished: &Unfinished,
    write: impl FnOnce(*mut u8) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: the header is written.
    unsafe { unfinished.header().as_ref() }.custody().begin_writing();
    write(unfinished.value())
}

/// An object whose value is there, and that nothing refers to yet. It has to be finished: dropped
/// before, it gives its memory back and leaves the value as it is.
pub struct RawObject {
    unfinished: Unfinished,
    home: Home,
}

impl RawObject {
    /// Allocates an object whose value `write` writes.
    ///
    /// # Errors
    /// The allocator refuses, or that of `write`.
    ///
    /// # Safety
    /// `write` writes a value of the type, or fails.
    pub unsafe fn from_writer(
        info: &'static TypeInfo,
        write: impl FnOnce(*mut u8) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let (unfinished, home) = Unfinished::new(info, None, 0)?;
        write_value(&unfinished, write)?;
        Ok(RawObject { unfinished, home })
    }

    /// As [`from_writer`](Self::from_writer), and finished, in the custody of a wrapper.
    ///
    /// # Errors
    /// As for [`from_writer`](Self::from_writer) and [`finish`](Self::finish).
    ///
    /// # Safety
    /// As there; the pair is of a wrapper that is given the object, and is not shared before.
    #[inline(always)]
    pub unsafe fn wrapped_from_writer(
        info: &'static TypeInfo,
        pair: Pair,
        write: impl FnOnce(*mut u8) -> Result<(), Error>,
    ) -> Result<NonNull<Header>, Error> {
        let (unfinished, home) = Unfinished::new(info, Some(pair), 0)?;
        write_value(&unfinished, write)?;
        // SAFETY: the caller's contract; the header is written.
        unsafe {
            unfinished.header().as_ref().custody().end_writing(true);
            Ok(unfinished.finish(home, info.is_traced())?)
        }
    }

    /// Returns the object.
    ///
    /// # Errors
    /// There is no memory to list it; the value is dropped.
    ///
    /// # Safety
    /// The value may be used on any thread.
    pub unsafe fn finish(self) -> Result<ErasedRef, AllocationError> {
        let traced = self.unfinished.info().is_traced();
        // SAFETY: the caller's contract; the header is written; the reference that the object was
        // made with.
        unsafe {
            self.unfinished.header().as_ref().custody().end_writing(false);
            Ok(ErasedRef::from_raw(self.unfinished.finish(self.home, traced)?))
        }
    }

    /// Returns the object in the custody of a wrapper.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    ///
    /// # Safety
    /// As [`finish`](Self::finish); the pair is of a wrapper that is given the object.
    pub unsafe fn finish_wrapped(self, pair: Pair) -> Result<NonNull<Header>, AllocationError> {
        let (header, info) = (self.unfinished.header(), self.unfinished.info());
        // SAFETY: the caller's contract; the object has not been shared, so that its custody can be
        // written anew.
        unsafe {
            let slot = usize::from(header.as_ref().allocator());
            header
                .as_ptr()
                .write(Header::of_type(Custody::new_wrapped(pair), info, slot));
            let header = self.unfinished.finish(self.home, info.is_traced())?;
            header.as_ref().count_wrapper(1);
            Ok(header)
        }
    }
}
