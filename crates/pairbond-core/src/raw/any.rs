//! [`RawAny`]: a value of any kind, as the core passes it on; and the words in it.
//!
//! Frontends are called with values and return them, and errors carry them. The core copies them,
//! drops them and hands them on; it reads a truth value, an integer and an error. Strings,
//! functions, containers and conversions are in the crate `pairbond-value`, whose `Any` is such a
//! cell: it has the same layout and the same kinds ([`Holds`]).

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use super::{ErasedRef, Error, Root};
use crate::custody::Header;
use crate::sync::statics::AtomicPtr;

/// Immutable bytes in one word (see `any::inline_str`). `B` is the object behind longer ones.
#[repr(transparent)]
pub struct Slice<B> {
    pub(crate) word: NonNull<Header>,
    pub(crate) _owns: PhantomData<B>,
}

// SAFETY: bytes, or a strong reference to a `B`.
unsafe impl<B: Send + Sync> Send for Slice<B> {}
// SAFETY: bytes, or a strong reference to a `B`; the word never changes.
unsafe impl<B: Send + Sync> Sync for Slice<B> {}

/// A counted reference in one word (see `any::tagged_word`). Tag 0: the header of a native object.
#[repr(transparent)]
pub struct Word(pub(crate) AtomicPtr<c_void>);

/// An object of a frontend's language (any Python object), which comes back as the very same
/// object. Cloning and dropping it needs no interpreter: a reference dropped on a thread that is
/// not attached is released later by one that is.
///
/// One word wide. Nothing native is made for it until it is cloned.
///
/// ```
/// use pairbond_core::{any::Foreign, error::Error};
/// use pairbond_value::value::Any;
///
/// /// Calls any callable of Python with a number.
/// fn ask(callable: &Foreign) -> Result<Any, Error> {
///     callable.call(&[7.into()])
/// }
/// ```
#[derive(Clone)]
#[repr(transparent)]
pub struct Foreign(#[doc(hidden)] pub Word);

/// The payload of a kind that the core does not read. One of another kind is of another type: only
/// the crate above tells whether bytes are a string.
#[doc(hidden)]
#[derive(Clone)]
#[repr(transparent)]
pub struct Unread<const KIND: u8, T>(pub(crate) T);

/// A value of any kind, as the core passes it on. The kinds have the order of `Any`, and its names.
#[doc(hidden)]
#[derive(Clone, Default)]
#[repr(u8)]
pub enum RawAny {
    /// Nothing.
    #[default]
    None,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    BigInt(Unread<3, Slice<Root>>),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(Unread<5, Slice<Root>>),
    /// Bytes.
    Bytes(Unread<6, Slice<Root>>),
    /// A native object.
    Object(ErasedRef),
    /// A function.
    Function(Unread<8, Word>),
    /// An opaque object of a frontend's language.
    Foreign(Foreign),
    /// What the elements of an array are.
    DType(Unread<10, [u16; 2]>),
    /// Where an array lies.
    Device(Unread<11, [i32; 2]>),
    /// An error: the result of a failed call.
    Error(Arc<Error>),
}

const _: () = assert!(size_of::<RawAny>() == 16);

/// `V` is the type of values that users see, `Any`. There is one such type, so that callers of the
/// core's generic functions need not name it.
///
/// # Safety
/// `V` has the layout of a [`RawAny`], each of its values is one, and each cell is a value of `V`.
/// There is no other implementation in the program.
#[diagnostic::on_unimplemented(message = "`{V}` is not the type of values of any kind")]
pub unsafe trait Holds<V> {}

impl RawAny {
    /// The cell of a value.
    #[inline(always)]
    pub fn new<V>(value: V) -> Self
    where
        RawAny: Holds<V>,
    {
        let value = std::mem::ManuallyDrop::new(value);
        // SAFETY: one has the layout and the values of the other; it is moved from.
        unsafe { std::ptr::from_ref(&value).cast::<RawAny>().read() }
    }

    /// The value in the cell.
    #[inline(always)]
    #[must_use]
    pub fn into_value<V>(self) -> V
    where
        RawAny: Holds<V>,
    {
        let value = std::mem::ManuallyDrop::new(self);
        // SAFETY: one has the layout and the values of the other; it is moved from.
        unsafe { std::ptr::from_ref(&value).cast::<V>().read() }
    }

    /// The value in the cell, which stays there.
    #[inline(always)]
    #[must_use]
    pub fn as_value<V>(&self) -> &V
    where
        RawAny: Holds<V>,
    {
        // SAFETY: one has the layout and the values of the other.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

impl std::fmt::Debug for RawAny {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RawAny({:?})", std::mem::discriminant(self))
    }
}
