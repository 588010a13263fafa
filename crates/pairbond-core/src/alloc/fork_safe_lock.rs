//! [`ForkSafeLock`]: a value of the process behind a lock that is held for some instructions, and
//! over a fork.

use std::cell::UnsafeCell;

use crate::sync::CellLock;

/// See the head of this file.
pub(super) struct ForkSafeLock<T> {
    lock: CellLock,
    value: UnsafeCell<T>,
}

// SAFETY: only the holder of the lock touches the value.
unsafe impl<T> Sync for ForkSafeLock<T> {}
// SAFETY: the memory that values here point to is no thread's own.
unsafe impl<T> Send for ForkSafeLock<T> {}

impl<T> ForkSafeLock<T> {
    super::const_but_in_models! {
        pub(super) fn new(value: T) -> Self {
            ForkSafeLock {
                lock: CellLock::new(),
                value: UnsafeCell::new(value),
            }
        }
    }

    pub(super) fn with_locked<R>(&self, use_it: impl FnOnce(&mut T) -> R) -> R {
        let _ = self.lock.lock();
        // SAFETY: the lock is ours.
        let result = use_it(unsafe { &mut *self.value.get() });
        self.lock.unlock();
        result
    }

    pub(super) fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The lock, for who forks.
    #[cfg_attr(
        any(miri, loom, not(target_os = "linux")),
        allow(dead_code, reason = "nobody forks")
    )]
    pub(super) fn lock(&self) -> &CellLock {
        &self.lock
    }
}
