//! [`Str`] and [`Bytes`]: immutable, shared, one pointer wide, and within the pointer when they are
//! short.

use std::fmt;
use std::ops::Deref;

use crate::any::inline_str::Slice;
use crate::object::{Counted, Header, Items, Object, Ref, Root, WithItems};
use crate::trace::{Trace, Tracer};
use crate::types::TypeCell;

macro_rules! shared_slice {
    ($(#[$doc:meta])* $name:ident, $body:ident, $key:literal) => {
        /// The object behind the handle: a length, with the bytes as trailing items.
        #[derive(Debug)]
        pub struct $body {
            len: usize,
        }

        // SAFETY: the cell is its own; no base.
        unsafe impl Object for $body {
            const KEY: &'static str = $key;
            const ATTRIBUTES: bool = false;
            const THREAD_SAFE: bool = true;
            type Base = Root;
            fn items() -> Option<Items> {
                Some(Items::of::<Self>())
            }
            fn type_cell() -> &'static TypeCell {
                static CELL: TypeCell = TypeCell::new();
                &CELL
            }
        }

        // SAFETY: the length is that of the items.
        unsafe impl WithItems for $body {
            type Item = u8;
            fn len(&self) -> usize {
                self.len
            }
        }

        // SAFETY: bytes own nothing.
        unsafe impl Trace for $body {
            const TRACED: bool = false;
            fn trace(&self, _: &mut Tracer<'_>) {}
        }

        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(Slice<$body>);

        impl $name {
            #[inline]
            fn from_bytes(bytes: &[u8]) -> Self {
                $name(Slice::new(bytes, |bytes| {
                    match Ref::new_with_items($body { len: bytes.len() }, bytes.iter().copied()) {
                        Ok(body) => body,
                        Err(error) => crate::error::Error::from(error).unwind(),
                    }
                }))
            }
            #[inline]
            fn as_slice(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }

        // SAFETY: the body owns nothing, and nothing refers back.
        unsafe impl Trace for $name {
            const TRACED: bool = false;
            fn trace(&self, _: &mut Tracer<'_>) {}
        }

        // SAFETY: a word that owns a reference to the body, or bytes.
        unsafe impl Counted for $name {
            #[inline]
            fn counted_object(&self) -> Option<&Header> {
                self.0.header()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::from_bytes(&[])
            }
        }
    };
}

shared_slice! {
    /// An immutable UTF-8 string; cloning counts a reference. Up to seven bytes need no memory of
    /// their own.
    ///
    /// ```
    /// use pairbond_value::value::Str;
    ///
    /// let name: Str = "pairbond".into();
    /// let same = name.clone();
    /// assert_eq!((same.len(), same.as_ptr()), (8, name.as_ptr()));
    /// assert_eq!(name, "pairbond");
    /// ```
    Str, StrBody, "pairbond.Str"
}

shared_slice! {
    /// Immutable bytes; cloning counts a reference. Up to seven need no memory of their own.
    ///
    /// ```
    /// use pairbond_value::value::Bytes;
    ///
    /// let data = Bytes::from(&b"\x7fELF"[..]);
    /// assert_eq!(data.first(), Some(&0x7f));
    /// ```
    Bytes, BytesBody, "pairbond.Bytes"
}

impl Deref for Str {
    type Target = str;
    #[inline]
    fn deref(&self) -> &str {
        // SAFETY: made from a `str` only.
        unsafe { std::str::from_utf8_unchecked(self.as_slice()) }
    }
}

impl Bytes {
    /// Whether the bytes are in the handle itself, and move with it.
    pub(super) fn are_inline(&self) -> bool {
        self.0.inline_len().is_some()
    }
}

impl Deref for Bytes {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl From<&str> for Str {
    fn from(value: &str) -> Self {
        Str::from_bytes(value.as_bytes())
    }
}

impl From<String> for Str {
    fn from(value: String) -> Self {
        Str::from(value.as_str())
    }
}

impl From<&String> for Str {
    fn from(value: &String) -> Self {
        Str::from(value.as_str())
    }
}

impl From<&[u8]> for Bytes {
    fn from(value: &[u8]) -> Self {
        Bytes::from_bytes(value)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(value: Vec<u8>) -> Self {
        Bytes::from_bytes(&value)
    }
}

macro_rules! as_slice {
    ($name:ident, $slice:ty) => {
        impl AsRef<$slice> for $name {
            fn as_ref(&self) -> &$slice {
                self
            }
        }
        impl std::borrow::Borrow<$slice> for $name {
            fn borrow(&self) -> &$slice {
                self
            }
        }
        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }
        impl PartialEq<$slice> for $name {
            #[inline]
            fn eq(&self, other: &$slice) -> bool {
                **self == *other
            }
        }
        impl PartialEq<&$slice> for $name {
            #[inline]
            fn eq(&self, other: &&$slice) -> bool {
                **self == **other
            }
        }
        impl Eq for $name {}
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                (**self).cmp(&**other)
            }
        }
        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                (**self).hash(state);
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

as_slice!(Str, str);
as_slice!(Bytes, [u8]);

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}
