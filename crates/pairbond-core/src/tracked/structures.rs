//! The lock of all structures that keep objects, such as trees.

use crate::fork::{StaticLocks, hold_over_forks};
use crate::sync::CellLock;
#[cfg(not(loom))]
use crate::sync::ProcessWide;

/// The runtime's own lock of structures.
#[cfg(not(loom))]
pub(crate) static STRUCTURE_LOCK: CellLock = CellLock::new();

/// Where nodes are not model-checked there are none: models have a lock of their own.
#[cfg(loom)]
static STRUCTURE_LOCK: std::sync::LazyLock<CellLock> = std::sync::LazyLock::new(|| unreachable!());

#[cfg(not(loom))]
static CURRENT: ProcessWide<CellLock> = ProcessWide::new(&STRUCTURE_LOCK);

/// Returns the lock of all structures that keep objects, which many objects show a tracer (see
/// [`NodeType`](crate::object::NodeType)). It is taken once in a walk, and never retired.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn structure_lock() -> &'static CellLock {
    #[cfg(not(loom))]
    return CURRENT.get();
    #[cfg(loom)]
    unreachable!("a model makes its own lock");
}

/// Returns whether this is the lock of all structures, and not one of an object's own.
pub(crate) fn is_structure_lock(lock: *const CellLock) -> bool {
    cfg!(not(loom)) && std::ptr::eq(lock, structure_lock())
}

/// Makes that lock survive forks.
pub(crate) fn hold_structures_over_forks() {
    /// Given back when this is dropped.
    struct Structures;
    impl Drop for Structures {
        fn drop(&mut self) {
            STRUCTURE_LOCK.unlock();
        }
    }
    hold_over_forks(StaticLocks::Structures, || {
        if STRUCTURE_LOCK.try_lock() {
            return Some(Box::new(Structures));
        }
        None
    });
}

/// Makes this binary use another's.
#[cfg(not(loom))]
pub(crate) fn adopt_structures(lock: &'static CellLock) {
    CURRENT.adopt(lock);
}
