//! [`Weaks`]: weak references that are counted before anybody else knows the object.

use std::fmt;
use std::ptr::NonNull;

use super::header::{Header, Object};
use super::weak::Weak;

/// Weak references to an object that cost nothing to hand out: they were counted together, when the object was new ([`Seed::downgrade`]
/// (crate::tree::Seed::downgrade)). Beyond these each is counted as every clone of a [`Weak`].
pub struct Weaks<T: Object> {
    own: Weak<T>,
    /// How many more were counted and not handed out.
    left: u32,
}

impl<T: Object> Weaks<T> {
    /// Of an object for which so many were counted, and one.
    pub(crate) fn counted(header: NonNull<Header>, left: u32) -> Self {
        let own = Weak::counted(header);
        Weaks { own, left }
    }

    /// A weak reference.
    #[inline]
    #[must_use]
    pub fn take(&mut self) -> Weak<T> {
        if self.left == 0 {
            return self.own.clone();
        }
        self.left -= 1;
        Weak::counted(self.own.as_non_null())
    }

    /// One that is not taken.
    #[must_use]
    pub fn weak(&self) -> &Weak<T> {
        &self.own
    }
}

impl<T: Object> From<Weak<T>> for Weaks<T> {
    fn from(own: Weak<T>) -> Self {
        Weaks { own, left: 0 }
    }
}

impl<T: Object> Drop for Weaks<T> {
    #[inline]
    fn drop(&mut self) {
        if self.left > 0 {
            self.own.header().custody().release_weak_many(self.left);
        }
    }
}

impl<T: Object> fmt::Debug for Weaks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} and {} more", self.own, self.left)
    }
}
