//! Containers that cross a border: as themselves, or copied from what the language has.

use std::borrow::Cow;

use super::moved::moved_here;
use super::{Emit, FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::Error;
use crate::memory::try_push;
use crate::object::ErasedBorrow;
use crate::value::{
    Any, Element, FrozenMap, FrozenMapBody, Key, List, ListBody, Map, MapBody, Set, SetBody, Table, Tuple,
    TupleBody,
};

/// The handle has a function `read` for arguments that are not such a container already.
macro_rules! crosses {
    ($name:ident<$($p:ident: $bound:ident),+>, $body:ident) => {
        impl<'a, $($p: $bound),+> FromValue<'a> for $name<$($p),+> {
            fn expected_type() -> Cow<'static, str> {
                Self::type_name()
            }
            /// A container of this kind with the same elements is passed on; anything else is
            /// copied, if its elements fit.
            fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
                match source.read_object() {
                    Ok(object) => match object.downcast::<$body>() {
                        Some(body) if Self::kinds_match(body.get()) => match source.to_owned_ref(object).downcast() {
                            Ok(body) => Ok(Self::from_body(body)),
                            Err(_) => Err(Mismatch::Type),
                        },
                        // A container of other elements must not be copied silently: its owner
                        // would not see the changes.
                        Some(_) => Err(Mismatch::Type),
                        None => {
                            let fits = |it: ErasedBorrow<'_>| {
                                it.downcast::<$body>().is_some_and(|body| Self::kinds_match(body.get()))
                            };
                            moved_here(object, fits).map(Self::from_body)
                        }
                    },
                    Err(Mismatch::Raised(error)) => Err(Mismatch::Raised(error)),
                    Err(_) => Self::read_container(source),
                }
            }
        }

        impl<$($p: $bound),+> IntoValue for $name<$($p),+> {
            fn into_value<Z: Sink>(self, out: Z) -> Result<Z::Out, Error> {
                out.write_owned(self.into_erased())
            }
        }

        impl<$($p: $bound),+> Emit for $name<$($p),+> {
            fn emit_value<Z: Sink>(&self, out: Z) -> Result<Z::Out, Error> {
                out.write_object(self.as_borrow())
            }
        }
    };
}
crosses!(List<T: Element>, ListBody);
crosses!(Tuple<T: Element>, TupleBody);
crosses!(Set<K: Key>, SetBody);
crosses!(Map<K: Key, V: Element>, MapBody);
crosses!(FrozenMap<K: Key, V: Element>, FrozenMapBody);

impl<T: Element> List<T> {
    fn read_container<'a, S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut items = Vec::new();
        source.read_sequence(|i, item| {
            let item = convert_element::<T, _>(item, || format!("[{i}]"))?;
            try_push(&mut items, item).map_err(Error::from)?;
            Ok(())
        })?;
        Ok(Self::from_items(items))
    }
}

impl<T: Element> Tuple<T> {
    fn read_container<'a, S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut items = Vec::new();
        source.read_sequence(|i, item| {
            let item = convert_element::<T, _>(item, || format!("[{i}]"))?;
            try_push(&mut items, item).map_err(Error::from)?;
            Ok(())
        })?;
        Ok(Self::from_items(items.into()))
    }
}

impl<K: Key> Set<K> {
    fn read_container<'a, S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut table = Table::default();
        source.read_sequence(|i, item| {
            let item = convert_element::<K, _>(item, || format!("[{i}]"))?;
            Ok(table.put_if_absent(item, ())?)
        })?;
        Ok(Self::from_table(table))
    }
}

impl<K: Key, V: Element> Map<K, V> {
    fn read_container<'a, S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Ok(Self::from_table(read_table::<K, V, S>(source)?))
    }
}

impl<K: Key, V: Element> FrozenMap<K, V> {
    fn read_container<'a, S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Ok(Self::from_table(read_table::<K, V, S>(source)?))
    }
}

/// Keys and values of an argument.
fn read_table<'a, K: Element, V: Element, S: Source<'a>>(source: S) -> Result<Table<Any>, Mismatch> {
    let mut table = Table::default();
    source.read_mapping(|key, value| {
        let name = key.describe();
        let key = convert_element::<K, _>(key, || format!(" key {name}"))?;
        let value = convert_element::<V, _>(value, || format!("[{name}]"))?;
        Ok(table.put_if_absent(key, value)?)
    })?;
    Ok(table)
}

/// One element of an argument, converted to its stored form.
fn convert_element<'b, T: Element, S: Source<'b>>(
    source: S,
    at: impl Fn() -> String,
) -> Result<Any, Mismatch> {
    let value = Any::from_value(source)?;
    T::coerce(value).map_err(|_| {
        Mismatch::Inside(Box::new((
            at(),
            T::type_name().into_owned(),
            source.describe(),
            Mismatch::Type,
        )))
    })
}
