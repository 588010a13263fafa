//! Memory for the error that says that there is none.
//!
//! Small allocations can exhaust memory to the last byte; then the error itself, its message and
//! the exception could not be made. Each binary keeps a block for that, smaller than what
//! allocators map by itself, and gives it back when an error of memory is made, or any error that
//! finds no memory for itself. A frontend asks for it again after the exception has been raised.

use std::alloc::{Layout, alloc, dealloc};

use super::grow::box_or_value;
use crate::sync::statics::{AtomicPtr, Ordering};

const LAYOUT: Layout = Layout::new::<[u64; 8192]>();

static RESERVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    static TOUCHED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Gives the thread its thread-locals of this binary. The loader allocates them at the first use,
/// and ends the process if it cannot, as when an error unwinds for want of memory: a thread that
/// begins uses them at once.
pub fn allocate_thread_locals() {
    TOUCHED.with(|touched| std::hint::black_box(touched).set(true));
}

/// Keeps a block, if there is none and memory for one. The thread that calls it first has the
/// binary's thread-locals from then on, and has called `prepare`.
pub(crate) fn keep_block(prepare: impl FnOnce()) {
    if !RESERVE.load(Ordering::Relaxed).is_null() {
        return;
    }
    allocate_thread_locals();
    prepare();
    // SAFETY: the layout is not empty.
    let block = unsafe { alloc(LAYOUT) };
    let (empty, order) = (std::ptr::null_mut(), Ordering::AcqRel);
    if !block.is_null()
        && RESERVE
            .compare_exchange(empty, block, order, Ordering::Relaxed)
            .is_err()
    {
        // SAFETY: allocated above, and kept by nothing.
        unsafe { dealloc(block, LAYOUT) };
    }
}

/// Gives the block back, so that an error can be made.
#[cold]
pub(crate) fn use_reserve() {
    let block = RESERVE.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !block.is_null() {
        // SAFETY: allocated by `keep_block` with this layout, and taken out by this swap alone.
        unsafe { dealloc(block, LAYOUT) };
    }
}

/// Returns the box of an error, made of the block where there is no other memory.
pub(crate) fn boxed_or_reserved<T>(value: T) -> Box<T> {
    box_or_value(value).unwrap_or_else(|value| {
        use_reserve();
        Box::new(value)
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_kept_once_and_used_once() {
        keep_block(|| ());
        let kept = RESERVE.load(Ordering::Relaxed);
        assert!(!kept.is_null());
        keep_block(|| ());
        assert_eq!(RESERVE.load(Ordering::Relaxed), kept);
        use_reserve();
        assert!(RESERVE.load(Ordering::Relaxed).is_null());
        use_reserve();
    }
}
