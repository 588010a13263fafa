//! [`Map`]: a mutable mapping, in the order of insertion, that is a native object itself.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::container_handle::{body, handle, mapping_name};
use super::element::{Element, Key, Kind, Lookup};
use super::field_kind::FieldKind;
use super::hash_table::Table;
use super::hashed::Hashed;
use crate::error::Error;
use crate::memory::or_unwind;
use crate::object::{ErasedBorrow, ErasedRef, Ref};
use crate::value::{Any, AnyRef};

/// The native object behind a [`Map`], whatever its keys and values.
pub struct MapBody {
    entries: Hashed<Any>,
    keys: Kind,
    values: Kind,
}

body!(MapBody, "pairbond.Map");

trace_fields! { MapBody: entries;
    fn clear(&self) {
        self.entries.clear();
    }
    fn is_shareable(&self) -> Option<bool> {
        Some(crate::trace::Reach::is_native(|reach| {
            self.keys.visit_reachable(reach);
            self.values.visit_reachable(reach);
        }))
    }
}

impl Drop for MapBody {
    fn drop(&mut self) {
        if let Some(table) = self.entries.table_mut() {
            table.discard_all();
        }
    }
}

impl MapBody {
    /// A map from anything to anything.
    #[must_use]
    pub fn of_anything(table: Table<Any>) -> Self {
        MapBody {
            entries: Hashed::new(table),
            keys: Kind::of::<Any>(),
            values: Kind::of::<Any>(),
        }
    }

    /// A map of what a field of a type made at run time holds. They are the caller's to have
    /// checked.
    #[must_use]
    pub fn with_field_kinds(keys: &'static FieldKind, values: &'static FieldKind, table: Table<Any>) -> Self {
        MapBody {
            entries: Hashed::new(table),
            keys: Kind::of_field(keys),
            values: Kind::of_field(values),
        }
    }

    /// Whether it takes the same keys and values.
    #[must_use]
    pub fn is_of(&self, keys: &'static FieldKind, values: &'static FieldKind) -> bool {
        self.keys.is_same(Kind::of_field(keys)) && self.values.is_same(Kind::of_field(values))
    }

    /// Returns the kinds of keys and values.
    pub fn kinds(&self) -> [Kind; 2] {
        [self.keys, self.values]
    }

    /// An empty map.
    pub fn of_kinds(keys: Kind, values: Kind) -> Self {
        MapBody {
            entries: Hashed::new(Table::default()),
            keys,
            values,
        }
    }

    /// A map of the same kinds of keys and values, which are the caller's to have checked.
    #[must_use]
    pub fn with_same_kinds(&self, table: Table<Any>) -> Self {
        MapBody {
            entries: Hashed::new(table),
            ..*self
        }
    }

    /// Keys and values.
    #[inline]
    #[must_use]
    pub fn entries(&self) -> &Hashed<Any> {
        &self.entries
    }

    /// Whether the map takes every key as it is.
    #[inline]
    #[must_use]
    pub fn takes_any_key(&self) -> bool {
        self.keys.is_anything()
    }

    /// The stored form of a key, if the map takes it.
    ///
    /// # Errors
    /// `TypeError`
    #[inline]
    pub fn check_key(&self, key: Any) -> Result<Any, Error> {
        self.keys.check_value(key, "the keys of this map are")
    }

    /// The stored form of a value, if the map takes it.
    ///
    /// # Errors
    /// `TypeError`
    #[inline]
    pub fn check_value(&self, value: Any) -> Result<Any, Error> {
        self.values.check_value(value, "the values of this map are")
    }

    /// Stores a value, checked before, and returns the old one.
    ///
    /// # Errors
    /// What a comparison raised; the map is unchanged then.
    pub fn insert(&self, hash: i64, key: Any, value: Any) -> Result<Option<Any>, Error> {
        // A key that is not needed is dropped outside of the lock, with the old value.
        let (old, _unused) = self.entries.locate_with(hash, key, |table, place, key| {
            let value = match place {
                Some(place) => match table.replace_value(place, value) {
                    Ok((old, _)) => return (Some(old), Some(key)),
                    Err(value) => value,
                },
                None => value,
            };
            let _ = table.add(hash, key, value);
            (None, None)
        })?;
        Ok(old)
    }

    /// The value of a key.
    ///
    /// # Errors
    /// What a comparison raised.
    #[inline]
    pub fn get(&self, hash: i64, key: AnyRef<'_>) -> Result<Option<Any>, Error> {
        self.entries.find_locked(hash, key, |table, place| {
            place
                .and_then(|place| table.entry_at(place))
                .map(|entry| entry.value.clone())
        })
    }

    /// Removes a key.
    ///
    /// # Errors
    /// What a comparison raised; the map is unchanged then.
    pub fn remove(&self, hash: i64, key: AnyRef<'_>) -> Result<Option<(Any, Any)>, Error> {
        let removed = self.entries.locate_mut(hash, key, |table, place| {
            place.and_then(|place| table.remove(place))
        })?;
        Ok(removed.map(|entry| (entry.key, entry.value)))
    }
}

