//! [`Pace`]: when it is time to [sweep](super::sweep).
//!
//! Wrappers are counted as they are born, which costs a subtraction. After so many births somebody counts how many are alive, and when there are twice as
//! many as before, how many of them are dormant; when these have doubled, too, there is a sweep. So what a sweep costs is spread over as many births as it
//! looks at wrappers, and a program that makes and drops the same few does nothing at all.
//!
//! Belongs to an interpreter and is guarded by its GIL. Builds without one track all wrappers, so nothing is ever written there.

use std::cell::Cell;

use crate::wrapper::TRACK_ALL;

/// Fewer births are no reason to sweep.
pub(super) const FEW: usize = 10_000;

/// See the head of this file.
pub(crate) struct Pace {
    /// Wrappers of traced types that are still to be born before somebody counts.
    births: Cell<usize>,
    /// How many there have to be alive then.
    limit: Cell<usize>,
    /// And how many of them dormant.
    dormant: Cell<usize>,
    /// Wrappers may be born unknown to the collector. False from the end of the interpreter on.
    on: Cell<bool>,
    /// Some were.
    some: Cell<bool>,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Pace {
            births: Cell::new(FEW),
            limit: Cell::new(FEW),
            dormant: Cell::new(FEW),
            on: Cell::new(!TRACK_ALL),
            some: Cell::new(false),
        }
    }

    /// Whether a wrapper may be unknown to the collector, because pairbond looks for garbage among such wrappers. If so, one is about to be.
    #[inline]
    pub(super) fn allows_untracked(&self) -> bool {
        let on = self.on.get();
        if on {
            self.some.set(true);
        }
        on
    }

    /// Whether wrappers may be unknown to the collector, and some were.
    pub(super) fn sweeps(&self) -> bool {
        self.on.get() && self.some.get()
    }

    /// From here on all wrappers are known to the collector.
    pub(super) fn end(&self) {
        if !TRACK_ALL {
            self.on.set(false);
        }
    }

    /// Counts a birth. Whether it is time to count.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        if TRACK_ALL {
            return false;
        }
        let left = self.births.get().wrapping_sub(1);
        self.births.set(left);
        left == 0
    }

    /// After so many births it is time to count.
    pub(super) fn expect_births(&self, births: usize) {
        self.births.set(births.max(1));
    }

    /// After so many births there is a sweep, however few wrappers there are. For tests.
    pub(crate) fn sweep_after(&self, births: usize) {
        if !TRACK_ALL {
            self.limit.set(0);
            self.dormant.set(0);
            self.expect_births(births);
        }
    }

    /// How many births are missing, at least, until there are twice as many wrappers alive as were counted before; `None`: none.
    pub(super) fn missing(&self, alive: usize) -> Option<usize> {
        let missing = self.limit.get().checked_sub(alive)?;
        (missing > 0).then(|| missing.max(FEW / 10))
    }

    /// Whether so many dormant wrappers are a reason for a sweep.
    pub(super) fn are_many(&self, dormant: usize) -> bool {
        dormant >= self.dormant.get()
    }

    /// It is time to count again when there are twice as many wrappers.
    pub(super) fn expect_twice(&self, alive: usize) {
        self.limit.set(alive.saturating_mul(2).max(FEW));
        self.expect_births(alive.max(FEW));
    }

    /// A sweep, or a full collection, left so many wrappers, and so many of them dormant.
    pub(super) fn swept(&self, alive: usize, dormant: usize) {
        self.dormant.set(dormant.saturating_mul(2).max(FEW));
        self.expect_twice(alive);
    }
}
