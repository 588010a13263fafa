//! Objects' memory comes from the process's current [`Allocator`], which can be replaced at any
//! time from any thread. Each object remembers (in a byte of its header) which one made it, and
//! goes back to that one.

use std::ffi::c_void;
use std::fmt;

use super::memory_table::memory_table;
use crate::alloc::{system_allocate, system_deallocate};
use crate::fork::{Guards, guard_if_free};
use crate::sync::statics::{AtomicPtr, AtomicU16, Mutex, Ordering};

/// An allocator of objects. The functions are called from any thread, also at the same time.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Allocator {
    /// `(context, size, align)` → memory, or null when there is none. `size` is never 0, `align` a
    /// power of two up to 4096.
    pub allocate: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut u8,
    /// `(context, memory, size, align)`: exactly what `allocate` was called with.
    pub deallocate: unsafe extern "C" fn(*mut c_void, *mut u8, usize, usize),
    /// Given to both; must be usable from any thread for as long as the process lives.
    pub context: *mut c_void,
}

impl PartialEq for Allocator {
    /// The same functions (by address: at worst two of the same are taken for different ones) and
    /// context.
    fn eq(&self, other: &Self) -> bool {
        self.allocate as usize == other.allocate as usize
            && self.deallocate as usize == other.deallocate as usize
            && self.context == other.context
    }
}

// SAFETY: installing an allocator requires that it may be used from any thread.
unsafe impl Send for Allocator {}
// SAFETY: installing an allocator requires that it may be used from any thread.
unsafe impl Sync for Allocator {}

/// 255 different allocators were installed already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAllocators;

impl fmt::Display for TooManyAllocators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("255 different allocators were installed in this process already; reuse one of them")
    }
}

impl std::error::Error for TooManyAllocators {}

/// The allocators that were ever current. Slots are never reused: objects may outlive any of them.
pub(crate) struct Allocators {
    current: AtomicU16,
    slots: [AtomicPtr<Allocator>; 256],
    installing: Mutex<()>,
}

impl Allocators {
    pub(crate) const fn new() -> Self {
        Allocators {
            current: AtomicU16::new(0),
            slots: [const { AtomicPtr::new(std::ptr::null_mut()) }; 256],
            installing: Mutex::new(()),
        }
    }

    /// The lock of those who install one, if it is free: for who forks.
    pub(super) fn try_hold(&'static self) -> Option<Guards> {
        Some(Box::new(guard_if_free(self.installing.try_lock())?))
    }

    /// Slot 0, the system's, is not listed.
    #[inline]
    pub(crate) fn current_slot(&self) -> u8 {
        self.current.load(Ordering::Acquire) as u8
    }

    pub(crate) fn get(&self, slot: u8) -> Allocator {
        // SAFETY: a slot that was ever current holds a leaked allocator.
        match unsafe { self.slots[usize::from(slot)].load(Ordering::Acquire).as_ref() } {
            Some(allocator) => *allocator,
            None => Allocator {
                allocate: system_allocate,
                deallocate: system_deallocate,
                context: std::ptr::null_mut(),
            },
        }
    }

    pub(crate) fn install_allocator(&self, allocator: Allocator) -> bool {
        let _installing = self
            .installing
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for slot in 0..=255_u8 {
            let free = slot > 0 && self.slots[usize::from(slot)].load(Ordering::Acquire).is_null();
            if free {
                self.slots[usize::from(slot)].store(Box::leak(Box::new(allocator)), Ordering::Release);
            }
            if free || self.get(slot) == allocator {
                self.current.store(slot.into(), Ordering::Release);
                return true;
            }
        }
        false
    }
}

/// The allocator that new objects come from.
#[must_use]
pub fn current_allocator() -> Allocator {
    let mut current = std::mem::MaybeUninit::uninit();
    // SAFETY: the runtime fills it in.
    unsafe {
        (memory_table().get_allocator)(current.as_mut_ptr());
        current.assume_init()
    }
}

/// Replaces the allocator for objects made from now on; living objects go back to the one that made
/// them. Returns the one before.
///
/// # Errors
/// More than 255 different allocators (by functions and context) were installed.
///
/// # Safety
/// The functions do what [`Allocator`] says, from any thread, for as long as the process lives.
pub unsafe fn set_allocator(new: Allocator) -> Result<Allocator, TooManyAllocators> {
    let old = current_allocator();
    // SAFETY: promised by the caller.
    if unsafe { (memory_table().set_allocator)(&new) } {
        Ok(old)
    } else {
        Err(TooManyAllocators)
    }
}
