//! The lock of all trees of the process. It belongs to the runtime.
//!
//! It is held for each step through children and links, for each access to a field that it guards
//! (`Guarded`), for each edit, and when a node gets its first wrapper or loses its last reference.
//! It is not taken by getters of other fields, which read one flag of the node (whether it was
//! erased), by fields with a lock of their own (`Cell`), by the fetch of a wrapper that is there,
//! or when other references are cloned or dropped.

use pairbond_core::CellLock;
use pairbond_core::runtime::structure_lock;

/// The lock, held. While it is nothing foreign is called, and no reference dropped.
pub(super) struct Locked(&'static CellLock);

#[inline]
pub(super) fn lock_trees() -> Locked {
    let lock = structure_lock();
    let held = lock.lock();
    debug_assert!(held, "it is never retired");
    Locked(lock)
}

/// For tracers, which keep it to the end of their walk.
pub(super) fn tracer_lock() -> &'static CellLock {
    structure_lock()
}

impl Locked {
    pub(super) fn is_held(&self) -> bool {
        !self.0.is_free()
    }
}

impl Drop for Locked {
    #[inline]
    fn drop(&mut self) {
        self.0.unlock();
    }
}
