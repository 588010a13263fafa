//! [`Slab`]: memory for blocks of one size, in runs of 64, with a bit for each block that is free.
//!
//! The bits of a run are one atomic word. A thread that needs blocks takes all free ones of a run
//! at once, by an exchange with 0; freeing one sets its bit, from any thread. So neither reads a
//! block, whose memory is cold, and the words that they do read lie side by side.
//!
//! Two things that happen to a run are *reported* to its [list](super::slabs), under the lock of
//! the list:
//! * the first block was given back since blocks were taken: the run is *open*, and can be taken
//!   from;
//! * all blocks were given back: the run is *whole*.
//!
//! # Promises
//! 1. A block is given to one owner at a time, who sees what the one before wrote.
//! 2. Freeing a block touches the slab with one instruction, and then once more, under the lock, if
//!    that is to be reported. A slab is empty when both reports of each run have come: then no
//!    other thread is on the way.
//! 3. A run that has all its blocks and was not reported whole is not taken from, so that a report
//!    is about the present.
//!
//! Tests: `tests/loom_slabs.rs`, and `slab_stress.rs` against an oracle and under Miri.

use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{CACHE_LINE, prefetch};

/// Bytes of a slab, and its alignment, so that a block's address tells where its slab is.
pub(super) const BYTES: usize = if cfg!(loom) { 4 << 10 } else { 256 << 10 };
/// Blocks of a run.
pub(super) const BLOCKS: usize = if cfg!(loom) { 3 } else { 64 };
/// All of them.
pub(super) const ALL: u64 = !0 >> (64 - BLOCKS);
/// The memory of how many blocks later is asked for when one is taken.
const AHEAD: usize = 4;
/// As many runs as a slab can have.
const RUNS: usize = if cfg!(loom) { 2 } else { 64 };

/// The head of a slab; its blocks lie behind it.
#[repr(C, align(64))]
pub(super) struct Slab {
    /// The blocks of each run that were given back and not taken.
    free: [AtomicU64; RUNS],
    /// Guarded by the lock of the list that the slab is for.
    shelf: UnsafeCell<SlabListNode>,
}

/// The state of a listed slab.
pub(super) struct SlabListNode {
    /// The runs that there are.
    runs: u64,
    /// Those that can be taken from.
    open: u64,
    /// Those of which every block was given back.
    whole: u64,
    pub(super) previous: *mut Slab,
    pub(super) next: *mut Slab,
}

/// Free blocks of one run, which belong to the owner of this value.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The first block of the run, free or not.
    pub(super) first: NonNull<u8>,
    pub(super) free: u64,
}

/// What a run became when blocks were given back.
pub(super) struct Report {
    slab: NonNull<Slab>,
    run: usize,
    open: bool,
    whole: bool,
}

/// Where a block of `size` is: its slab, its run there, and its bit.
#[inline]
fn find_block(block: NonNull<u8>, size: usize) -> (NonNull<Slab>, usize, u32) {
    let offset = block.addr().get() & (BYTES - 1);
    // SAFETY: the head of a slab, which is not at address 0.
    let slab = unsafe { block.sub(offset).cast() };
    // Half the bits are divided in a third of the time.
    let index = (offset - size_of::<Slab>()) as u32 / size as u32;
    (slab, index as usize / BLOCKS, index % BLOCKS as u32)
}

impl Run {
    /// No blocks.
    pub(super) const NONE: Run = Run {
        first: NonNull::dangling(),
        free: 0,
    };

    /// Takes one of the blocks, whose size is given, or none if there is none.
    #[inline]
    pub(super) fn pop(&mut self, size: usize) -> Option<NonNull<u8>> {
        if self.free == 0 {
            return None;
        }
        let at = self.free.trailing_zeros() as usize;
        self.free &= self.free - 1;
        // SAFETY: a block of the run.
        let block = unsafe { self.first.add(at * size) };
        // Written soon, if the next blocks are free as well.
        let soon = block.as_ptr().wrapping_add(AHEAD * size);
        for line in (0..4 * CACHE_LINE).step_by(CACHE_LINE) {
            if line < size {
                prefetch(soon.wrapping_add(line));
            }
        }
        Some(block)
    }
}

