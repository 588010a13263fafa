//! The one place that names atomics and locks, so that a model checker can be swapped in (`--cfg
//! loom`).
//!
//! [`atomic`] is what the protocol under test uses; statics of the process ([`statics`]) are always
//! the standard library's, because a model checker's atomics cannot live in a `static`.

#![allow(clippy::disallowed_types)]

mod process_wide;
pub(crate) use process_wide::ProcessWide;

#[cfg(test)]
thread_local! {
    /// Another thread is played by this one, which must not wait for itself.
    pub(crate) static STEPPING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// How much memory comes at once: that of most processors.
pub const CACHE_LINE: usize = 64;

/// Asks for memory that is going to be read or written, where the processor can be asked; any
/// address will do.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, which faults at no address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// The same, of so many bytes.
#[inline(always)]
pub fn prefetch_all(at: *const u8, bytes: usize) {
    let mut line = 0;
    while line < bytes {
        prefetch(at.wrapping_add(line));
        line += CACHE_LINE;
    }
}

#[cfg(not(loom))]
pub mod atomic {
    pub use std::sync::atomic::{Ordering, fence};
    // Aliases and not re-exports: the lint that sends everybody here looks through the latter.
    pub type AtomicU64 = std::sync::atomic::AtomicU64;
    pub type AtomicU8 = std::sync::atomic::AtomicU8;
    pub type AtomicU32 = std::sync::atomic::AtomicU32;
    pub type AtomicPtr<T> = std::sync::atomic::AtomicPtr<T>;
}

#[cfg(loom)]
pub mod atomic {
    pub use super::checked::AtomicU64;
    pub use loom::sync::atomic::{Ordering, fence};
    pub type AtomicU8 = loom::sync::atomic::AtomicU8;
    pub type AtomicU32 = loom::sync::atomic::AtomicU32;
    pub type AtomicPtr<T> = loom::sync::atomic::AtomicPtr<T>;
}

/// Loom's atomics, which notice that they are used after their object was freed.
#[cfg(loom)]
mod checked {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub struct AtomicU64 {
        inner: loom::sync::atomic::AtomicU64,
        freed: AtomicBool,
    }

    impl AtomicU64 {
        pub(crate) fn new(value: u64) -> Self {
            AtomicU64 {
                inner: loom::sync::atomic::AtomicU64::new(value),
                freed: AtomicBool::new(false),
            }
        }
        pub(crate) fn note_freed(&self) {
            self.freed.store(true, Ordering::Relaxed);
        }
        /// Loom changes threads before an operation and never after it, so that a flag that is set
        /// now was set when the operation took place.
        fn check_alive<R>(&self, result: R) -> R {
            assert!(
                !self.freed.load(Ordering::Relaxed),
                "use after free: a custody word was touched"
            );
            result
        }
        pub(crate) fn load(&self, order: Ordering) -> u64 {
            self.check_alive(self.inner.load(order))
        }
        pub(crate) fn store(&self, value: u64, order: Ordering) {
            self.check_alive(self.inner.store(value, order))
        }
        pub(crate) fn swap(&self, value: u64, order: Ordering) -> u64 {
            self.check_alive(self.inner.swap(value, order))
        }
        pub(crate) fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
            self.check_alive(self.inner.fetch_add(value, order))
        }
        pub(crate) fn fetch_sub(&self, value: u64, order: Ordering) -> u64 {
            self.check_alive(self.inner.fetch_sub(value, order))
        }
        pub(crate) fn fetch_and(&self, value: u64, order: Ordering) -> u64 {
            self.check_alive(self.inner.fetch_and(value, order))
        }
        pub(crate) fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
            self.check_alive(self.inner.fetch_or(value, order))
        }
        pub(crate) fn compare_exchange(
            &self,
            current: u64,
            new: u64,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u64, u64> {
            self.check_alive(self.inner.compare_exchange(current, new, success, failure))
        }
        /// Loom's weak exchange never fails for no reason; the strong one says so.
        pub(crate) fn fetch_update(
            &self,
            success: Ordering,
            failure: Ordering,
            change: impl FnMut(u64) -> Option<u64>,
        ) -> Result<u64, u64> {
            self.check_alive(self.inner.fetch_update(success, failure, change))
        }
        pub(crate) fn compare_exchange_weak(
            &self,
            current: u64,
            new: u64,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u64, u64> {
            self.compare_exchange(current, new, success, failure)
        }
    }
}

/// Process-wide state: never model-checked, always usable in a `static`.
pub mod statics {
    pub use std::sync::atomic::Ordering;
    pub type AtomicBool = std::sync::atomic::AtomicBool;
    pub type AtomicIsize = std::sync::atomic::AtomicIsize;
    pub type AtomicPtr<T> = std::sync::atomic::AtomicPtr<T>;
    pub type AtomicU8 = std::sync::atomic::AtomicU8;
    pub type AtomicU16 = std::sync::atomic::AtomicU16;
    pub type AtomicU64 = std::sync::atomic::AtomicU64;
    pub type AtomicU32 = std::sync::atomic::AtomicU32;
    pub type AtomicUsize = std::sync::atomic::AtomicUsize;
    pub type Mutex<T> = std::sync::Mutex<T>;
    pub type MutexGuard<'a, T> = std::sync::MutexGuard<'a, T>;
    pub type RwLock<T> = std::sync::RwLock<T>;
}

/// Whether the kernel knows no other thread of this process: `/proc/self/task` has one directory
/// for each, and its number of links counts them. Where there is no such file, or it says anything
/// else: no. Models and interpreters of memory orders know other threads than the kernel does, and
/// in the tests of this crate one thread plays the others.
pub(crate) fn is_single_threaded() -> bool {
    #[cfg(all(target_os = "linux", not(any(miri, loom, test))))]
    {
        use std::os::unix::fs::MetadataExt;
        // The directory itself, its entry in the one above, and one for each thread.
        std::fs::metadata("/proc/self/task").is_ok_and(|it| it.nlink() == 3)
    }
    #[cfg(not(all(target_os = "linux", not(any(miri, loom, test)))))]
    false
}

/// Yields to the holder of a lock.
#[inline]
pub(crate) fn relax_or_yield(attempt: u32) {
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

/// Whether this process was forked after this binary came into it.
#[cfg(not(loom))]
static FORKED: statics::AtomicBool = statics::AtomicBool::new(false);

/// Notes that this process was forked.
#[cfg(all(unix, not(any(miri, loom))))]
pub(crate) fn mark_forked() {
    FORKED.store(true, statics::Ordering::Relaxed);
    mark_readers();
}

/// From now on this binary's readers leave this process's mark in a [`CellLock`]. A forked process
/// calls this before it has other threads; readers without a mark are waited for.
#[cfg(all(unix, not(any(miri, loom))))]
pub(crate) fn mark_readers() {
    let marks = u32::from(u8::MAX - CellLock::READ);
    let mark = CellLock::READ + 1 + (std::process::id() % marks) as u8;
    READER.store(mark, statics::Ordering::Relaxed);
}

/// What a [`CellLock`] is while a thread of this process reads the value. All binaries that share
/// objects have the same: it is made of the process's number, and until a binary knows it, it is
/// [`CellLock::READ`].
static READER: statics::AtomicU8 = statics::AtomicU8::new(CellLock::READ);

/// Whether a lock must be taken for one of a thread that is not in this process: the process was
/// forked, and the lock has not come free for so long.
#[cfg(not(loom))]
#[cold]
fn is_abandoned(waited: std::time::Duration) -> bool {
    const LONG: std::time::Duration = std::time::Duration::from_secs(5);
    FORKED.load(statics::Ordering::Relaxed) && (waited > LONG || is_single_threaded())
}

#[cfg(not(loom))]
#[cold]
fn panic_abandoned() -> ! {
    panic!(
        "another thread was changing this object when the process was forked, so it cannot be used in the forked process: make it anew, \
         or fork while no native code runs on other threads"
    )
}

/// The lock of a mutable field: one byte, held for a copy or a swap, never while foreign code runs.
///
/// A plain flag and not an operating system lock, because a collector takes it in one thread of a
/// stopped world and gives it back from the same; because it is part of the layout that separately
/// built binaries share; and because nothing long happens under it.
///
/// A thread that only reads leaves the mark of its process. So a forked process knows that such a
/// lock will never be given back, and that the value is whole and stays as it is: others read
/// without the lock then ([`is_left_by_reader`](Self::is_left_by_reader)).
#[repr(transparent)]
pub struct CellLock(atomic::AtomicU8);

impl CellLock {
    const FREE: u8 = 0;
    const HELD: u8 = 1;
    const RETIRED: u8 = 2;
    /// Held to read, by a thread of any process; all above it are by one of a certain process.
    const READ: u8 = 3;

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

    /// Takes the lock if it is free; not if it is retired.
    #[inline]
    #[must_use]
    pub fn try_lock(&self) -> bool {
        self.try_lock_as(Self::HELD)
    }

    #[inline]
    fn try_lock_as(&self, state: u8) -> bool {
        self.0
            .compare_exchange(
                Self::FREE,
                state,
                atomic::Ordering::Acquire,
                atomic::Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Whether the lock is free.
    #[inline]
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.0.load(atomic::Ordering::Acquire) == Self::FREE
    }

    /// Waits for the lock. `false`: it is retired.
    #[inline]
    #[must_use]
    pub fn lock(&self) -> bool {
        self.try_lock() || self.lock_slowly(Self::HELD)
    }

    /// Waits for the lock, to read a value that other threads could read at the same time. `false`:
    /// it is retired, or [left by a reader](Self::is_left_by_reader).
    #[inline]
    #[must_use]
    pub(crate) fn lock_to_read(&self) -> bool {
        let state = READER.load(statics::Ordering::Relaxed);
        self.try_lock_as(state) || self.lock_slowly(state)
    }

    /// Whether a thread that is not in this process read the value when the process was forked.
    /// The value never changes from then on, and the lock stays as it is.
    #[cold]
    pub(crate) fn is_left_by_reader(&self) -> bool {
        let here = READER.load(statics::Ordering::Relaxed);
        let state = self.0.load(atomic::Ordering::Acquire);
        here > Self::READ && state > Self::READ && state != here
    }

    #[cold]
    fn lock_slowly(&self, state: u8) -> bool {
        let mut attempt = 0_u32;
        #[cfg(not(loom))]
        let begun = std::time::Instant::now();
        while !self.try_lock_as(state) {
            if self.is_retired() || (state != Self::HELD && self.is_left_by_reader()) {
                return false;
            }
            relax_or_yield(attempt);
            attempt = attempt.saturating_add(1);
            #[cfg(not(loom))]
            if attempt.is_multiple_of(1024) && is_abandoned(begun.elapsed()) {
                panic_abandoned();
            }
        }
        true
    }

    /// Gives the lock back for good: the guarded value is gone, and the lock cannot be taken again.
    /// Only its holder may.
    pub fn retire(&self) {
        self.0.store(Self::RETIRED, atomic::Ordering::Release);
    }

    /// A retired lock, of something that is not there yet.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn vacant() -> Self {
        CellLock(atomic::AtomicU8::new(Self::RETIRED))
    }

    /// A retired lock, of something that is not there yet.
    #[cfg(loom)]
    #[must_use]
    pub fn vacant() -> Self {
        CellLock(atomic::AtomicU8::new(Self::RETIRED))
    }

    /// Takes the lock although it is retired, to put something there. `false`: it is not retired.
    #[must_use]
    pub fn revive(&self) -> bool {
        self.0
            .compare_exchange(
                Self::RETIRED,
                Self::HELD,
                atomic::Ordering::Acquire,
                atomic::Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Whether the guarded value is gone.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.0.load(atomic::Ordering::Acquire) == Self::RETIRED
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
