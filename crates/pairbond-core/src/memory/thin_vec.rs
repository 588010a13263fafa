//! [`ThinVec`]: a vector in one block of objects' memory, and one word where it is kept.
//!
//! What an object owns besides itself is read with it. In a `Box<Vec<_>>` it is two allocations of
//! the system's allocator, which lie anywhere; here it is one, and near those of the objects that
//! were made before and after.

use std::fmt;
use std::mem::{align_of, size_of};
use std::ptr::{self, NonNull};

use super::{AllocationError, Counted};
use crate::error::Error;

/// A vector with a head `H`, in one block of the memory that objects are made of. An empty one
/// without a head has none.
///
/// ```
/// # use pairbond_core::memory::ThinVec;
/// let mut some: ThinVec<String> = ["a", "b"].map(String::from).into_iter().collect();
/// some.push("c".into());
/// assert_eq!(some.as_slice(), ["a", "b", "c"]);
/// assert_eq!(size_of_val(&some), size_of::<usize>());
/// ```
///
/// # Panics
/// Whatever makes it longer, if the allocator refuses, or with more than `u32::MAX` elements.
pub struct ThinVec<T, H = ()> {
    block: Option<NonNull<Head<H>>>,
    _owns: std::marker::PhantomData<(T, H)>,
}

/// What lies before the elements.
struct Head<H> {
    own: H,
    len: u32,
    capacity: u32,
    /// The allocator's.
    slot: u8,
}

// SAFETY: it owns its elements.
unsafe impl<T: Send, H: Send> Send for ThinVec<T, H> {}
// SAFETY: it owns its elements.
unsafe impl<T: Sync, H: Sync> Sync for ThinVec<T, H> {}

impl<T, H> ThinVec<T, H> {
    const ALIGN: usize = if align_of::<T>() > align_of::<Head<H>>() {
        align_of::<T>()
    } else {
        align_of::<Head<H>>()
    };
    /// From the head to the elements.
    const OFFSET: usize = size_of::<Head<H>>().next_multiple_of(Self::ALIGN);

    /// The bytes of a block.
    fn block_size(capacity: usize) -> Option<usize> {
        let size = size_of::<T>().checked_mul(capacity)?.checked_add(Self::OFFSET)?;
        (size <= isize::MAX as usize && capacity <= u32::MAX as usize).then_some(size)
    }

    /// A block without elements.
    fn allocate_block(own: H, capacity: usize) -> NonNull<Head<H>> {
        let Some(size) = Self::block_size(capacity) else {
            Error::from(AllocationError).unwind();
        };
        // SAFETY: the layout is not empty: it has a head.
        let made = unsafe { (super::memory_table().allocate)(size, Self::ALIGN, Counted::NOTHING) };
        let Some(block) = NonNull::new(made.memory.cast::<Head<H>>()) else {
            Error::from(AllocationError).unwind();
        };
        let head = Head {
            own,
            len: 0,
            capacity: capacity as u32,
            slot: made.slot() as u8,
        };
        // SAFETY: room for it.
        unsafe { block.write(head) };
        block
    }

    /// # Safety
    /// A block whose head and elements were taken out.
    unsafe fn deallocate_block(block: NonNull<Head<H>>) {
        // SAFETY: promised; numbers stay readable.
        unsafe {
            let (capacity, slot) = ((*block.as_ptr()).capacity, (*block.as_ptr()).slot);
            let size = Self::OFFSET + size_of::<T>() * capacity as usize;
            (super::memory_table().deallocate)(
                block.as_ptr().cast(),
                size,
                Self::ALIGN,
                slot,
                Counted::NOTHING,
            );
        }
    }

    fn elements_ptr(block: NonNull<Head<H>>) -> *mut T {
        // SAFETY: within the block.
        unsafe { block.as_ptr().byte_add(Self::OFFSET).cast() }
    }

    /// One with a head, and room for so many elements.
    #[must_use]
    pub fn with_head(head: H, capacity: usize) -> Self {
        ThinVec {
            block: Some(Self::allocate_block(head, capacity)),
            _owns: std::marker::PhantomData,
        }
    }

