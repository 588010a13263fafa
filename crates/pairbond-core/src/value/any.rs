//! [`Any`]: a value of any kind that crosses borders.

use crate::error::Error;
use crate::object::{ErasedRef, Object, Ref};
use crate::trace::{Trace, Tracer};
use crate::value::{Bytes, Foreign, Function, List, Str};

/// A value of any kind, 16 bytes.
///
/// Integers beyond 64 bits and other objects of a frontend's language travel as [`Any::Foreign`], and come back as the very same object.
#[derive(Clone, Debug, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum Any {
    /// Nothing.
    #[default]
    None,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(Str),
    /// Bytes.
    Bytes(Bytes),
    /// A native object.
    Object(ErasedRef),
    /// A function.
    Function(Function),
    /// An opaque object of a frontend's language.
    Foreign(Foreign),
    /// An error: the result of a failed call, never stored by the library itself.
    #[doc(hidden)]
    Error(std::sync::Arc<Error>),
}

const _: () = assert!(size_of::<Any>() == 16);

impl Any {
    /// The object as a `T`, if it is one.
    #[must_use]
    pub fn downcast<T: Object>(&self) -> Option<Ref<T>> {
        match self {
            Any::Object(object) => object.clone().downcast::<T>().ok(),
            _ => None,
        }
    }

    /// Whether this is nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Any::None)
    }

    /// The kind, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Any::None => "None",
            Any::Bool(_) => "bool",
            Any::Int(_) => "int",
            Any::Float(_) => "float",
            Any::Str(_) => "str",
            Any::Bytes(_) => "bytes",
            Any::Object(object) => object.header().info().key(),
            Any::Function(_) => "function",
            Any::Foreign(_) => "object",
            Any::Error(_) => "error",
        }
    }
}

macro_rules! from {
    ($($t:ty, $v:ident => $e:expr;)*) => {$(
        impl From<$t> for Any {
            fn from($v: $t) -> Any {
                $e
            }
        }
    )*};
}

from! {
    (), _v => Any::None;
    bool, v => Any::Bool(v);
    i64, v => Any::Int(v);
    i32, v => Any::Int(v.into());
    u32, v => Any::Int(v.into());
    f64, v => Any::Float(v);
    &str, v => Any::Str(v.into());
    String, v => Any::Str(v.into());
    Str, v => Any::Str(v);
    Bytes, v => Any::Bytes(v);
    ErasedRef, v => Any::Object(v);
    Function, v => Any::Function(v);
    Foreign, v => Any::Foreign(v);
}

impl<T: Object + Send + Sync> From<Ref<T>> for Any {
    fn from(value: Ref<T>) -> Any {
        Any::Object(value.into_erased())
    }
}

impl<T: crate::value::Element> From<List<T>> for Any {
    fn from(value: List<T>) -> Any {
        Any::Object(value.into_erased())
    }
}

impl<T: Into<Any>> From<Option<T>> for Any {
    fn from(value: Option<T>) -> Any {
        value.map_or(Any::None, Into::into)
    }
}

// SAFETY: at most one owned reference, shown once.
unsafe impl Trace for Any {
    const TRACED: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        match self {
            Any::Object(object) => object.trace(tracer),
            Any::Function(function) => function.trace(tracer),
            Any::Foreign(object) => object.trace(tracer),
            _ => {}
        }
    }
    fn take_edges(&mut self) -> Option<Self> {
        Some(std::mem::take(self))
    }
}
