//! Asking for memory before it is needed.

/// How many objects ahead.
pub(super) const AHEAD: usize = 16;

/// Brings something near that is read soon.
#[inline(always)]
pub(super) fn prefetch_object<T>(object: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint; any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(object.cast()) }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = object;
}
