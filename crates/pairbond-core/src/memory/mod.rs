//! The replaceable allocator of objects, and how many of them there are.

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

mod allocator;
pub(crate) mod cache;
mod chunks;
pub(crate) mod counts;
mod fork_safe_lock;
mod release;
mod reserve;
mod room;
mod slab;
#[cfg(test)]
mod slab_stress;
mod slabs;
mod table;
mod thin_vec;

pub use allocator::{AllocationError, Allocator, TooManyAllocators, current_allocator, set_allocator};
pub use counts::{Count, Counted};
pub(crate) use release::{release_free_memory, release_pages, use_large_pages};
pub use reserve::{allocate_thread_locals, keep_reserve};
pub(crate) use reserve::{boxed_or_reserved, use_reserve};
pub(crate) use room::has_room;
#[doc(hidden)]
pub use room::{
    Gather, Grow, Room, filled_vec, or_unwind, try_box, try_collect, try_copy, try_push, try_push_str,
};
pub use room::{check_room, has_room_for_a_thread};
pub use slabs::Slabs;
pub use table::{Allocation, Home, MemoryTable};
pub(crate) use table::{adopt_memory, give_back, memory_table};
pub use thin_vec::ThinVec;
