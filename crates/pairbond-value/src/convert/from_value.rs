//! How Rust types are read from a [`Source`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::path::PathBuf;

use super::moved::moved_here;
use super::{Mismatch, Source};
use crate::error::Error;
use crate::memory::{check_room, try_push, try_push_str};
use crate::object::{Borrow, ErasedBorrow, Object, Ref, Weak, check_node, check_object};
use crate::value::{
    Any, BigInt, Bytes, Callback, Cell, DType, DTypeBody, Device, DeviceBody, Foreign, Function, Str,
};

/// A type that can be read from what a frontend passes. `'a` is the time of the call: `&'a str`
/// borrows from the argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from an argument",
    label = "does not implement `FromValue`",
    note = "numbers, `&str`, `String`, `Str`, `&[u8]`, `Bytes`, `PathBuf`, `Option`, `Vec`, maps, tuples, `Function` and `Any` can; an \
            object is taken as `&T`, `Borrow<'_, T>` or `Ref<T>`, a plain struct by `#[derive(pairbond::Record)]`"
)]
pub trait FromValue<'a>: Sized {
    /// Whether the value may be used while the calling thread is detached from the frontend.
    const DETACHES: bool = true;
    /// The expected type, for messages: `int`, `str or None`, `lockgraph.Package`.
    fn expected_type() -> Cow<'static, str>;
    /// # Errors
    /// The value is not of that kind.
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch>;
    /// The same, written to its place: a large value is built there, as each move waits for earlier
    /// writes.
    ///
    /// # Errors
    /// As [`from_value`](Self::from_value); on an error the place holds nothing of use.
    #[inline]
    fn read_into<S: Source<'a>>(source: S, place: &mut Option<Self>) -> Result<(), Mismatch> {
        *place = Some(Self::from_value(source)?);
        Ok(())
    }
    /// Reads a value that is no sequence but holds many of these closely packed (Python: `bytes` of
    /// `u8`), for [`Vec`]; `None` for other values.
    #[inline]
    fn read_packed<S: Source<'a>>(source: S) -> Option<Vec<Self>> {
        let _ = source;
        None
    }
}

/// A field that can be assigned from outside: a [`Cell`] (or something like it).
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be set from outside",
    label = "does not implement `Stored`",
    note = "a field that changes is a `pairbond::Cell<T>`"
)]
pub trait Stored {
    /// The expected type, for messages.
    fn expected_type() -> Cow<'static, str>;
    /// Converts first, then stores; the old value is dropped last, outside of any lock.
    ///
    /// # Errors
    /// The value is not of that kind; the field is unchanged then.
    fn store<'a, S: Source<'a>>(&self, source: S) -> Result<(), Mismatch>;
}

impl<T: for<'b> FromValue<'b>> Stored for Cell<T> {
    fn expected_type() -> Cow<'static, str> {
        T::expected_type()
    }
    fn store<'a, S: Source<'a>>(&self, source: S) -> Result<(), Mismatch> {
        self.set(T::from_value(source)?);
        Ok(())
    }
}

macro_rules! read {
    ($($t:ty, $expected:literal, $s:ident => $e:expr;)*) => {$(
        impl<'a> FromValue<'a> for $t {
            fn expected_type() -> Cow<'static, str> {
                Cow::Borrowed($expected)
            }
            #[inline]
            fn from_value<S: Source<'a>>($s: S) -> Result<Self, Mismatch> {
                $e
            }
        }
    )*};
}

