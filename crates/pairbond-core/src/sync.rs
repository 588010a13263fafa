//! The one place that names atomics and locks, so that a model checker can be swapped in (`--cfg loom`).
//!
//! [`atomic`] is what the protocol under test uses; statics of the process ([`statics`]) are always the standard library's, because a model
//! checker's atomics cannot live in a `static`.

#![allow(clippy::disallowed_types)]

#[cfg(loom)]
pub(crate) mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicI64, AtomicPtr, AtomicU8, AtomicU64, Ordering, fence};
}

#[cfg(not(loom))]
pub(crate) mod atomic {
    pub(crate) use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU8, AtomicU64, Ordering, fence};
}

/// Process-wide state: never model-checked, always usable in a `static`.
pub(crate) mod statics {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicPtr, AtomicU16, AtomicUsize, Ordering};
    pub(crate) use std::sync::{Mutex, MutexGuard, RwLock};
}

/// Gives way to whoever holds what we wait for.
#[inline]
pub(crate) fn relax(attempt: u32) {
    #[cfg(loom)]
    {
        let _ = attempt;
        loom::thread::yield_now();
    }
    #[cfg(not(loom))]
    if attempt < 32 {
        std::hint::spin_loop();
    } else if attempt < 128 {
        std::thread::yield_now();
    } else {
        std::thread::sleep(std::time::Duration::from_micros(50));
    }
}

/// The lock of a mutable field: one byte, held for a copy or a swap, never while foreign code runs.
///
/// A plain flag and not an operating system lock, because a collector takes it in one thread of a stopped world and gives it
/// back from the same; because it is part of the layout that separately built binaries share; and because nothing long happens under it.
#[repr(transparent)]
pub struct CellLock(atomic::AtomicU8);

impl CellLock {
    const FREE: u8 = 0;
    const HELD: u8 = 1;

    /// A free lock.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        CellLock(atomic::AtomicU8::new(Self::FREE))
    }

    /// A free lock.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        CellLock(atomic::AtomicU8::new(Self::FREE))
    }

    /// Takes the lock if it is free.
    #[inline]
    #[must_use]
    pub fn try_lock(&self) -> bool {
        self.0
            .compare_exchange(Self::FREE, Self::HELD, atomic::Ordering::Acquire, atomic::Ordering::Relaxed)
            .is_ok()
    }

    /// Waits for the lock.
    #[inline]
    pub fn lock(&self) {
        let mut attempt = 0;
        while !self.try_lock() {
            relax(attempt);
            attempt = attempt.saturating_add(1);
        }
    }

    /// Gives the lock back; only its holder may.
    #[inline]
    pub fn unlock(&self) {
        self.0.store(Self::FREE, atomic::Ordering::Release);
    }
}

impl Default for CellLock {
    fn default() -> Self {
        Self::new()
    }
}
