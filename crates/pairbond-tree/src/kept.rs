//! The section of the runtime's table that trees own, one for all binaries.

use std::ffi::c_void;

use super::reason::swap_here;
use super::weight::{self, Weight};
use pairbond_core::runtime::{NODES, NodeSection, process_section};

/// Grows at its end only.
#[repr(C)]
pub(super) struct Kept {
    pace: NodeSection,
    pub(super) weight: Weight,
    /// Sets what erases nodes on this thread, a [`Reason`](super::Reason) or null, and returns what
    /// did before.
    pub(super) erasing: unsafe extern "C" fn(*const c_void) -> *const c_void,
}

static KEPT: Kept = Kept {
    pace: weight::PACE,
    weight: Weight::new(),
    erasing: swap_here,
};

/// Returns what the process keeps.
#[inline]
pub(super) fn process_wide() -> &'static Kept {
    // SAFETY: all binaries have this number, and this type as the interface's version says.
    unsafe { process_section(NODES, &KEPT) }
}
