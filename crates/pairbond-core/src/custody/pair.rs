//! The pair word: an object's wrapper and the interpreter that it belongs to, 48 bits of pointer
//! below 16 bits of tag, so that both change together. Wrappers' addresses are multiples of eight,
//! so the lowest bits are free. One says that the wrapper's class was made by a program, which may
//! override methods of the native type; one that the frontend has the wrapper on a list of its own.

use std::ffi::c_void;

const OVERRIDES: u64 = 1;
pub(super) const LISTED: u64 = 2;
const POINTER: u64 = ((1 << 48) - 1) & !7;

/// A wrapper with the tag of its interpreter. Tag 0 is of none.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Pair(u64);

impl Pair {
    /// # Panics
    /// If the pointer needs more than 48 bits (user space of no supported platform does unless
    /// asked to).
    #[inline]
    #[must_use]
    pub fn new(tag: u16, wrapper: *mut c_void) -> Self {
        let bits = wrapper.expose_provenance() as u64;
        assert!(
            bits & !POINTER == 0,
            "a wrapper's address is a multiple of eight, and needs no more than 48 bits"
        );
        Pair(u64::from(tag) << 48 | bits)
    }

    /// The same pair, whose wrapper is of a class that may override methods.
    #[inline]
    #[must_use]
    pub fn with_overriding(self) -> Self {
        Pair(self.0 | OVERRIDES)
    }

    /// Whether the wrapper's class may override methods.
    #[inline]
    #[must_use]
    pub fn may_override(self) -> bool {
        self.0 & OVERRIDES != 0
    }

    /// Whether the wrapper [was listed](super::Custody::note_listed).
    #[inline]
    #[must_use]
    pub fn is_listed(self) -> bool {
        self.0 & LISTED != 0
    }

    /// Claimed by an interpreter, without a wrapper yet.
    #[inline]
    #[must_use]
    pub fn tagged(tag: u16) -> Self {
        Pair(u64::from(tag) << 48)
    }

    /// The interpreter's tag; 0 for an unclaimed object.
    #[inline]
    #[must_use]
    pub fn tag(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// The wrapper, or null.
    #[inline]
    #[must_use]
    pub fn wrapper(self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut((self.0 & POINTER) as usize)
    }

    #[inline]
    pub(super) fn to_bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(super) fn from_bits(bits: u64) -> Self {
        Pair(bits)
    }
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{:p}", self.tag(), self.wrapper())
    }
}
