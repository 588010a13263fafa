//! The lock of all trees of the process. It belongs to the runtime.

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
