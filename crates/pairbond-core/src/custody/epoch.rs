//! How often objects lost their wrappers while they lived on: counted in the process.

use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};

/// This binary's own count of objects that lost their wrappers.
pub(crate) static DETACH_EPOCH: AtomicUsize = AtomicUsize::new(0);
static CURRENT: AtomicPtr<AtomicUsize> = AtomicPtr::new((&raw const DETACH_EPOCH).cast_mut());

/// How often an object lost its wrapper while it lived on, in this process.
#[inline]
#[must_use]
pub fn detach_epoch() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*CURRENT.load(Ordering::Acquire) }
}

/// Makes this binary count in another's place, which lives for the process.
pub(crate) fn adopt_detach_epoch(place: *const AtomicUsize) {
    CURRENT.store(place.cast_mut(), Ordering::Release);
}
