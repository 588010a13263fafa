//! Reading one value that came from a frontend.

use super::Subscript;
use crate::error::{Error, ErrorKind};
use crate::object::{ErasedBorrow, ErasedRef};
use crate::value::{Any, Array, BigInt, Callback, Foreign, Function};

/// Why a value did not convert. Made on the hot path, so it is small; the words are added by
/// [`Mismatch::into_error`].
#[derive(Debug)]
pub enum Mismatch {
    /// Another type was expected.
    Type,
    /// A number that does not fit.
    Overflow,
    /// The right type with a wrong value, and why (a surrogate in a string).
    Value(String),
    /// The right type, but a part of it is missing or unknown, and which (a key that no field has).
    Shape(String),
    /// An inner value did not convert: where (`[3]`, `['key']`), the expected type, the value.
    Inside(Box<(String, String, String, Mismatch)>),
    /// Reading failed with an error of its own.
    Raised(Error),
}

impl Mismatch {
    /// The error that names `place` (`"f() argument 'x'"`), the expected type and the value.
    #[must_use]
    pub fn into_error(self, place: impl Fn() -> String, expected: &str, came: impl Fn() -> String) -> Error {
        self.explain_at(&place, expected, &came)
    }

    /// As [`into_error`](Self::into_error), of a value that stands nowhere.
    #[must_use]
    pub fn into_bare_error(self, expected: &str, came: &dyn Fn() -> String) -> Error {
        match self {
            Mismatch::Type => Error::type_error(format!("expected {expected}, got {}", came())),
            Mismatch::Overflow => Error::new(
                ErrorKind::Overflow,
                format!("{} does not fit into {expected}", came()),
            ),
            other => other.explain_at(&|| "a value".to_owned(), expected, came),
        }
    }

    /// Takes trait objects, because it calls itself with closures of its own: as type parameters
    /// they would never end.
    fn explain_at(self, place: &dyn Fn() -> String, expected: &str, came: &dyn Fn() -> String) -> Error {
        match self {
            Mismatch::Type => Error::type_error(format!("{}: expected {expected}, got {}", place(), came())),
            Mismatch::Overflow => Error::new(
                ErrorKind::Overflow,
                format!("{}: {} does not fit into {expected}", place(), came()),
            ),
            Mismatch::Shape(why) => Error::type_error(format!("{}: {why}", place())),
            Mismatch::Value(why) => Error::value_error(format!("{}: {why}", place())),
            Mismatch::Inside(inner) => {
                let (at, expected, came, mismatch) = *inner;
                mismatch.explain_at(&|| format!("{}{at}", place()), &expected, &|| came.clone())
            }
            Mismatch::Raised(error) => error,
        }
    }
}

impl From<Error> for Mismatch {
    fn from(error: Error) -> Self {
        Mismatch::Raised(error)
    }
}

