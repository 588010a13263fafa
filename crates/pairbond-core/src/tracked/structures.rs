//! The lock of all structures that keep objects, such as trees.

use crate::fork::{StaticLocks, hold_over_forks};
use crate::sync::CellLock;
use crate::sync::statics::{AtomicPtr, Ordering};

/// The runtime's own lock of structures.
#[cfg(not(loom))]
pub(crate) static STRUCTURE_LOCK: CellLock = CellLock::new();

/// Where nodes are not model-checked there are none: models have a lock of their own.
#[cfg(loom)]
static STRUCTURE_LOCK: std::sync::LazyLock<CellLock> = std::sync::LazyLock::new(|| unreachable!());

/// The process's. None of a model: it makes its own.
#[cfg(not(loom))]
static CURRENT: AtomicPtr<CellLock> = AtomicPtr::new((&raw const STRUCTURE_LOCK).cast_mut());
#[cfg(loom)]
static CURRENT: AtomicPtr<CellLock> = AtomicPtr::new(std::ptr::null_mut());

/// Returns the lock of all structures that keep objects, which many objects show a tracer (see
/// [`NodeType`](crate::object::NodeType)). It is taken once in a walk, and never retired.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn structure_lock() -> &'static CellLock {
    // SAFETY: lives for the process.
    unsafe { &*CURRENT.load(Ordering::Acquire) }
}

/// Returns whether this is the lock of all structures, and not one of an object's own.
pub(crate) fn is_structure_lock(lock: *const CellLock) -> bool {
    std::ptr::eq(lock, CURRENT.load(Ordering::Acquire))
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

/// Makes this binary use another's, which lives for the process.
pub(crate) fn adopt_structures(lock: *const CellLock) {
    CURRENT.store(lock.cast_mut(), Ordering::Release);
}
