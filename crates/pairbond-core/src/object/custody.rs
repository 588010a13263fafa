//! Custody: who keeps a pair of native object and wrapper alive. The heart of pairbond.
//!
//! # Promises, in order of weight
//! 1. The object's memory is valid while anybody may touch it; it is destroyed once.
//! 2. The wrapper that an object points to is alive: in [`Holder::Native`] custody the object owns one counted reference to it, in
//!    [`Holder::Python`] custody the wrapper owns the object and dies with it.
//! 3. Exactly one thread is told to do each duty that a transition leaves behind (`#[must_use]` results).
//! 4. Cloning and dropping a native reference is one locked instruction and one untaken branch, as for `std::sync::Arc`,
//!    in every custody.
//!
//! # The state word (64 bits)
//! ```text
//!  63     62 ........ 30   29 .... 7   6     5       4       3        2        1 0
//!  sign   strong − 1       weak        DEAD  PINNED  DYING   TOUCHED  WATCHED  holder
//! ```
//! The strong count is stored less one at the top, so that *last reference dropped* is a borrow out of the word, which the processor's
//! flags give for free. An object that a collector **watches** has the sign set on purpose: every clone makes a negative number then,
//! takes the slow path and leaves `TOUCHED` behind, and no drop borrows. That is how a snapshot learns that nobody moved a reference
//! while it was taken, and why no version has to be counted on the fast path.
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
//! | [`publish`](Custody::publish) a first wrapper | attached, holds a strong reference | pointer by CAS, then `Unwrapped` → `Native` | the loser throws its wrapper away |
//! | [`extract`](Custody::extract) | attached, holds the wrapper | {1, Python} → {1, Native}, or strong + 1 | [`Extracted`] |
//! | [`give`](Custody::give) the last reference to Python | attached | {1, Native} → {1, Python} | [`Given`] |
//! | [`upgrade`](Custody::upgrade) | any thread | strong + 1 unless none is left | [`Upgraded`] |
//! | [`wrapper_died`](Custody::wrapper_died) | attached | {1, Python} → no strong reference | [`Died`] |
//! | [`sever`](Custody::sever) the wrapper | attached, interpreter ends | {n, Native} → {n, Unwrapped} | [`Released`] |
//! | [`watch`](Custody::watch), [`unwatch`](Custody::unwatch) | collector | sign and `WATCHED` | [`Released`] |
//! | [`condemn`](Custody::condemn) | collector | sets `DYING`, if nothing changed | |
//!
//! ## Dropping the last reference in `Native` custody
//! The count has reached 0 and the object waits for {0, Native} → {1, Python} by the thread that dropped it. Meanwhile a thread that
//! holds the wrapper may revive the object. It then leaves *two* references: its own, and one for the thread that is on its way to
//! hand over, which drops that one in turn. Without it the object could be revived, dropped, handed over and freed by others
//! before the first thread looks at it again: a use after free that a model of two threads finds.
//!
//! # Not promised
//! Fairness of [`pin`](Custody::pin); more than 2²³ − 1 weak references (the process is aborted) or 2³² strong ones to one object.
//!
//! Tests: `tests/loom_custody.rs` pairs all events with two and three threads and asserts that each outcome occurred.

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::relax;

use super::duty::{Died, Extracted, Given, Released, TagStatus, Taken, Upgraded};
use super::pair::Pair;
use super::state::{
    DEAD, HOLDER, Holder, NATIVE, PINNED, PYTHON, SIGN, STRONG, STRONG_LIMIT, STRONG_ONE, State, TOUCHED,
    WATCHED, WEAK_ONE, revival,
};

/// The two words of the protocol.
#[repr(C)]
pub struct Custody {
    pub(super) state: AtomicU64,
    pub(super) pair: AtomicU64,
}

impl Custody {
    /// A new object with one native reference and no wrapper.
    #[inline]
    #[must_use]
    pub fn native() -> Self {
        Custody {
            state: AtomicU64::new(0),
            pair: AtomicU64::new(0),
        }
    }

    /// A new object that is born in the custody of its wrapper.
    #[inline]
    #[must_use]
    pub fn wrapped(pair: Pair) -> Self {
        Custody {
            state: AtomicU64::new(PYTHON),
            pair: AtomicU64::new(pair.to_bits()),
        }
    }

    /// The state now; another thread may change it at once.
    #[inline]
    #[must_use]
    pub fn state(&self) -> State {
        State(self.state.load(Ordering::Acquire))
    }

    /// The wrapper and its tag now. Whoever holds a strong reference or the wrapper may use it.
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

    /// The fast half of [`acquire`](Self::acquire). `true`: somebody watches, or the count overflowed.
    #[inline]
    #[must_use]
    pub(super) fn acquire_fast(&self) -> bool {
        // Only the sign of the result is used, or it would not compile to `lock add` + `js`.
        (self
            .state
            .fetch_add(STRONG_ONE, Ordering::Relaxed)
            .wrapping_add(STRONG_ONE) as i64)
            < 0
    }

