//! Writing one value for a frontend.

use super::{IntoValue, Part};
use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Object, Ref};
use crate::value::{Any, BigInt, Foreign, Function};

/// A place for one result.
pub trait Sink: Sized {
    /// The frontend's representation of the value.
    type Out;
    /// A sink for an element of a container that this sink is asked for.
    type Inner: Sink<Out = ()>;

    /// # Errors
    /// The frontend could not make the value (out of memory, closed); the same for all below.
    fn write_none(self) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_bool(self, value: bool) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_i64(self, value: i64) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_u64(self, value: u64) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_i128(self, value: i128) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_u128(self, value: u128) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn big_int(self, value: &BigInt) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_f64(self, value: f64) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_str(self, value: &str) -> Result<Self::Out, Error>;
    /// A string that many share (a [`Str`](crate::value::Str)): it may have been given before.
    ///
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    #[inline]
    fn shared_str(self, value: &str) -> Result<Self::Out, Error> {
        self.write_str(value)
    }
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_bytes(self, value: &[u8]) -> Result<Self::Out, Error>;
    /// A path, as the language's string or path type.
    ///
    /// # Errors
    /// See [`write_none`](Sink::write_none).
    fn write_path(self, value: &std::path::Path) -> Result<Self::Out, Error>;
    /// The wrapper of a native object, if there is one already and nothing has to be done for it.
    /// Calls nothing foreign and does not wait: a field's lock may be held.
    #[inline]
    fn at_hand(&self, value: ErasedBorrow<'_>) -> Option<Self::Out> {
        let _ = value;
        None
    }
    /// A native object that the caller keeps: its wrapper is fetched, nothing is counted natively.
    ///
    /// # Errors
    /// See [`write_none`](Sink::write_none); `InterpreterError` when the object belongs to another
    /// interpreter.
    fn write_object(self, value: ErasedBorrow<'_>) -> Result<Self::Out, Error>;
    /// A native object that is given away; the last reference goes over into the wrapper's custody.
    ///
    /// # Errors
    /// See [`write_object`](Sink::write_object).
    fn write_owned(self, value: ErasedRef) -> Result<Self::Out, Error>;
    /// A new native object, with its wrapper.
    ///
    /// # Errors
    /// See [`write_object`](Sink::write_object).
    #[inline]
    fn write_new_object<T: Object + Send + Sync>(self, value: T) -> Result<Self::Out, Error> {
        self.write_owned(Ref::try_new(value)?.into_erased())
    }
    /// # Errors
    /// See [`write_object`](Sink::write_object).
    fn write_function(self, value: &Function) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_object`](Sink::write_object).
    fn write_foreign(self, value: &Foreign) -> Result<Self::Out, Error>;
    /// # Errors
    /// See [`write_object`](Sink::write_object).
    fn write_any(self, value: &Any) -> Result<Self::Out, Error>;
    /// A value of a class that the language's library has under the name `class`
    /// (`datetime.timedelta`; with a colon behind a module whose name has a point,
    /// `concurrent.futures:Future`), made by calling the class.
    ///
    /// # Errors
    /// The frontend has no such class; what the class raises.
    fn write_constructed(self, class: &str, arguments: &[Part<'_>]) -> Result<Self::Out, Error> {
        let _ = arguments;
        Err(Error::type_error(format!(
            "there is no {class} here: no interpreter is attached"
        )))
    }
    /// A value of a class as of [`write_constructed`](Sink::write_constructed), whose arguments all
    /// have names.
    ///
    /// # Errors
    /// As [`write_constructed`](Sink::write_constructed); that of the first argument that does not
    /// convert.
    fn write_instance<I, V>(self, class: &str, items: I) -> Result<Self::Out, Error>
    where
        I: Iterator<Item = (&'static str, V)>,
        V: IntoValue,
    {
        super::record::default_instance(self, class, items)
    }
    /// A set of the language (Python: `set`); a list where it cannot hash the elements.
    ///
    /// # Errors
    /// That of the first element that does not convert.
    fn write_set<I>(self, items: I) -> Result<Self::Out, Error>
    where
        I: ExactSizeIterator,
        I::Item: IntoValue,
    {
        self.write_list(items)
    }
    /// A list of the language (Python: `list`).
    ///
    /// # Errors
    /// That of the first element that does not convert.
    fn write_list<I>(self, items: I) -> Result<Self::Out, Error>
    where
        I: ExactSizeIterator,
        I::Item: IntoValue;
    /// A tuple; built from the given elements by `fill`, which is called once with each index.
    ///
    /// # Errors
    /// That of the first element that does not convert.
    fn write_tuple(
        self,
        len: usize,
        fill: &mut dyn FnMut(usize, Self::Inner) -> Result<(), Error>,
    ) -> Result<Self::Out, Error>;
    /// A mapping (Python: `dict`).
    ///
    /// # Errors
    /// That of the first element that does not convert.
    fn write_mapping<I, K, V>(self, items: I) -> Result<Self::Out, Error>
    where
        I: Iterator<Item = (K, V)>,
        K: IntoValue,
        V: IntoValue;
}
