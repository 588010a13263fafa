//! [`RawObject`]: memory for an object of a type that is known at run time only, whose value its
//! author writes in place.

use std::ptr::NonNull;

use super::custody::Custody;
use super::erased::ErasedRef;
use super::header::Header;
use super::pair::Pair;
use super::partially_built::Unfinished;
use crate::memory::AllocationError;
use crate::runtime::Home;
use crate::types::TypeInfo;

/// An object whose value is not there yet; dropped before, it gives its memory back.
pub(crate) struct RawObject {
    unfinished: Unfinished,
    home: Home,
}

impl RawObject {
    /// Allocates an object.
    ///
    /// # Errors
    /// The allocator refuses.
    pub(crate) fn new(info: &'static TypeInfo) -> Result<Self, AllocationError> {
        let (unfinished, home) = Unfinished::new(info, None, 0)?;
        Ok(RawObject { unfinished, home })
    }

    /// Where the value comes.
    pub(crate) fn value(&self) -> *mut u8 {
        self.unfinished.value()
    }

    /// Returns the object.
    ///
    /// # Errors
    /// There is no memory to list it; the value is dropped.
    ///
    /// # Safety
    /// The value is written, and may be used on any thread.
    pub(crate) unsafe fn finish(self) -> Result<ErasedRef, AllocationError> {
        let traced = self.unfinished.info().is_traced();
        // SAFETY: the caller's contract; the reference that the object was made with.
        unsafe { Ok(ErasedRef::from_raw(self.unfinished.finish(self.home, traced)?)) }
    }

    /// Returns the object in the custody of a wrapper.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    ///
    /// # Safety
    /// As [`finish`](Self::finish); the pair is of a wrapper that is given the object.
    pub(crate) unsafe fn finish_wrapped(self, pair: Pair) -> Result<NonNull<Header>, AllocationError> {
        let (header, info) = (self.unfinished.header(), self.unfinished.info());
        // SAFETY: the caller's contract; the object has not been shared, so that its custody can be
        // written anew.
        unsafe {
            let slot = usize::from(header.as_ref().allocator());
            header
                .as_ptr()
                .write(Header::new(Custody::wrapped(pair), info, slot));
            let header = self.unfinished.finish(self.home, info.is_traced())?;
            header.as_ref().count_wrapper(1);
            Ok(header)
        }
    }
}
