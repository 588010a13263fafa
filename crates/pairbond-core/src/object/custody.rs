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
//! The strong count is stored less one at the top, so that *last reference dropped* is the sign of the result, which the
//! processor's flags give for free. The collector makes use of the same branch: an object that it **watches** has the
//! sign set on purpose, so that every clone and drop takes the slow path, where a clone leaves `TOUCHED` behind. That is how a
//! snapshot learns that nobody moved a reference while it was taken, and why no version has to be counted on the fast path.
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
//! | [`wrapper_died`](Custody::wrapper_died) | attached | {1, Python} → no strong reference | destroy |
//!
//! ## Dropping the last reference in `Native` custody
//! The count has reached 0 and the object waits for {0, Native} → {1, Python} by the thread that dropped it. Meanwhile a thread that
//! holds the wrapper may revive the object. It then leaves *two* references: its own, and one for the thread that is on its way to
//! hand over, which drops that one in turn. Without it the object could be revived, dropped, handed over and freed by others
//! before the first thread looks at it again: a use after free that a three-thread model finds.
//!
//! # Not promised
//! Fairness of [`pin`](Custody::pin); more than 2²³ − 1 weak references (the process is aborted) or 2³² strong ones to one object.
//!
//! Tests: `tests/loom_custody.rs` pairs all events with two and three threads and asserts that each outcome occurred.

use crate::sync::atomic::{AtomicI64, AtomicU64, Ordering, fence};
use crate::sync::relax;

use super::pair::Pair;

/// Who keeps the pair alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// No wrapper exists.
    Unwrapped,
    /// Native references keep the object, and the object owns one counted reference to its wrapper.
    Native,
    /// No native reference exists; the wrapper owns the object (its strong count is 1, the wrapper's).
    Python,
}

const HOLDER: i64 = 0b11;
const NATIVE: i64 = 0b01;
const PYTHON: i64 = 0b10;
const WATCHED: i64 = 1 << 2;
const TOUCHED: i64 = 1 << 3;
const DYING: i64 = 1 << 4;
const PINNED: i64 = 1 << 5;
const DEAD: i64 = 1 << 6;
const WEAK_ONE: i64 = 1 << 7;
const WEAK: i64 = ((1 << 23) - 1) << 7;
const STRONG_ONE: i64 = 1 << 30;
const STRONG: i64 = ((1 << 33) - 1) << 30;
const STRONG_LIMIT: i64 = 1 << 32;
const SIGN: i64 = i64::MIN;

/// A decoded state word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct State(i64);

impl State {
    /// Number of strong references.
    #[must_use]
    pub fn strong(self) -> u64 {
        (((self.0 & STRONG) >> 30) as u64).wrapping_add(1) & ((1 << 33) - 1)
    }
    /// Number of weak references.
    #[must_use]
    pub fn weak(self) -> u64 {
        ((self.0 & WEAK) >> 7) as u64
    }
    /// Who keeps the pair alive.
    #[must_use]
    pub fn holder(self) -> Holder {
        match self.0 & HOLDER {
            0 => Holder::Unwrapped,
            NATIVE => Holder::Native,
            _ => Holder::Python,
        }
    }
    /// Whether a collector is watching.
    #[must_use]
    pub fn is_watched(self) -> bool {
        self.0 & WATCHED != 0
    }
    /// Whether somebody cloned a reference since the watch began.
    #[must_use]
    pub fn is_touched(self) -> bool {
        self.0 & TOUCHED != 0
    }
    /// Whether the object was condemned as garbage: weak references no longer upgrade.
    #[must_use]
    pub fn is_dying(self) -> bool {
        self.0 & DYING != 0
    }
    /// Whether the value is destroyed.
    #[must_use]
    pub fn is_dead(self) -> bool {
        self.0 & DEAD != 0
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{{{}, {:?}", self.strong(), self.holder())?;
        for (bit, name) in
            [(WATCHED, "watched"), (TOUCHED, "touched"), (DYING, "dying"), (PINNED, "pinned"), (DEAD, "dead")]
        {
            if self.0 & bit != 0 {
                write!(f, ", {name}")?;
            }
        }
        write!(f, ", weak {}}}", self.weak())
    }
}

/// What a revival adds: one reference for the reviver and one for the thread that is about to hand over. While a collector watches there is
/// no such thread: the drop went unnoticed, and the collector will see to it.
fn revival(now: i64) -> i64 {
    if now & WATCHED != 0 { STRONG_ONE } else { 2 * STRONG_ONE }
}

/// What dropping a strong reference leaves to do.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Released {
    /// Nothing: the object lives on.
    Shared,
    /// It was the last: destroy the object.
    Destroy,
    /// The wrapper has custody now: release the object's reference to it.
    HandedOver(Pair),
}

/// What taking a native reference out of a wrapper leaves to do.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Extracted {
    /// Done; a reference was counted.
    Counted,
    /// The wrapper has custody: retain it and call [`Custody::take_custody`].
    RetainFirst(Pair),
}

