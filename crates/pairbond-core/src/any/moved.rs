//! How often references left words: counted in the process.

use crate::sync::ProcessWide;
use crate::sync::statics::AtomicUsize;

/// This binary's own count.
pub(crate) static MOVED: AtomicUsize = AtomicUsize::new(0);
static CURRENT: ProcessWide<AtomicUsize> = ProcessWide::new(&MOVED);

/// How often a reference to an object of a frontend was moved from a word into an object of its
/// own, in this process.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn moved_count() -> &'static AtomicUsize {
    CURRENT.get()
}

/// Makes this binary count in another's place.
pub(crate) fn adopt_moved(place: &'static AtomicUsize) {
    CURRENT.adopt(place);
}
