//! [`Nature`]: what lets a crate above this one implement a trait for all objects, and for types of
//! the standard library as well.
//!
//! `impl<T: Object> Element for T` beside `impl Element for f64` is refused there: this crate might
//! make an object of `f64`. Here it is known that it is none.

use super::Object;

/// Whether a type is that of objects, or of plain values.
#[doc(hidden)]
pub trait Nature {
    /// [`IsObject`] or [`IsPlain`].
    type Is;
}

/// The [`Nature`] of object types.
#[doc(hidden)]
#[derive(Debug)]
pub enum IsObject {}

/// The [`Nature`] of types whose values are no objects.
#[doc(hidden)]
#[derive(Debug)]
pub enum IsPlain {}

impl<T: Object> Nature for T {
    type Is = IsObject;
}

macro_rules! plain {
    ($([$($g:ident)?] $t:ty),*) => {$(
        impl$(<$g>)? Nature for $t {
            type Is = IsPlain;
        }
    )*};
}

plain!([] i64, [] bool, [] f64, [T] Option<T>);
