//! [`Ref`]: an owned handle to a native object.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

use super::borrow::Borrow;
use super::erased::ErasedRef;
use super::object_layout::Object;
use super::partially_built::Birth;
use super::reach::Reach;
use super::trace::Trace;
use super::uninit_object::UninitObject;
use super::weak::Weak;
use crate::custody::{Header, Pair};
use crate::error::Error;
use crate::sync::{CACHE_LINE, prefetch};
use crate::types::{Plan, Tracer};

/// A strong reference to a native object: shared ownership like [`std::sync::Arc`], and at the same
/// cost, whether or not the object has a Python self.
///
/// One pointer wide, `Option<Ref<T>>` too. Compares and hashes by the value when `T` does;
/// [`Ref::is`] compares identity.
///
/// It goes to other threads exactly when `T` is `Send` and `Sync`, like an `Arc`:
///
/// ```
/// # use pairbond_core::object::{Object, Ref, Weak};
/// fn elsewhere<T: Send + Sync>(_: T) {}
/// fn both<T: Object + Send + Sync>(object: Ref<T>, weak: Weak<T>) {
///     elsewhere((object, weak));
/// }
/// ```
/// ```compile_fail,E0277
/// # use pairbond_core::object::{Object, Ref};
/// fn elsewhere<T: Send>(_: T) {}
/// fn not_sync<T: Object + Send>(object: Ref<T>) {
///     elsewhere(object);
/// }
/// ```
/// ```compile_fail,E0277
/// # use pairbond_core::object::{Object, Ref};
/// fn elsewhere<T: Sync>(_: T) {}
/// fn not_send<T: Object + Sync>(object: Ref<T>) {
///     elsewhere(object);
/// }
/// ```
#[repr(transparent)]
pub struct Ref<T: Object> {
    header: NonNull<Header>,
    _owns: PhantomData<T>,
}

// SAFETY: like Arc: a `Ref` gives shared access to `T` on any thread, and the last one drops it
// there.
unsafe impl<T: Object + Send + Sync> Send for Ref<T> {}
// SAFETY: like Arc: a `Ref` gives shared access to `T` on any thread, and the last one drops it
// there.
unsafe impl<T: Object + Send + Sync> Sync for Ref<T> {}

impl<T: Object> Ref<T> {
    /// A new object.
    ///
    /// # Errors
    /// The allocator refused (`MemoryError`); the value is dropped.
    #[inline]
    pub fn try_new(value: T) -> Result<Self, Error> {
        Self::with_pair(value, None)
    }

    /// A new object.
    ///
    /// # Panics
    /// When the allocator refuses; [`try_new`](Self::try_new) returns an error.
    #[inline]
    #[must_use]
    pub fn new(value: T) -> Self {
        match Self::try_new(value) {
            Ok(object) => object,
            Err(error) => error.unwind(),
        }
    }

    /// A new object, born in the custody of a wrapper if `pair` is given (the result is then the
    /// wrapper's reference, to be kept with [`into_raw`](Self::into_raw)).
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    #[inline]
    #[doc(hidden)]
    pub fn with_pair(value: T, pair: Option<Pair>) -> Result<Self, Error> {
        Self::with_pair_from(pair, || Ok(value))
    }

    /// As [`with_pair`](Self::with_pair), with a value that is made when there is room for it, and
    /// where it will stay: a value that is handed from function to function is copied each time.
    ///
    /// # Errors
    /// Those of `make`, too; nothing is left behind.
    #[inline(always)]
    #[doc(hidden)]
    pub fn with_pair_from(
        pair: Option<Pair>,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Self, Error> {
        Self::new_with_birth(pair.into(), make)
    }

    /// The same of any birth. The result is a reference if that birth gives one.
    #[inline(always)]
    pub(crate) fn new_with_birth(
        birth: Birth,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Self, Error> {
        let room = UninitObject::new(birth)?;
        let value = make()?;
        Ok(room.fill(value)?)
    }

    /// Whether both are the same object.
    #[inline]
    #[must_use]
    pub fn is<U: Object>(&self, other: &Ref<U>) -> bool {
        self.header == other.header
    }

    /// The header.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &Header {
        // SAFETY: the object lives as long as the reference.
        unsafe { self.header.as_ref() }
    }

    /// Asks for the memory of the object's beginning, where the processor can be asked: for who
    /// goes through many, some objects before its turn comes.
    #[inline]
    pub fn prefetch_header(&self) {
        let start = self.header.as_ptr().cast::<u8>();
        prefetch(start);
        prefetch(start.wrapping_add(CACHE_LINE));
    }

    /// The same for the object's self in a frontend, if it has one. It looks at the header.
    #[inline]
    pub fn prefetch_self(&self) {
        prefetch(self.header().custody().pair().wrapper());
    }

    #[inline]
    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.header
    }

