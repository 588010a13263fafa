//! [`AnyRef`]: a borrowed value of any kind in 16 bytes.
//!
//! A `&str` alone has 16 bytes. No slice has 2⁵⁶ bytes or more – no processor's addresses reach so
//! far –, so that the length of a text goes beside the byte for the kind of value, and the other
//! word is the start of the text. That is an implementation detail: use the [`View`] to read the
//! value.

use std::fmt;
use std::ptr::NonNull;

use crate::error::Error;
use crate::object::{Borrow, ErasedBorrow, Object};
use crate::value::{Any, BigInt, Bytes, DType, Device, Foreign, Function, Str, View};

/// A borrowed [`Any`] in 16 bytes, which can also be of values that are no `Any`: a `&str`, `&[u8]`
/// or a borrowed object. To match on it, use its [`view`](Self::view).
///
/// ```
/// use pairbond_value::value::{Any, AnyRef, View};
///
/// let text = String::from("pi");
/// let lent = AnyRef::from(text.as_str());
/// assert!(matches!(lent.view(), View::Str("pi")));
/// assert_eq!(lent.hash()?, AnyRef::from(&Any::from("pi")).hash()?);
/// assert_eq!(lent.kind(), "str");
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct AnyRef<'a>(Packed<'a>);

const _: () = assert!(size_of::<AnyRef<'_>>() == 16 && size_of::<Option<AnyRef<'_>>>() == 16);

/// As [`View`], with slices in two parts: the length, and where they begin.
#[derive(Clone, Copy)]
enum Packed<'a> {
    None,
    Bool(bool),
    Int(i64),
    BigInt(&'a BigInt),
    Float(f64),
    Str(Len, NonNull<u8>),
    Bytes(Len, NonNull<u8>),
    Object(ErasedBorrow<'a>),
    Function(&'a Function),
    Foreign(&'a Foreign),
    DType(DType),
    Device(Device),
    Error(&'a Error),
}

/// The lower 56 bits of a length, which are all of it.
type Len = [u8; 7];

#[inline]
fn pack_slice(bytes: &[u8]) -> (Len, NonNull<u8>) {
    let [len @ .., top] = (bytes.len() as u64).to_le_bytes();
    assert!(top == 0, "no slice is so long");
    (len, NonNull::from(bytes).cast())
}

/// # Safety
/// Both of one [`pack_slice`] of a slice that is borrowed for `'a`.
#[inline]
unsafe fn unpack_slice<'a>(len: Len, start: NonNull<u8>) -> &'a [u8] {
    let [a, b, c, d, e, f, g] = len;
    let len = u64::from_le_bytes([a, b, c, d, e, f, g, 0]) as usize;
    // SAFETY: both of one `pack_slice` of a slice that is borrowed for `'a`: the caller ensures it.
    unsafe { std::slice::from_raw_parts(start.as_ptr(), len) }
}

impl<'a> AnyRef<'a> {
    /// Its value, to match on.
    #[inline]
    #[must_use]
    pub fn view(self) -> View<'a> {
        match self.0 {
            Packed::None => View::None,
            Packed::Bool(value) => View::Bool(value),
            Packed::Int(value) => View::Int(value),
            Packed::BigInt(value) => View::BigInt(value),
            Packed::Float(value) => View::Float(value),
            Packed::Str(len, start) => {
                // SAFETY: made of a `str` in `from`, and only there.
                View::Str(unsafe { std::str::from_utf8_unchecked(unpack_slice(len, start)) })
            }
            // SAFETY: made of a slice in `from`.
            Packed::Bytes(len, start) => View::Bytes(unsafe { unpack_slice(len, start) }),
            Packed::Object(value) => View::Object(value),
            Packed::Function(value) => View::Function(value),
            Packed::Foreign(value) => View::Foreign(value),
            Packed::DType(value) => View::DType(value),
            Packed::Device(value) => View::Device(value),
            Packed::Error(value) => View::Error(value),
        }
    }

    /// The kind, for messages.
    #[must_use]
    pub fn kind(self) -> &'static str {
        self.view().kind()
    }

    /// The value as one of its own.
    #[must_use]
    pub fn to_any(self) -> Any {
        match self.view() {
            View::None => Any::None,
            View::Bool(value) => Any::Bool(value),
            View::Int(value) => Any::Int(value),
            View::BigInt(value) => Any::BigInt(value.clone()),
            View::Float(value) => Any::Float(value),
            View::Str(value) => Any::Str(Str::from(value)),
            View::Bytes(value) => Any::Bytes(Bytes::from(value)),
            View::Object(value) => Any::Object(value.to_ref()),
            View::Function(value) => Any::Function(value.clone()),
            View::Foreign(value) => Any::Foreign(value.clone()),
            View::DType(value) => Any::DType(value),
            View::Device(value) => Any::Device(value),
            View::Error(value) => Any::Error(std::sync::Arc::new(Error::new(
                value.kind().clone(),
                value.message(),
            ))),
        }
    }

    /// The object as a `T`, if it is one.
    #[must_use]
    pub fn downcast<T: Object>(self) -> Option<Borrow<'a, T>> {
        match self.view() {
            View::Object(object) => object.downcast(),
            _ => None,
        }
    }
}

impl<'a> From<View<'a>> for AnyRef<'a> {
    #[inline]
    fn from(value: View<'a>) -> Self {
        AnyRef(match value {
            View::None => Packed::None,
            View::Bool(value) => Packed::Bool(value),
            View::Int(value) => Packed::Int(value),
            View::BigInt(value) => Packed::BigInt(value),
            View::Float(value) => Packed::Float(value),
            View::Str(text) => {
                let (len, start) = pack_slice(text.as_bytes());
                Packed::Str(len, start)
            }
            View::Bytes(bytes) => {
                let (len, start) = pack_slice(bytes);
                Packed::Bytes(len, start)
            }
            View::Object(value) => Packed::Object(value),
            View::Function(value) => Packed::Function(value),
            View::Foreign(value) => Packed::Foreign(value),
            View::DType(value) => Packed::DType(value),
            View::Device(value) => Packed::Device(value),
            View::Error(value) => Packed::Error(value),
        })
    }
}

macro_rules! from {
    ($($t:ty, $v:ident => $view:expr;)*) => {$(
        impl<'a> From<$t> for AnyRef<'a> {
            #[inline]
            fn from($v: $t) -> Self {
                AnyRef::from($view)
            }
        }
    )*};
}

from! {
    &'a Any, v => v.view();
    bool, v => View::Bool(v);
    i64, v => View::Int(v);
    f64, v => View::Float(v);
    &'a str, v => View::Str(v);
    &'a [u8], v => View::Bytes(v);
    ErasedBorrow<'a>, v => View::Object(v);
    &'a Function, v => View::Function(v);
    &'a Foreign, v => View::Foreign(v);
}

impl fmt::Debug for AnyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
