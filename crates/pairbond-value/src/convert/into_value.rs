//! How Rust types are given to a [`Sink`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::Sink;
use crate::error::{Error, ErrorKind};
use crate::object::{Borrow, ErasedBorrow, ErasedRef, Object, Ref, Weak};
use crate::value::{Any, BigInt, Bytes, Cell, DType, Device, Foreign, Function, Str};

/// Adjacent values as bytes. See [`IntoValue::BYTES`].
pub type AsBytes<T> = fn(&[T]) -> &[u8];

/// A value that is given away.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given to another language",
    label = "does not implement `IntoValue`",
    note = "a new object is given as `New<T>`, another as `Ref<T>`, `&Ref<T>` or `Borrow<'_, T>`, a plain struct by `#[derive(pairbond::Record)]`, other values by a type that implements `IntoValue`"
)]
pub trait IntoValue: Sized {
    /// # Errors
    /// The frontend could not make the value.
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error>;

    /// Whether [`at_hand`](Self::at_hand) may give something.
    const AT_HAND: bool = false;

    /// The bytes of adjacent values, for types that are bytes: a `Vec` or an array of them is given
    /// as bytes.
    const BYTES: Option<AsBytes<Self>> = None;

    /// The value for the sink, if it can be had without cloning and without foreign code
    /// ([`Sink::at_hand`]).
    #[inline]
    fn at_hand<S: Sink>(&self, out: &S) -> Option<S::Out> {
        let _ = out;
        None
    }
}

/// A value that stays where it is: a field that is read.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be shown to another language",
    label = "does not implement `Emit`",
    note = "leave out `#[field]`, or write a `#[getter]` that returns something that can be shown"
)]
pub trait Emit {
    /// # Errors
    /// The frontend could not make the value.
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error>;
}

/// What a function may return: a value, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function that another language calls",
    label = "neither a value that implements `IntoValue` nor a `Result` of one with an error that converts into `pairbond::Error`",
    note = "a struct that is an object is returned as `New<T>` where it is new, otherwise as `Ref<T>` or `Borrow<'_, T>`; a plain struct has `#[derive(pairbond::Record)]`"
)]
pub trait Outcome {
    /// # Errors
    /// The function's own error, or the frontend's.
    fn write_outcome<S: Sink>(self, out: S) -> Result<S::Out, Error>;
}

impl<T: IntoValue> Outcome for T {
    #[inline]
    fn write_outcome<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.into_value(out)
    }
}

impl<T: IntoValue, E: Into<Error>> Outcome for Result<T, E> {
    #[inline]
    fn write_outcome<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        match self {
            Ok(value) => value.into_value(out),
            Err(error) => Err(error.into()),
        }
    }
}

/// What `__next__` returns: the next value, or `None` at the end, which is another thing than a
/// value that is `None`.
#[diagnostic::on_unimplemented(
    message = "`__next__` cannot return `{Self}`: it returns `Option<T>` or `Result<Option<T>, E>`",
    note = "`None` ends the iteration"
)]
pub trait Step {
    /// # Errors
    /// [`ErrorKind::StopIteration`] at the end; the function's own error, or the frontend's.
    fn write_step<S: Sink>(self, out: S) -> Result<S::Out, Error>;
}

impl<T: IntoValue> Step for Option<T> {
    #[inline]
    fn write_step<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        match self {
            Some(value) => value.into_value(out),
            None => Err(Error::new(ErrorKind::StopIteration, "")),
        }
    }
}

impl<T: IntoValue, E: Into<Error>> Step for Result<Option<T>, E> {
    #[inline]
    fn write_step<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.map_err(Into::into)?.write_step(out)
    }
}

macro_rules! write {
    ($($t:ty, $self:ident, $s:ident => $e:expr;)*) => {$(
        impl IntoValue for $t {
            #[inline]
            fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
                self.emit_value(out)
            }
        }
        impl Emit for $t {
            #[inline]
            fn emit_value<S: Sink>(&self, $s: S) -> Result<S::Out, Error> {
                let $self = self;
                $e
            }
        }
    )*};
}

