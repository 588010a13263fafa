//! [`Set`]: a mutable set, in the order of insertion, that is a native object itself.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::container_handle::{body, handle};
use super::element::{Element, Key, Kind, Lookup};
use super::field_kind::FieldKind;
use super::hash_table::Table;
use super::hashed::Hashed;
use crate::error::Error;
use crate::memory::or_unwind;
use crate::object::{ErasedBorrow, ErasedRef, Ref};
use crate::value::{Any, AnyRef};

/// The native object behind a [`Set`], whatever its elements.
pub struct SetBody {
    entries: Hashed<()>,
    kind: Kind,
}

body!(SetBody, "pairbond.Set");

trace_fields! { SetBody: entries;
    fn clear(&self) {
        self.entries.clear();
    }
    fn is_shareable(&self) -> Option<bool> {
        Some(crate::trace::Reach::is_native(|reach| {
            self.kind.visit_reachable(reach)
        }))
    }
}

impl SetBody {
    /// A set of anything.
    #[must_use]
    pub fn of_anything(table: Table<()>) -> Self {
        SetBody {
            entries: Hashed::new(table),
            kind: Kind::of::<Any>(),
        }
    }

    /// A set of what a field of a type made at run time holds. They are the caller's to have
    /// checked.
    #[must_use]
    pub fn with_field_kind(kind: &'static FieldKind, table: Table<()>) -> Self {
        SetBody {
            entries: Hashed::new(table),
            kind: Kind::of_field(kind),
        }
    }

    /// Whether it takes the same elements.
    #[must_use]
    pub fn is_of(&self, kind: &'static FieldKind) -> bool {
        self.kind.is_same(Kind::of_field(kind))
    }

    /// Returns the kind of the elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// An empty set.
    pub fn of_kind(kind: Kind) -> Self {
        SetBody {
            entries: Hashed::new(Table::default()),
            kind,
        }
    }

    /// A set of the same kind of elements, which are the caller's to have checked.
    #[must_use]
    pub fn with_same_kind(&self, table: Table<()>) -> Self {
        SetBody {
            entries: Hashed::new(table),
            kind: self.kind,
        }
    }

    /// The elements.
    #[inline]
    #[must_use]
    pub fn entries(&self) -> &Hashed<()> {
        &self.entries
    }

    /// The stored form of a value, if the set takes it.
    ///
    /// # Errors
    /// `TypeError`
    #[inline]
    pub fn check_value(&self, value: Any) -> Result<Any, Error> {
        self.kind.check_value(value, "this set holds")
    }

    /// Adds an element, checked before; whether it was new.
    ///
    /// # Errors
    /// What a comparison raised; the set is unchanged then.
    pub fn insert(&self, hash: i64, value: Any) -> Result<bool, Error> {
        let unused = self.entries.locate_with(hash, value, |table, place, value| {
            if place.is_some() {
                return Some(value);
            }
            let _ = table.add(hash, value, ());
            None
        })?;
        Ok(unused.is_none())
    }

    /// Removes an element; whether it was there.
    ///
    /// # Errors
    /// What a comparison raised; the set is unchanged then.
    pub fn remove(&self, hash: i64, value: AnyRef<'_>) -> Result<bool, Error> {
        let removed = self.entries.locate_mut(hash, value, |table, place| {
            place.and_then(|place| table.remove(place))
        })?;
        Ok(removed.is_some())
    }

    /// Whether an element is there.
    ///
    /// # Errors
    /// What a comparison raised.
    pub fn contains(&self, hash: i64, value: AnyRef<'_>) -> Result<bool, Error> {
        self.entries.find_locked(hash, value, |_, place| place.is_some())
    }
}

/// A mutable, shared set that keeps the order of insertion. Cloning it counts a reference: it is
/// the same set. Thread-safe; each operation is atomic.
///
/// Lookups return their result, or a `Result` of it when elements can fail to be hashed and
/// compared ([`Key::Outcome`]).
///
/// ```
/// use pairbond_value::value::Set;
///
/// let set: Set<i64> = [3, 1, 3].into_iter().collect();
/// assert_eq!(set.to_vec(), [3, 1]);
/// assert!(set.contains(&1) && set.insert(2) && !set.insert(2));
/// ```
pub struct Set<K: Key> {
    body: Ref<SetBody>,
    _type: PhantomData<fn() -> K>,
}

handle!(Set<K: Key>, SetBody);

impl<K: Key> Set<K> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::from_table(Table::default())
    }

    pub(crate) fn from_table(table: Table<()>) -> Self {
        Self::from_body(Ref::new(SetBody {
            entries: Hashed::new(table),
            kind: Kind::of::<K>(),
        }))
    }

    pub(crate) fn type_name() -> Cow<'static, str> {
        Cow::Owned(format!("a pairbond.Set of {}", K::type_name()))
    }

    pub(crate) fn kinds_match(body: &SetBody) -> bool {
        body.kind.is_same(Kind::of::<K>())
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.entries.read(Table::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an element is there.
    pub fn contains<Q: Lookup<K> + ?Sized>(&self, value: &Q) -> K::Outcome<bool> {
        let key = value.key();
        K::from_result(key.hash().and_then(|hash| self.body.contains(hash, key)))
    }

    /// Adds an element; whether it was new.
    pub fn insert(&self, value: K::Value) -> K::Outcome<bool> {
        let value = K::to_any(value);
        let hash = value.view().hash();
        K::from_result(hash.and_then(|hash| self.body.insert(hash, value)))
    }

    /// Removes an element; whether it was there.
    pub fn remove<Q: Lookup<K> + ?Sized>(&self, value: &Q) -> K::Outcome<bool> {
        let key = value.key();
        K::from_result(key.hash().and_then(|hash| self.body.remove(hash, key)))
    }

    /// Removes everything.
    pub fn clear(&self) {
        drop(self.body.entries.change_locked(Table::take_all));
    }

    /// A snapshot of the elements, in the order of insertion.
    #[must_use]
    pub fn to_vec(&self) -> Vec<K::Value> {
        or_unwind(self.body.entries.read(|table| {
            let mut all = Vec::new();
            all.try_reserve_exact(table.len())?;
            all.extend(table.iter().filter_map(|entry| K::from_any(&entry.key)));
            Ok(all)
        }))
    }

    /// Iterates over a snapshot of the elements.
    pub fn iter(&self) -> std::vec::IntoIter<K::Value> {
        self.to_vec().into_iter()
    }
}

impl<K: Key> Default for Set<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Key<Outcome<()> = ()>> FromIterator<K::Value> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K::Value>>(iter: I) -> Self {
        let mut table = Table::default();
        for value in iter {
            K::from_result(table.put_if_absent(K::to_any(value), ()));
        }
        Self::from_table(table)
    }
}

impl<K: Key<Outcome<()> = ()>> Extend<K::Value> for Set<K> {
    fn extend<I: IntoIterator<Item = K::Value>>(&mut self, iter: I) {
        for value in iter {
            let value = K::to_any(value);
            let hash = value.view().hash();
            K::from_result(hash.and_then(|hash| self.body.insert(hash, value)).map(drop));
        }
    }
}

impl<K: Key> IntoIterator for &Set<K> {
    type Item = K::Value;
    type IntoIter = std::vec::IntoIter<K::Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Says how many there are: elements may refer back to the set.
impl<K: Key> fmt::Debug for Set<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<Set of {} {}>", self.len(), K::type_name())
    }
}
