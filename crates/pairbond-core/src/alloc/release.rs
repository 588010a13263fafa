//! Free memory, which goes back to the system: that of the allocator, and pages of arrays that are
//! kept for later.
//!
//! What types allocate for their fields comes from the global allocator. glibc's returns the end of
//! its heap at most, and keeps as much as twice the largest block that was ever freed: after a
//! large graph has died, one small block that lives keeps all memory below it.

use std::mem::MaybeUninit;

/// Returns free pages of glibc's heap to the system; does nothing with another allocator. Takes
/// about a millisecond for ten megabytes, and the lock of each arena in turn.
pub(crate) fn release_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(any(miri, loom))))]
    // SAFETY: may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Returns the pages that lie within unused memory of an array to the system; the array keeps its
/// addresses. What the memory held is gone.
pub(crate) fn release_pages<T>(unused: &mut [MaybeUninit<T>]) {
    pages::advise_pages(unused, pages::RELEASE, 1);
}

/// Bytes of an array whose pages need not be small: some large ones lie within.
const LARGE: usize = 1 << 22;

/// Allows large pages for the unused memory of a large array, which is written from one end to the
/// other: page faults of small pages take as long as the writes.
pub(crate) fn use_large_pages<T>(unused: &mut [MaybeUninit<T>]) {
    pages::advise_pages(unused, pages::USE_LARGE, LARGE);
}

#[cfg(all(target_os = "linux", not(any(miri, loom))))]
mod pages {
    use super::MaybeUninit;

    pub(super) const RELEASE: libc::c_int = libc::MADV_DONTNEED;
    pub(super) const USE_LARGE: libc::c_int = libc::MADV_HUGEPAGE;

    /// Tells the system about the whole pages of unused memory, if they are at least so many bytes.
    pub(super) fn advise_pages<T>(unused: &mut [MaybeUninit<T>], advice: libc::c_int, least: usize) {
        let bytes = unused.as_mut_ptr_range();
        // SAFETY: takes a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16);
        let start = bytes.start.addr().next_multiple_of(page);
        let len = (bytes.end.addr() & !(page - 1)).saturating_sub(start);
        if len >= least {
            // SAFETY: whole pages of memory that nothing is read from before it is written. Should
            // the system refuse, they stay as they are.
            unsafe { libc::madvise(bytes.start.with_addr(start).cast(), len, advice) };
        }
    }
}

#[cfg(not(all(target_os = "linux", not(any(miri, loom)))))]
mod pages {
    use super::MaybeUninit;

    pub(super) const RELEASE: () = ();
    pub(super) const USE_LARGE: () = ();

    #[allow(clippy::needless_pass_by_ref_mut, reason = "elsewhere the system writes")]
    pub(super) fn advise_pages<T>(_: &mut [MaybeUninit<T>], (): (), _: usize) {}
}
