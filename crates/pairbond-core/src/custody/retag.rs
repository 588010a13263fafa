//! Taking over an object whose interpreter has ended.

use crate::sync::atomic::Ordering;
use crate::sync::relax_or_yield;

use super::Custody;
use super::duty::Retagged;
use super::pair::Pair;
use super::state::{HOLDER, PINNED};

impl Custody {
    /// Makes an object of interpreter `dead`, which has ended, one of interpreter `new`, without a
    /// wrapper yet. The caller holds a strong reference.
    ///
    /// The wrapper that the object still names is gone with its interpreter: it is not released.
    /// Several threads may try at once: the pin makes it one at a time, and the order of the steps
    /// lets another publish its wrapper as soon as the tag is changed.
    pub fn retag(&self, dead: u16, new: u16) -> Retagged {
        let mut attempt = 0;
        loop {
            let now = self.state.load(Ordering::Acquire);
            if now & PINNED == 0
                && self
                    .state
                    .compare_exchange(now, now | PINNED, Ordering::AcqRel, Ordering::Acquire)
                    .is_ok()
            {
                break;
            }
            relax_or_yield(attempt);
            attempt = attempt.saturating_add(1);
        }
        let pair = self.pair();
        let tag = pair.tag();
        if tag == dead {
            self.state.fetch_and(!HOLDER, Ordering::AcqRel);
            self.pair.store(Pair::tagged(new).to_bits(), Ordering::Release);
            super::epoch::detach_epoch().fetch_add(1, Ordering::AcqRel);
        }
        self.state.fetch_and(!PINNED, Ordering::AcqRel);
        if tag == dead || tag == new {
            Retagged::Ours {
                wrapper: tag == dead && !pair.wrapper().is_null(),
            }
        } else {
            Retagged::Theirs
        }
    }
}
