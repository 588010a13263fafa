//! The state word of [`Custody`](super::Custody): its bits, named. Their combinations are described
//! at the head of `mod.rs`.

/// Who keeps the pair alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// No wrapper exists.
    Unwrapped,
    /// Native references keep the object, and the object owns one counted reference to its wrapper.
    Native,
    /// No native reference exists; the wrapper owns the object (its strong count is 1, the
    /// wrapper's).
    Python,
}

pub(super) const HOLDER: u64 = 0b11;
pub(super) const NATIVE: u64 = 0b01;
pub(super) const PYTHON: u64 = 0b10;
pub(super) const WATCHED: u64 = 1 << 2;
pub(super) const TOUCHED: u64 = 1 << 3;
pub(super) const DYING: u64 = 1 << 4;
pub(super) const PINNED: u64 = 1 << 5;
pub(super) const DEAD: u64 = 1 << 6;
pub(super) const SUSPECT: u64 = 1 << 7;
pub(super) const WEAK_ONE: u64 = 1 << 8;
pub(super) const WEAK: u64 = ((1 << 22) - 1) << 8;
/// From so many weak references on they are not counted any more.
pub(super) const WEAK_MANY: u64 = if cfg!(miri) { 1 << 8 } else { 1 << 21 };
/// What the count is then: as far from losing its meaning as from the end of its bits.
pub(super) const WEAK_SATURATED: u64 = WEAK_MANY + WEAK_MANY / 2;
pub(super) const STRONG_ONE: u64 = 1 << 30;
pub(super) const STRONG: u64 = ((1 << 33) - 1) << 30;
pub(super) const STRONG_LIMIT: u64 = 1 << 32;
pub(super) const SIGN: u64 = 1 << 63;

/// A decoded state word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct State(pub(super) u64);

impl State {
    /// Number of strong references.
    #[must_use]
    pub fn strong(self) -> u64 {
        ((self.0 & STRONG) >> 30).wrapping_add(1) & ((1 << 33) - 1)
    }
    /// Number of weak references.
    #[must_use]
    pub fn weak(self) -> u64 {
        (self.0 & WEAK) >> 8
    }
    /// The last reference was just dropped, and there is no wrapper, no weak reference and no
    /// watcher.
    #[inline]
    #[must_use]
    pub(crate) fn is_last_reference(self) -> bool {
        self.0 == SIGN | STRONG
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
    /// The keeper of the pair, if that is one reference and nothing is under way: no watch, pin or
    /// condemnation.
    #[inline]
    #[must_use]
    pub fn only_owner(self) -> Option<Holder> {
        (self.0 & !(HOLDER | WEAK) == 0).then(|| self.holder())
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
    /// Whether a collector is about to decide if the object is garbage: weak references wait for
    /// it.
    #[must_use]
    pub fn is_suspect(self) -> bool {
        self.0 & SUSPECT != 0
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
        for (bit, name) in [
            (WATCHED, "watched"),
            (TOUCHED, "touched"),
            (DYING, "dying"),
            (SUSPECT, "suspect"),
            (PINNED, "pinned"),
            (DEAD, "dead"),
        ] {
            if self.0 & bit != 0 {
                write!(f, ", {name}")?;
            }
        }
        write!(f, ", weak {}}}", self.weak())
    }
}

/// What a revival adds: one reference for the reviver and one for the thread that is about to hand
/// over. While a collector watches there is no such thread: the drop went unnoticed, and the
/// collector will see to it.
pub(super) fn revival_bits(now: u64) -> u64 {
    if now & WATCHED != 0 {
        STRONG_ONE
    } else {
        2 * STRONG_ONE
    }
}
