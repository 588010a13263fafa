//! Whether two binaries have the same global allocator.
//!
//! The language offers no way to tell. But allocators return a block that was just freed for the
//! next request of its size, and two of them never return the same address. So the probe frees a
//! block with the one and allocates from the other: the address comes again if they are one. Where
//! the allocator of the process does not work like that (some do not), nothing can be told, and
//! nothing is refused.

use std::alloc::Layout;

/// The functions of one binary's global allocator.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Heap {
    /// `(size)` → memory or null.
    pub allocate: unsafe extern "C" fn(usize) -> *mut u8,
    /// `(memory, size)`
    pub free: unsafe extern "C" fn(*mut u8, usize),
}

/// Sizes that are no other allocation's in this moment, most likely, and small enough for the lists
/// that threads have for themselves.
const SIZES: [usize; 4] = [56, 216, 424, 984];
const ALIGN: usize = 8;

impl Heap {
    /// The global allocator of this binary.
    #[must_use]
    pub const fn of_this_binary() -> Self {
        unsafe extern "C" fn allocate_global(size: usize) -> *mut u8 {
            match Layout::from_size_align(size, ALIGN) {
                // SAFETY: the size is not 0: one of `SIZES`.
                Ok(layout) if size != 0 => unsafe { std::alloc::alloc(layout) },
                _ => std::ptr::null_mut(),
            }
        }
        unsafe extern "C" fn free_global(memory: *mut u8, size: usize) {
            if let Ok(layout) = Layout::from_size_align(size, ALIGN) {
                // SAFETY: memory of `allocate` with the same size.
                unsafe { std::alloc::dealloc(memory, layout) };
            }
        }
        Heap {
            allocate: allocate_global,
            free: free_global,
        }
    }

    /// Allocates a block and gives it back: its address.
    fn probe_address(self, size: usize) -> usize {
        // SAFETY: a block is given back once, where it came from.
        unsafe {
            let memory = (self.allocate)(size);
            if !memory.is_null() {
                (self.free)(memory, size);
            }
            memory.addr()
        }
    }

    /// Whether the other is certainly another allocator: this one gives each block again, and the
    /// other never gives one of its blocks.
    #[must_use]
    pub fn certainly_differs(self, other: Heap) -> bool {
        let mut told = true;
        for size in SIZES {
            let again = self.probe_address(size) == self.probe_address(size);
            if other.probe_address(size) == self.probe_address(size) {
                return false;
            }
            told &= again;
        }
        told
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn one_allocator_is_the_same_and_another_is_not() {
        unsafe extern "C" fn allocate(size: usize) -> *mut u8 {
            // SAFETY: a layout that is not empty.
            let memory = unsafe { std::alloc::alloc(Layout::from_size_align(size + 64, 8).unwrap()) };
            memory.wrapping_add(64)
        }
        unsafe extern "C" fn free(memory: *mut u8, size: usize) {
            // SAFETY: memory that `allocate` returned for this size, given back once.
            unsafe {
                std::alloc::dealloc(
                    memory.wrapping_sub(64),
                    Layout::from_size_align(size + 64, 8).unwrap(),
                )
            };
        }
        let (own, other) = (Heap::of_this_binary(), Heap { allocate, free });
        for _ in 0..100 {
            assert!(!own.certainly_differs(own));
            assert!(!other.certainly_differs(other));
            assert_eq!(own.certainly_differs(other), cfg!(target_env = "gnu"));
        }
    }
}
