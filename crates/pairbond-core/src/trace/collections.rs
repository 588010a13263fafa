//! [`Collections`]: what native collections have done, for statistics.

use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};

/// What native collections have done.
#[derive(Debug)]
#[repr(C)]
pub struct Collections {
    /// How many there were.
    pub runs: AtomicUsize,
    /// Objects that they condemned.
    pub condemned: AtomicUsize,
}

/// This binary's own.
pub(crate) static COLLECTIONS: Collections = Collections {
    runs: AtomicUsize::new(0),
    condemned: AtomicUsize::new(0),
};
static CURRENT: AtomicPtr<Collections> = AtomicPtr::new((&raw const COLLECTIONS).cast_mut());

/// What native collections have done since the process began.
#[must_use]
pub(crate) fn collection_counts() -> &'static Collections {
    // SAFETY: lives for the process.
    unsafe { &*CURRENT.load(Ordering::Acquire) }
}

/// Makes this binary count in another's place, which lives for the process.
pub(crate) fn adopt_collections(place: *const Collections) {
    CURRENT.store(place.cast_mut(), Ordering::Release);
}