write! {
    i8, v, s => s.write_i64((*v).into());
    i16, v, s => s.write_i64((*v).into());
    i32, v, s => s.write_i64((*v).into());
    i64, v, s => s.write_i64(*v);
    isize, v, s => s.write_i64(*v as i64);
    u16, v, s => s.write_i64((*v).into());
    u32, v, s => s.write_i64((*v).into());
    u64, v, s => s.write_u64(*v);
    usize, v, s => s.write_u64(*v as u64);
    i128, v, s => s.write_i128(*v);
    u128, v, s => s.write_u128(*v);
    BigInt, v, s => s.big_int(v);
    DType, v, s => s.write_any(&Any::DType(*v));
    Device, v, s => s.write_any(&Any::Device(*v));
    f64, v, s => s.write_f64(*v);
    f32, v, s => s.write_f64((*v).into());
    bool, v, s => s.write_bool(*v);
    char, v, s => s.write_str(v.encode_utf8(&mut [0; 4]));
    (), _v, s => s.write_none();
    String, v, s => s.write_str(v);
    Str, v, s => s.shared_str(v);
    Bytes, v, s => s.write_bytes(v);
    PathBuf, v, s => s.write_path(v);
    Any, v, s => s.write_any(v);
    Function, v, s => s.write_function(v);
    Foreign, v, s => s.write_foreign(v);
}

impl IntoValue for u8 {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_i64(self.into())
    }

    const BYTES: Option<AsBytes<Self>> = Some(|bytes| bytes);
}

impl Emit for u8 {
    #[inline]
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        out.write_i64((*self).into())
    }
}

impl IntoValue for &str {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_str(self)
    }
}

impl IntoValue for &[u8] {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_bytes(self)
    }
}

impl IntoValue for &Path {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_path(self)
    }
}

impl<T: Object + Send + Sync> IntoValue for Ref<T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_owned(self.into_erased())
    }

    const AT_HAND: bool = true;

    #[inline]
    fn at_hand<S: Sink>(&self, out: &S) -> Option<S::Out> {
        out.at_hand(self.as_borrow().erase())
    }
}

impl<T: Object + Send + Sync> Emit for Ref<T> {
    #[inline]
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        out.write_object(self.as_borrow().erase())
    }
}

impl<T: Object + Send + Sync> IntoValue for &Ref<T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.emit_value(out)
    }
}

impl<T: Object + Send + Sync> IntoValue for Borrow<'_, T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_object(self.erase())
    }
}

impl IntoValue for ErasedBorrow<'_> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_object(self)
    }
}

impl IntoValue for ErasedRef {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_owned(self)
    }
}

impl Emit for ErasedRef {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        out.write_object(self.as_borrow())
    }
}

impl<T: Object + Send + Sync> IntoValue for Weak<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.emit_value(out)
    }
}

impl<T: Object + Send + Sync> Emit for Weak<T> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        self.upgrade().into_value(out)
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        match self {
            Some(value) => value.into_value(out),
            None => out.write_none(),
        }
    }

    const AT_HAND: bool = T::AT_HAND;

    #[inline]
    fn at_hand<S: Sink>(&self, out: &S) -> Option<S::Out> {
        self.as_ref().and_then(|value| value.at_hand(out))
    }
}

impl<T: Emit> Emit for Option<T> {
    #[inline]
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        match self {
            Some(value) => value.emit_value(out),
            None => out.write_none(),
        }
    }
}

/// A mutable field is copied out under its lock and converted after, so that no frontend code runs
/// while it is held; an object that has its wrapper at hand needs no copy.
impl<T: Clone + Sync + IntoValue> Emit for Cell<T> {
    #[inline(always)]
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        if T::AT_HAND
            && let Some(done) = self.with(|value| value.at_hand(&out))
        {
            return Ok(done);
        }
        emit_copy(self, out)
    }
}

