//! [`Thread`]: what the runtime keeps for each thread, in one place.
//!
//! Finding a thread-local costs more than using it, so a birth or a death looks it up once and
//! hands it on. It has no destructor, so that objects can be made and destroyed at any time of a
//! thread's end; modules that have something to free then have one of their own. Only the binary
//! whose runtime it is uses it.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use super::counts::Mine;
use super::deaths::Deaths;
use crate::alloc::ThreadCache;

/// See the head of this file. Aligned so that the lowest byte of its address is free.
#[repr(align(256))]
pub(crate) struct Thread {
    pub(crate) bins: ThreadCache,
    /// What the thread has counted.
    pub(crate) counts: Mine,
    /// The shard of the list of traced objects that this thread owns, or null.
    pub(crate) shard: Cell<*const c_void>,
    /// What deaths that are under way on this thread have left to do.
    pub(crate) deaths: Deaths,
}

thread_local! {
    static THREAD: Thread = const {
        Thread { bins: ThreadCache::new(register_closer), counts: Mine::new(), shard: Cell::new(ptr::null()), deaths: Deaths::new() }
    };
}

/// This thread's.
#[inline]
pub(crate) fn with_thread<R>(use_it: impl FnOnce(&Thread) -> R) -> R {
    THREAD.with(use_it)
}

thread_local! {
    static CLOSER: Closer = const { Closer };
}

/// Gives the thread's blocks and counts back when it ends.
struct Closer;

impl Drop for Closer {
    fn drop(&mut self) {
        with_thread(|thread| {
            thread.bins.return_all_blocks();
            thread.counts.end_thread();
        });
    }
}

/// Ensures that this thread's [`Closer`] runs. Returns `false` if it has run already.
pub(super) fn register_closer() -> bool {
    CLOSER.try_with(|_| ()).is_ok()
}
