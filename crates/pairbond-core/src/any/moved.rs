//! How often references left words: counted in the process.

use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};

/// This binary's own count.
pub(crate) static MOVED: AtomicUsize = AtomicUsize::new(0);
static CURRENT: AtomicPtr<AtomicUsize> = AtomicPtr::new((&raw const MOVED).cast_mut());

/// How often a reference to an object of a frontend was moved from a word into an object of its
/// own, in this process.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn moved_count() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*CURRENT.load(Ordering::Acquire) }
}

/// Makes this binary count in another's place, which lives for the process.
pub(crate) fn adopt_moved(place: *const AtomicUsize) {
    CURRENT.store(place.cast_mut(), Ordering::Release);
}