/// A getter may return a reference to the field that has the value: that costs what reading a
/// `#[field]` costs, no copy is counted.
impl<T: Clone + Sync + IntoValue> IntoValue for &Cell<T> {
    #[inline(always)]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.emit_value(out)
    }
}

#[inline(never)]
fn emit_copy<T: Clone + Sync + IntoValue, S: Sink>(cell: &Cell<T>, out: S) -> Result<S::Out, Error> {
    cell.get().into_value(out)
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        match T::BYTES {
            Some(bytes) => out.write_bytes(bytes(&self)),
            None => out.write_list(self.into_iter()),
        }
    }
}

impl<T: IntoValue + Clone> Emit for Vec<T> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        match T::BYTES {
            Some(bytes) => out.write_bytes(bytes(self)),
            None => out.write_list(self.iter().cloned()),
        }
    }
}

/// A field is given as a copy.
macro_rules! emitted {
    ($(<$($g:ident),+ $(; const $n:ident)?> $t:ty;)*) => {$(
        impl<$($g,)+ $(const $n: usize)?> Emit for $t
        where
            $t: Clone + IntoValue,
        {
            fn emit_value<Z: Sink>(&self, out: Z) -> Result<Z::Out, Error> {
                self.clone().into_value(out)
            }
        }
    )*};
}
emitted! {
    <T; const N> [T; N];
    <T, H> HashSet<T, H>;
    <T> BTreeSet<T>;
    <K, V, H> HashMap<K, V, H>;
    <K, V> BTreeMap<K, V>;
    <A> (A,);
    <A, B> (A, B);
    <A, B, C> (A, B, C);
    <A, B, C, D> (A, B, C, D);
    <A, B, C, D, E> (A, B, C, D, E);
    <A, B, C, D, E, F> (A, B, C, D, E, F);
    <A, B, C, D, E, F, G> (A, B, C, D, E, F, G);
    <A, B, C, D, E, F, G, I> (A, B, C, D, E, F, G, I);
}

impl<T: IntoValue, const N: usize> IntoValue for [T; N] {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        match T::BYTES {
            Some(bytes) => out.write_bytes(bytes(&self)),
            None => out.write_list(self.into_iter()),
        }
    }
}

impl<T: IntoValue, H> IntoValue for HashSet<T, H> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_set(self.into_iter())
    }
}

/// In its order, which a `set` of Python does not have.
impl<T: IntoValue> IntoValue for BTreeSet<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_list(self.into_iter())
    }
}

impl<K: IntoValue, V: IntoValue, H> IntoValue for HashMap<K, V, H> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_mapping(self.into_iter())
    }
}

impl<K: IntoValue, V: IntoValue> IntoValue for BTreeMap<K, V> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_mapping(self.into_iter())
    }
}

macro_rules! write_tuple {
    ($n:literal; $($t:ident $i:tt),+) => {
        impl<$($t: IntoValue),+> IntoValue for ($($t,)+) {
            fn into_value<Z: Sink>(self, out: Z) -> Result<Z::Out, Error> {
                let mut parts = ($(Some(self.$i),)+);
                out.write_tuple($n, &mut |i, slot| match i {
                    $($i => parts.$i.take().expect("each element is asked for once").into_value(slot),)+
                    _ => unreachable!("a tuple of {} has no element {i}", $n),
                })
            }
        }
    };
}
write_tuple!(1; A 0);
write_tuple!(2; A 0, B 1);
write_tuple!(3; A 0, B 1, C 2);
write_tuple!(4; A 0, B 1, C 2, D 3);
write_tuple!(5; A 0, B 1, C 2, D 3, E 4);
write_tuple!(6; A 0, B 1, C 2, D 3, E 4, F 5);
write_tuple!(7; A 0, B 1, C 2, D 3, E 4, F 5, G 6);
write_tuple!(8; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
