//! [`AnySink`]: values as [`Any`], for calls between Rust and Rust.

use std::path::Path;

use super::{IntoValue, Part, Sink};
use crate::error::{Error, ErrorKind};
use crate::memory::Gather;
use crate::object::{ErasedBorrow, ErasedRef};
use crate::value::{Any, BigInt, Bytes, Foreign, FrontendValues, Function, List, Map, Set, Tuple};

/// Makes an [`Any`]. A list becomes a `List`, a set a `Set`, a tuple a `Tuple`, a mapping a `Map`.
#[derive(Clone, Copy, Debug)]
pub struct AnySink;

macro_rules! sinks {
    ($($name:ident($($value:ident: $t:ty)?) => $make:expr;)*) => {
        impl Sink for AnySink {
            type Out = Any;
            type Inner = Pushed;
            $(
                #[inline]
                fn $name(self $(, $value: $t)?) -> Result<Any, Error> {
                    Ok($make)
                }
            )*
            fn write_constructed(self, class: &str, arguments: &[Part<'_>]) -> Result<Any, Error> {
                match crate::frontend::attached_frontend() {
                    Some(frontend) => frontend.construct_value(&Part::Made(class, arguments)),
                    None => Err(Error::type_error(format!(
                        "there is no {class} here: no interpreter is attached"
                    ))),
                }
            }
            fn write_list<I>(self, items: I) -> Result<Any, Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                let all = items.map(|item| item.into_value(AnySink)).gather_ok()?;
                Ok(Any::from(all.into_iter().collect::<List<Any>>()))
            }
            fn write_set<I>(self, items: I) -> Result<Any, Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                set_of(items.map(|item| item.into_value(AnySink)).gather_ok()?)
            }
            fn write_tuple(
                self,
                len: usize,
                fill: &mut dyn FnMut(usize, Pushed) -> Result<(), Error>,
            ) -> Result<Any, Error> {
                let all: List<Any> = List::new();
                for index in 0..len {
                    fill(index, Pushed(all.clone()))?;
                }
                Ok(Any::from(all.iter().collect::<Tuple<Any>>()))
            }
            fn write_mapping<I, K, V>(self, items: I) -> Result<Any, Error>
            where
                I: Iterator<Item = (K, V)>,
                K: IntoValue,
                V: IntoValue,
            {
                let all: Map<Any, Any> = Map::new();
                for (key, value) in items {
                    all.insert(key.into_value(AnySink)?, value.into_value(AnySink)?)?;
                }
                Ok(Any::from(all))
            }
        }

        impl Sink for Pushed {
            type Out = ();
            type Inner = Pushed;
            $(
                fn $name(self $(, $value: $t)?) -> Result<(), Error> {
                    AnySink.$name($($value)?).map(|value| self.0.push(value))
                }
            )*
            fn write_constructed(self, class: &str, arguments: &[Part<'_>]) -> Result<(), Error> {
                AnySink.write_constructed(class, arguments).map(|value| self.0.push(value))
            }
            fn write_list<I>(self, items: I) -> Result<(), Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                AnySink.write_list(items).map(|value| self.0.push(value))
            }
            fn write_set<I>(self, items: I) -> Result<(), Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                AnySink.write_set(items).map(|value| self.0.push(value))
            }
            fn write_tuple(
                self,
                len: usize,
                fill: &mut dyn FnMut(usize, Pushed) -> Result<(), Error>,
            ) -> Result<(), Error> {
                AnySink.write_tuple(len, fill).map(|value| self.0.push(value))
            }
            fn write_mapping<I, K, V>(self, items: I) -> Result<(), Error>
            where
                I: Iterator<Item = (K, V)>,
                K: IntoValue,
                V: IntoValue,
            {
                AnySink.write_mapping(items).map(|value| self.0.push(value))
            }
        }
    };
}

/// The end of a list, where an element goes.
#[derive(Debug)]
pub struct Pushed(List<Any>);

sinks! {
    write_none() => Any::None;
    write_bool(value: bool) => Any::Bool(value);
    write_i64(value: i64) => Any::Int(value);
    write_u64(value: u64) => Any::from(u128::from(value));
    write_i128(value: i128) => Any::from(value);
    write_u128(value: u128) => Any::from(value);
    big_int(value: &BigInt) => Any::from(value.clone());
    write_f64(value: f64) => Any::Float(value);
    write_str(value: &str) => Any::Str(value.into());
    write_bytes(value: &[u8]) => Any::Bytes(value.into());
    write_path(value: &Path) => match value.to_str() {
        Some(text) => Any::Str(text.into()),
        None => return decode_path(value),
    };
    write_object(value: ErasedBorrow<'_>) => Any::from_object(value.to_ref());
    write_owned(value: ErasedRef) => Any::from_object(value);
    write_function(value: &Function) => Any::Function(value.clone());
    write_foreign(value: &Foreign) => Any::Foreign(value.clone());
    write_any(value: &Any) => value.clone();
}

/// Returns a set of the elements; a list where one cannot be hashed, as frontends do.
fn set_of(items: Vec<Any>) -> Result<Any, Error> {
    let set: Set<Any> = Set::new();
    for item in &items {
        match set.insert(item.clone()) {
            Ok(_) => {}
            Err(error) if *error.kind() == ErrorKind::Type => {
                return Ok(Any::from(items.into_iter().collect::<List<Any>>()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Any::from(set))
}

/// Returns a path that is not UTF-8 as Python's functions do, if an interpreter is attached.
#[cold]
fn decode_path(path: &Path) -> Result<Any, Error> {
    if crate::frontend::attached_frontend().is_none() {
        return Err(Error::value_error("the path is not UTF-8"));
    }
    let bytes = Bytes::from(path.as_os_str().as_encoded_bytes());
    AnySink.write_constructed("os.fsdecode", &[Part::Value(Any::Bytes(bytes))])
}

/// Converts a value as a native function would receive it.
///
/// # Errors
/// It has no native form.
pub fn to_any(value: impl IntoValue) -> Result<Any, Error> {
    value.into_value(AnySink)
}
