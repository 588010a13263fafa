//! The replaceable allocator of objects, and how many of them there are.

mod allocator;
pub(crate) mod cache;
pub(crate) mod counts;

pub(crate) use allocator::Allocators;
pub use allocator::{AllocationError, Allocator, TooManyAllocators, allocator, set_allocator};
pub use counts::{Count, Counted};