/// One value that came from a frontend, borrowed for `'a`.
///
/// The readers do not convert between kinds, with two exceptions that Python users expect: an int
/// (or anything with `__index__`/`__float__`) is accepted where a float is expected, and
/// `__index__` is honoured for integers. `bool` is not an integer here unless the frontend's
/// language says so (in Python it is).
pub trait Source<'a>: Copy {
    /// The source type of the elements inside, valid for a shorter time.
    type Item<'b>: Source<'b>;

    /// Whether this is the absent value.
    fn is_none(self) -> bool;
    /// # Errors
    /// Not a bool.
    fn read_bool(self) -> Result<bool, Mismatch>;
    /// # Errors
    /// Not an integer, or too large.
    fn read_i64(self) -> Result<i64, Mismatch>;
    /// # Errors
    /// Not an integer, negative or too large.
    fn read_u64(self) -> Result<u64, Mismatch>;
    /// # Errors
    /// Not an integer, or too large.
    fn read_i128(self) -> Result<i128, Mismatch>;
    /// # Errors
    /// Not an integer, negative or too large.
    fn read_u128(self) -> Result<u128, Mismatch>;
    /// # Errors
    /// Not an integer.
    fn big_int(self) -> Result<BigInt, Mismatch>;
    /// # Errors
    /// Not a number.
    fn read_f64(self) -> Result<f64, Mismatch>;
    /// # Errors
    /// Not a string, or one that UTF-8 cannot express.
    fn read_str(self) -> Result<&'a str, Mismatch>;
    /// # Errors
    /// Not bytes.
    fn read_bytes(self) -> Result<&'a [u8], Mismatch>;
    /// A copy of bytes, also of those that may change or move meanwhile (Python: whatever has a
    /// contiguous buffer of bytes).
    ///
    /// # Errors
    /// Not bytes.
    fn copied_bytes(self) -> Result<std::borrow::Cow<'a, [u8]>, Mismatch> {
        self.read_bytes().map(std::borrow::Cow::Borrowed)
    }
    /// A path: a string or what the language uses for paths (`os.PathLike`).
    ///
    /// # Errors
    /// Not a path.
    fn read_path(self) -> Result<std::path::PathBuf, Mismatch>;
    /// The native object, borrowed for the call: nothing is counted.
    ///
    /// # Errors
    /// Not an object (`Mismatch::Type`), or a wrapper without one (`Raised`).
    fn read_object(self) -> Result<ErasedBorrow<'a>, Mismatch>;
    /// Something callable, as a function; the same callable gives the same function while it lives.
    ///
    /// # Errors
    /// Not callable.
    fn read_function(self) -> Result<Function, Mismatch>;
    /// Something callable, to be called during the call.
    ///
    /// # Errors
    /// Not callable.
    #[inline]
    fn read_callback(self) -> Result<Callback<'a>, Mismatch> {
        self.read_function().map(Callback::from)
    }
    /// The value as an opaque object of its own language; it comes back as the very same object.
    ///
    /// # Errors
    /// The frontend is closed.
    fn read_foreign(self) -> Result<Foreign, Mismatch>;
    /// The value as whatever it is.
    ///
    /// # Errors
    /// The frontend is closed.
    fn read_any(self) -> Result<Any, Mismatch>;
    /// Calls `each` with every element of a sequence (not a string or bytes) in order and returns
    /// their number.
    ///
    /// # Errors
    /// Not a sequence, or the first error of `each` or of the iteration.
    fn read_sequence<F>(self, each: F) -> Result<usize, Mismatch>
    where
        F: for<'b> FnMut(usize, Self::Item<'b>) -> Result<(), Mismatch>;
    /// How many elements a sequence has, if that can be told at once: for how many there should be
    /// room. It may have changed when they are read.
    #[inline]
    fn len_hint(self) -> usize {
        0
    }
    /// Calls `each` with every key and value of a mapping.
    ///
    /// # Errors
    /// Not a mapping, or the first error of `each` or of the iteration.
    fn read_mapping<F>(self, each: F) -> Result<(), Mismatch>
    where
        F: for<'b> FnMut(Self::Item<'b>, Self::Item<'b>) -> Result<(), Mismatch>;
    /// The numbers of an object that lends them, without copying (Python: a buffer, or DLPack).
    ///
    /// # Errors
    /// Nothing of that kind.
    fn read_array(self) -> Result<Array, Mismatch> {
        Err(Mismatch::Type)
    }
    /// Reads a subscript that is no value of its own (Python: a slice, `...`, a tuple).
    ///
    /// # Errors
    /// Nothing of that kind.
    fn read_subscript(self) -> Result<Subscript, Mismatch> {
        Err(Mismatch::Type)
    }
    /// Reads attributes of an object whose class, or a base of it, the language's library has under
    /// the name `class` (`datetime.timedelta`). A name with `()` at its end is a method, which is
    /// called.
    ///
    /// # Errors
    /// Of another class; what an attribute raises.
    fn read_parts(self, class: &str, names: &[&str]) -> Result<Vec<Any>, Mismatch> {
        let _ = (class, names);
        Err(Mismatch::Type)
    }
    /// Shows the attributes of an object that have these names, and returns how many there are.
    ///
    /// # Errors
    /// The frontend is closed, what an attribute raises, or the first error of `fields`.
    fn read_attributes<F: super::record::Fields>(
        self,
        names: &[&str],
        fields: &mut F,
    ) -> Result<usize, Mismatch> {
        super::record::default_attributes(self, names, fields)
    }
    /// The type's name and a short form of the value, for messages: `str 'abc'`.
    fn describe(self) -> String;
    /// An owned reference to a borrowed native object that came from this source.
    fn to_owned_ref(self, object: ErasedBorrow<'a>) -> ErasedRef {
        object.to_ref()
    }
}
