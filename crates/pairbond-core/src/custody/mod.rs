//! Custody: who keeps a pair of native object and wrapper alive. The heart of pairbond.
//!
//! # Promises, in order of weight
//! 1. The object's memory is valid while anybody may touch it; it is destroyed once.
//! 2. The wrapper that an object points to is alive: in [`Holder::Native`] custody the object owns
//!    one counted reference to it, in [`Holder::Python`] custody the wrapper owns the object and
//!    dies with it.
//! 3. Exactly one thread is told to do each duty that a transition leaves behind (`#[must_use]`
//!    results).
//! 4. Cloning and dropping a native reference is one locked instruction and one untaken branch, as
//!    for `std::sync::Arc`, in every custody.
//!
//! # The state word (64 bits)
//! ```text
//!  63     62 ........ 30   29 .... 8   7        6     5       4       3        2        1 0
//!  sign   strong − 1       weak        SUSPECT  DEAD  PINNED  DYING   TOUCHED  WATCHED  holder
//! ```
//! The strong count is stored less one at the top, so that *last reference dropped* is a borrow out
//! of the word, which the processor's flags give for free. An object that a collector **watches**
//! has the sign set on purpose: every clone makes a negative number then, takes the slow path and
//! leaves `TOUCHED` behind, and no drop borrows. That is how a snapshot detects that no reference
//! moved while it was taken, and why no version has to be counted on the fast path.
//!
//! A drop leaves no flag behind, and a clone leaves it a moment after it has counted. Only the
//! count shows a clone in that moment, and a drop of another reference may hide it. So a watcher
//! must keep every mutable field that it traced locked until it has looked again: then references
//! dropped meanwhile were not among those that it counted.
//!
//! | state | sign | WATCHED | strong field |
//! |---|---|---|---|
//! | normal | 0 | 0 | strong − 1 |
//! | watched | 1 | 1 | strong − 1 |
//! | no strong reference | 1 | 0 | all ones |
//! | watched, and the last reference was dropped: the collector must see to it | 0 | 1 | all ones |
//! | overflow: the process is aborted | 1 | 0 | anything else |
//!
//! # Transitions
//! | event | who | transition | duty |
//! |---|---|---|---|
//! | [`clone`](Custody::acquire) | native, any thread | strong + 1; never from `Python` | |
//! | [`drop`](Custody::release) | native, any thread | strong − 1 | [`Released`] |
//! | [`clone`](Custody::acquire_many) or [`drop`](Custody::release_many) many at once | native, any thread, holds another strong reference | strong ± n | |
//! | [`publish`](Custody::publish_wrapper) a first wrapper, [at once](Custody::publish_first) with the claim or behind it | attached, holds a strong reference | pointer by CAS, then `Unwrapped` → `Native` | the loser throws its wrapper away |
//! | [`note_listed`](Custody::note_listed) | attached, holds the wrapper | a bit of the pair, for the frontend; the state is as before | the first lists the wrapper |
//! | [`extract`](Custody::extract_native) | attached, holds the wrapper | {1, Python} → {1, Native}, or strong + 1 | [`Extracted`] |
//! | [`give`](Custody::give_to_wrapper) the last reference to Python | attached | {1, Native} → {1, Python} | [`Given`] |
//! | [`upgrade`](Custody::upgrade) | any thread | strong + 1 unless none is left | [`Upgraded`] |
//! | [`wrapper_died`](Custody::wrapper_died) | attached | {1, Python} → no strong reference | [`Died`] |
//! | [`sever`](Custody::sever) the wrapper | attached, interpreter ends | {n, Native} → {n, Unwrapped} | [`Released`] |
//! | [`trim`](Custody::trim) a dormant wrapper | attached, and no other attached thread runs | {n, Native} → {n, Unwrapped}, still claimed | [`Released`] |
//! | [`part`](Custody::part_from_wrapper) from the wrapper | attached, and nobody borrows through the wrapper | {1, Python} → {1, Unwrapped}, still claimed | |
//! | [`watch`](Custody::begin_watch), [`unwatch`](Custody::end_watch) | collector | sign and `WATCHED` | [`Released`] |
//! | [`condemn`](Custody::condemn) | collector | sets `DYING`, if nothing changed | |
//! | [`suspect`](Custody::suspect) | collector that watches | sets `SUSPECT`, if nothing changed: upgrades wait | to end it |
//! | [`convict`](Custody::convict) or [`unwatch`](Custody::end_watch) it | the same | ends the watch and `SUSPECT`, with `DYING` or without | [`Released`] |
//! | [`retag`](Custody::retag) | attached to another interpreter, holds a strong reference | {n, Native} of an ended interpreter → {n, Unwrapped} | |
//!
//! ## Dropping the last reference in `Native` custody
//! The count has reached 0 and the object waits for {0, Native} → {1, Python} by the thread that
//! dropped it. Meanwhile a thread that holds the wrapper may revive the object. It then leaves
//! *two* references: its own, and one for the thread that is on its way to hand over, which drops
//! that one in turn. Without it the object could be revived, dropped, handed over and freed by
//! others before the first thread looks at it again: a use after free that a model of two threads
//! finds.
//!
//! # Not promised
//! Fairness of [`pin`](Custody::pin_wrapper); more than 2³² strong references to one object (the
//! process is aborted, as for `Arc`). An object that ever had 2²¹ weak references at a time has
//! many for good: its memory is never given back, though its value is destroyed as any other.
//!
//! # Files
//! The state word is in `state`, the wrapper's in `pair`, the duties that transitions leave behind
//! in `duty`. The transitions of native references are here, those of wrappers in `attached`, of
//! weak references in `upgrade`, of collectors in `watch`, of nodes in `wake`, and of objects of
//! ended interpreters in `retag`. None follows a pointer. `header` is where an object has its
//! custody, next to the address of its type, which stays opaque here.
//!
//! Tests: `tests/loom_custody` pairs all events with two and three threads and asserts that each
//! outcome occurred.

