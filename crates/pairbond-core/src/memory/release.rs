//! Free memory of the allocator, which goes back to the system.
//!
//! What types allocate for their fields comes from the global allocator. glibc's returns the end of
//! its heap at most, and keeps as much as twice the largest block that was ever freed: after a
//! large graph has died, one small block that lives keeps all memory below it.

/// Returns free pages of glibc's heap to the system; does nothing with another allocator. Takes
/// about a millisecond for ten megabytes, and the lock of each arena in turn.
pub(crate) fn release_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(any(miri, loom))))]
    // SAFETY: may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
