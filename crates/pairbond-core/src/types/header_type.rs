//! From an object's header to its type and its value.

use super::TypeInfo;
use crate::custody::{Custody, Header};

impl Header {
    /// The header of a new object, from that slot's allocator.
    #[inline(always)]
    pub(crate) fn of_type(custody: Custody, info: &'static TypeInfo, slot: usize) -> Self {
        Header::new(custody, std::ptr::from_ref(info).cast(), slot)
    }

    /// The object's exact type.
    #[inline]
    #[must_use]
    pub fn info(&self) -> &'static TypeInfo {
        // SAFETY: written by `allocate` from a registered type, which lives for the process.
        unsafe { &*self.type_ptr().cast::<TypeInfo>() }
    }

    /// Whether the object is of exactly that type. (Never, for a null one.)
    #[inline(always)]
    #[must_use]
    pub fn is_exactly(&self, info: *const TypeInfo) -> bool {
        self.has_type(info.cast())
    }

    /// The value's address.
    #[inline]
    #[must_use]
    pub fn value_ptr(&self) -> *mut u8 {
        self.object_ptr().wrapping_add(self.info().value_offset())
    }
}
