//! Memory from the system, for objects and their fields.
//!
//! * `slab`, `slabs`, `chunks` – blocks of one size; `cache` – those that a thread has.
//! * `grow` – growing without aborting the process; `reserve` – memory for the error that says that
//!   there is none.
//! * `release` – free memory goes back to the system.
//!
//! Which allocator objects come from is decided above, in [`memory`](crate::memory).

use std::fmt;

/// A function that is `const` but in models, whose atomics and locks cannot be made so.
macro_rules! const_but_in_models {
    ($visibility:vis fn $($function:tt)*) => {
        #[cfg(not(loom))]
        $visibility const fn $($function)*
        #[cfg(loom)]
        $visibility fn $($function)*
    };
}
use const_but_in_models;

mod cache;
mod chunks;
mod fork_safe_lock;
mod grow;
mod release;
mod reserve;
mod slab;
#[cfg(test)]
mod slab_stress;
mod slabs;

pub(crate) use cache::{ThreadCache, allocate_block, deallocate_block, system_allocate, system_deallocate};
pub(crate) use grow::has_room;
pub use grow::{has_room_for_a_thread, try_box, try_collect, try_copy, try_push, try_push_str};
pub(crate) use release::{release_free_memory, release_pages, use_large_pages};
pub use reserve::allocate_thread_locals;
pub(crate) use reserve::{boxed_or_reserved, keep_block, use_reserve};
pub use slabs::Slabs;

/// The allocator refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationError;

impl fmt::Display for AllocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("out of memory: the allocator of native objects refused")
    }
}

impl std::error::Error for AllocationError {}
