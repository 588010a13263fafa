//! The replaceable allocator of objects.

mod allocator;

pub use allocator::{AllocationError, Allocator, TooManyAllocators, allocator, set_allocator};
pub(crate) use allocator::{Allocators, system_allocate, system_deallocate};
