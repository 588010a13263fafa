//! [`Collecting`]: the interpreters that are in the middle of a collection, and how weak references
//! keep out of its way.
//!
//! # Promises, in order of weight
//! 1. What a collection has found unreachable does not come back through a weak reference between
//!    its passes: an upgrade that succeeds was counted before the collection began, or by a thread
//!    that has [asked](super::FrontendTable::condemned) it.
//! 2. While no interpreter collects, an upgrade does not wait and attaches to nothing.
//!
//! # Not promised
//! An unclaimed object (it never had a wrapper) may be found unreachable by any of two interpreters
//! that collect at the same instant, and no thread can be attached to both. It may come back then,
//! as an object does that a finalizer resurrects.
//!
//! # How
//! An upgrade on the fast path announces itself, looks whether an interpreter collects, counts, and
//! withdraws the announcement; it neither blocks nor calls anything meanwhile. A collection
//! announces that it begins, and then waits until each announcement place was seen empty once.
//! Either the upgrade saw the collection, or the collection saw the announcement: both look after a
//! sequentially consistent fence. So an upgrade on the fast path has counted when the first pass
//! begins.
//!
//! The places are shared out by object, and not by thread: who upgrades the same object meets in
//! its state word anyway.
//!
//! # Roads not taken
//! Looking once more after counting, instead of the announcement: a thread that was stopped between
//! the two looks would hold garbage over a whole pass, which then finds it alive, when Python's
//! weak references to it are cleared already.
//!
//! Tests: `tests/loom_collecting.rs`.

use crate::custody::Answer;
use crate::sync::atomic::{AtomicU64, Ordering, fence};
use crate::sync::relax_or_yield;

/// Interpreters that can collect at the same time. Another one's collection goes without native
/// references.
const MOST: usize = if cfg!(loom) { 2 } else { 64 };
const PLACES: usize = if cfg!(loom) { 2 } else { 16 };

#[repr(C, align(64))]
struct Place(AtomicU64);

/// See the head of this file. Part of the runtime that all binaries share.
#[repr(C)]
pub struct Collecting {
    count: AtomicU64,
    /// Collections that have ended.
    ended: AtomicU64,
    /// Tags, or 0.
    tags: [AtomicU64; MOST],
    /// Upgrades that are under way without asking.
    places: [Place; PLACES],
}

impl Collecting {
    /// None.
    #[cfg(not(loom))]
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Collecting {
            count: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            tags: [const { AtomicU64::new(0) }; MOST],
            places: [const { Place(AtomicU64::new(0)) }; PLACES],
        }
    }

    /// None.
    #[cfg(loom)]
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Collecting {
            count: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            tags: std::array::from_fn(|_| AtomicU64::new(0)),
            places: std::array::from_fn(|_| Place(AtomicU64::new(0))),
        }
    }

    /// An interpreter begins a collection; before its first pass. When this returns, every upgrade
    /// on the fast path has counted. `false`: too many interpreters collect; this collection must
    /// leave native references alone.
    #[must_use]
    pub fn begin_collection(&self, tag: u16) -> bool {
        let free = |slot: &&AtomicU64| {
            slot.compare_exchange(0, tag.into(), Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        };
        if self.tags.iter().find(free).is_none() {
            return false;
        }
        self.count.fetch_add(1, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        for place in &self.places {
            let mut attempt = 0;
            while place.0.load(Ordering::Acquire) != 0 {
                relax_or_yield(attempt);
                attempt = attempt.saturating_add(1);
            }
        }
        true
    }

    /// It has ended.
    pub fn end_collection(&self, tag: u16) {
        self.ended.fetch_add(1, Ordering::AcqRel);
        for slot in &self.tags {
            if slot
                .compare_exchange(tag.into(), 0, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
            {
                self.count.fetch_sub(1, Ordering::AcqRel);
                return;
            }
        }
    }

    /// Those that may find an object of interpreter `tag` unreachable: that one, or any if the
    /// object is unclaimed (`tag` 0).
    pub fn interpreters_concerned(&self, tag: u16) -> impl Iterator<Item = u16> {
        let count = if self.count.load(Ordering::Acquire) == 0 {
            0
        } else {
            MOST
        };
        self.tags[..count]
            .iter()
            .map(|slot| slot.load(Ordering::Acquire) as u16)
            .filter(move |t| *t != 0 && (tag == 0 || *t == tag))
    }

    /// Upgrades by visiting every interpreter that collects and may have found the object
    /// unreachable. `tag` returns its owner, `visit` visits one, and upgrades unless that is done.
    ///
    /// The first is visited before the reference is counted, so that garbage is not disturbed. If
    /// the object is unclaimed there may be others, and some that begin meanwhile. They are visited
    /// afterwards: their later results include our reference. One that has ended by then cannot be
    /// visited any more, and everything is begun anew.
    pub fn visit_collecting<R>(
        &self,
        tag: impl Fn() -> u16,
        mut visit: impl FnMut(u16, Option<R>) -> Answer<R>,
    ) -> Answer<R> {
        let (nobodys, ended) = (tag() == 0, self.ended.load(Ordering::Acquire));
        let mut asked = Vec::new();
        let (mut found, mut closed) = (None, false);
        while let Some(next) = self.interpreters_concerned(tag()).find(|t| !asked.contains(t)) {
            asked.push(next);
            match visit(next, found.take()) {
                Answer::Found(it) => found = Some(it),
                Answer::Closed => closed = true,
                answer => return answer,
            }
        }
        match found {
            Some(_) if nobodys && self.ended.load(Ordering::Acquire) != ended => Answer::Again,
            Some(it) => Answer::Found(it),
            None if closed => Answer::Closed,
            None => Answer::Again,
        }
    }

    /// Upgrades (what `upgrade` does, without blocking or calling anything) unless it has to be
    /// asked for: `None`.
    ///
    /// `tag` says whose the object is, `address` where.
    #[inline]
    pub fn without_asking<R>(
        &self,
        address: usize,
        tag: impl FnOnce() -> u16,
        upgrade: impl FnOnce() -> R,
    ) -> Option<R> {
        let place = &self.places[(address >> 4) % PLACES].0;
        place.fetch_add(1, Ordering::Acquire);
        fence(Ordering::SeqCst);
        let free =
            self.count.load(Ordering::Acquire) == 0 || self.interpreters_concerned(tag()).next().is_none();
        let upgraded = free.then(upgrade);
        place.fetch_sub(1, Ordering::Release);
        upgraded
    }
}
