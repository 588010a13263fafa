//! The transitions of [`Custody`] that take place where wrappers do: on threads that are attached
//! to their interpreter.

use crate::sync::atomic::Ordering;
use crate::sync::relax_or_yield;

use super::Custody;
use super::duty::{Died, Extracted, Given, Released, TagStatus, Taken};
use super::pair::{LISTED, Pair};
use super::state::{
    HOLDER, Holder, NATIVE, PINNED, PYTHON, SIGN, STRONG, STRONG_ONE, State, TOUCHED, WATCHED, revival_bits,
};

impl Custody {
    /// Publishes the first wrapper; the caller holds a strong reference and has given the object a
    /// counted reference to the wrapper. The object must be tagged by the wrapper's interpreter
    /// ([`claim_for`](Self::claim_for)).
    ///
    /// # Errors
    /// Another thread was first: its pair. The caller throws its own wrapper away.
    pub fn publish_wrapper(&self, pair: Pair) -> Result<(), Pair> {
        self.publish_over(Pair::tagged(pair.tag()).to_bits(), pair)
    }

    /// [Claims](Self::claim_for) an unclaimed object and [publishes](Self::publish_wrapper) its
    /// first wrapper, at once.
    ///
    /// # Errors
    /// Somebody claimed it. The caller throws its own wrapper away.
    pub fn publish_first(&self, pair: Pair) -> Result<(), Pair> {
        self.publish_over(0, pair)
    }

    fn publish_over(&self, known: u64, pair: Pair) -> Result<(), Pair> {
        match self
            .pair
            .compare_exchange(known, pair.to_bits(), Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => {
                let before = self.state.fetch_or(NATIVE, Ordering::AcqRel);
                debug_assert_eq!(State(before).holder(), Holder::Unwrapped);
                Ok(())
            }
            Err(other) => Err(Pair::from_bits(other)),
        }
    }

    /// Notes in the [pair](Pair::is_listed) that the frontend lists the wrapper, until the two
    /// part. `true`: it was not noted before. The caller holds the wrapper.
    #[must_use]
    pub fn note_listed(&self) -> bool {
        self.pair.fetch_or(LISTED, Ordering::AcqRel) & LISTED == 0
    }

    /// The tag as interpreter `tag` sees it. `sole`: the caller is the only one who can reach the
    /// object.
    #[must_use]
    pub fn tag_status(&self, tag: u16, sole: bool) -> TagStatus {
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
    pub fn claim_for(&self, tag: u16) -> Result<(), u16> {
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

    /// Takes a native reference; the caller holds the wrapper (or borrows the object from its
    /// holder).
    #[inline]
    pub fn extract_native(&self) -> Extracted {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let added = match State(now).holder() {
                Holder::Python => return Extracted::RetainFirst(self.pair()),
                Holder::Native if State(now).strong() == 0 => revival_bits(now),
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

    /// {1, Python} → {1, Native}; the caller holds the wrapper and has retained it once more on the
    /// object's behalf.
    pub fn take_custody(&self) -> Taken {
        let mut now = self.state.load(Ordering::Acquire);
        let mut attempt = 0;
        loop {
            if State(now).holder() != Holder::Python {
                return match self.extract_native() {
                    Extracted::Counted => Taken::Surplus,
                    Extracted::RetainFirst(_) => {
                        now = self.state.load(Ordering::Acquire);
                        continue;
                    }
                };
            }
            if now & PINNED != 0 {
                relax_or_yield(attempt);
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
    pub fn give_to_wrapper(&self) -> Given {
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

    /// Whether the wrapper, which is dying, is the only one who can reach the object: there is no
    /// weak reference either. Only a collector that walks may touch the words then, and when it has
    /// gone again nothing was changed.
    #[inline]
    #[must_use]
    pub fn is_wrappers_alone(&self) -> bool {
        self.state.load(Ordering::Acquire) == PYTHON
    }

    /// As [`wrapper_died`](Self::wrapper_died) for an object that no collector lists, and that [is
    /// the wrapper's alone](Self::is_wrappers_alone): no locked instruction is needed.
    #[inline]
    pub fn wrapper_died_alone(&self) {
        debug_assert!(self.is_wrappers_alone());
        self.state.store(SIGN | STRONG, Ordering::Release);
        self.pair.store(0, Ordering::Release);
    }

    /// The wrapper's own count has reached zero; it cannot be fetched any more.
    #[cold]
    #[inline(never)]
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
            relax_or_yield(attempt);
            attempt = attempt.saturating_add(1);
            now = self.state.load(Ordering::Acquire);
        }
    }

    /// Cuts the wrapper off: the object goes on as `Unwrapped`. The caller is attached to the
    /// wrapper's interpreter, no thread fetches meanwhile, and the object's counted reference to
    /// the wrapper (in `Native` custody) becomes the caller's, who makes the wrapper forget the
    /// object before the duty is settled. `None`: the object is not in `Native` custody, or on its
    /// way out of it; nothing was changed.
    #[must_use]
    pub fn sever(&self) -> Option<Released> {
        self.cut_wrapper(Pair::from_bits(0))
    }

    /// Gives a dormant wrapper back: as [`sever`](Self::sever), but the object stays claimed by its
    /// interpreter, because a thread of it that found no wrapper before this one was made may be
    /// about to publish another. The caller ensures that only the object refers to the wrapper, and
    /// that no other thread that could is between looking and counting: it has the GIL, or the
    /// world stands still.
    #[must_use]
    pub fn trim(&self) -> Option<Released> {
        self.cut_wrapper(Pair::tagged(self.pair().tag()))
    }

    /// Takes the object away from its wrapper: {1, Python} → {1, Unwrapped}, if it is not reachable
    /// otherwise: no weak reference, no collector that looks. It stays claimed, as after
    /// [`trim`](Self::trim). `true`: the wrapper's reference is the caller's, who makes the wrapper
    /// forget the object, and ensures that no code is using the object through it.
    #[must_use]
    pub fn part_from_wrapper(&self) -> bool {
        let left = Pair::tagged(self.pair().tag());
        let parted = self
            .state
            .compare_exchange(PYTHON, 0, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok();
        if parted {
            self.pair.store(left.to_bits(), Ordering::Release);
        }
        parted
    }

    fn cut_wrapper(&self, left: Pair) -> Option<Released> {
        let mut now = self.state.load(Ordering::Acquire);
        loop {
            let state = State(now);
            if state.holder() != Holder::Native || state.strong() == 0 {
                return None;
            }
            // With a reference of our own: as soon as the object is `Unwrapped`, the last native
            // reference destroys it.
            let new = (now & !HOLDER).wrapping_add(STRONG_ONE);
            match self
                .state
                .compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => {
                    self.pair.store(left.to_bits(), Ordering::Release);
                    super::epoch::detach_epoch().fetch_add(1, Ordering::AcqRel);
                    return Some(self.release());
                }
                Err(other) => now = other,
            }
        }
    }
}
