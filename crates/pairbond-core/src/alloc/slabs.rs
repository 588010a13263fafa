//! [`Slabs`]: for each size of blocks the [slabs](super::slab) that have some.
//!
//! Each size has a lock, held for some instructions whenever a thread takes the free blocks of a
//! run, and when the blocks of a run are reported: some three times for 64 blocks. An empty slab
//! goes back to the system, but for some that are kept for the next request.

use std::ptr::{self, NonNull};

use super::chunks::Chunks;
use super::fork_safe_lock::ForkSafeLock;
use super::slab::{self, Report, Run, Slab};

/// The sizes of blocks are so far apart, and it is the alignment of each.
const STEP: usize = 8;
/// The smallest: the header of an object.
const SMALLEST: usize = 24;
const LARGEST: usize = 512;
/// How many sizes there are.
pub(super) const SIZES: usize = (LARGEST - SMALLEST) / STEP + 1;
/// Sizes that lists are for.
const LISTS: usize = if cfg!(loom) { 1 } else { SIZES };

/// The number of the size of blocks for such memory, if it is small.
#[inline]
pub(super) fn size_class(size: usize, align: usize) -> Option<usize> {
    let size = match align {
        ..=STEP => size,
        // Blocks whose size is a multiple of 16 begin at one.
        16 => size.max(32).next_multiple_of(16),
        _ => return None,
    };
    (size <= LARGEST).then(|| size.saturating_sub(SMALLEST).div_ceil(STEP))
}

/// The bytes of a block of that number.
#[inline]
pub(super) fn block_bytes(number: usize) -> usize {
    SMALLEST + number * STEP
}

/// Slabs of one size that have open runs.
struct Ends {
    first: *mut Slab,
    last: *mut Slab,
}

/// See the head of this file.
pub struct Slabs {
    lists: [ForkSafeLock<Ends>; LISTS],
    chunks: Chunks,
}

/// The process's.
#[cfg(not(loom))]
#[inline]
pub(super) fn process_slabs() -> &'static Slabs {
    static SLABS: Slabs = Slabs::new();
    &SLABS
}

/// Models have slabs of their own.
#[cfg(loom)]
pub(super) fn process_slabs() -> &'static Slabs {
    unreachable!("what is model-checked comes from the system")
}

/// Ensures that the locks are free in a process that is forked while threads have them, as those of
/// the system's allocator are. Where the system has no such call, nothing does.
pub(super) fn survive_forks() {
    #[cfg(all(target_os = "linux", not(any(miri, loom))))]
    {
        struct Locked;
        impl Drop for Locked {
            fn drop(&mut self) {
                let slabs = process_slabs();
                slabs.chunks.lock().unlock();
                slabs.lists.iter().for_each(|it| it.lock().unlock());
            }
        }
        crate::fork::hold_over_forks(crate::fork::StaticLocks::Blocks, || {
            let slabs = process_slabs();
            slabs.lists.iter().for_each(|it| _ = it.lock().lock());
            _ = slabs.chunks.lock().lock();
            Some(Box::new(Locked))
        });
    }
}

impl Ends {
    const NONE: Ends = Ends {
        first: ptr::null_mut(),
        last: ptr::null_mut(),
    };

    /// # Safety
    /// Under the lock; the slab is not listed.
    unsafe fn push(&mut self, slab: NonNull<Slab>) {
        // SAFETY: the list holds slabs.
        unsafe {
            let shelf = slab.as_ref().list_node();
            (shelf.previous, shelf.next) = (self.last, ptr::null_mut());
            match self.last.as_ref() {
                Some(last) => last.list_node().next = slab.as_ptr(),
                None => self.first = slab.as_ptr(),
            }
        }
        self.last = slab.as_ptr();
    }

    /// # Safety
    /// Under the lock; the slab is listed.
    unsafe fn remove(&mut self, slab: NonNull<Slab>) {
        // SAFETY: the list holds slabs.
        unsafe {
            let shelf = slab.as_ref().list_node();
            let (previous, next) = (shelf.previous, shelf.next);
            match previous.as_ref() {
                Some(previous) => previous.list_node().next = next,
                None => self.first = next,
            }
            match next.as_ref() {
                Some(next) => next.list_node().previous = previous,
                None => self.last = previous,
            }
        }
    }

