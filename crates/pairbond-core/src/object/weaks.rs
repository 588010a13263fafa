//! [`Weaks`]: weak references that are counted together.

use crate::custody::Header;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::object_layout::Object;
use super::reference::Ref;
use super::weak::Weak;

/// Weak references to an object that cost nothing to hand out: they were counted together, which
/// for an object that has not been shared costs nothing either
/// (`DetachedNode::downgrade` of `pairbond-tree`).
///
/// ```
/// # use pairbond_core::object::{Object, Ref, Weaks};
/// fn two<T: Object>(object: &Ref<T>) {
///     let mut weaks = Weaks::new(object, 2);
///     let (one, other) = (weaks.take(), weaks.take());
///     assert!(one.is_some() && other.is_some() && weaks.take().is_none());
/// }
/// ```
pub struct Weaks<T: Object> {
    /// Counted as long as some are left.
    one: ManuallyDrop<Weak<T>>,
    left: u32,
}

impl<T: Object> Weaks<T> {
    /// So many, counted at once.
    #[must_use]
    pub fn new(object: &Ref<T>, count: u32) -> Self {
        object.header().custody().downgrade_many(count);
        // SAFETY: counted just now.
        unsafe { Weaks::from_counted(object.as_ptr(), count) }
    }

    /// Of an object for which so many were counted.
    ///
    /// # Safety
    /// The counts are the caller's, and given away; the type of the object is `T` or extends it.
    #[doc(hidden)]
    pub unsafe fn from_counted(header: NonNull<Header>, left: u32) -> Self {
        // SAFETY: the caller's counts, of which this is one.
        let one = ManuallyDrop::new(unsafe { Weak::from_counted(header) });
        Weaks { one, left }
    }

    /// How many are left.
    #[inline]
    #[must_use]
    pub fn left(&self) -> u32 {
        self.left
    }

    /// A weak reference; `None` if none is left.
    #[inline]
    #[must_use]
    pub fn take(&mut self) -> Option<Weak<T>> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: one of those that were counted, which is not left any more.
        Some(unsafe { Weak::from_counted(self.one.as_non_null()) })
    }

    /// One that is not taken; `None` if none is left.
    #[inline]
    #[must_use]
    pub fn weak(&self) -> Option<&Weak<T>> {
        (self.left > 0).then_some(&*self.one)
    }
}

impl<T: Object> Default for Weaks<T> {
    /// None.
    fn default() -> Self {
        // SAFETY: it is never used or dropped, for none is left.
        let one = ManuallyDrop::new(unsafe { Weak::from_counted(NonNull::dangling()) });
        Weaks { one, left: 0 }
    }
}

impl<T: Object> Drop for Weaks<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(last) = self.take()
            && self.left > 0
        {
            last.header().custody().release_weak_many(self.left);
        }
    }
}

impl<T: Object> fmt::Debug for Weaks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weak() {
            Some(one) => write!(f, "{one:?} and {} more", self.left - 1),
            None => f.write_str("<no weak references>"),
        }
    }
}
