//! The collector's transitions of [`Custody`]: watching an object, and condemning it.

use crate::sync::atomic::Ordering;

use super::Custody;
use super::duty::Released;
use super::state::{DYING, Holder, PINNED, SIGN, SUSPECT, State, TOUCHED, WATCHED};

impl Custody {
    /// Begins to watch. Returns the state before, or `None` when no strong reference is left (or
    /// someone watches already).
    #[must_use]
    pub fn begin_watch(&self) -> Option<State> {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            // Watched and emptied is the one watched state without the sign.
            if now & (SIGN | WATCHED) != 0 {
                return None;
            }
            let new = (now | SIGN | WATCHED) & !TOUCHED;
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Some(State(now)),
                Err(other) => now = other,
            }
        }
    }

    /// The state of an object in the custody of its wrapper, which stays there until an attached
    /// thread fetches it. `None`: it is not there, or has died, or someone watches.
    #[must_use]
    pub fn in_python(&self) -> Option<State> {
        let state = State(self.state.load(Ordering::Acquire));
        (state.holder() == Holder::Python && state.0 & (SIGN | WATCHED) == 0).then_some(state)
    }

    /// The state of an unwatched object. `None`: no strong reference is left, or it is watched.
    #[must_use]
    pub fn unwatched_state(&self) -> Option<State> {
        let state = State(self.state.load(Ordering::Acquire));
        (state.0 & (SIGN | WATCHED) == 0).then_some(state)
    }

    /// Looks again: the state since [`begin_watch`](Self::begin_watch).
    #[must_use]
    pub fn watched_state(&self) -> State {
        State(self.state.load(Ordering::Acquire))
    }

    /// Ends the watch, and acquits a [`suspect`](Self::suspect). `Destroy` or a hand-over: the last
    /// reference was dropped meanwhile, and no other thread has the duty.
    pub fn end_watch(&self) -> Released {
        self.finish_watch(0)
    }

    /// Ends the watch of an object that is garbage: weak references no longer upgrade.
    pub fn convict(&self) -> Released {
        self.finish_watch(DYING)
    }

    fn finish_watch(&self, verdict: u64) -> Released {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            debug_assert!(now & WATCHED != 0);
            // A watched object whose count fell to zero has borrowed from the sign: it looks
            // positive.
            let emptied = now & SIGN == 0;
            let mut new = now & !WATCHED & !TOUCHED & !SUSPECT | verdict;
            new = if emptied { new | SIGN } else { new & !SIGN };
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) if emptied => return self.release_slow(),
                Ok(_) => return Released::Shared,
                Err(other) => now = other,
            }
        }
    }

    /// Makes weak references wait for the verdict, [`convict`](Self::convict) or
    /// [`end_watch`](Self::end_watch); only if count and holder are those of the snapshot, and the
    /// object was not touched since the watch began.
    #[must_use]
    pub fn suspect(&self, strong: u64, holder: Holder) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            debug_assert!(state.is_watched());
            if state.strong() != strong || state.holder() != holder || now & (TOUCHED | PINNED) != 0 {
                return false;
            }
            match self
                .state
                .compare_exchange_weak(now, now | SUSPECT, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
    }

    /// Condemns garbage that no weak reference leads to; only if count and holder are still what a
    /// snapshot saw.
    #[must_use]
    pub fn condemn(&self, strong: u64, holder: Holder) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            if state.strong() != strong || state.holder() != holder || now & (WATCHED | PINNED) != 0 {
                return false;
            }
            match self
                .state
                .compare_exchange_weak(now, now | DYING, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
    }
}
