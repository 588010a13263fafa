//! The transitions of [`Custody`] that weak references make.

use crate::sync::atomic::Ordering;
use crate::sync::relax_or_yield;

use super::Custody;
use super::duty::Upgraded;
use super::pair::Pair;
use super::state::{
    DEAD, HOLDER, Holder, NATIVE, PINNED, SIGN, STRONG, STRONG_ONE, State, TOUCHED, WATCHED, WEAK, WEAK_MANY,
    WEAK_ONE, WEAK_SATURATED, revival_bits,
};

impl Custody {
    /// Counts a weak reference; the caller holds a strong one, the wrapper or a weak one.
    pub fn downgrade(&self) {
        let before = self.state.fetch_add(WEAK_ONE, Ordering::Relaxed);
        if State(before).weak() >= WEAK_MANY {
            self.stay_many();
        }
    }

    /// The same so often, of an object that is not reachable otherwise: asleep, without a weak
    /// reference.
    #[inline]
    pub fn downgrade_first(&self, times: u32) {
        debug_assert_eq!(self.state.load(Ordering::Relaxed), SIGN | STRONG);
        let weak = u64::from(times).min(WEAK_SATURATED);
        self.state
            .store(SIGN | STRONG | (weak * WEAK_ONE), Ordering::Relaxed);
    }

    /// Counts so many weak references, where [`downgrade`](Self::downgrade) counts one.
    pub fn downgrade_many(&self, times: u32) {
        let more = |now| {
            let weak = State(now).weak();
            let more = (weak + u64::from(times)).min(WEAK_SATURATED);
            (weak < WEAK_MANY).then_some(now & !WEAK | (more * WEAK_ONE))
        };
        // Refused where they are not counted any more.
        let _ = self
            .state
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Drops so many weak references, behind which the caller holds another one.
    pub(crate) fn release_weak_many(&self, fewer: u32) {
        let fewer = u64::from(fewer) * WEAK_ONE;
        let less = |now| (State(now).weak() < WEAK_MANY).then(|| now - fewer);
        // Refused where they are not counted any more.
        let _ = self
            .state
            .fetch_update(Ordering::Release, Ordering::Relaxed, less);
    }

    /// There are so many that they are not counted any more. Each thread that counted one sets it
    /// right, so that the number strays no further than there are threads.
    #[cold]
    #[inline(never)]
    fn stay_many(&self) {
        let many = |now: u64| Some(now & !WEAK | (WEAK_SATURATED * WEAK_ONE));
        let _ = self
            .state
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, many);
    }

    /// Drops a weak reference. `true`: the value is destroyed and this was the last: free the
    /// memory.
    #[must_use]
    pub fn release_weak(&self) -> bool {
        let before = State(self.state.fetch_sub(WEAK_ONE, Ordering::AcqRel));
        if before.weak() >= WEAK_MANY {
            self.stay_many();
            return false;
        }
        before.is_dead() && before.weak() == 1
    }

    /// Says that the value is destroyed. `true`: no weak reference is left: free the memory.
    #[inline]
    #[must_use]
    pub fn mark_destroyed(&self) -> bool {
        // A weak reference cannot be made from nothing: with none left the word is ours alone.
        if State(self.state.load(Ordering::Acquire)).weak() == 0 {
            return true;
        }
        State(self.state.fetch_or(DEAD, Ordering::AcqRel)).weak() == 0
    }

    /// A strong reference from a weak one.
    pub fn upgrade(&self) -> Upgraded {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            if state.is_dying() || state.is_dead() {
                return Upgraded::Gone;
            }
            if state.is_suspect() {
                return Upgraded::Undecided;
            }
            let added = match (state.holder(), state.strong()) {
                (Holder::Unwrapped, 0) => return Upgraded::Gone,
                (Holder::Python, 0) => return Upgraded::Gone,
                (Holder::Python, _) => return Upgraded::InPython(self.pair()),
                (Holder::Native, 0) => revival_bits(now),
                _ => STRONG_ONE,
            };
            let mut new = now.wrapping_add(added);
            if state.is_watched() {
                new |= TOUCHED;
            }
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Upgraded::Strong,
                Err(other) => now = other,
            }
        }
    }

    /// Pins the wrapper of an object in Python custody, so that it cannot be freed while the caller
    /// tries to retain it. Between `pin` and [`unpin_wrapper`](Self::unpin_wrapper) nothing may be
    /// called but the frontend's `try_retain`.
    #[must_use]
    pub fn pin_wrapper(&self) -> Option<Pair> {
        let mut now = self.state.load(Ordering::Acquire);
        let mut attempt = 0;
        loop {
            let state = State(now);
            let unsure = state.is_dying() || state.is_suspect();
            if state.holder() != Holder::Python || state.strong() == 0 || unsure {
                return None;
            }
            if now & PINNED != 0 {
                relax_or_yield(attempt);
                attempt = attempt.saturating_add(1);
                now = self.state.load(Ordering::Acquire);
                continue;
            }
            match self
                .state
                .compare_exchange_weak(now, now | PINNED, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Some(self.pair()),
                Err(other) => now = other,
            }
        }
    }

    /// Ends [`pin_wrapper`](Self::pin_wrapper). `retained`: the caller's reference to the wrapper
    /// becomes the object's, and the caller gets a strong reference: {1, Python} → {1, Native}.
    pub fn unpin_wrapper(&self, retained: bool) {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            debug_assert!(now & PINNED != 0 && State(now).holder() == Holder::Python);
            let mut new = now & !PINNED;
            if retained {
                new = new & !HOLDER | NATIVE;
                if now & WATCHED != 0 {
                    new |= TOUCHED;
                }
            }
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }
}
