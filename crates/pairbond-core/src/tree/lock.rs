//! The lock of all trees of the process. It belongs to the runtime.

use crate::runtime::runtime;
use crate::sync::CellLock;
#[cfg(not(loom))]
pub(crate) static STATIC_LOCK: CellLock = CellLock::new();

/// Where nodes are not model-checked there are none: models have a lock of their own.
#[cfg(loom)]
pub(crate) static STATIC_LOCK: std::sync::LazyLock<CellLock> = std::sync::LazyLock::new(|| unreachable!());

/// The lock, held. While it is nothing foreign is called, and no reference dropped.
pub(super) struct Locked(&'static CellLock);

fn lock_of_all() -> &'static CellLock {
    // SAFETY: lives for the process.
    unsafe { &*runtime().tree_lock }
}

#[inline]
pub(super) fn lock() -> Locked {
    let lock = lock_of_all();
    let held = lock.lock();
    debug_assert!(held, "it is never retired");
    Locked(lock)
}

/// For tracers, which keep it to the end of their walk.
pub(super) fn shared() -> &'static CellLock {
    lock_of_all()
}

/// Whether this is the lock that many objects show a tracer, and not one of an object's own.
pub(crate) fn is_lock(lock: *const CellLock) -> bool {
    std::ptr::eq(lock, runtime().tree_lock)
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