/// How [`Custody::take_custody`] ended.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// The object now owns the reference to the wrapper that the caller retained.
    Took,
    /// Another thread was first; a native reference was counted, and the wrapper must be released again.
    Surplus(Pair),
}

/// What giving a native reference to Python leaves to do.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Given {
    /// It was the only one: the caller now owns the reference to the wrapper that was the object's.
    Wrapper(Pair),
    /// Others remain (or no wrapper exists): fetch the wrapper, then drop the reference.
    Shared,
}

/// How an upgrade of a weak reference ended.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Upgraded {
    /// A strong reference was counted.
    Strong,
    /// The object is dead or dying.
    Gone,
    /// The wrapper has custody: go on, attached, with [`Custody::pin`].
    InPython(Pair),
}

/// How the death of a wrapper was answered.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Died {
    /// The object had no other owner: destroy it.
    Destroy,
    /// Native references remain (only when an interpreter is torn down): the object goes on without a wrapper.
    Severed,
}

/// The tag of an object seen from one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagStatus {
    /// Nobody has claimed the object, and nobody else can (the caller is its only holder).
    Untagged,
    /// Nobody had claimed the object when we looked; another thread may be claiming it.
    MaybeUntagged,
    /// Our interpreter's.
    Ours,
    /// Another interpreter's.
    Theirs(u16),
}

/// The two words of the protocol.
#[repr(C)]
pub struct Custody {
    state: AtomicI64,
    pair: AtomicU64,
}

impl Custody {
    /// A new object with one native reference and no wrapper.
    #[inline]
    #[must_use]
    pub fn native() -> Self {
        Custody { state: AtomicI64::new(0), pair: AtomicU64::new(0) }
    }

    /// A new object that is born in the custody of its wrapper.
    #[inline]
    #[must_use]
    pub fn wrapped(pair: Pair) -> Self {
        Custody { state: AtomicI64::new(PYTHON), pair: AtomicU64::new(pair.to_bits()) }
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
        let new = self.state.fetch_add(STRONG_ONE, Ordering::Relaxed).wrapping_add(STRONG_ONE);
        if new < 0 {
            self.acquire_slow(new);
        }
    }

    #[cold]
    #[inline(never)]
    fn acquire_slow(&self, new: i64) {
        if new & WATCHED == 0 || (new & STRONG) >> 30 > STRONG_LIMIT {
            // As for Arc: more references than memory can hold means that they are leaked in a loop.
            std::process::abort();
        }
        // Between the addition and this the count shows what happened; after it the flag does.
        self.state.fetch_or(TOUCHED, Ordering::Relaxed);
    }

    /// Drops a strong reference.
    #[inline]
    pub fn release(&self) -> Released {
        // An addition of the negative, because only that compiles to `lock add` + `js`.
        let new = self.state.fetch_add(-STRONG_ONE, Ordering::Release).wrapping_sub(STRONG_ONE);
        if new >= 0 { Released::Shared } else { self.release_slow(new) }
    }

