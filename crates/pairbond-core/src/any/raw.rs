//! [`RawAny`]: a value of any kind, as the core passes it on.
//!
//! Frontends are called with values and return them, and errors carry them. The core copies them,
//! drops them and hands them on; it reads a truth value, an integer and an error. Strings,
//! functions, containers and conversions are in the crate `pairbond-value`, whose `Any` is such a
//! cell: it has the same layout and the same kinds ([`Holds`]).

use std::sync::Arc;

use super::foreign::Foreign;
use super::inline_str::Slice;
use super::tagged_word::Word;
use crate::error::Error;
use crate::object::{ErasedRef, Root};
use crate::trace::{Trace, Tracer};

/// The payload of a kind that the core does not read. One of another kind is of another type: only
/// the crate above tells whether bytes are a string.
#[doc(hidden)]
#[derive(Clone)]
#[repr(transparent)]
pub struct Unread<const KIND: u8, T>(T);

/// See the head of this file. The kinds are in the order of `Any`, and have its names.
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
    /// An error, as the result of a failed call.
    #[must_use]
    pub fn from_error(error: Error) -> Self {
        RawAny::Error(Arc::new(error))
    }

    /// Returns the error that a function wrote when it failed. `what` is what failed, for one that
    /// wrote none.
    #[cold]
    #[must_use]
    pub fn into_error(self, what: impl std::fmt::Display) -> Error {
        match self {
            RawAny::Error(error) => Error::from_shared(error),
            _ => Error::runtime_error(format!("{what} failed and does not say why")),
        }
    }

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

// SAFETY: at most one owned reference, shown once.
unsafe impl Trace for RawAny {
    const TRACED: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        match self {
            RawAny::Object(object) => object.trace(tracer),
            RawAny::Function(Unread(function)) => function.trace(tracer),
            RawAny::Foreign(object) => object.trace(tracer),
            _ => {}
        }
    }
    fn take_edges(&mut self) -> Option<Self> {
        Some(std::mem::take(self))
    }
}
