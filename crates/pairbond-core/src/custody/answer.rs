//! [`Answer`]: how upgrading a weak reference ended, for code that may have to try again.

/// What came of an attempt to upgrade a weak reference.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer<R> {
    /// A strong reference.
    Found(R),
    /// The object is gone, or garbage.
    Gone,
    /// The interpreter that would have to be asked is closed.
    Closed,
    /// Something changed meanwhile.
    Again,
}