read! {
    i8, "an int of 8 bits", s => s.read_i64()?.try_into().map_err(|_| Mismatch::Overflow);
    i16, "an int of 16 bits", s => s.read_i64()?.try_into().map_err(|_| Mismatch::Overflow);
    i32, "an int of 32 bits", s => s.read_i64()?.try_into().map_err(|_| Mismatch::Overflow);
    i64, "an int of 64 bits", s => s.read_i64();
    isize, "an int of 64 bits", s => s.read_i64()?.try_into().map_err(|_| Mismatch::Overflow);
    u16, "an int from 0 to 65535", s => s.read_u64()?.try_into().map_err(|_| Mismatch::Overflow);
    u32, "an unsigned int of 32 bits", s => s.read_u64()?.try_into().map_err(|_| Mismatch::Overflow);
    u64, "an unsigned int of 64 bits", s => s.read_u64();
    usize, "an unsigned int of 64 bits", s => s.read_u64()?.try_into().map_err(|_| Mismatch::Overflow);
    i128, "an int of 128 bits", s => s.read_i128();
    u128, "an unsigned int of 128 bits", s => s.read_u128();
    BigInt, "int", s => s.big_int();
    f64, "float", s => s.read_f64();
    f32, "float", s => s.read_f64().map(|v| v as f32);
    bool, "bool", s => s.read_bool();
    &'a str, "str", s => s.read_str();
    String, "str", s => s.read_str().and_then(try_to_string);
    Str, "str", s => s.read_str().map(Str::from);
    &'a [u8], "bytes", s => s.read_bytes();
    Bytes, "bytes", s => s.copied_bytes().map(|bytes| Bytes::from(&*bytes));
    Cow<'a, [u8]>, "bytes", s => s.copied_bytes();
    PathBuf, "str or os.PathLike", s => s.read_path();
    Function, "a callable", s => s.read_function();
    Foreign, "any object", s => s.read_foreign();
    Any, "any object", s => check_usable(s.read_any()?);
    (), "None", s => if s.is_none() { Ok(()) } else { Err(Mismatch::Type) };
}

impl<'a> FromValue<'a> for Callback<'a> {
    const DETACHES: bool = false;

    fn expected_type() -> Cow<'static, str> {
        Function::expected_type()
    }

    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        source.read_callback()
    }
}

impl<'a> FromValue<'a> for u8 {
    fn expected_type() -> Cow<'static, str> {
        "an int from 0 to 255".into()
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        source.read_u64()?.try_into().map_err(|_| Mismatch::Overflow)
    }
    fn read_packed<S: Source<'a>>(source: S) -> Option<Vec<Self>> {
        let bytes = source.copied_bytes().ok()?;
        let mut all = Vec::new();
        all.try_reserve_exact(bytes.len()).ok()?;
        all.extend_from_slice(&bytes);
        Some(all)
    }
}

fn try_to_string(text: &str) -> Result<String, Mismatch> {
    let mut all = String::new();
    try_push_str(&mut all, text).map_err(Error::from)?;
    Ok(all)
}

/// A node of a tree that was erased is refused here, too: where it cannot be told from others it
/// could be mistaken for one that is alive.
#[inline]
fn check_usable(value: Any) -> Result<Any, Mismatch> {
    let value = value.unwrap_moved()?;
    if let Any::Object(object) = &value {
        check_object(object.header()).map_err(Mismatch::Raised)?;
    }
    Ok(value)
}

macro_rules! read_named {
    ($($t:ty, $body:ty, $any:ident, $expected:literal;)*) => {$(
        /// The value itself, or its name.
        impl<'a> FromValue<'a> for $t {
            fn expected_type() -> Cow<'static, str> {
                Cow::Borrowed($expected)
            }
            fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
                if let Ok(name) = source.read_str() {
                    return name.parse().map_err(Mismatch::Raised);
                }
                if let Ok(object) = source.read_object() {
                    return object.downcast::<$body>().map(|it| it.get().value()).ok_or(Mismatch::Type);
                }
                match source.read_any()? {
                    Any::$any(value) => Ok(value),
                    _ => Err(Mismatch::Type),
                }
            }
        }
    )*};
}
read_named! {
    DType, DTypeBody, DType, "pairbond.DType or its name";
    Device, DeviceBody, Device, "pairbond.Device or its name";
}

impl<'a> FromValue<'a> for char {
    fn expected_type() -> Cow<'static, str> {
        Cow::Borrowed("a str of one character")
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut chars = source.read_str()?.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(Mismatch::Type),
        }
    }
}

impl<'a, T: Object> FromValue<'a> for Borrow<'a, T> {
    fn expected_type() -> Cow<'static, str> {
        Cow::Borrowed(T::KEY)
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let object = source.read_object()?.downcast::<T>().ok_or(Mismatch::Type)?;
        check_node(object.get(), object.header()).map_err(Mismatch::Raised)?;
        Ok(object)
    }
}

