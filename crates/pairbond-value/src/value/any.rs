//! [`Any`]: a value of any kind that crosses borders.

use crate::any::inline_str::Slice;
use crate::any::tagged_word::Word;
use crate::any::{Holds, RawAny};
use crate::error::Error;
use crate::object::{ErasedRef, Object, Ref, Root};
use crate::trace::{Trace, Tracer};
use crate::value::{BigInt, Bytes, DType, Device, Foreign, Function, FunctionBody, Str};

/// A value of any kind, 16 bytes; numbers are inline. Match on it, or on its [`view`](Any::view),
/// or convert it ([`to`](Any::to)).
///
/// ```
/// use pairbond_value::value::{Any, View};
///
/// fn describe(value: &Any) -> String {
///     match value.view() {
///         View::None => "nothing".into(),
///         View::Int(0) => "zero".into(),
///         View::Int(n) if n < 0 => "negative".into(),
///         View::Str("pi") => "3.14".into(),
///         View::Str(text) => text.into(),
///         other => format!("some {}", other.kind()),
///     }
/// }
/// assert_eq!(describe(&"pi".into()), "3.14");
/// assert_eq!(describe(&(-4).into()), "negative");
/// assert_eq!(describe(&1.5.into()), "some float");
/// let error = Any::from(300).to::<u8>().unwrap_err();
/// assert_eq!(error.to_string(), "int 300 does not fit into an int from 0 to 255");
/// ```
///
/// Other objects of a frontend's language travel as [`Any::Foreign`], and come back as the very
/// same object.
#[derive(Debug, Default)]
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
    /// A larger integer.
    BigInt(BigInt),
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
    /// The type of an array's elements.
    DType(DType),
    /// Where an array lies.
    Device(Device),
    /// An error: the result of a failed call, never stored by the library itself.
    #[doc(hidden)]
    Error(std::sync::Arc<Error>),
}

const _: () = assert!(size_of::<Any>() == size_of::<RawAny>() && align_of::<Any>() == align_of::<RawAny>());

// Each kind lies in the cell as in the core: after a byte, at its own alignment.
const _: () = {
    const fn is_same_type<A, B>() -> bool {
        size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()
    }
    assert!(
        is_same_type::<BigInt, Slice<Root>>()
            && is_same_type::<Str, Slice<Root>>()
            && is_same_type::<Bytes, Slice<Root>>()
    );
    assert!(
        is_same_type::<Function, Word>()
            && is_same_type::<DType, [u16; 2]>()
            && is_same_type::<Device, [i32; 2]>()
    );
};

// SAFETY: both enums begin with a byte for the kind, and have the same kinds in the same order, of
// types of the same size and alignment, which own the same: references, words, an error.
unsafe impl Holds<Any> for RawAny {}

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

    /// Whether there is something to be given back when the value goes.
    #[inline(always)]
    const fn owns_object(&self) -> bool {
        !matches!(
            self,
            Any::None | Any::Bool(_) | Any::Int(_) | Any::Float(_) | Any::DType(_) | Any::Device(_)
        )
    }

    #[inline(never)]
    fn clone_counted(&self) -> Self {
        match self {
            Any::BigInt(value) => Any::BigInt(value.clone()),
            Any::Str(value) => Any::Str(value.clone()),
            Any::Bytes(value) => Any::Bytes(value.clone()),
            Any::Object(value) => Any::Object(value.clone()),
            Any::Function(value) => Any::Function(value.clone()),
            Any::Foreign(value) => Any::Foreign(value.clone()),
            Any::Error(value) => Any::Error(value.clone()),
            Any::None | Any::Bool(_) | Any::Int(_) | Any::Float(_) | Any::DType(_) | Any::Device(_) => {
                unreachable!("owns nothing")
            }
        }
    }

    /// Drops the value. The compiler's own drop is a call, and costs more than an unused number.
    #[inline(always)]
    pub fn discard(self) {
        if self.owns_object() {
            drop(self);
        } else {
            std::mem::forget(self);
        }
    }

    /// The same for all values of a sequence.
    pub(super) fn discard_all(values: &mut Vec<Any>) {
        while let Some(last) = values.pop() {
            last.discard();
        }
    }

    /// An object; a function that was made native by hand is a function again.
    pub fn from_object(object: ErasedRef) -> Any {
        match object.downcast::<FunctionBody>() {
            Ok(body) => Any::Function(Function::from_ref(body)),
            Err(object) => Any::Object(object),
        }
    }
}

/// Values that own nothing are copied inline; the rest by a call.
impl Clone for Any {
    #[inline]
    fn clone(&self) -> Self {
        if self.owns_object() {
            self.clone_counted()
        } else {
            // SAFETY: these kinds are `Copy`.
            unsafe { std::ptr::read(self) }
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
    i128, v => i64::try_from(v).map_or_else(|_| Any::BigInt(v.into()), Any::Int);
    u128, v => i64::try_from(v).map_or_else(|_| Any::BigInt(v.into()), Any::Int);
    u64, v => Any::from(u128::from(v));
    BigInt, v => v.to_i64().map_or(Any::BigInt(v), Any::Int);
    DType, v => Any::DType(v);
    Device, v => Any::Device(v);
    ErasedRef, v => Any::from_object(v);
    Function, v => Any::Function(v);
    Foreign, v => Any::Foreign(v);
}

impl<T: Object + Send + Sync> From<Ref<T>> for Any {
    fn from(value: Ref<T>) -> Any {
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
