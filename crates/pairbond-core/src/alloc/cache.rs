//! What a thread has of the memory of small objects: blocks that it gave back and will soon want
//! again, and free blocks of a [run](super::slab).
//!
//! Objects are small, many, and short-lived when a scripting language uses them; a bounded list per
//! thread and size costs a few instructions where the system's allocator takes a hundred for both
//! ways, and pays for the header that an `Arc` does not have. Blocks beyond the bound go back to
//! their slabs at once, the rest when the thread ends. A flood of objects takes one free block
//! after the other from a run: an instruction that finds a bit, and no access to cold memory.
//! Another allocator than the system's is never bypassed. Under Miri and fuzzers there is neither
//! (but for the tests of this crate's modules), so that memory checkers see every block.

use std::alloc::Layout;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::slab::Run;
use super::slabs::{self, SIZES, process_slabs};

/// As many sizes, beginning with the smallest, have lists of blocks that were given back: those up
/// to 136 bytes.
const LISTED: usize = 15;
/// Blocks of one size that a thread keeps: 8.5 KiB at most, for all sizes 75 KiB.
const KEPT: usize = 64;
const CACHED: bool = cfg!(test) || !cfg!(any(miri, loom, fuzzing));

/// The content of a free block.
struct Block {
    next: *mut Block,
}

struct Bin {
    first: Cell<*mut Block>,
    /// How many more blocks it takes; 0 also before the thread's first one and after its last.
    room: Cell<usize>,
}

/// Whether the thread can have blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It had none yet.
    New,
    /// It gives them back when it ends.
    Open,
    /// It has returned its blocks.
    Ended,
}

/// The blocks that a thread has.
pub(crate) struct ThreadCache {
    bins: [Bin; LISTED],
    runs: [Cell<Run>; SIZES],
    phase: Cell<Phase>,
    /// Ensures that [`return_all_blocks`](Self::return_all_blocks) is called when the thread ends;
    /// `false`: it was.
    register_closer: fn() -> bool,
}

impl ThreadCache {
    pub(crate) const fn new(register_closer: fn() -> bool) -> Self {
        ThreadCache {
            bins: [const {
                Bin {
                    first: Cell::new(ptr::null_mut()),
                    room: Cell::new(0),
                }
            }; LISTED],
            runs: [const { Cell::new(Run::NONE) }; SIZES],
            phase: Cell::new(Phase::New),
            register_closer,
        }
    }

    /// Whether the thread can have blocks, now that it wants some.
    fn ensure_open(&self) -> bool {
        if self.phase.get() == Phase::New {
            // First: the calls below may allocate.
            self.phase.set(Phase::Ended);
            slabs::survive_forks();
            if (self.register_closer)() {
                self.phase.set(Phase::Open);
                self.bins.iter().for_each(|bin| bin.room.set(KEPT));
            }
        }
        self.phase.get() == Phase::Open
    }

    /// Whether the thread has no blocks.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.bins.iter().all(|bin| bin.first.get().is_null())
            && self.runs.iter().all(|run| run.get().free == 0)
    }

    /// Gives everything back, for good.
    pub(crate) fn return_all_blocks(&self) {
        self.phase.set(Phase::Ended);
        if !CACHED {
            return;
        }
        for (number, bin) in self.bins.iter().enumerate() {
            bin.room.set(0);
            while let Some(block) = take_from_bin(bin) {
                // SAFETY: a block of this bin's size.
                unsafe { process_slabs().give_back(number, block) };
            }
        }
        for (number, run) in self.runs.iter().enumerate() {
            // SAFETY: from a slab of that size.
            unsafe { process_slabs().return_run(number, run.replace(Run::NONE)) };
        }
    }
}

#[inline]
fn take_from_bin(bin: &Bin) -> Option<NonNull<u8>> {
    let block = NonNull::new(bin.first.get())?;
    // SAFETY: the list holds free blocks.
    bin.first.set(unsafe { block.as_ref() }.next);
    Some(block.cast())
}

/// Memory of the system's, or null.
///
/// # Safety
/// `size` is not 0, `align` a power of two.
#[inline]
pub(crate) unsafe fn allocate_block(bins: &ThreadCache, size: usize, align: usize) -> *mut u8 {
    if CACHED && let Some(number) = slabs::size_class(size, align) {
        if let Some(bin) = bins.bins.get(number)
            && let Some(block) = take_from_bin(bin)
        {
            bin.room.set(bin.room.get() + 1);
            return block.as_ptr();
        }
        let mut run = bins.runs[number].get();
        return match run.pop(slabs::block_bytes(number)) {
            Some(block) => {
                bins.runs[number].set(run);
                block.as_ptr()
            }
            None => refill_bin(bins, number),
        };
    }
    // SAFETY: the caller's size is not 0, and its alignment a power of two.
    unsafe { allocate_large(size, align) }
}

/// The run has no free blocks left.
#[cold]
#[inline(never)]
fn refill_bin(bins: &ThreadCache, number: usize) -> *mut u8 {
    let Some(mut run) = process_slabs().take_run(number) else {
        return ptr::null_mut();
    };
    let block = run.pop(slabs::block_bytes(number));
    // There is something in the thread's own only if memory was asked for while the thread's first
    // block was.
    let over = match bins.ensure_open() {
        true => bins.runs[number].replace(run),
        false => run,
    };
    // SAFETY: from a slab of that size.
    unsafe { process_slabs().return_run(number, over) };
    block.map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// # Safety
/// `align` is a power of two, and `size` is not 0.
#[cold]
#[inline(never)]
unsafe fn allocate_large(size: usize, align: usize) -> *mut u8 {
    // SAFETY: the caller's size is not 0, and its alignment a power of two.
    unsafe { system_allocate(ptr::null_mut(), size, align) }
}

/// # Safety
/// `memory` is from [`allocate_block`] with the same size and alignment, and is not used any more.
#[inline]
pub(crate) unsafe fn deallocate_block(bins: &ThreadCache, memory: *mut u8, size: usize, align: usize) {
    if CACHED && let Some(number) = slabs::size_class(size, align) {
        if let Some(bin) = bins.bins.get(number)
            && let room @ 1.. = bin.room.get()
        {
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
        // SAFETY: memory of the bin with this number, which the caller uses no more.
        return unsafe { deallocate_slow(bins, memory, number) };
    }
    // SAFETY: too large for a bin, so from the system, with this size and alignment.
    unsafe { system_deallocate(ptr::null_mut(), memory, size, align) }
}

/// The bin is full, or there is none for the size, or the thread's first block comes, or the thread
/// ends.
///
/// # Safety
/// `memory` is a block of that size class, which no other thread uses.
#[inline(never)]
unsafe fn deallocate_slow(bins: &ThreadCache, memory: *mut u8, number: usize) {
    // SAFETY: a free block of that size.
    unsafe { process_slabs().give_back(number, NonNull::new_unchecked(memory)) };
    if bins.phase.get() == Phase::New {
        bins.ensure_open();
    }
}

/// The system's allocator as functions of an [`Allocator`](crate::memory::Allocator).
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
