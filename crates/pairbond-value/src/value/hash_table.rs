//! [`Table`]: keys in the order in which they came, found by hash.
//!
//! As in CPython's dict: entries lie in a vector, a removed one leaves a gap, and an index from
//! hashes to places is beside it. So iterating is going through places, removing keeps the order
//! and moves nothing, and a place stays valid until the vector is made anew.
//!
//! # Invariants that caches beside a table rely on
//! 1. The table alone owns the version and the epoch. The version grows with each change; when
//!    places move, the epoch grows too, and the version by one more than for the change itself.
//! 2. So a cache can only go from one version to the next with a [`Step`], which the table returns
//!    for a change that moved no place. A cache that missed the move of a place has a version which
//!    no step leads on from.

use hashbrown::HashTable;

use super::key::Verdict;
use crate::error::Error;
use crate::memory::AllocationError;
use crate::trace::{Trace, Tracer};
use crate::value::{Any, AnyRef, View};

/// One key and its value.
#[derive(Clone, Debug)]
pub struct Entry<V> {
    pub(super) hash: i64,
    /// The key.
    pub key: Any,
    /// The value; nothing for sets.
    pub value: V,
}

impl<V> Entry<V> {
    /// The key's hash.
    #[must_use]
    pub fn hash(&self) -> i64 {
        self.hash
    }

    /// As [`AnyRef::compare_key`], the commonest kinds first.
    #[inline]
    pub(super) fn compare_key(&self, key: AnyRef<'_>) -> Verdict {
        let key = key.view();
        let same = match (&self.key, key) {
            (Any::Int(a), View::Int(b)) => *a == b,
            (Any::Str(a), View::Str(b)) => **a == *b,
            (a, b) => return a.view().compare_key(b),
        };
        if same { Verdict::Same } else { Verdict::Different }
    }
}

/// One change of a table that left every other entry at its place. Only the table makes one, under
/// its lock.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The version before; the one after is the next.
    pub(super) from: usize,
    /// Where the value is another, or the key was added.
    pub(super) place: usize,
    /// The hash of a key that was added.
    pub(super) added: Option<i64>,
    pub(super) epoch: u64,
}

/// Keys in the order in which they came.
#[derive(Clone, Debug)]
pub struct Table<V> {
    pub(super) entries: Vec<Option<Entry<V>>>,
    /// Places in `entries`, by mixed hash.
    pub(super) index: HashTable<u32>,
    version: usize,
    epoch: u64,
}

