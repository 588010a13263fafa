//! Owned references to objects of any type.

use std::ptr::NonNull;

use crate::custody::Header;

/// An owned reference to a thread-safe native object whose type is known at run time only.
#[repr(transparent)]
pub struct ErasedRef {
    pub(crate) header: NonNull<Header>,
}

// SAFETY: only references to thread-safe types are given to frontends or kept in values, the only
// users of erased references that move between threads; `Ref::into_erased`, `Ref::upcast` and
// `Borrow::erase` take no others.
unsafe impl Send for ErasedRef {}
// SAFETY: only references to thread-safe types are given to frontends or kept in values, the only
// users of erased references that move between threads; `Ref::into_erased`, `Ref::upcast` and
// `Borrow::erase` take no others.
unsafe impl Sync for ErasedRef {}

/// The base of all object types, `pairbond.Object`. It has no values of its own.
#[derive(Debug)]
pub struct Root(());