impl<'a, T: Object> FromValue<'a> for &'a T {
    fn expected_type() -> Cow<'static, str> {
        Cow::Borrowed(T::KEY)
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Ok(Borrow::<'a, T>::from_value(source)?.get())
    }
}

impl<'a, T: Object> FromValue<'a> for Ref<T> {
    fn expected_type() -> Cow<'static, str> {
        Cow::Borrowed(T::KEY)
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let object = source.read_object()?;
        let Some(typed) = object.downcast::<T>() else {
            return moved_here(object, |it| it.is::<T>());
        };
        let object = typed
            .with_type(source.to_owned_ref(object))
            .map_err(|_| Mismatch::Type)?;
        check_node(&*object, object.header()).map_err(Mismatch::Raised)?;
        Ok(object)
    }
}

/// An object that is taken by value: out of a reference that is the only one. What
/// `#[pairbond::object]` implements [`FromValue`] with.
///
/// # Errors
/// Not exactly a `T`, or others refer to it.
pub fn by_value<'a, T: Object, S: Source<'a>>(source: S) -> Result<T, Mismatch> {
    let exact = |object: ErasedBorrow<'_>| std::ptr::eq(object.header().info(), T::info());
    let object = source.read_object()?;
    let reference = if exact(object) {
        source.to_owned_ref(object).downcast().map_err(|_| Mismatch::Type)
    } else {
        moved_here::<T>(object, exact)
    };
    reference?.try_unwrap().map_err(|_| {
        Mismatch::Value(format!(
            "others refer to this {}, so that it cannot be taken by value; hand the only reference over with pairbond.move",
            T::KEY
        ))
    })
}

impl<'a, T: Object> FromValue<'a> for Weak<T> {
    fn expected_type() -> Cow<'static, str> {
        Cow::Borrowed(T::KEY)
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Ok(Borrow::<'a, T>::from_value(source)?.downgrade())
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    const DETACHES: bool = T::DETACHES;
    fn expected_type() -> Cow<'static, str> {
        Cow::Owned(format!("{} or None", T::expected_type()))
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if source.is_none() {
            Ok(None)
        } else {
            T::from_value(source).map(Some)
        }
    }
}

pub(super) fn convert_inside<'b, T: FromValue<'b>, S: Source<'b>>(
    source: S,
    at: impl Fn() -> String,
) -> Result<T, Mismatch> {
    T::from_value(source).map_err(|m| match m {
        Mismatch::Raised(error) => Mismatch::Raised(error),
        m => Mismatch::Inside(Box::new((
            at(),
            T::expected_type().into_owned(),
            source.describe(),
            m,
        ))),
    })
}

impl<'a, T: for<'b> FromValue<'b>> FromValue<'a> for Vec<T> {
    fn expected_type() -> Cow<'static, str> {
        Cow::Owned(format!("a sequence of {}", T::expected_type()))
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut all = Vec::new();
        all.try_reserve_exact(source.len_hint()).map_err(Error::from)?;
        let done = source.read_sequence(|i, item| {
            let item = convert_inside(item, || format!("[{i}]"))?;
            Ok(try_push(&mut all, item).map_err(Error::from)?)
        });
        match done {
            Ok(_) => Ok(all),
            Err(Mismatch::Type) => T::read_packed(source).ok_or(Mismatch::Type),
            Err(other) => Err(other),
        }
    }
}

impl<'a, T: for<'b> FromValue<'b>, const N: usize> FromValue<'a> for [T; N] {
    fn expected_type() -> Cow<'static, str> {
        Cow::Owned(format!("a sequence of {N} × {}", T::expected_type()))
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Vec::<T>::from_value(source)?
            .try_into()
            .map_err(|_| Mismatch::Type)
    }
}

/// Room for one more in what the standard library grows as it likes. A B-tree has no function for
/// that: every so often it is tried whether the next nodes could be had.
trait Grow {
    fn room_for_one(&mut self) -> Result<(), Error>;
}

impl<T: Hash + Eq, H: BuildHasher> Grow for HashSet<T, H> {
    #[inline]
    fn room_for_one(&mut self) -> Result<(), Error> {
        Ok(self.try_reserve(1)?)
    }
}