    #[cold]
    #[inline(never)]
    fn release_slow(&self, mut now: i64) -> Released {
        if now & WATCHED != 0 {
            return Released::Shared;
        }
        fence(Ordering::Acquire);
        loop {
            debug_assert_eq!(State(now).strong(), 0);
            match State(now).holder() {
                Holder::Unwrapped => return Released::Destroy,
                Holder::Python => unreachable!("a native reference was dropped that the wrapper owned: {:?}", State(now)),
                Holder::Native => {}
            }
            let handed = now.wrapping_add(STRONG_ONE) & !HOLDER | PYTHON;
            // The pair is read first: after the exchange the wrapper may die at any time, and the object with it.
            let pair = self.pair();
            match self.state.compare_exchange(now, handed, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Released::HandedOver(pair),
                Err(other) if State(other).strong() == 0 => now = other,
                Err(_) => {
                    // Revived, and a reference left to us.
                    now = self.state.fetch_add(-STRONG_ONE, Ordering::AcqRel).wrapping_sub(STRONG_ONE);
                    if now >= 0 || now & WATCHED != 0 {
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
        match self.pair.compare_exchange(claimed, pair.to_bits(), Ordering::AcqRel, Ordering::Acquire) {
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
        match self.pair.compare_exchange(0, wanted, Ordering::AcqRel, Ordering::Acquire) {
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
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
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
                    Extracted::Counted => Taken::Surplus(self.pair()),
                    Extracted::RetainFirst(_) => {
                        now = self.state.load(Ordering::Acquire);
                        continue;
                    }
                };
            }
            if now & PINNED != 0 {
                relax(attempt);
                attempt += 1;
                now = self.state.load(Ordering::Acquire);
                continue;
            }
            let mut new = now & !HOLDER | NATIVE;
            if now & WATCHED != 0 {
                new |= TOUCHED;
            }
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
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
            match self.state.compare_exchange_weak(now, now & !HOLDER | PYTHON, Ordering::AcqRel, Ordering::Acquire) {
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
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
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
                attempt += 1;
                now = self.state.load(Ordering::Acquire);
                continue;
            }
            match self.state.compare_exchange_weak(now, now | PINNED, Ordering::AcqRel, Ordering::Acquire) {
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
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    /// The wrapper's own count has reached zero; nobody can fetch it any more.
    pub fn wrapper_died(&self) -> Died {
        let mut now = self.state.load(Ordering::Acquire);
        let mut attempt = 0;
        loop {
            if State(now).holder() != Holder::Python {
                self.sever();
                return Died::Severed;
            }
            if now & (PINNED | WATCHED) != 0 {
                relax(attempt);
                attempt += 1;
                now = self.state.load(Ordering::Acquire);
                continue;
            }
            debug_assert_eq!(State(now).strong(), 1);
            // The sign and the strong field all ones: no strong reference.
            let new = (now & !HOLDER & !TOUCHED) | SIGN | STRONG;
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    self.pair.store(0, Ordering::Release);
                    return Died::Destroy;
                }
                Err(other) => now = other,
            }
        }
    }

    /// Cuts the wrapper off: the object goes on as `Unwrapped`. The caller is attached to the wrapper's interpreter, nobody
    /// fetches meanwhile, and the object's counted reference to the wrapper (in `Native` custody) becomes the caller's.
    /// `false`: the object is not in `Native` custody, or on its way out of it; nothing was changed.
    pub fn sever(&self) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            if state.holder() != Holder::Native || state.strong() == 0 {
                return false;
            }
            match self.state.compare_exchange_weak(now, now & !HOLDER, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    self.pair.store(0, Ordering::Release);
                    return true;
                }
                Err(other) => now = other,
            }
        }
    }

    /// Begins to watch. Returns the state before, or `None` when no strong reference is left (or someone watches already).
    #[must_use]
    pub fn watch(&self) -> Option<State> {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            if now < 0 {
                return None;
            }
            let new = (now | SIGN | WATCHED) & !TOUCHED;
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(State(now)),
                Err(other) => now = other,
            }
        }
    }

    /// Looks again: the state since [`watch`](Self::watch).
    #[must_use]
    pub fn watched(&self) -> State {
        State(self.state.load(Ordering::Acquire))
    }

    /// Ends the watch. `Destroy` or a hand-over: the last reference was dropped meanwhile, and nobody else has noticed.
    pub fn unwatch(&self) -> Released {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            debug_assert!(now & WATCHED != 0);
            // A watched object whose count fell to zero has borrowed from the sign: it looks positive.
            let emptied = now & SIGN == 0;
            let mut new = now & !WATCHED & !TOUCHED;
            new = if emptied { new | SIGN } else { new & !SIGN };
            match self.state.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) if emptied => return self.release_slow(new),
                Ok(_) => return Released::Shared,
                Err(other) => now = other,
            }
        }
    }

    /// Condemns garbage, so that weak references no longer upgrade; only if count and holder are still what a snapshot saw.
    #[must_use]
    pub fn condemn(&self, strong: u64, holder: Holder) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            if state.strong() != strong || state.holder() != holder || state.is_watched() {
                return false;
            }
            match self.state.compare_exchange_weak(now, now | DYING, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
    }
}