    /// A weak reference to the same object.
    #[must_use]
    pub fn downgrade(&self) -> Weak<T> {
        // SAFETY: this is a handle, and its type is the same.
        unsafe { Weak::from_header(self.header) }
    }

    /// The number of strong references now.
    #[must_use]
    pub fn strong_count(&self) -> usize {
        self.header().custody().state().strong() as usize
    }

    /// The number of weak references now.
    #[must_use]
    pub fn weak_count(&self) -> usize {
        self.header().custody().state().weak() as usize
    }

    /// A borrowed handle.
    #[inline]
    #[must_use]
    pub fn as_borrow(&self) -> Borrow<'_, T> {
        // SAFETY: `T` was checked when the reference was made, and the object lives as long as the
        // borrow.
        unsafe { Borrow::from_header(self.header) }
    }

    /// The same reference without its type. Only for thread-safe types: an [`ErasedRef`] may go to
    /// any thread.
    ///
    /// ```compile_fail,E0277
    /// # use pairbond_core::object::{Object, Ref, ErasedRef};
    /// fn erase<T: Object>(object: Ref<T>) -> ErasedRef {
    ///     object.into_erased()
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn into_erased(self) -> ErasedRef
    where
        T: Send + Sync,
    {
        // SAFETY: the reference is moved.
        unsafe { ErasedRef::from_raw(self.into_raw()) }
    }

    /// The same reference to the type that `T` extends. Only for thread-safe types, because the
    /// base may be one while `T` is not.
    ///
    /// ```compile_fail,E0277
    /// # use pairbond_core::object::{Object, Ref};
    /// fn base<T: Object>(object: Ref<T>) -> Ref<T::Base> {
    ///     object.upcast()
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn upcast(self) -> Ref<T::Base>
    where
        T: Send + Sync,
    {
        // SAFETY: a `T` begins with its base at the same offset.
        unsafe { Ref::from_raw(self.into_raw()) }
    }

    /// The same object as another type, if it is one (its own type, one that it extends, or one
    /// that extends `T`).
    ///
    /// # Errors
    /// The reference itself, when the object is not a `U`.
    #[inline]
    pub fn downcast<U: Object>(self) -> Result<Ref<U>, Self> {
        if self.header().is::<U>() {
            // SAFETY: the branch above found the object to be a `U`.
            Ok(unsafe { Ref::from_raw(self.into_raw()) })
        } else {
            Err(self)
        }
    }

    /// The same reference as another type, if the object is one: [`downcast`](Self::downcast)
    /// without giving the reference away.
    ///
    /// ```
    /// # use pairbond_core::object::{Object, Ref};
    /// fn shown<T: Object + Send + Sync, U: Object + ToString>(object: &Ref<T>) -> Option<String> {
    ///     object.downcast_ref::<U>().map(|object| object.to_string())
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn downcast_ref<U: Object>(&self) -> Option<&Ref<U>>
    where
        T: Send + Sync,
    {
        // SAFETY: the object is a `U`: the condition below. Every `Ref` is one pointer to a header,
        // `repr(transparent)`, so that a `Ref<T>` in memory is a `Ref<U>` as well.
        self.header()
            .is::<U>()
            .then(|| unsafe { &*std::ptr::from_ref(self).cast::<Ref<U>>() })
    }

    /// The reference as a pointer; it must come back through [`from_raw`](Self::from_raw) once.
    #[inline]
    #[must_use]
    pub fn into_raw(self) -> NonNull<Header> {
        ManuallyDrop::new(self).header
    }

    /// # Safety
    /// The pointer comes from `into_raw` of a reference to a `T` (or to a type that extends it),
    /// and is used once.
    #[inline]
    #[must_use]
    pub unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Ref {
            header,
            _owns: PhantomData,
        }
    }
}

impl<T: Object> Clone for Ref<T> {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: `self` is a strong reference.
        let header = unsafe { Header::acquire(self.header) };
        Ref {
            header,
            _owns: PhantomData,
        }
    }
}

impl<T: Object> Drop for Ref<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference is given away.
        unsafe { Header::release(self.header) }
    }
}

impl<T: Object> Deref for Ref<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.as_borrow().get()
    }
}

impl<T: Object> AsRef<T> for Ref<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: Object> From<T> for Ref<T> {
    fn from(value: T) -> Self {
        Ref::new(value)
    }
}

impl<T: Object + fmt::Debug> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Object + fmt::Display> fmt::Display for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Object + PartialEq> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || **self == **other
    }
}

impl<T: Object + Eq> Eq for Ref<T> {}

impl<T: Object + Hash> Hash for Ref<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl<T: Object> Trace for Ref<T> {
    const TRACED: bool = true;
    const PLAN: Plan = Plan::REFERENCE;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.visit_edge(self.header());
    }
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_object::<T>();
    }
}
