//! Small blocks that a thread gave back and will soon want again.
//!
//! Objects are small, many, and short-lived when a scripting language asks for them; a bounded list per thread and size costs a few
//! instructions where the system's allocator takes a hundred for both ways, and pays for what an object has that an `Arc` has not. What is beyond
//! the bound goes back to the system at once, the rest when the thread ends. Another allocator than the system's is never
//! bypassed. Debug builds and Miri have no cache, so that what watches over memory sees every block.

use std::alloc::Layout;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use crate::thread::thread;

/// The sizes of cached blocks are so far apart, and it is the alignment of each.
const STEP: usize = 16;
/// The smallest: the header of an object. As the system's allocators have a word in front of a block, sizes of half a step more than whole ones are those
/// that waste nothing.
const SMALLEST: usize = 24;
const LARGEST: usize = 136;
const SIZES: usize = (LARGEST - SMALLEST) / STEP + 1;
/// Blocks of one size that a thread keeps: 8.5 KiB at most, for all sizes 40 KiB.
const KEPT: usize = 64;
const CACHED: bool = !cfg!(any(miri, loom, debug_assertions));

/// The content of a block that nobody uses.
struct Block {
    next: *mut Block,
}

struct Bin {
    first: Cell<*mut Block>,
    /// How many more blocks it takes; 0 also before the thread's first one and after its last.
    room: Cell<usize>,
}

/// The blocks that a thread keeps.
pub(crate) struct Bins {
    bins: [Bin; SIZES],
    opened: Cell<bool>,
}

impl Bins {
    pub(crate) const fn new() -> Self {
        Bins {
            bins: [const {
                Bin {
                    first: Cell::new(ptr::null_mut()),
                    room: Cell::new(0),
                }
            }; SIZES],
            opened: Cell::new(false),
        }
    }
}

thread_local! {
    static CLOSER: Closer = const { Closer };
}

/// Gives the thread's blocks and counts back when it ends.
struct Closer;

impl Drop for Closer {
    fn drop(&mut self) {
        thread(|thread| {
            for (index, bin) in thread.bins.bins.iter().enumerate() {
                bin.room.set(0);
                while let Some(block) = take(bin) {
                    // SAFETY: a block of this bin's layout.
                    unsafe { std::alloc::dealloc(block, layout(index)) };
                }
            }
            thread.counts.end();
        });
    }
}

/// Sees to it that this thread's [`Closer`] runs. `false`: it has run already.
pub(super) fn keep() -> bool {
    CLOSER.try_with(|_| ()).is_ok()
}

fn layout(index: usize) -> Layout {
    // SAFETY: neither is 0, and both are small.
    unsafe { Layout::from_size_align_unchecked(SMALLEST + index * STEP, STEP) }
}

#[inline]
fn index(size: usize, align: usize) -> Option<usize> {
    (CACHED && size <= LARGEST && align <= STEP).then(|| size.saturating_sub(SMALLEST).div_ceil(STEP))
}

#[inline]
fn take(bin: &Bin) -> Option<*mut u8> {
    let block = bin.first.get();
    // SAFETY: what is on the list is a block.
    bin.first.set(unsafe { block.as_ref() }?.next);
    Some(block.cast())
}

/// Memory of the system's, or null.
///
/// # Safety
/// `size` is not 0, `align` a power of two.
#[inline]
pub(crate) unsafe fn allocate(bins: &Bins, size: usize, align: usize) -> *mut u8 {
    if let Some(index) = index(size, align) {
        let bin = &bins.bins[index];
        return match take(bin) {
            Some(block) => {
                bin.room.set(bin.room.get() + 1);
                block
            }
            None => miss(index),
        };
    }
    // SAFETY: passed on.
    unsafe { large(size, align) }
}

#[cold]
#[inline(never)]
fn miss(index: usize) -> *mut u8 {
    // SAFETY: the layout is not empty.
    unsafe { std::alloc::alloc(layout(index)) }
}

#[cold]
#[inline(never)]
unsafe fn large(size: usize, align: usize) -> *mut u8 {
    // SAFETY: passed on.
    unsafe { system_allocate(ptr::null_mut(), size, align) }
}

/// # Safety
/// `memory` is from [`allocate`] with the same size and alignment, and nobody uses it any more.
#[inline]
pub(crate) unsafe fn deallocate(bins: &Bins, memory: *mut u8, size: usize, align: usize) {
    if let Some(index) = index(size, align) {
        let bin = &bins.bins[index];
        let room = bin.room.get();
        if room == 0 {
            // SAFETY: passed on.
            return unsafe { refuse(bins, memory, index) };
        }
        // SAFETY: the block is ours, large and aligned enough.
        unsafe {
            memory.cast::<Block>().write(Block {
                next: bin.first.get(),
            })
        };
        bin.first.set(memory.cast());
        bin.room.set(room - 1);
        return;
    }
    // SAFETY: passed on.
    unsafe { system_deallocate(ptr::null_mut(), memory, size, align) }
}

/// The bin is full, or the thread's first block comes, or the thread ends.
#[cold]
#[inline(never)]
unsafe fn refuse(bins: &Bins, memory: *mut u8, index: usize) {
    // SAFETY: a block of this bin's layout.
    unsafe { std::alloc::dealloc(memory, layout(index)) };
    if !bins.opened.replace(true) && keep() {
        bins.bins.iter().for_each(|bin| bin.room.set(KEPT));
    }
}

/// The system's allocator as functions of an [`Allocator`](super::Allocator).
pub(crate) unsafe extern "C" fn system_allocate(_: *mut c_void, size: usize, align: usize) -> *mut u8 {
    // SAFETY: `size` is not 0 and `align` a power of two.
    unsafe { std::alloc::alloc(Layout::from_size_align_unchecked(size, align)) }
}

pub(crate) unsafe extern "C" fn system_deallocate(
    _: *mut c_void,
    memory: *mut u8,
    size: usize,
    align: usize,
) {
    // SAFETY: from `system_allocate` with the same layout.
    unsafe { std::alloc::dealloc(memory, Layout::from_size_align_unchecked(size, align)) }
}
