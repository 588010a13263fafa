//! [`ErasedRef`]: an owned reference to an object of any type.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::borrow::ErasedBorrow;
use super::object_layout::Object;
use super::reference::Ref;
use super::trace::Trace;
use crate::custody::Header;
pub use crate::raw::ErasedRef;
use crate::types::{Plan, Tracer};

impl ErasedRef {
    /// # Safety
    /// The pointer is a strong reference that is given away.
    #[inline]
    #[must_use]
    pub unsafe fn from_raw(header: NonNull<Header>) -> Self {
        ErasedRef { header }
    }

    /// The reference as a pointer; it must come back through [`from_raw`](Self::from_raw) once.
    #[inline]
    #[must_use]
    pub fn into_raw(self) -> NonNull<Header> {
        ManuallyDrop::new(self).header
    }

    /// The header.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &Header {
        // SAFETY: the object lives as long as the reference.
        unsafe { self.header.as_ref() }
    }

    /// A borrowed handle.
    #[inline]
    #[must_use]
    pub fn as_borrow(&self) -> ErasedBorrow<'_> {
        // SAFETY: the object lives as long as the borrow.
        unsafe { ErasedBorrow::from_header(self.header) }
    }

    /// The same reference with its type.
    ///
    /// # Errors
    /// The reference itself, when the object is not a `T`.
    #[inline]
    pub fn downcast<T: Object>(self) -> Result<Ref<T>, Self> {
        if self.header().is::<T>() {
            // SAFETY: the branch above found the object to be a `T`.
            Ok(unsafe { Ref::from_raw(self.into_raw()) })
        } else {
            Err(self)
        }
    }

    /// Whether both are the same object.
    #[must_use]
    pub fn is(&self, other: &ErasedRef) -> bool {
        self.header == other.header
    }
}

impl Clone for ErasedRef {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: `self` is a strong reference.
        let header = unsafe { Header::acquire(self.header) };
        ErasedRef { header }
    }
}

impl Drop for ErasedRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference is given away.
        unsafe { Header::release(self.header) }
    }
}

impl<T: Object + Send + Sync> From<Ref<T>> for ErasedRef {
    fn from(value: Ref<T>) -> Self {
        value.into_erased()
    }
}

impl fmt::Debug for ErasedRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} at {:p}>", self.header().info().key(), self.header)
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl Trace for ErasedRef {
    const TRACED: bool = true;
    const PLAN: Plan = Plan::REFERENCE;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.visit_edge(self.header());
    }
}