impl<K: Hash + Eq, V, H: BuildHasher> Grow for HashMap<K, V, H> {
    #[inline]
    fn room_for_one(&mut self) -> Result<(), Error> {
        Ok(self.try_reserve(1)?)
    }
}

/// So many elements of a B-tree are asked for at once: more than they need, with its nodes half
/// full.
const AT_ONCE: usize = 1024;

fn room_in_tree(len: usize, each: usize) -> Result<(), Error> {
    if len.is_multiple_of(AT_ONCE) && len > 0 {
        check_room(AT_ONCE, 2 * (each + size_of::<usize>()))?;
    }
    Ok(())
}

impl<T> Grow for BTreeSet<T> {
    #[inline]
    fn room_for_one(&mut self) -> Result<(), Error> {
        room_in_tree(self.len(), size_of::<T>())
    }
}

impl<K, V> Grow for BTreeMap<K, V> {
    #[inline]
    fn room_for_one(&mut self) -> Result<(), Error> {
        room_in_tree(self.len(), size_of::<(K, V)>())
    }
}

macro_rules! read_set {
    ($set:ident, $($bound:ident)|+ $(, $h:ident)?) => {
        impl<'a, T: for<'b> FromValue<'b> $(+ $bound)+ $(, $h: BuildHasher + Default)?> FromValue<'a> for $set<T $(, $h)?> {
            fn expected_type() -> Cow<'static, str> {
                Cow::Owned(format!("a set of {}", T::expected_type()))
            }
            fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
                let mut all = Self::default();
                source.read_sequence(|i, item| {
                    all.room_for_one()?;
                    all.insert(convert_inside(item, || format!("[{i}]"))?);
                    Ok(())
                })?;
                Ok(all)
            }
        }
    };
}
read_set!(HashSet, Hash | Eq, H);
read_set!(BTreeSet, Ord);

macro_rules! read_map {
    ($map:ident, $($bound:ident)|+ $(, $h:ident)?) => {
        impl<'a, K: for<'b> FromValue<'b> $(+ $bound)+, V: for<'b> FromValue<'b> $(, $h: BuildHasher + Default)?>
            FromValue<'a> for $map<K, V $(, $h)?>
        {
            fn expected_type() -> Cow<'static, str> {
                Cow::Owned(format!("a mapping from {} to {}", K::expected_type(), V::expected_type()))
            }
            fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
                let mut all = Self::default();
                source.read_mapping(|key, value| {
                    all.room_for_one()?;
                    let name = || key.describe();
                    let stored = convert_inside(key, || format!(" key {}", name()))?;
                    all.insert(stored, convert_inside(value, || format!("[{}]", name()))?);
                    Ok(())
                })?;
                Ok(all)
            }
        }
    };
}
read_map!(HashMap, Hash | Eq, H);
read_map!(BTreeMap, Ord);

macro_rules! read_tuple {
    ($n:literal; $($t:ident),+) => {
        impl<'a, $($t: for<'b> FromValue<'b>),+> FromValue<'a> for ($($t,)+) {
            fn expected_type() -> Cow<'static, str> {
                let parts: &[Cow<'static, str>] = &[$($t::expected_type()),+];
                Cow::Owned(format!("a tuple ({})", parts.join(", ")))
            }
            #[allow(non_snake_case, unused_assignments)]
            fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
                $(let mut $t = None;)+
                let len = source.read_sequence(|i, item| {
                    let mut at = 0;
                    $(if i == at { $t = Some(convert_inside(item, || format!("[{i}]"))?); } at += 1;)+
                    Ok(())
                })?;
                match ($($t,)+) {
                    ($(Some($t),)+) if len == $n => Ok(($($t,)+)),
                    _ => Err(Mismatch::Type),
                }
            }
        }
    };
}
read_tuple!(1; A);
read_tuple!(2; A, B);
read_tuple!(3; A, B, C);
read_tuple!(4; A, B, C, D);
read_tuple!(5; A, B, C, D, E);
read_tuple!(6; A, B, C, D, E, F);
read_tuple!(7; A, B, C, D, E, F, G);
read_tuple!(8; A, B, C, D, E, F, G, H);
