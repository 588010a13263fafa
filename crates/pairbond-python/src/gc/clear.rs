//! Clearing garbage, part by part, with signals in between.

use pairbond_core::trace::Condemned;

use super::interrupt::handle_signals;
use crate::interp::collector::{Busy, Collector};

impl Collector {
    /// Clears what interrupted collections have left, and then garbage that was found without
    /// Python's collector.
    ///
    /// # Safety
    /// The calling thread is attached, and foreign code may run.
    pub(super) unsafe fn clear(&self, garbage: Condemned) {
        self.count_native(garbage.count());
        for garbage in self.take_rest().into_iter().chain([garbage]) {
            // SAFETY: as this function.
            unsafe { self.clear_or_keep(garbage) }
        }
    }

    /// Clears garbage, and handles signals meanwhile. If a handler raises, the next
    /// [`clear`](Self::clear) clears the rest.
    ///
    /// # Safety
    /// As for [`clear`](Self::clear).
    pub(super) unsafe fn clear_or_keep(&self, mut garbage: Condemned) {
        // SAFETY: attached, and foreign code may run between two parts.
        if !garbage.clear_while(&mut || unsafe { !handle_signals() }) {
            let state = self.state();
            let _busy = Busy::wait(state);
            // SAFETY: the thread is attached, and the state is not borrowed.
            unsafe { (*state).rest.push(garbage) };
        }
    }
}
