//! The transition of [`Custody`] that the nodes of trees make: a reference that is counted from
//! nothing. See the crate `pairbond-tree`.

use crate::sync::atomic::Ordering;

use super::Custody;
use super::state::{Holder, STRONG_ONE, State, TOUCHED, WATCHED, revival_bits};

impl Custody {
    /// Counts a strong reference to a node of a tree; the caller holds the tree's lock, by which
    /// the object is alive. Whether there was none.
    ///
    /// `awake`: a thread that dropped the last one, if there is none, is on its way to the lock,
    /// and gets a reference to drop.
    pub fn wake_node(&self, awake: bool) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            debug_assert_ne!(
                state.holder(),
                Holder::Python,
                "a node that is reached through its tree"
            );
            let none = state.strong() == 0;
            let added = if none && awake {
                revival_bits(now)
            } else {
                STRONG_ONE
            };
            let mut new = now.wrapping_add(added);
            if now & WATCHED != 0 {
                new |= TOUCHED;
            }
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return none,
                Err(other) => now = other,
            }
        }
    }
}
