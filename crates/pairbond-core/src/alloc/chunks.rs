//! [`Chunks`]: memory of the system's, which is cut into slabs.
//!
//! A chunk is as large and lies as a page of memory of the larger kind that most processors have,
//! and but for the first one the system is asked to make it one: who goes through many objects
//! would else wait for the way to each small page to be found. Slabs are taken from the chunk that
//! lies first, so that others become empty; empty ones go back to the system, but for some.

use std::ptr::NonNull;

use super::fork_safe_lock::ForkSafeLock;
use super::slab::{self, Slab};
use crate::sync::CellLock;

/// Slabs of a chunk.
const SLABS: usize = if cfg!(loom) { 2 } else { 8 };
/// All of them.
const ALL: u8 = !0 >> (8 - SLABS);
/// Bytes of a chunk, and its alignment.
const BYTES: usize = SLABS * slab::BYTES;
/// So many free slabs are kept: 4 MiB; and as many as are in use, so that a heap that grows and
/// shrinks again and again does not ask the system each time.
const IDLE: usize = if cfg!(loom) { 0 } else { 16 };

/// See the head of this file.
pub(super) struct Chunks(ForkSafeLock<All>);

struct All {
    /// By address.
    chunks: Vec<Chunk>,
    /// No chunk before this one has a free slab.
    first: usize,
    /// Free slabs of all chunks, and the others.
    idle: usize,
    used: usize,
}

struct Chunk {
    start: NonNull<Slab>,
    /// A bit for each free slab.
    free: u8,
}

impl Chunks {
    super::const_but_in_models! {
        pub(super) fn new() -> Self {
            Chunks(ForkSafeLock::new(All {
                chunks: Vec::new(),
                first: 0,
                idle: 0,
                used: 0,
            }))
        }
    }

    #[cfg_attr(
        any(miri, loom, not(target_os = "linux")),
        allow(dead_code, reason = "nobody forks")
    )]
    pub(super) fn lock(&self) -> &CellLock {
        self.0.lock()
    }

    /// How many there are.
    #[cfg(any(test, loom))]
    pub(super) fn chunk_count(&self) -> usize {
        self.0.with_locked(|all| all.chunks.len())
    }

    /// How many slabs are in use.
    #[cfg(test)]
    pub(super) fn slabs_in_use(&self) -> usize {
        self.0.with_locked(|all| all.used)
    }

    /// Memory for a slab. `None`: there is none.
    pub(super) fn take_slab(&self) -> Option<NonNull<Slab>> {
        if let Some(slab) = self.0.with_locked(All::take_slab) {
            return Some(slab);
        }
        let start = system::allocate_chunk()?;
        self.0.with_locked(|all| {
            if all.chunks.try_reserve(1).is_err() {
                // SAFETY: from `allocate`; nothing uses it.
                unsafe { system::deallocate_chunk(start) };
                return None;
            }
            if !all.chunks.is_empty() {
                system::make_large_page(start);
            }
            all.add(start);
            all.take_slab()
        })
    }

    /// Gives a slab's memory back.
    ///
    /// # Safety
    /// From [`take_slab`](Self::take_slab), and not used any more.
    pub(super) unsafe fn give_back(&self, slab: NonNull<Slab>) {
        self.0.with_locked(|all| all.give_back(slab));
        while let Some(chunk) = self.0.with_locked(All::remove_unused_chunk) {
            // SAFETY: it is not used any more.
            unsafe { system::deallocate_chunk(chunk) };
        }
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        for chunk in self.0.get_mut().chunks.drain(..) {
            // SAFETY: a thread that has blocks has the slabs, too.
            unsafe { system::deallocate_chunk(chunk.start) };
        }
    }
}

impl All {
    fn add(&mut self, start: NonNull<Slab>) {
        let at = self.chunks.partition_point(|it| it.start < start);
        self.chunks.insert(at, Chunk { start, free: ALL });
        self.first = self.first.min(at);
        self.idle += SLABS;
    }

