//! The replaceable allocator of objects.

mod allocator;
pub(crate) mod cache;

pub(crate) use allocator::Allocators;
pub use allocator::{AllocationError, Allocator, TooManyAllocators, allocator, set_allocator};