mod answer;
mod attached;
mod duty;
mod epoch;
mod header;
mod pair;
mod retag;
mod state;
mod upgrade;
mod wake;
mod watch;

pub use answer::Answer;
pub use duty::{Died, Extracted, Given, Released, Retagged, TagStatus, Taken, Upgraded};
pub use epoch::detach_epoch;
pub(crate) use epoch::{DETACH_EPOCH, adopt_detach_epoch};
pub use header::{Header, Prefix, value_offset};
pub use pair::Pair;
pub use state::{Holder, State};

use crate::sync::atomic::{AtomicU64, Ordering};

use self::state::{DYING, HOLDER, PYTHON, SIGN, STRONG, STRONG_LIMIT, STRONG_ONE, TOUCHED, WATCHED};

/// The two words of the protocol.
#[repr(C)]
pub struct Custody {
    state: AtomicU64,
    pair: AtomicU64,
}

impl Custody {
    /// A new object with one native reference and no wrapper.
    #[inline]
    #[must_use]
    pub fn new_native() -> Self {
        Custody {
            state: AtomicU64::new(0),
            pair: AtomicU64::new(0),
        }
    }

    /// A new object that is born in the custody of its wrapper.
    #[inline]
    #[must_use]
    pub fn new_wrapped(pair: Pair) -> Self {
        Custody {
            state: AtomicU64::new(PYTHON),
            pair: AtomicU64::new(pair.to_bits()),
        }
    }

    /// A new node of a tree without handles: asleep from birth.
    #[inline]
    #[must_use]
    pub(crate) fn new_asleep() -> Self {
        Custody {
            state: AtomicU64::new(SIGN | STRONG),
            pair: AtomicU64::new(0),
        }
    }

    /// The value of the object is being written: no reference to it is given out, also by its
    /// address.
    #[inline]
    pub(crate) fn begin_writing(&self) {
        self.state.store(SIGN | STRONG | DYING, Ordering::Relaxed);
    }

    /// The value is there: the object is in the custody of a wrapper, or has one native reference.
    #[inline]
    pub(crate) fn end_writing(&self, wrapped: bool) {
        self.state
            .store(if wrapped { PYTHON } else { 0 }, Ordering::Relaxed);
    }

