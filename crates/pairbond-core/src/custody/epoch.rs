//! How often objects lost their wrappers while they lived on: counted in the process.

use crate::sync::ProcessWide;
use crate::sync::statics::AtomicUsize;

/// This binary's own count of objects that lost their wrappers.
pub(crate) static DETACH_EPOCH: AtomicUsize = AtomicUsize::new(0);
static CURRENT: ProcessWide<AtomicUsize> = ProcessWide::new(&DETACH_EPOCH);

/// How often an object lost its wrapper while it lived on, in this process.
#[inline]
#[must_use]
pub fn detach_epoch() -> &'static AtomicUsize {
    CURRENT.get()
}

/// Makes this binary count in another's place.
pub(crate) fn adopt_detach_epoch(place: &'static AtomicUsize) {
    CURRENT.adopt(place);
}
