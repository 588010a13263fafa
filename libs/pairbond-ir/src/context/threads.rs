//! [`ThreadPool`]: how many threads passes run on.

use pairbond::prelude::*;

/// How many threads passes of several contexts run on: as many as the process may use processors.
/// Threads are made for a run and end with it, so that a pool keeps none.
#[pairbond::object("pairbond_ir.ThreadPool", opaque)]
pub struct ThreadPool {
    #[untraced]
    threads: usize,
}

#[pairbond::methods]
impl ThreadPool {
    /// A pool of as many threads as the process may use processors.
    #[new]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "Python's constructor")]
    pub fn new() -> Self {
        ThreadPool {
            threads: processor_count(),
        }
    }

    /// Returns how many threads passes run on at most.
    pub(crate) fn get_max_concurrency(&self) -> usize {
        self.threads
    }

    /// Returns a number that no other pool has while this one lives.
    #[name("_mlir_thread_pool_ptr")]
    pub(super) fn pool_id(this: Borrow<'_, Self>) -> usize {
        std::ptr::from_ref(this.get()).addr()
    }
}

/// Returns how many processors the process may use.
pub(super) fn processor_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
