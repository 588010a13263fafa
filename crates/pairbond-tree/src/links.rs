//! [`Links`]: the place of a node in its tree.

use std::cell::UnsafeCell;
use std::fmt;
use std::ptr;

use super::reason::Reason;
use pairbond_core::object::Header;
use pairbond_core::trace::{Reach, Trace, Tracer};
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) mod flag {
    /// Has a parent.
    pub(crate) const ATTACHED: u32 = 1;
    /// Owns a counted reference to its parent.
    pub(crate) const AWAKE: u32 = 2;
    /// Owns a counted reference to itself, because it has a wrapper in a frontend.
    pub(crate) const SELF: u32 = 4;
    /// Was erased.
    pub(crate) const ERASED: u32 = 8;
    /// Has children: one of its lists is not empty.
    pub(crate) const PARENT: u32 = 16;
    /// Which of the parent's lists it stands in.
    pub(crate) const LIST: u32 = 8;
}

/// Where the flags are.
pub(super) const FLAGS: usize = std::mem::offset_of!(Links, flags);

/// The place, guarded by the lock.
pub(super) struct Place {
    /// The parent. Of an erased node: `*const Reason`, which is not written again.
    pub(super) parent: *mut Header,
    pub(super) next: *mut Header,
    /// The one before; of the first in a list the last.
    pub(super) previous: *mut Header,
}

impl Place {
    pub(super) const NONE: Place = Place {
        parent: ptr::null_mut(),
        next: ptr::null_mut(),
        previous: ptr::null_mut(),
    };
}

/// The field by which an object is a node of a tree: its parent and neighbours. Types marked `tree`
/// have one, and make it with [`Links::new`].
pub struct Links {
    place: UnsafeCell<Place>,
    pub(super) flags: AtomicU32,
    /// In the list's table of places, if that is so long. Under the lock.
    pub(super) index: AtomicU32,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Links>() == 32);

// SAFETY: the place is touched under the lock of all trees only; nodes are thread-safe themselves
// (`List::insert` demands it).
unsafe impl Send for Links {}
// SAFETY: the place is touched under the lock of all trees only; nodes are thread-safe themselves
// (`List::insert` demands it).
unsafe impl Sync for Links {}

impl Links {
    /// Of a node that has no parent.
    #[must_use]
    pub const fn new() -> Self {
        Links {
            place: UnsafeCell::new(Place::NONE),
            flags: AtomicU32::new(0),
            index: AtomicU32::new(0),
        }
    }

    #[inline]
    pub(super) fn place_ptr(&self) -> *mut Place {
        self.place.get()
    }

    #[inline]
    pub(super) fn has_bits(&self, bits: u32) -> bool {
        self.flags.load(Ordering::Acquire) & bits != 0
    }

    /// Under the lock.
    #[inline]
    pub(super) fn set_bits(&self, bits: u32) {
        let now = self.flags.load(Ordering::Relaxed);
        self.flags.store(now | bits, Ordering::Release);
    }

    /// Under the lock. Whether one of them was set.
    #[inline]
    pub(super) fn clear_bits(&self, bits: u32) -> bool {
        let now = self.flags.load(Ordering::Relaxed);
        self.flags.store(now & !bits, Ordering::Release);
        now & bits != 0
    }

    /// Why the node was erased.
    pub(super) fn erase_reason(&self) -> Option<&'static Reason> {
        if !self.has_bits(flag::ERASED) {
            return None;
        }
        // SAFETY: written before the flag, by `erase`, and never again. Reasons live for the
        // process.
        unsafe { (*self.place_ptr()).parent.cast::<Reason>().as_ref() }
    }
}

impl Default for Links {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            match (self.has_bits(flag::ERASED), self.has_bits(flag::ATTACHED)) {
                (true, _) => "Links(erased)",
                (false, true) => "Links(attached)",
                (false, false) => "Links(root)",
            },
        )
    }
}

// SAFETY: its references are shown by `crate::trace`, which the expansion calls for the object.
unsafe impl Trace for Links {
    const TRACED: bool = true;
    fn trace(&self, _: &mut Tracer<'_>) {}
    fn visit_reachable(reach: &mut Reach) {
        // The parent can be anything.
        reach.any_object();
    }
}