    /// Its head, if it has one.
    #[must_use]
    pub fn head(&self) -> Option<&H> {
        // SAFETY: the block is ours.
        self.block.map(|block| unsafe { &(*block.as_ptr()).own })
    }

    /// The same, to be changed.
    #[must_use]
    pub fn head_mut(&mut self) -> Option<&mut H> {
        // SAFETY: the block is ours.
        self.block.map(|block| unsafe { &mut (*block.as_ptr()).own })
    }

    /// The elements.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match self.block {
            None => &[],
            // SAFETY: the first so many are written.
            Some(block) => unsafe {
                std::slice::from_raw_parts(Self::elements_ptr(block), (*block.as_ptr()).len as usize)
            },
        }
    }

    /// The same, to be changed.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match self.block {
            None => &mut [],
            // SAFETY: the first so many are written.
            Some(block) => unsafe {
                std::slice::from_raw_parts_mut(Self::elements_ptr(block), (*block.as_ptr()).len as usize)
            },
        }
    }
}

impl<T, H: Default> ThinVec<T, H> {
    /// Puts an element behind the others.
    pub fn push(&mut self, element: T) {
        let block = match self.block {
            None => Self::allocate_block(H::default(), 4),
            Some(block) => Self::with_room(block),
        };
        self.block = Some(block);
        // SAFETY: the block has room for one more.
        unsafe {
            let head = &mut *block.as_ptr();
            Self::elements_ptr(block).add(head.len as usize).write(element);
            head.len += 1;
        }
    }

    /// The block, or a larger one with its contents.
    #[inline]
    fn with_room(block: NonNull<Head<H>>) -> NonNull<Head<H>> {
        // SAFETY: the block is ours.
        let (len, capacity) = unsafe { ((*block.as_ptr()).len, (*block.as_ptr()).capacity) };
        if len < capacity {
            return block;
        }
        let larger = Self::allocate_block(H::default(), (capacity as usize * 2).max(4));
        // SAFETY: all is moved, and the default goes with the old block.
        unsafe {
            ptr::swap(&raw mut (*block.as_ptr()).own, &raw mut (*larger.as_ptr()).own);
            ptr::copy_nonoverlapping(
                Self::elements_ptr(block),
                Self::elements_ptr(larger),
                len as usize,
            );
            (*larger.as_ptr()).len = len;
            (*block.as_ptr()).len = 0;
            (&raw mut (*block.as_ptr()).own).drop_in_place();
            Self::deallocate_block(block);
        }
        larger
    }
}

impl<T, H> Drop for ThinVec<T, H> {
    fn drop(&mut self) {
        /// Gives the block back, also when a destructor panics.
        struct Block<T, H>(NonNull<Head<H>>, std::marker::PhantomData<T>);
        impl<T, H> Drop for Block<T, H> {
            fn drop(&mut self) {
                // SAFETY: the elements are dropped, or lost to a panic.
                unsafe { ThinVec::<T, H>::deallocate_block(self.0) };
            }
        }
        let Some(block) = self.block.take() else { return };
        let _block = Block::<T, H>(block, std::marker::PhantomData);
        // SAFETY: the block is ours, and its elements are written.
        unsafe {
            let all =
                ptr::slice_from_raw_parts_mut(Self::elements_ptr(block), (*block.as_ptr()).len as usize);
            all.drop_in_place();
            (&raw mut (*block.as_ptr()).own).drop_in_place();
        }
    }
}

impl<T, H> Default for ThinVec<T, H> {
    fn default() -> Self {
        ThinVec {
            block: None,
            _owns: std::marker::PhantomData,
        }
    }
}

impl<T, H: Default> Extend<T> for ThinVec<T, H> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, all: I) {
        let all = all.into_iter();
        if self.block.is_none() && all.size_hint().0 > 0 {
            self.block = Some(Self::allocate_block(H::default(), all.size_hint().0));
        }
        all.for_each(|it| self.push(it));
    }
}

impl<T, H: Default> FromIterator<T> for ThinVec<T, H> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut made = ThinVec::default();
        made.extend(all);
        made
    }
}

impl<T: fmt::Debug, H> fmt::Debug for ThinVec<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}
