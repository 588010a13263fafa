//! The section of the runtime's table that trees own, one for all binaries.

use std::ffi::c_void;

use super::reason::swap_here;
use super::weight::Weight;
use pairbond_core::runtime::process_section;

/// The number of trees' section.
const SECTION: usize = 0;

/// Grows at its end only.
#[repr(C)]
pub(super) struct Kept {
    pub(super) weight: Weight,
    /// Sets what erases nodes on this thread, a [`Reason`](super::Reason) or null, and returns what
    /// did before.
    pub(super) erasing: unsafe extern "C" fn(*const c_void) -> *const c_void,
}

static KEPT: Kept = Kept {
    weight: Weight::new(),
    erasing: swap_here,
};

/// Returns what the process keeps.
#[inline]
pub(super) fn process_wide() -> &'static Kept {
    // SAFETY: all binaries have this number, and this type as the interface's version says.
    unsafe { process_section(SECTION, &KEPT) }
}
