//! [`Borrow`]: a handle for the time of a call, nothing counted.

use crate::custody::{Extracted, Header, Taken};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

use super::erased::ErasedRef;
use super::object_layout::{Object, Shape};
use super::reference::Ref;
use super::root::Root;
use super::weak::Weak;

/// A borrowed native object of any type.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct ErasedBorrow<'a> {
    header: NonNull<Header>,
    _borrowed: PhantomData<&'a Header>,
}

impl fmt::Debug for ErasedBorrow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} at {:p}>", self.header().info().key(), self.header)
    }
}

impl<'a> ErasedBorrow<'a> {
    /// # Safety
    /// Something keeps the object alive for `'a`: a strong reference, or its wrapper.
    #[inline]
    #[must_use]
    pub unsafe fn from_header(header: NonNull<Header>) -> Self {
        ErasedBorrow {
            header,
            _borrowed: PhantomData,
        }
    }

    /// The header.
    #[inline]
    #[must_use]
    pub fn header(self) -> &'a Header {
        // SAFETY: promised to `from_header`.
        unsafe { self.header.as_ref() }
    }

    /// The header as a pointer.
    #[inline]
    #[must_use]
    pub fn as_ptr(self) -> NonNull<Header> {
        self.header
    }

    /// Whether the object is a `T` or extends it.
    #[inline]
    #[must_use]
    pub fn is<T: Object>(self) -> bool {
        self.header().is::<T>()
    }

    /// The same handle with its type, if the object is a `T`.
    #[inline]
    #[must_use]
    pub fn downcast<T: Object>(self) -> Option<Borrow<'a, T>> {
        // SAFETY: just checked; the object lives for `'a`.
        self.is::<T>()
            .then(|| unsafe { Borrow::from_header(self.header) })
    }

    /// An owned reference. When the object's wrapper has custody, that moves to native code: the
    /// wrapper is retained, for which the thread attaches if it is not.
    #[must_use]
    pub fn to_ref(self) -> ErasedRef {
        let custody = self.header().custody();
        if let Extracted::RetainFirst(pair) = custody.extract_native() {
            let frontend = crate::frontend::frontend_of(pair.tag());
            // SAFETY: the lender of the object holds the wrapper.
            unsafe { frontend.retain_wrapper(pair.wrapper()) };
            if custody.take_custody() == Taken::Surplus {
                // SAFETY: the reference that we retained is not needed.
                unsafe { frontend.release_wrapper(pair.wrapper()) };
            }
        }
        // SAFETY: a strong reference was counted, or came with custody.
        unsafe { ErasedRef::from_raw(self.header) }
    }
}

impl ErasedBorrow<'_> {
    /// As [`to_ref`](Self::to_ref), for code of other languages, which has the address of a value
    /// also in its constructor and destructor, and of a node that only its tree keeps. Returns
    /// `None` while the value is not complete or is being destroyed.
    #[must_use]
    pub fn try_to_ref(self) -> Option<ErasedRef> {
        let state = self.header().custody().state();
        if state.strong() != 0 {
            return Some(self.to_ref());
        }
        if state.is_dying() || state.is_dead() {
            return None;
        }
        // SAFETY: the memory is there during the call, and every object is a `Root`.
        let weak = unsafe { Weak::<Root>::from_header(self.header) };
        weak.upgrade().map(Ref::into_erased)
    }
}

/// A borrowed native object of type `T`: what `&self` would be if it could give out owned
/// references.
///
/// A method that needs a reference to its own object takes `this: Borrow<'_, Self>` in place of
/// `&self`, and calls [`to_ref`](Borrow::to_ref).
///
/// It stays on its thread, and within the time that it was lent for:
///
/// ```compile_fail,E0277
/// # use pairbond_core::object::{Borrow, Object};
/// fn elsewhere<T: Send>(_: T) {}
/// fn lent<T: Object + Send + Sync>(object: Borrow<'_, T>) {
///     elsewhere(object);
/// }
/// ```
/// ```compile_fail,E0505
/// # use pairbond_core::object::{Object, Ref};
/// fn too_long<T: Object>(object: Ref<T>) {
///     let lent = object.as_borrow();
///     drop(object);
///     lent.get();
/// }
/// ```
#[repr(transparent)]
pub struct Borrow<'a, T: Object> {
    inner: ErasedBorrow<'a>,
    _type: PhantomData<&'a T>,
}

impl<T: Object> Clone for Borrow<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Object> Copy for Borrow<'_, T> {}

impl<'a, T: Object> Borrow<'a, T> {
    /// # Safety
    /// As [`ErasedBorrow::from_header`], and the object is a `T`.
    #[inline]
    #[must_use]
    pub unsafe fn from_header(header: NonNull<Header>) -> Self {
        // SAFETY: the caller's object stays alive for the borrow's lifetime.
        let inner = unsafe { ErasedBorrow::from_header(header) };
        Borrow {
            inner,
            _type: PhantomData,
        }
    }

    /// The header.
    #[inline]
    #[must_use]
    pub fn header(self) -> &'a Header {
        self.inner.header()
    }

    /// The value, for the whole time of the borrow.
    #[inline]
    #[must_use]
    pub fn get(self) -> &'a T {
        // SAFETY: the object is a `T`, whose value begins at the offset of its alignment, and lives
        // for `'a`.
        unsafe {
            &*self
                .inner
                .header
                .as_ptr()
                .cast::<u8>()
                .add(Shape::<T>::OFFSET)
                .cast::<T>()
        }
    }

    /// The same handle without its type. Only for thread-safe types: owned references made of it
    /// may go to any thread.
    #[inline]
    #[must_use]
    pub fn erase(self) -> ErasedBorrow<'a>
    where
        T: Send + Sync,
    {
        self.inner
    }

    /// An owned reference; see [`ErasedBorrow::to_ref`].
    #[must_use]
    pub fn to_ref(self) -> Ref<T> {
        // SAFETY: the object is a `T`.
        unsafe { Ref::from_raw(self.inner.to_ref().into_raw()) }
    }

    /// An owned reference to the same object, with its type.
    ///
    /// # Errors
    /// The reference itself: it is to another object.
    #[doc(hidden)]
    #[inline]
    pub fn with_type(self, owned: ErasedRef) -> Result<Ref<T>, ErasedRef> {
        if std::ptr::eq(owned.header(), self.header()) {
            // SAFETY: the object is a `T`.
            Ok(unsafe { Ref::from_raw(owned.into_raw()) })
        } else {
            Err(owned)
        }
    }

    /// A weak reference.
    #[must_use]
    pub fn downgrade(self) -> Weak<T> {
        // SAFETY: this is a handle, and its type is the same.
        unsafe { Weak::from_header(self.inner.header) }
    }

    /// Whether both are the same object.
    #[must_use]
    pub fn is<U: Object>(self, other: Borrow<'_, U>) -> bool {
        self.inner.header == other.inner.header
    }
}

impl<T: Object> Deref for Borrow<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: Object + fmt::Debug> fmt::Debug for Borrow<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