    fn take_slab(&mut self) -> Option<NonNull<Slab>> {
        let found = self.chunks[self.first..].iter().position(|it| it.free != 0);
        self.first = found.map_or(self.chunks.len(), |at| self.first + at);
        let chunk = self.chunks.get_mut(self.first)?;
        let at = chunk.free.trailing_zeros() as usize;
        chunk.free &= chunk.free - 1;
        (self.idle, self.used) = (self.idle - 1, self.used + 1);
        // SAFETY: within the chunk.
        Some(unsafe { chunk.start.byte_add(at * slab::BYTES) })
    }

    fn give_back(&mut self, slab: NonNull<Slab>) {
        let index = self.chunks.partition_point(|it| it.start <= slab) - 1;
        let chunk = &mut self.chunks[index];
        let at = (slab.addr().get() - chunk.start.addr().get()) / slab::BYTES;
        chunk.free |= 1 << at;
        self.first = self.first.min(index);
        (self.idle, self.used) = (self.idle + 1, self.used - 1);
    }

    /// A chunk that is not needed any more.
    fn remove_unused_chunk(&mut self) -> Option<NonNull<Slab>> {
        if self.idle <= IDLE.max(self.used) {
            return None;
        }
        let last = self.chunks.iter().rposition(|it| it.free == ALL)?;
        self.idle -= SLABS;
        self.first = self.first.min(last);
        Some(self.chunks.remove(last).start)
    }
}

/// The system's memory, in pieces of its own, so that freed memory is returned.
#[cfg(all(target_os = "linux", not(any(miri, loom))))]
mod system {
    use super::{BYTES, NonNull, Slab};

    pub(super) fn allocate_chunk() -> Option<NonNull<Slab>> {
        let (protection, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        // SAFETY: new memory of which the parts around an aligned one are given back.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), 2 * BYTES, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            let before = start.addr().wrapping_neg() & (BYTES - 1);
            let aligned = start.byte_add(before);
            if before > 0 {
                libc::munmap(start, before);
            }
            libc::munmap(aligned.byte_add(BYTES), BYTES - before);
            NonNull::new(aligned.cast())
        }
    }

    pub(super) fn make_large_page(chunk: NonNull<Slab>) {
        // SAFETY: memory of ours, of which nothing is changed. If the system refuses, the pages are
        // small.
        unsafe { libc::madvise(chunk.as_ptr().cast(), BYTES, libc::MADV_HUGEPAGE) };
    }

    /// # Safety
    /// From `allocate`, and not used any more.
    pub(super) unsafe fn deallocate_chunk(chunk: NonNull<Slab>) {
        // SAFETY: from `allocate`, and not used any more: the caller ensures it.
        unsafe { libc::munmap(chunk.as_ptr().cast(), BYTES) };
    }
}

/// The standard library's.
#[cfg(not(all(target_os = "linux", not(any(miri, loom)))))]
mod system {
    use std::alloc::{Layout, alloc, dealloc};

    use super::{BYTES, NonNull, Slab};

    const LAYOUT: Layout = match Layout::from_size_align(BYTES, BYTES) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    };

    pub(super) fn allocate_chunk() -> Option<NonNull<Slab>> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc(LAYOUT) }.cast())
    }

    pub(super) fn make_large_page(_: NonNull<Slab>) {}

    /// # Safety
    /// From `allocate`, and not used any more.
    pub(super) unsafe fn deallocate_chunk(chunk: NonNull<Slab>) {
        // The model checker looks whether somebody comes too late, which it cannot in memory that
        // is gone.
        #[cfg(loom)]
        for at in 0..super::SLABS {
            // SAFETY: within the chunk.
            unsafe { Slab::on_freed(chunk.byte_add(at * super::slab::BYTES)) };
        }
        // SAFETY: from `allocate`, and not used any more: the caller ensures it.
        #[cfg(not(loom))]
        unsafe {
            dealloc(chunk.as_ptr().cast(), LAYOUT);
        }
        #[cfg(loom)]
        let _ = dealloc;
    }
}
