//! [`Gate`]: threads go in and out by doors of their own for a few instructions; a walker shuts it
//! and has everything to itself.
//!
//! # Promises, in order of weight
//! 1. Between [`shut`](Gate::shut) with [`wait_until_empty`](Gate::wait_until_empty) for a door and
//!    [`open`](Gate::open), no thread is inside by that door.
//! 2. Writes made inside happen before the walk, and those of the walker happen before later
//!    entries.
//! 3. Going in and out takes two plain stores and a load: no locked instruction, no fence of the
//!    processor's.
//!
//! # How
//! It is Dekker's protocol: a thread that enters announces it and then looks whether the gate is
//! shut; the one that shuts it announces that and then looks for threads inside. Each needs a fence
//! between the two. Entering happens twice in each object's life and shutting once in a collection,
//! so the walker pays for both: the system call `membarrier` runs a fence on every processor that
//! runs a thread of the process, and those who enter need only keep the compiler from exchanging
//! the two. Where there is no such call, or a sandbox refuses it, the gate is [`FENCED`], never
//! looks plain, and those who enter come by the slow path, which has a fence.
//!
//! Tests: `tests/loom_gate.rs` checks the protocol with fences on both sides.

use crate::sync::atomic::{AtomicU8, AtomicU32, Ordering, fence};
use crate::sync::relax_or_yield;

/// Somebody walks.
const SHUT: u32 = 1;
/// There is no fence for all processors.
const FENCED: u32 = 2;
/// It has not been checked yet whether there is one.
const UNKNOWN: u32 = 4;

/// See the head of this file.
pub struct Gate(AtomicU32);

/// The way in of one thread at a time.
pub struct Door(AtomicU8);

/// Somebody is inside.
#[must_use]
pub struct Inside<'a>(&'a Door);

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.0.store(0, Ordering::Release);
    }
}

impl Door {
    /// A door that no thread has used.
    #[must_use]
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Door(AtomicU8::new(0))
    }
    /// A door that no thread has used.
    #[must_use]
    #[cfg(loom)]
    pub fn new() -> Self {
        Door(AtomicU8::new(0))
    }
}

impl Default for Door {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// An open gate.
    #[must_use]
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Gate(AtomicU32::new(UNKNOWN))
    }
    /// An open gate.
    #[must_use]
    #[cfg(loom)]
    pub fn new() -> Self {
        Gate(AtomicU32::new(UNKNOWN))
    }

    /// Goes in, when no walk is under way. A door is used by one thread at a time, which does not
    /// walk itself.
    #[inline]
    pub fn enter<'a>(&self, door: &'a Door) -> Inside<'a> {
        door.0.store(1, Ordering::Relaxed);
        everywhere::keep_order();
        if self.0.load(Ordering::Acquire) != 0 {
            self.enter_slowly(door);
        }
        Inside(door)
    }

    #[cold]
    #[inline(never)]
    fn enter_slowly(&self, door: &Door) {
        let mut attempt = 0;
        loop {
            let now = self.resolved_state();
            if now & FENCED != 0 {
                fence(Ordering::SeqCst);
            }
            if self.0.load(Ordering::Acquire) & SHUT == 0 {
                return;
            }
            door.0.store(0, Ordering::Release);
            while self.0.load(Ordering::Acquire) & SHUT != 0 {
                relax_or_yield(attempt);
                attempt = attempt.saturating_add(1);
            }
            door.0.store(1, Ordering::Relaxed);
            everywhere::keep_order();
        }
    }

    /// Shuts the gate. `false`: another walker has.
    #[must_use]
    pub fn shut(&self) -> bool {
        let before = self.resolved_state();
        if before & SHUT != 0 || self.0.fetch_or(SHUT, Ordering::AcqRel) & SHUT != 0 {
            return false;
        }
        if before & FENCED != 0 {
            fence(Ordering::SeqCst);
        } else {
            everywhere::fence_all();
        }
        true
    }

    /// Waits until no thread is inside by this door; the caller has shut the gate.
    pub fn wait_until_empty(&self, door: &Door) {
        let mut attempt = 0;
        while door.0.load(Ordering::Acquire) != 0 {
            relax_or_yield(attempt);
            attempt = attempt.saturating_add(1);
        }
    }

    /// Opens the gate; the caller has shut it.
    pub fn open(&self) {
        self.0.fetch_and(!SHUT, Ordering::Release);
    }

    /// The state, with the question answered whether there is a fence for all processors.
    fn resolved_state(&self) -> u32 {
        let now = self.0.load(Ordering::Acquire);
        if now & UNKNOWN == 0 {
            return now;
        }
        // A second thread finds the same answer. `SHUT` is not set before the question is answered.
        let answer = if everywhere::prepare_fence() { 0 } else { FENCED };
        match self
            .0
            .compare_exchange(UNKNOWN, answer, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => answer,
            Err(other) => other,
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// A fence on all processors that run a thread of this process, paid by one. Not for those who
/// watch over memory orders: they know fences only.
#[cfg(all(target_os = "linux", not(any(miri, loom))))]
mod everywhere {
    /// Keeps what others may see of this thread's stores and loads in order, once somebody calls
    /// [`fence_all`].
    #[inline(always)]
    pub(super) fn keep_order() {
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    }

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: a system call that takes numbers.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    /// Whether there is such a fence here.
    pub(super) fn prepare_fence() -> bool {
        membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
    }

    pub(super) fn fence_all() {
        // A forked process may have to register again. After that the call cannot fail.
        let done = membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED)
            || prepare_fence() && membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
        assert!(done, "membarrier was refused after it had been promised");
    }
}

#[cfg(not(all(target_os = "linux", not(any(miri, loom)))))]
mod everywhere {
    pub(super) fn keep_order() {}
    pub(super) fn prepare_fence() -> bool {
        false
    }
    pub(super) fn fence_all() {
        unreachable!("there is none here");
    }
}
