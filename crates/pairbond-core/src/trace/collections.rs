//! [`Collections`]: what native collections have done, for statistics.

use crate::sync::ProcessWide;
use crate::sync::statics::AtomicUsize;

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
static CURRENT: ProcessWide<Collections> = ProcessWide::new(&COLLECTIONS);

/// What native collections have done since the process began.
#[must_use]
pub(crate) fn collection_counts() -> &'static Collections {
    CURRENT.get()
}

/// Makes this binary count in another's place.
pub(crate) fn adopt_collections(place: &'static Collections) {
    CURRENT.adopt(place);
}