    /// Takes the free blocks of one run.
    fn take_run(&mut self, size: usize) -> Option<Run> {
        let mut slab = self.first;
        // SAFETY: under the lock; the list holds slabs.
        unsafe {
            while let Some(it) = NonNull::new(slab) {
                if let Some(run) = Slab::take_run(it, size) {
                    if !it.as_ref().list_node().is_open() {
                        self.remove(it);
                    }
                    return Some(run);
                }
                slab = it.as_ref().list_node().next;
            }
        }
        None
    }
}

impl Slabs {
    #[cfg(not(loom))]
    pub(super) const fn new() -> Self {
        Slabs {
            lists: [const { ForkSafeLock::new(Ends::NONE) }; LISTS],
            chunks: Chunks::new(),
        }
    }

    /// Free blocks of that number. `None`: there is no memory.
    pub(super) fn take_run(&self, number: usize) -> Option<Run> {
        let (list, size) = (&self.lists[number], block_bytes(number));
        if let Some(run) = list.with_locked(|ends| ends.take_run(size)) {
            return Some(run);
        }
        let slab = self.chunks.take_slab()?;
        // SAFETY: it has not been shared yet.
        unsafe {
            let run = Slab::init_slab(slab, size);
            if slab.as_ref().list_node().is_open() {
                list.with_locked(|ends| ends.push(slab));
            }
            Some(run)
        }
    }

    /// Gives a block of that number back.
    ///
    /// # Safety
    /// From a run of that number, and not used any more.
    #[inline]
    pub(super) unsafe fn give_back(&self, number: usize, block: NonNull<u8>) {
        // SAFETY: from a run of that number, and not used any more: the caller ensures it.
        if let Some(report) = unsafe { slab::give_back(block, block_bytes(number), 1) } {
            self.report_free(number, &report);
        }
    }

    /// Gives blocks that were not used back.
    ///
    /// # Safety
    /// From [`take_run`](Self::take_run) with that number.
    pub(super) unsafe fn return_run(&self, number: usize, run: Run) {
        if run.free != 0 {
            // SAFETY: from `take` with that number: the caller ensures it.
            if let Some(report) = unsafe { slab::give_back(run.first, block_bytes(number), run.free) } {
                self.report_free(number, &report);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn report_free(&self, number: usize, report: &Report) {
        let slab = report.slab_ptr();
        let empty = self.lists[number].with_locked(|ends| {
            // SAFETY: under the lock; the report keeps the slab until it has come.
            unsafe {
                if report.apply_report() {
                    ends.push(slab);
                }
                let empty = slab.as_ref().list_node().is_empty();
                if empty {
                    ends.remove(slab);
                }
                empty
            }
        });
        if empty {
            // SAFETY: no block is in use, and every thread has reported.
            unsafe { self.chunks.give_back(slab) };
        }
    }
}

#[cfg(test)]
impl Slabs {
    pub(super) fn chunks(&self) -> &Chunks {
        &self.chunks
    }
}

/// What a model checker looks at: slabs of one size.
#[cfg(loom)]
impl Slabs {
    /// No slabs yet.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "for models")]
    pub fn new() -> Self {
        Slabs {
            lists: [ForkSafeLock::new(Ends::NONE)],
            chunks: Chunks::new(),
        }
    }

    /// A block, with the others that were taken together with it.
    pub fn take_some(&self) -> Vec<NonNull<u8>> {
        let mut run = self.take_run(0).expect("there is memory");
        std::iter::from_fn(|| run.pop(block_bytes(0))).collect()
    }

    /// Gives one back.
    ///
    /// # Safety
    /// It was taken, and is not used any more.
    pub unsafe fn return_one(&self, block: NonNull<u8>) {
        // SAFETY: it was taken, and is not used any more: the caller ensures it.
        unsafe { self.give_back(0, block) }
    }

    /// How many chunks there are.
    pub fn chunk_count(&self) -> usize {
        self.chunks.chunk_count()
    }
}