/// Gives blocks of one run back; `Some` is to be reported.
///
/// # Safety
/// The blocks are the caller's, and were taken from a slab of blocks of that size.
#[inline]
#[must_use]
pub(super) unsafe fn give_back(first: NonNull<u8>, size: usize, blocks: u64) -> Option<Report> {
    let (slab, run, at) = find_block(first, size);
    let blocks = blocks << at;
    // SAFETY: the slab lives as long as a block of it is not given back.
    let before = unsafe { &(&(*slab.as_ptr()).free)[run] }.fetch_or(blocks, Ordering::AcqRel);
    debug_assert_eq!(before & blocks, 0, "a block was given back twice");
    let (open, whole) = (before == 0, before | blocks == ALL);
    (open || whole).then_some(Report {
        slab,
        run,
        open,
        whole,
    })
}

impl Report {
    pub(super) fn slab_ptr(&self) -> NonNull<Slab> {
        self.slab
    }

    /// Notes what happened. Whether the slab is to be listed, as it can be taken from now.
    ///
    /// # Safety
    /// Under the list's lock.
    pub(super) unsafe fn apply_report(&self) -> bool {
        // SAFETY: the caller's block; a block that was not reported keeps the slab.
        let shelf = unsafe { self.slab.as_ref().list_node() };
        let list = self.open && shelf.open == 0;
        shelf.open |= u64::from(self.open) << self.run;
        shelf.whole |= u64::from(self.whole) << self.run;
        list
    }
}

impl Slab {
    /// The memory is gone.
    ///
    /// # Safety
    /// It is not used any more.
    #[cfg(loom)]
    pub(super) unsafe fn on_freed(slab: NonNull<Slab>) {
        // SAFETY: models do not give it back to the system.
        unsafe { slab.as_ref() }
            .free
            .iter()
            .for_each(AtomicU64::note_freed);
    }

    /// Makes memory a slab of blocks of `size`, and takes the first run.
    ///
    /// # Safety
    /// As many bytes as a slab has, at a multiple of that, which are not used otherwise.
    pub(super) unsafe fn init_slab(slab: NonNull<Slab>, size: usize) -> Run {
        let runs = RUNS.min((BYTES - size_of::<Slab>()) / (size * BLOCKS));
        let runs = !0 >> (64 - runs);
        let open = runs & !1;
        // SAFETY: the memory is ours, and as large as a slab.
        unsafe {
            slab.write(Slab {
                free: std::array::from_fn(|run| AtomicU64::new(if run == 0 { 0 } else { ALL })),
                shelf: UnsafeCell::new(SlabListNode {
                    runs,
                    open,
                    whole: open,
                    previous: ptr::null_mut(),
                    next: ptr::null_mut(),
                }),
            });
            Run {
                first: slab.add(1).cast(),
                free: ALL,
            }
        }
    }

    /// # Safety
    /// Under the list's lock; no other reference from this function is alive.
    #[allow(clippy::mut_from_ref, reason = "the lock is what guards it")]
    pub(super) unsafe fn list_node(&self) -> &mut SlabListNode {
        // SAFETY: under the list's lock, and no other reference from this function is alive: the
        // caller ensures it.
        unsafe { &mut *self.shelf.get() }
    }

    /// Takes the free blocks of one open run. `None`: reports are on their way.
    ///
    /// # Safety
    /// Under the list's lock.
    pub(super) unsafe fn take_run(slab: NonNull<Slab>, size: usize) -> Option<Run> {
        // SAFETY: promised; the slab is listed.
        let (free, shelf) = unsafe { (&(*slab.as_ptr()).free, slab.as_ref().list_node()) };
        let mut open = shelf.open;
        while open != 0 {
            let run = open.trailing_zeros() as usize;
            let bit = 1 << run;
            let taken = free[run].swap(0, Ordering::Acquire);
            if taken != ALL || shelf.whole & bit != 0 {
                shelf.open &= !bit;
                shelf.whole &= !bit;
                // SAFETY: within the slab.
                let first = unsafe { slab.add(1).cast::<u8>().add(run * BLOCKS * size) };
                return Some(Run { first, free: taken });
            }
            // All are free, so no other thread writes here.
            free[run].store(taken, Ordering::Release);
            open &= !bit;
        }
        None
    }
}

impl SlabListNode {
    /// Whether blocks can be taken.
    pub(super) fn is_open(&self) -> bool {
        self.open != 0
    }

    /// Whether every block was given back, and everybody has said so.
    pub(super) fn is_empty(&self) -> bool {
        self.open & self.whole == self.runs
    }
}
