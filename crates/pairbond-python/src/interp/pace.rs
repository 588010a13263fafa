//! [`Pace`]: when to [sweep](crate::gc).
//!
//! Each birth of a wrapper decrements a counter. When it reaches zero, the wrappers alive are
//! counted; when they have doubled, the dormant ones are; when these have doubled, too, a sweep
//! runs. A sweep visits all objects of traced types, whether they have a wrapper or not, so before
//! the next one there are at least as many new wrappers as it left objects ([`Left`]). So its cost
//! is amortised over the births, and a program that creates and drops the same few wrappers never
//! sweeps.
//!
//! Trees ask for sweeps by themselves when they have doubled (`weight.rs` of pairbond-tree).
//!
//! A `Pace` belongs to an interpreter and is guarded by its GIL. Free-threaded builds track all
//! wrappers and never write to it.

use std::cell::Cell;

/// Whether wrappers must be shown to Python's collector from birth: without a GIL two threads could
/// both find that one is not, and show it twice, which CPython answers with abort. Nothing is
/// linked there, so it costs little.
pub(crate) const TRACK_ALL: bool = cfg!(Py_GIL_DISABLED);

/// The least number of births before a sweep: those after which CPython's own thresholds, 700, 10
/// and 10, let a full collection run.
pub(crate) const FEW: usize = 70_000;

/// The numbers of objects alive after a sweep or a full collection.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    /// Objects of traced types.
    pub(crate) objects: usize,
    /// Those of them that have a wrapper.
    pub(crate) wrappers: usize,
    /// Those of these whose wrapper is dormant.
    pub(crate) dormant: usize,
}

/// When to sweep next.
pub(crate) struct Pace {
    /// Births of wrappers of traced types until the next count.
    births: Cell<usize>,
    /// The number of wrappers alive that makes it worth counting the dormant ones.
    limit: Cell<usize>,
    /// The number of dormant wrappers that makes a sweep worth it.
    dormant: Cell<usize>,
    /// Wrappers may be untracked. False from interpreter shutdown on.
    on: Cell<bool>,
    /// At least one wrapper was created untracked.
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

    /// Returns whether wrappers may be untracked, and records that one is about to be.
    #[inline]
    pub(crate) fn allows_untracked(&self) -> bool {
        let on = self.on.get();
        if on {
            self.some.set(true);
        }
        on
    }

    /// Returns whether there may be untracked wrappers.
    pub(crate) fn sweeps(&self) -> bool {
        self.on.get() && self.some.get()
    }

    /// Lets all wrappers be tracked from here on.
    pub(crate) fn end(&self) {
        if !TRACK_ALL {
            self.on.set(false);
        }
    }

    /// Counts a birth. Returns whether the wrappers should be counted now.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        if TRACK_ALL {
            return false;
        }
        let left = self.births.get().wrapping_sub(1);
        self.births.set(left);
        left == 0
    }

    /// Sets the number of births until the next count.
    pub(crate) fn expect_births(&self, births: usize) {
        self.births.set(births.max(1));
    }

    /// Forces a sweep after so many births. For tests.
    pub(crate) fn sweep_after(&self, births: usize) {
        if !TRACK_ALL {
            self.limit.set(0);
            self.dormant.set(0);
            self.expect_births(births);
        }
    }

    /// Returns the least number of births until the wrappers alive have doubled, or `None` if they
    /// have.
    pub(crate) fn missing(&self, alive: usize) -> Option<usize> {
        let missing = self.limit.get().checked_sub(alive)?;
        (missing > 0).then(|| missing.max(FEW / 10))
    }

    /// Returns whether the number of dormant wrappers has doubled.
    pub(crate) fn are_many(&self, dormant: usize) -> bool {
        dormant >= self.dormant.get()
    }

    /// Sets the next count for when the wrappers alive have doubled.
    pub(crate) fn expect_twice(&self, alive: usize) {
        self.limit.set(alive.saturating_mul(2).max(FEW));
        self.expect_births(alive.max(FEW));
    }

    /// Records what a sweep or a full collection has left.
    pub(crate) fn swept(&self, left: Left) {
        let births = left.objects.max(FEW);
        self.dormant.set(left.dormant.saturating_add(births));
        self.limit.set(left.wrappers.saturating_add(births));
        self.expect_births(births);
    }
}
