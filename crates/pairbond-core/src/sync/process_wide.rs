//! [`ProcessWide`]: what all binaries of a process share, one of which brought it.

use super::statics::{AtomicPtr, Ordering};

/// A value of which a process has one: this binary's own, until it joins the runtime of another.
pub(crate) struct ProcessWide<T: 'static>(AtomicPtr<T>);

impl<T: Sync> ProcessWide<T> {
    /// This binary's own.
    pub(crate) const fn new(own: &'static T) -> Self {
        ProcessWide(AtomicPtr::new(std::ptr::from_ref(own).cast_mut()))
    }

    /// The process's.
    #[inline]
    pub(crate) fn get(&self) -> &'static T {
        // SAFETY: made of a reference that lives for the process, by `new` or `adopt`.
        unsafe { &*self.0.load(Ordering::Acquire) }
    }

    /// Makes this binary use another's from now on.
    pub(crate) fn adopt(&self, other: &'static T) {
        self.0
            .store(std::ptr::from_ref(other).cast_mut(), Ordering::Release);
    }
}