/// Small ints hash to themselves, and the index looks at the upper bits too.
#[inline]
pub(super) fn mix_hash(hash: i64) -> u64 {
    let mixed = (hash as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

fn hash_at<V>(entries: &[Option<Entry<V>>], place: u32) -> u64 {
    entries[place as usize]
        .as_ref()
        .map_or(0, |entry| mix_hash(entry.hash))
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table {
            entries: Vec::new(),
            index: HashTable::new(),
            version: 0,
            epoch: 0,
        }
    }
}

impl<V> Table<V> {
    /// The number of keys.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Another number after each change, of keys or values.
    #[inline]
    #[must_use]
    pub fn version(&self) -> usize {
        self.version
    }

    /// Changes when places do.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// One more than the last place.
    #[must_use]
    pub fn end(&self) -> usize {
        self.entries.len()
    }

    /// The entry at a place; `None` for a gap, or beyond the end.
    #[must_use]
    pub fn entry_at(&self, place: usize) -> Option<&Entry<V>> {
        self.entries.get(place)?.as_ref()
    }

    /// Puts a value in place of another, which is returned.
    ///
    /// # Errors
    /// There is no key at that place; the value is returned.
    #[inline]
    pub fn replace_value(&mut self, place: usize, value: V) -> Result<(V, Step), V> {
        let Some(Some(entry)) = self.entries.get_mut(place) else {
            return Err(value);
        };
        let old = std::mem::replace(&mut entry.value, value);
        Ok((old, self.advance_version(place, None)))
    }

    /// Goes on to the next version.
    #[inline]
    fn advance_version(&mut self, place: usize, added: Option<i64>) -> Step {
        let from = self.version;
        self.version = from.wrapping_add(1);
        Step {
            from,
            place,
            added,
            epoch: self.epoch,
        }
    }

    /// The first entry at or behind a place, and its place.
    #[inline]
    #[must_use]
    pub fn next(&self, from: usize) -> Option<(usize, &Entry<V>)> {
        let rest = self.entries.get(from..)?;
        rest.iter()
            .enumerate()
            .find_map(|(i, entry)| Some((from + i, entry.as_ref()?)))
    }

    /// The last entry before a place, and its place.
    #[must_use]
    pub fn entry_before(&self, before: usize) -> Option<(usize, &Entry<V>)> {
        let rest = &self.entries[..before.min(self.entries.len())];
        rest.iter()
            .enumerate()
            .rev()
            .find_map(|(place, entry)| Some((place, entry.as_ref()?)))
    }

    /// Makes room for so many more keys.
    ///
    /// # Errors
    /// There is no memory.
    pub fn try_reserve(&mut self, more: usize) -> Result<(), Error> {
        self.entries.try_reserve(more)?;
        let entries = &self.entries;
        self.index
            .try_reserve(more, |place| hash_at(entries, *place))
            .map_err(|_| AllocationError.into())
    }

    /// Makes room for one more key, so that adding it does not fail.
    ///
    /// # Errors
    /// There is no memory.
    #[inline]
    pub fn make_room(&mut self) -> Result<(), Error> {
        let full = self.entries.len() == self.entries.capacity();
        if full && self.entries.len() <= self.len() + self.len() / 2 {
            self.entries.try_reserve(1)?;
        }
        let entries = &self.entries;
        self.index
            .try_reserve(1, |place| hash_at(entries, *place))
            .map_err(|_| AllocationError.into())
    }

    /// A copy.
    ///
    /// # Errors
    /// There is no memory.
    pub fn try_clone(&self) -> Result<Self, Error>
    where
        V: Clone,
    {
        let mut copy = Table::default();
        copy.try_reserve(self.len())?;
        for entry in self.iter() {
            copy.add(entry.hash, entry.key.clone(), entry.value.clone());
        }
        Ok(copy)
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry<V>> {
        self.entries.iter().flatten()
    }

    /// Adds a key that is not there. The step leads from the version that the table has when places
    /// have moved to make room.
    #[inline]
    pub fn add(&mut self, hash: i64, key: Any, value: V) -> Step {
        if self.entries.len() == self.entries.capacity() && self.entries.len() > self.len() + self.len() / 2 {
            self.close_gaps();
        }
        let place = u32::try_from(self.entries.len()).expect("fewer than 2^32 keys");
        self.entries.push(Some(Entry { hash, key, value }));
        let entries = &self.entries;
        self.index
            .insert_unique(mix_hash(hash), place, |place| hash_at(entries, *place));
        self.advance_version(place as usize, Some(hash))
    }

    /// As [`add`](Self::add), of a table that has [room](Self::try_reserve) for it and no gaps.
    #[inline]
    pub fn add_last(&mut self, hash: i64, key: Any, value: V) {
        debug_assert!(self.entries.len() < self.entries.capacity());
        let place = u32::try_from(self.entries.len()).expect("fewer than 2^32 keys");
        self.entries.push(Some(Entry { hash, key, value }));
        let entries = &self.entries;
        self.index
            .insert_unique(mix_hash(hash), place, |place| hash_at(entries, *place));
        self.version = self.version.wrapping_add(1);
    }

    /// Removes the key at a place.
    pub fn remove(&mut self, place: usize) -> Option<Entry<V>> {
        let entry = self.entries.get_mut(place)?.take()?;
        if let Ok(found) = self
            .index
            .find_entry(mix_hash(entry.hash), |other| *other as usize == place)
        {
            found.remove();
        }
        // Gaps at the end are given back at once, so that taking from the end is cheap for as long
        // as it goes on.
        while let Some(None) = self.entries.last() {
            self.entries.pop();
        }
        self.version = self.version.wrapping_add(1);
        Some(entry)
    }

    /// Everything, leaving nothing.
    #[must_use]
    pub fn take_all(&mut self) -> Self {
        let empty = Table {
            version: self.version.wrapping_add(1),
            epoch: self.epoch + 1,
            ..Table::default()
        };
        std::mem::replace(self, empty)
    }

    /// Puts other keys in place of all; the old ones are left in `other`.
    pub fn swap(&mut self, other: &mut Self) {
        std::mem::swap(self, other);
        self.version = other.version.wrapping_add(1);
        self.epoch = self.epoch.max(other.epoch) + 1;
    }

    fn close_gaps(&mut self) {
        self.entries.retain(Option::is_some);
        self.index.clear();
        for (place, entry) in self.entries.iter().enumerate() {
            let hash = entry.as_ref().map_or(0, |entry| mix_hash(entry.hash));
            self.index
                .insert_unique(hash, place as u32, |place| hash_at(&self.entries, *place));
        }
        self.epoch += 1;
        // Whatever was known of the places is outdated, also for the caller who changes the table
        // next.
        self.version = self.version.wrapping_add(1);
    }
}

impl Table<Any> {
    /// Drops all entries. The compiler's own drop is a call for each.
    pub(super) fn discard_all(&mut self) {
        while let Some(entry) = self.entries.pop() {
            if let Some(entry) = entry {
                entry.key.discard();
                entry.value.discard();
            }
        }
    }
}

// SAFETY: each key and value is shown once.
unsafe impl<V: Trace> Trace for Table<V> {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        for entry in self.iter() {
            entry.key.trace(tracer);
            entry.value.trace(tracer);
        }
    }
    fn take_edges(&mut self) -> Option<Self> {
        Some(self.take_all())
    }
}
