//! `indexmap`: an `IndexMap` is a `dict`, an `IndexSet` is read from a set or sequence and given as
//! a list, in its order.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash};

use indexmap::{IndexMap, IndexSet};

use crate::convert::from_value::convert_inside;
use crate::convert::{Emit, FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::Error;

/// There is no memory for another element.
fn no_room(error: indexmap::TryReserveError) -> Error {
    Error::new(crate::error::ErrorKind::Memory, error.to_string())
}

impl<'a, K, V, H> FromValue<'a> for IndexMap<K, V, H>
where
    K: for<'b> FromValue<'b> + Hash + Eq,
    V: for<'b> FromValue<'b>,
    H: BuildHasher + Default,
{
    fn expected_type() -> Cow<'static, str> {
        format!("a mapping from {} to {}", K::expected_type(), V::expected_type()).into()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut all = Self::default();
        source.read_mapping(|key, value| {
            all.try_reserve(1).map_err(no_room)?;
            let stored = convert_inside(key, || format!(" key {}", key.describe()))?;
            all.insert(stored, convert_inside(value, || format!("[{}]", key.describe()))?);
            Ok(())
        })?;
        Ok(all)
    }
}

impl<'a, T: for<'b> FromValue<'b> + Hash + Eq, H: BuildHasher + Default> FromValue<'a> for IndexSet<T, H> {
    fn expected_type() -> Cow<'static, str> {
        format!("a set of {}", T::expected_type()).into()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut all = Self::default();
        source.read_sequence(|i, item| {
            all.try_reserve(1).map_err(no_room)?;
            all.insert(convert_inside(item, || format!("[{i}]"))?);
            Ok(())
        })?;
        Ok(all)
    }
}

impl<K: IntoValue, V: IntoValue, H> IntoValue for IndexMap<K, V, H> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_mapping(self.into_iter())
    }
}

impl<T: IntoValue, H> IntoValue for IndexSet<T, H> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_list(self.into_iter())
    }
}

impl<K: IntoValue + Clone, V: IntoValue + Clone, H> Emit for IndexMap<K, V, H> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        out.write_mapping(self.iter().map(|(key, value)| (key.clone(), value.clone())))
    }
}

impl<T: IntoValue + Clone, H> Emit for IndexSet<T, H> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        out.write_list(self.iter().cloned())
    }
}
