//! The replaceable allocator of objects, and how many of them there are.
//!
//! * `allocator` – where objects come from; `table` – the runtime's functions for that.
//! * `thread` – what the runtime keeps for each thread: blocks, counts (`counts`), its shard of the
//!   list of traced objects, deaths under way (`deaths`).
//! * `thin_vec` – a vector in the memory that objects come from.
//!
//! The blocks themselves are in `alloc`.

mod allocator;
mod counts;
mod deaths;
mod memory_table;
mod thin_vec;
mod thread;

pub use crate::alloc::{AllocationError, Slabs, allocate_thread_locals, has_room_for_a_thread};
#[doc(hidden)]
pub use crate::alloc::{try_box, try_collect, try_copy, try_push, try_push_str};
#[doc(hidden)]
pub use crate::error::{Gather, Grow, Room, filled_vec, or_unwind};
pub use crate::error::{check_room, keep_reserve};
pub use allocator::{Allocator, TooManyAllocators, current_allocator, set_allocator};
pub use counts::{Count, Counted};
pub(crate) use deaths::Task;
pub use memory_table::{Allocation, Home, MemoryTable};
pub(crate) use memory_table::{adopt_memory, give_back, memory_table};
pub use thin_vec::ThinVec;
pub(crate) use thread::{Thread, with_thread};