    #[cold]
    #[inline(never)]
    pub(super) fn acquire_slow(&self) {
        // Alive: the caller holds two references. The watch may have ended by now.
        let now = self.state.load(Ordering::Relaxed);
        if now & SIGN == 0 {
            return;
        }
        if now & WATCHED == 0 || (now & STRONG) >> 30 > STRONG_LIMIT {
            // As for Arc: more references than memory can hold means that they are leaked in a loop.
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

    /// The fast half of [`release`](Self::release). `true`: it was the last, and the caller goes on with
    /// [`release_slow`](Self::release_slow); until then the object's memory stays.
    #[inline]
    #[must_use]
    pub(super) fn release_fast(&self) -> bool {
        // This comparison and no other compiles to `lock sub` + `jb`.
        self.state.fetch_sub(STRONG_ONE, Ordering::Release) < STRONG_ONE
    }

    #[cold]
    #[inline(never)]
    pub(super) fn release_slow(&self) -> Released {
        loop {
            // What others did to the object before they dropped it happened before this.
            let now = self.state.load(Ordering::Acquire);
            let state = State(now);
            match state.holder() {
                Holder::Unwrapped if state.strong() == 0 => return Released::Destroy,
                Holder::Native if state.strong() == 0 => {
                    let handed = now.wrapping_add(STRONG_ONE) & !HOLDER | PYTHON;
                    // The pair is read first: after the exchange the wrapper may die at any time, and the object with it.
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

    /// Publishes the first wrapper; the caller holds a strong reference and has given the object a counted reference
    /// to the wrapper. The object must be tagged by the wrapper's interpreter ([`claim`](Self::claim)).
    ///
    /// # Errors
    /// Another thread was first: its pair. The caller throws its own wrapper away.
    pub fn publish(&self, pair: Pair) -> Result<(), Pair> {
        let claimed = Pair::tagged(pair.tag()).to_bits();
        match self
            .pair
            .compare_exchange(claimed, pair.to_bits(), Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => {
                let before = self.state.fetch_or(NATIVE, Ordering::AcqRel);
                debug_assert_eq!(State(before).holder(), Holder::Unwrapped);
                Ok(())
            }
            Err(other) => Err(Pair::from_bits(other)),
        }
    }

    /// The tag as interpreter `tag` sees it. `sole`: the caller is the only one who can reach the object.
    #[must_use]
    pub fn status(&self, tag: u16, sole: bool) -> TagStatus {
        match self.pair().tag() {
            0 if sole => TagStatus::Untagged,
            0 => TagStatus::MaybeUntagged,
            t if t == tag => TagStatus::Ours,
            t => TagStatus::Theirs(t),
        }
    }

    /// Claims an untagged object for an interpreter.
    ///
    /// # Errors
    /// Another interpreter's tag, if that was first.
    pub fn claim(&self, tag: u16) -> Result<(), u16> {
        let wanted = Pair::tagged(tag).to_bits();
        match self
            .pair
            .compare_exchange(0, wanted, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => Ok(()),
            Err(other) if Pair::from_bits(other).tag() == tag => Ok(()),
            Err(other) => Err(Pair::from_bits(other).tag()),
        }
    }

    /// Takes a native reference; the caller holds the wrapper (or borrows the object from whoever does).
    #[inline]
    pub fn extract(&self) -> Extracted {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let added = match State(now).holder() {
                Holder::Python => return Extracted::RetainFirst(self.pair()),
                Holder::Native if State(now).strong() == 0 => revival(now),
                _ => STRONG_ONE,
            };
            let mut new = now.wrapping_add(added);
            if now & WATCHED != 0 {
                new |= TOUCHED;
            }
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Extracted::Counted,
                Err(other) => now = other,
            }
        }
    }

    /// {1, Python} → {1, Native}; the caller holds the wrapper and has retained it once more on the object's behalf.
    pub fn take_custody(&self) -> Taken {
        let mut now = self.state.load(Ordering::Acquire);
        let mut attempt = 0;
        loop {
            if State(now).holder() != Holder::Python {
                return match self.extract() {
                    Extracted::Counted => Taken::Surplus,
                    Extracted::RetainFirst(_) => {
                        now = self.state.load(Ordering::Acquire);
                        continue;
                    }
                };
            }
            if now & PINNED != 0 {
                relax(attempt);
                attempt = attempt.saturating_add(1);
                now = self.state.load(Ordering::Acquire);
                continue;
            }
            let mut new = now & !HOLDER | NATIVE;
            if now & WATCHED != 0 {
                new |= TOUCHED;
            }
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Taken::Took,
                Err(other) => now = other,
            }
        }
    }

    /// Gives the caller's strong reference to Python if it is the only one.
    #[inline]
    pub fn give(&self) -> Given {
        let mut now = self.state.load(Ordering::Acquire);
        while State(now).holder() == Holder::Native && State(now).strong() == 1 && now & WATCHED == 0 {
            let pair = self.pair();
            match self.state.compare_exchange_weak(
                now,
                now & !HOLDER | PYTHON,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Given::Wrapper(pair),
                Err(other) => now = other,
            }
        }
        Given::Shared
    }

    /// Counts a weak reference; the caller holds a strong one, the wrapper or a weak one.
    pub fn downgrade(&self) {
        let before = self.state.fetch_add(WEAK_ONE, Ordering::Relaxed);
        if State(before).weak() >= (1 << 23) - 2 {
            std::process::abort();
        }
    }

    /// Drops a weak reference. `true`: the value is destroyed and this was the last: free the memory.
    #[must_use]
    pub fn release_weak(&self) -> bool {
        let before = State(self.state.fetch_sub(WEAK_ONE, Ordering::AcqRel));
        before.is_dead() && before.weak() == 1
    }

    /// Says that the value is destroyed. `true`: no weak reference is left: free the memory.
    #[inline]
    #[must_use]
    pub fn destroyed(&self) -> bool {
        // Nobody can make a weak reference from nothing: with none left the word is ours alone.
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
            let added = match (state.holder(), state.strong()) {
                (Holder::Unwrapped, 0) => return Upgraded::Gone,
                (Holder::Python, 0) => return Upgraded::Gone,
                (Holder::Python, _) => return Upgraded::InPython(self.pair()),
                (Holder::Native, 0) => revival(now),
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

    /// Pins the wrapper of an object in Python custody, so that it cannot be freed while the caller tries to retain it.
    /// Between `pin` and [`unpin`](Self::unpin) nothing may be called but the frontend's `try_retain`.
    #[must_use]
    pub fn pin(&self) -> Option<Pair> {
        let mut now = self.state.load(Ordering::Acquire);
        let mut attempt = 0;
        loop {
            let state = State(now);
            if state.holder() != Holder::Python || state.strong() == 0 || state.is_dying() {
                return None;
            }
            if now & PINNED != 0 {
                relax(attempt);
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

    /// Ends [`pin`](Self::pin). `retained`: the caller's reference to the wrapper becomes the object's, and the caller gets
    /// a strong reference: {1, Python} → {1, Native}.
    pub fn unpin(&self, retained: bool) {
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

    /// As [`wrapper_died`](Self::wrapper_died) for an object that no collector lists: when it has no weak reference either, nobody else can reach
    /// the words, and no locked instruction is needed. `false`: nothing was changed.
    #[inline]
    #[must_use]
    pub fn wrapper_died_alone(&self) -> bool {
        if self.state.load(Ordering::Acquire) != PYTHON {
            return false;
        }
        self.state.store(SIGN | STRONG, Ordering::Release);
        self.pair.store(0, Ordering::Release);
        true
    }

    /// The wrapper's own count has reached zero; nobody can fetch it any more.
    pub fn wrapper_died(&self) -> Died {
        let mut now = self.state.load(Ordering::Acquire);
        let mut attempt = 0;
        loop {
            let state = State(now);
            if state.holder() != Holder::Python {
                if let Some(duty) = self.sever() {
                    return Died::Severed(duty);
                }
                if self.state().holder() == Holder::Unwrapped {
                    return Died::Severed(Released::Shared);
                }
                // A thread is on its way to hand over.
            } else if now & (PINNED | WATCHED) == 0 {
                debug_assert_eq!(state.strong(), 1);
                // The sign and the strong field all ones: no strong reference.
                let new = (now & !HOLDER & !TOUCHED) | SIGN | STRONG;
                match self
                    .state
                    .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
                {
                    Ok(_) => {
                        // The duty to destroy keeps the memory.
                        self.pair.store(0, Ordering::Release);
                        return Died::Destroy;
                    }
                    Err(other) => {
                        now = other;
                        continue;
                    }
                }
            }
            relax(attempt);
            attempt = attempt.saturating_add(1);
            now = self.state.load(Ordering::Acquire);
        }
    }

    /// Cuts the wrapper off: the object goes on as `Unwrapped`. The caller is attached to the wrapper's interpreter, nobody
    /// fetches meanwhile, and the object's counted reference to the wrapper (in `Native` custody) becomes the caller's, who
    /// makes the wrapper forget the object before the duty is settled.
    /// `None`: the object is not in `Native` custody, or on its way out of it; nothing was changed.
    #[must_use]
    pub fn sever(&self) -> Option<Released> {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            if state.holder() != Holder::Native || state.strong() == 0 {
                return None;
            }
            // With a reference of our own: as soon as the object is `Unwrapped`, the last native reference destroys it.
            let new = (now & !HOLDER).wrapping_add(STRONG_ONE);
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => {
                    self.pair.store(0, Ordering::Release);
                    return Some(self.release());
                }
                Err(other) => now = other,
            }
        }
    }

    /// Tells the model checker that the object's memory is gone.
    #[cfg(loom)]
    pub fn freed(&self) {
        self.state.freed();
        self.pair.freed();
    }
}
