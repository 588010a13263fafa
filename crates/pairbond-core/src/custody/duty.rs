//! What a transition of [`Custody`](super::Custody) leaves to do, as types that cannot be
//! overlooked.

use super::pair::Pair;

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
    /// The wrapper has custody: retain it and call [`take_custody`](super::Custody::take_custody).
    RetainFirst(Pair),
}

/// How [`take_custody`](super::Custody::take_custody) ended.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// The object now owns the reference to the wrapper that the caller retained.
    Took,
    /// Another thread was first; a native reference was counted, and the caller must release the
    /// wrapper again that it retained (by the pair that it has in hand: the object's may be another
    /// by now).
    Surplus,
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
    /// A collector is about to decide whether it is garbage: try again. It does not block, and runs
    /// no foreign code before it has decided.
    Undecided,
    /// The wrapper has custody: go on, attached, with [`pin`](super::Custody::pin_wrapper).
    InPython(Pair),
}

/// How the death of a wrapper was answered.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub enum Died {
    /// The object had no other owner: destroy it.
    Destroy,
    /// Native references remain (only when an interpreter is torn down): the object goes on without
    /// a wrapper, unless the duty says otherwise.
    Severed(Released),
}

/// How [`retag`](super::Custody::retag) ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retagged {
    /// The object is the new interpreter's. `wrapper`: it had one of the ended interpreter, which
    /// counts no more.
    Ours {
        /// Whether this call took a wrapper from it.
        wrapper: bool,
    },
    /// It is some third interpreter's by now.
    Theirs,
}

/// The tag of an object seen from one interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagStatus {
    /// The object is unclaimed, and stays so (the caller is its only holder).
    Untagged,
    /// The object was unclaimed; another thread may be claiming it.
    MaybeUntagged,
    /// Our interpreter's.
    Ours,
    /// Another interpreter's.
    Theirs(u16),
}