/// A mutable, shared mapping that keeps the order of insertion. Cloning it counts a reference: it
/// is the same map. Thread-safe; each operation is atomic.
///
/// Lookups return their result, or a `Result` of it when keys can fail to be hashed and compared
/// ([`Key::Outcome`]).
///
/// ```
/// use pairbond_value::value::{Map, Str};
///
/// let map: Map<Str, i64> = Map::new();
/// assert_eq!(map.insert("a".into(), 1), None);
/// assert_eq!(map.insert("a".into(), 2), Some(1));
/// assert_eq!((map.get("a"), map.get("b")), (Some(2), None));
/// ```
pub struct Map<K: Key, V: Element> {
    body: Ref<MapBody>,
    _type: PhantomData<fn() -> (K, V)>,
}

handle!(Map<K: Key, V: Element>, MapBody);

impl<K: Key, V: Element> Map<K, V> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::from_table(Table::default())
    }

    pub(crate) fn from_table(table: Table<Any>) -> Self {
        Self::from_body(Ref::new(MapBody {
            entries: Hashed::new(table),
            keys: Kind::of::<K>(),
            values: Kind::of::<V>(),
        }))
    }

    pub(crate) fn type_name() -> Cow<'static, str> {
        mapping_name("pairbond.Map", Kind::of::<K>(), Kind::of::<V>())
    }

    pub(crate) fn kinds_match(body: &MapBody) -> bool {
        body.keys.is_same(Kind::of::<K>()) && body.values.is_same(Kind::of::<V>())
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.entries.read(Table::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    pub fn get<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> K::Outcome<Option<V::Value>> {
        let key = key.key();
        let found = key.hash().and_then(|hash| self.body.get(hash, key));
        K::from_result(found.map(|value| value.as_ref().and_then(V::from_any)))
    }

    /// Whether a key is there.
    pub fn contains_key<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> K::Outcome<bool> {
        let key = key.key();
        let found = key.hash().and_then(|hash| {
            self.body
                .entries
                .find_locked(hash, key, |_, place| place.is_some())
        });
        K::from_result(found)
    }

    /// Stores a value, and returns the old one; a key that is there keeps its place.
    pub fn insert(&self, key: K::Value, value: V::Value) -> K::Outcome<Option<V::Value>> {
        let (key, value) = (K::to_any(key), V::to_any(value));
        let old = key
            .view()
            .hash()
            .and_then(|hash| self.body.insert(hash, key, value));
        K::from_result(old.map(|old| old.as_ref().and_then(V::from_any)))
    }

    /// Removes a key, and returns its value. The order of the others stays.
    pub fn remove<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> K::Outcome<Option<V::Value>> {
        let key = key.key();
        let removed = key.hash().and_then(|hash| self.body.remove(hash, key));
        K::from_result(removed.map(|pair| pair.and_then(|(_, value)| V::from_any(&value))))
    }

    /// Removes everything.
    pub fn clear(&self) {
        drop(self.body.entries.change_locked(Table::take_all));
    }

    /// A snapshot of keys and values, in the order of insertion.
    #[must_use]
    pub fn to_vec(&self) -> Vec<(K::Value, V::Value)> {
        let both = |entry: &super::hash_table::Entry<Any>| {
            Some((K::from_any(&entry.key)?, V::from_any(&entry.value)?))
        };
        or_unwind(self.body.entries.read(|table| {
            let mut all = Vec::new();
            all.try_reserve_exact(table.len())?;
            all.extend(table.iter().filter_map(both));
            Ok(all)
        }))
    }

    /// Iterates over a snapshot of keys and values.
    pub fn iter(&self) -> std::vec::IntoIter<(K::Value, V::Value)> {
        self.to_vec().into_iter()
    }

    /// A snapshot of the keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = K::Value> + use<K, V> {
        self.iter().map(|(key, _)| key)
    }

    /// A snapshot of the values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = V::Value> + use<K, V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Key, V: Element> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// For keys that can fail to be hashed or compared: use [`insert`](Map::insert), which says so.
impl<K: Key<Outcome<()> = ()>, V: Element> FromIterator<(K::Value, V::Value)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K::Value, V::Value)>>(iter: I) -> Self {
        let mut table = Table::default();
        for (key, value) in iter {
            K::from_result(table.put_if_absent(K::to_any(key), V::to_any(value)));
        }
        Self::from_table(table)
    }
}

impl<K: Key<Outcome<()> = ()>, V: Element> Extend<(K::Value, V::Value)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K::Value, V::Value)>>(&mut self, iter: I) {
        for (key, value) in iter {
            let (key, value) = (K::to_any(key), V::to_any(value));
            let done = key
                .view()
                .hash()
                .and_then(|hash| self.body.insert(hash, key, value));
            K::from_result(done.map(drop));
        }
    }
}

impl<K: Key, V: Element> IntoIterator for &Map<K, V> {
    type Item = (K::Value, V::Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Says how many there are: values may refer back to the map.
impl<K: Key, V: Element> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<Map of {} from {} to {}>",
            self.len(),
            K::type_name(),
            V::type_name()
        )
    }
}
