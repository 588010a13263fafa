//! [`FrozenMap`]: a mapping that never changes.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::container_handle::{body, handle, mapping_name};
use super::element::{Element, Key, Kind, Lookup};
use super::element_cache::ElementCache;
use super::hash::hash_sequence;
use super::hash_table::Table;
use super::key::keys_equal;
use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Ref};
use crate::value::{Any, AnyRef};

/// The native object behind a [`FrozenMap`], whatever its keys and values.
pub struct FrozenMapBody {
    table: Table<Any>,
    keys: Kind,
    values: Kind,
    element_cache: ElementCache,
}

body!(FrozenMapBody, "pairbond.FrozenMap");

// Nothing can be emptied: a cycle through it is broken elsewhere.
trace_fields! { FrozenMapBody: table;
    fn is_shareable(&self) -> Option<bool> {
        Some(crate::trace::Reach::is_native(|reach| {
            self.keys.visit_reachable(reach);
            self.values.visit_reachable(reach);
        }))
    }
}

impl FrozenMapBody {
    /// A mapping from anything to anything.
    #[must_use]
    pub fn of_anything(table: Table<Any>) -> Self {
        FrozenMapBody {
            table,
            keys: Kind::of::<Any>(),
            values: Kind::of::<Any>(),
            element_cache: ElementCache::new(),
        }
    }

    /// Returns the kinds of keys and values.
    pub fn kinds(&self) -> [Kind; 2] {
        [self.keys, self.values]
    }

    /// A mapping of keys and values that were checked.
    pub fn from_table(keys: Kind, values: Kind, table: Table<Any>) -> Self {
        FrozenMapBody {
            table,
            keys,
            values,
            element_cache: ElementCache::new(),
        }
    }

    /// Keys and values.
    #[inline]
    #[must_use]
    pub fn table(&self) -> &Table<Any> {
        &self.table
    }

    /// Returns the cache for the frontend of the map's wrapper.
    #[inline]
    #[must_use]
    pub fn element_cache(&self) -> &ElementCache {
        &self.element_cache
    }

    /// A hash that does not depend on the order.
    ///
    /// # Errors
    /// A value is not hashable, or what hashing it raised.
    pub fn hash(&self) -> Result<i64, Error> {
        let mut all: u64 = 0x5bd1_e995;
        for entry in self.table.iter() {
            let pair = [Ok(entry.hash()), entry.value.view().hash()];
            all ^= (hash_sequence(pair.into_iter())? as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        Ok(if all == u64::MAX { 590_923_713 } else { all as i64 })
    }

    pub(super) fn is_equal(&self, other: &Self) -> Result<bool, Error> {
        if self.table.len() != other.table.len() {
            return Ok(false);
        }
        for entry in self.table.iter() {
            let place = other.table.find_place(entry.hash(), AnyRef::from(&entry.key))?;
            match place.and_then(|place| other.table.entry_at(place)) {
                Some(found) if keys_equal(&entry.value, &found.value)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// A mapping that never changes, in the order in which it was made. Cloning it counts a reference.
/// It can be a key when its keys and values can.
///
/// ```
/// use pairbond_value::value::{FrozenMap, Str};
///
/// let ports = [("http".into(), 80), ("https".into(), 443)];
/// let ports: FrozenMap<Str, i64> = ports.into_iter().collect();
/// assert_eq!(ports.get("https"), Some(443));
/// assert_eq!(ports.keys().collect::<Vec<_>>(), ["http", "https"]);
/// ```
pub struct FrozenMap<K: Key, V: Element> {
    body: Ref<FrozenMapBody>,
    _type: PhantomData<fn() -> (K, V)>,
}

handle!(FrozenMap<K: Key, V: Element>, FrozenMapBody);

impl<K: Key, V: Element> FrozenMap<K, V> {
    pub(crate) fn from_table(table: Table<Any>) -> Self {
        Self::from_body(Ref::new(FrozenMapBody {
            table,
            keys: Kind::of::<K>(),
            values: Kind::of::<V>(),
            element_cache: ElementCache::new(),
        }))
    }

    pub(crate) fn type_name() -> Cow<'static, str> {
        mapping_name("pairbond.FrozenMap", Kind::of::<K>(), Kind::of::<V>())
    }

    pub(crate) fn kinds_match(body: &FrozenMapBody) -> bool {
        body.keys.is_same(Kind::of::<K>()) && body.values.is_same(Kind::of::<V>())
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.table.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.table.is_empty()
    }

    /// The value of a key.
    pub fn get<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> K::Outcome<Option<V::Value>> {
        let (key, table) = (key.key(), &self.body.table);
        let found = key.hash().and_then(|hash| table.find_place(hash, key));
        K::from_result(found.map(|place| V::from_any(&table.entry_at(place?)?.value)))
    }

    /// Whether a key is there.
    pub fn contains_key<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> K::Outcome<bool> {
        let key = key.key();
        let found = key.hash().and_then(|hash| self.body.table.find_place(hash, key));
        K::from_result(found.map(|place| place.is_some()))
    }

    /// Keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (K::Value, V::Value)> + '_ {
        self.body
            .table
            .iter()
            .filter_map(|entry| Some((K::from_any(&entry.key)?, V::from_any(&entry.value)?)))
    }

    /// The keys.
    pub fn keys(&self) -> impl Iterator<Item = K::Value> + '_ {
        self.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = V::Value> + '_ {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Key, V: Element> Default for FrozenMap<K, V> {
    fn default() -> Self {
        Self::from_table(Table::default())
    }
}

impl<K: Key<Outcome<()> = ()>, V: Element> FromIterator<(K::Value, V::Value)> for FrozenMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K::Value, V::Value)>>(iter: I) -> Self {
        let mut table = Table::default();
        for (key, value) in iter {
            K::from_result(table.put_if_absent(K::to_any(key), V::to_any(value)));
        }
        Self::from_table(table)
    }
}

impl<K: Key, V: Element> fmt::Debug for FrozenMap<K, V>
where
    K::Value: fmt::Debug,
    V::Value: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
