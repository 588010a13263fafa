//! The header of an object: its custody, and the address of its type.
//!
//! This is a contract between separately built binaries: `repr(C)`, asserted below, versioned by
//! [`ABI_VERSION`](crate::abi::ABI_VERSION). What comes *before* a header is not part of it:
//! allocation and release go through the runtime's table.

use std::ffi::c_void;

use super::Custody;

/// The 24 bytes before each object's value.
#[repr(C)]
pub struct Header {
    custody: Custody,
    /// The address of the type, whose low eight bits, which its alignment leaves free, are the
    /// slot of the allocator.
    type_word: *const c_void,
}

// SAFETY: the custody words are atomics, and the type word does not change; registered types live
// for the process.
unsafe impl Send for Header {}
// SAFETY: the custody words are atomics, and the type word does not change; registered types live
// for the process.
unsafe impl Sync for Header {}

/// What the runtime keeps before the header of an object that can own references: where the object
/// is listed, and a collector's note. Sixteen bytes; absent for other types.
#[repr(C)]
pub struct Prefix {
    /// Index in the shard.
    pub index: u32,
    /// The shard that lists the object.
    pub shard: u32,
    /// The object's number in the snapshot of that epoch.
    pub note: u32,
    /// The epoch of the note.
    pub epoch: u32,
}

#[cfg(not(loom))]
const _: () = {
    assert!(size_of::<Header>() == 24);
    assert!(align_of::<Header>() == 8);
    assert!(size_of::<Prefix>() == 16);
};

/// Where the value of a type begins, counted from the header.
#[must_use]
pub const fn value_offset(align: usize) -> usize {
    let align = if align < align_of::<Header>() {
        align_of::<Header>()
    } else {
        align
    };
    size_of::<Header>().div_ceil(align) * align
}

impl Header {
    /// The header of a new object of a registered type, from that slot's allocator.
    #[inline(always)]
    pub(crate) fn new(custody: Custody, info: *const c_void, slot: usize) -> Self {
        Header {
            custody,
            type_word: info.map_addr(|it| it | slot),
        }
    }

    pub(crate) const ALLOCATOR: usize = 0xff;

    /// The custody words.
    #[inline]
    #[must_use]
    pub fn custody(&self) -> &Custody {
        &self.custody
    }

    /// The address of the object's exact type.
    #[inline]
    pub(crate) fn type_ptr(&self) -> *const c_void {
        self.type_word.map_addr(|it| it & !Self::ALLOCATOR)
    }

    /// Whether that is the address.
    #[inline(always)]
    pub(crate) fn has_type(&self, info: *const c_void) -> bool {
        self.type_word.addr() ^ info.addr() <= Self::ALLOCATOR
    }

    #[inline]
    pub(crate) fn allocator(&self) -> u8 {
        (self.type_word.addr() & Self::ALLOCATOR) as u8
    }

    /// The header's address, good for the whole object: a reference to the header reaches no
    /// further than the header.
    #[inline]
    pub fn object_ptr(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(std::ptr::from_ref(self).addr())
    }

    /// The prefix of a traced object.
    ///
    /// # Safety
    /// The object's type is traced, and the caller holds what guards the field it touches (the
    /// shard's lock, or a collection).
    #[must_use]
    pub unsafe fn prefix_ptr(&self) -> *mut Prefix {
        self.object_ptr().cast::<Prefix>().wrapping_sub(1)
    }
}