    /// The state now; another thread may change it at once.
    #[inline]
    #[must_use]
    pub fn state(&self) -> State {
        State(self.state.load(Ordering::Acquire))
    }

    /// The wrapper and its tag now. A holder of a strong reference or of the wrapper may use it.
    #[inline]
    #[must_use]
    pub fn pair(&self) -> Pair {
        Pair::from_bits(self.pair.load(Ordering::Acquire))
    }

    /// Counts a strong reference; the caller holds one natively.
    #[inline]
    pub fn acquire(&self) {
        if self.acquire_fast() {
            self.acquire_slow();
        }
    }

    /// The fast half of [`acquire`](Self::acquire). `true`: somebody watches, or the count
    /// overflowed.
    #[inline]
    #[must_use]
    pub(crate) fn acquire_fast(&self) -> bool {
        // Only the sign of the result is used, or it would not compile to `lock add` + `js`.
        (self
            .state
            .fetch_add(STRONG_ONE, Ordering::Relaxed)
            .wrapping_add(STRONG_ONE) as i64)
            < 0
    }

    /// Counts so many strong references; the caller holds one natively.
    #[inline]
    pub fn acquire_many(&self, more: u32) {
        let added = u64::from(more) * STRONG_ONE;
        let now = self.state.fetch_add(added, Ordering::Relaxed).wrapping_add(added);
        if (now as i64) < 0 {
            self.acquire_slow();
        }
    }

    /// Drops so many strong references, behind which the caller holds another one natively.
    #[inline]
    pub fn release_many(&self, fewer: u32) {
        let before = self
            .state
            .fetch_sub(u64::from(fewer) * STRONG_ONE, Ordering::Release);
        debug_assert!(
            State(before).strong() > u64::from(fewer),
            "the last is another one"
        );
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn acquire_slow(&self) {
        // Alive: the caller holds two references. The watch may have ended by now.
        let now = self.state.load(Ordering::Relaxed);
        if now & SIGN == 0 {
            return;
        }
        if now & WATCHED == 0 || (now & STRONG) >> 30 > STRONG_LIMIT {
            // As for Arc: more references than memory can hold means that they are leaked in a
            // loop.
            std::process::abort();
        }
        // Between the addition and this the count shows what happened; after it the flag does.
        self.state.fetch_or(TOUCHED, Ordering::Relaxed);
    }

    /// Drops a strong reference.
    #[inline]
    pub fn release(&self) -> Released {
        if self.release_fast() {
            self.release_slow()
        } else {
            Released::Shared
        }
    }

    /// The fast half of [`release`](Self::release). `true`: it was the last, and the caller goes on
    /// with [`release_slow`](Self::release_slow); until then the object's memory stays.
    #[inline]
    #[must_use]
    pub(crate) fn release_fast(&self) -> bool {
        // This comparison and no other compiles to `lock sub` + `jb`.
        self.state.fetch_sub(STRONG_ONE, Ordering::Release) < STRONG_ONE
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn release_slow(&self) -> Released {
        loop {
            // What others did to the object before they dropped it happened before this.
            let now = self.state.load(Ordering::Acquire);
            let state = State(now);
            match state.holder() {
                Holder::Unwrapped if state.strong() == 0 => return Released::Destroy,
                Holder::Native if state.strong() == 0 => {
                    let handed = now.wrapping_add(STRONG_ONE) & !HOLDER | PYTHON;
                    // The pair is read first: after the exchange the wrapper may die at any time,
                    // and the object with it.
                    let pair = self.pair();
                    if self
                        .state
                        .compare_exchange(now, handed, Ordering::AcqRel, Ordering::Relaxed)
                        .is_ok()
                    {
                        return Released::HandedOver(pair);
                    }
                }
                Holder::Python => {
                    unreachable!("a native reference was dropped that the wrapper owned: {state:?}")
                }
                // Revived, and a reference left to us.
                _ => {
                    if !self.release_fast() {
                        return Released::Shared;
                    }
                }
            }
        }
    }

    /// Tells the model checker that the object's memory is gone.
    #[cfg(loom)]
    pub fn note_freed(&self) {
        self.state.note_freed();
        self.pair.note_freed();
    }
}
