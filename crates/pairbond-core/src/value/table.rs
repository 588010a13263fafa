//! [`Table`]: keys in the order in which they came, found by hash. [`Hashed`]: one that threads share.
//!
//! As in CPython's dict: entries lie in a vector, a removed one leaves a gap, and an index from hashes to places is beside it. So iterating is
//! going through places, removing keeps the order and moves nothing, and a place stays valid until the vector is made anew.
//!
//! Looking a key up may have to ask foreign code whether two keys are equal, which may do anything, to this very table too. So the lock is given
//! back before, the candidate is held by a reference of our own, and afterwards the table is looked at anew: what was learnt about a candidate counts
//! as long as that very key is where it was, so that threads which add other keys do not send each other back. The operation itself takes place under
//! the same lock as the last look.

use std::collections::BTreeMap;

use hashbrown::HashTable;

use super::key::{KeyRef, Verdict, equal};
use crate::error::Error;
use crate::trace::{Trace, Tracer};
use crate::value::{Any, Cell};

/// One key and what is stored with it.
#[derive(Clone, Debug)]
pub struct Entry<V> {
    hash: i64,
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

    /// As [`KeyRef::compare`], the commonest kinds first.
    #[inline]
    fn compare(&self, key: KeyRef<'_>) -> Verdict {
        let same = match (&self.key, key) {
            (Any::Int(a), KeyRef::Int(b)) => *a == b,
            (Any::Str(a), KeyRef::Str(b)) => **a == *b,
            (a, b) => return KeyRef::from(a).compare(b),
        };
        if same { Verdict::Same } else { Verdict::Different }
    }
}

/// Keys in the order in which they came.
#[derive(Clone, Debug)]
pub struct Table<V> {
    entries: Vec<Option<Entry<V>>>,
    /// Places in `entries`, by mixed hash.
    index: HashTable<u32>,
    version: u64,
    epoch: u64,
}

/// What a first look at a key came to.
enum Quick {
    Found(usize),
    Absent,
    /// Somebody must be asked.
    Asks,
}

/// What looking a key up came to.
enum Step {
    Found(usize),
    Absent,
    /// Whether the key at that place, which this is, is equal must be asked.
    Ask(usize, Any),
}

/// Keys that were asked, and are other keys than the one that is looked for, by their places.
type Others = BTreeMap<usize, Any>;

fn is_known(others: &Others, place: usize, key: &Any) -> bool {
    others.get(&place).is_some_and(|known| is_same(known, key))
}

/// Whether two keys are one object. Both are held, so that an address says so.
fn is_same(a: &Any, b: &Any) -> bool {
    match (a, b) {
        (Any::Foreign(a), Any::Foreign(b)) => a.is(b),
        (a, b) => KeyRef::from(a).compare(KeyRef::from(b)) == Verdict::Same,
    }
}

/// Small ints hash to themselves, and the index looks at the upper bits too.
#[inline]
fn mix(hash: i64) -> u64 {
    let mixed = (hash as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

fn hash_at<V>(entries: &[Option<Entry<V>>], place: u32) -> u64 {
    entries[place as usize]
        .as_ref()
        .map_or(0, |entry| mix(entry.hash))
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

    /// Changes when a key comes or goes.
    #[must_use]
    pub fn version(&self) -> u64 {
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
    pub fn at(&self, place: usize) -> Option<&Entry<V>> {
        self.entries.get(place)?.as_ref()
    }

    /// The entry at a place.
    #[must_use]
    pub fn at_mut(&mut self, place: usize) -> Option<&mut Entry<V>> {
        self.entries.get_mut(place)?.as_mut()
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
    pub fn previous(&self, before: usize) -> Option<(usize, &Entry<V>)> {
        let rest = &self.entries[..before.min(self.entries.len())];
        rest.iter()
            .enumerate()
            .rev()
            .find_map(|(place, entry)| Some((place, entry.as_ref()?)))
    }

    /// Makes room for so many more keys.
    pub fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
        let entries = &self.entries;
        self.index.reserve(more, |place| hash_at(entries, *place));
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry<V>> {
        self.entries.iter().flatten()
    }

    /// Adds a key that is not there.
    pub fn add(&mut self, hash: i64, key: Any, value: V) {
        if self.entries.len() == self.entries.capacity() && self.entries.len() > self.len() + self.len() / 2 {
            self.close_gaps();
        }
        let place = u32::try_from(self.entries.len()).expect("fewer than 2^32 keys");
        self.entries.push(Some(Entry { hash, key, value }));
        let entries = &self.entries;
        self.index
            .insert_unique(mix(hash), place, |place| hash_at(entries, *place));
        self.version += 1;
    }

    /// Removes the key at a place.
    pub fn remove(&mut self, place: usize) -> Option<Entry<V>> {
        let entry = self.entries.get_mut(place)?.take()?;
        if let Ok(found) = self
            .index
            .find_entry(mix(entry.hash), |other| *other as usize == place)
        {
            found.remove();
        }
        // Gaps at the end are given back at once, so that taking from the end is cheap for as long as it goes on.
        while let Some(None) = self.entries.last() {
            self.entries.pop();
        }
        self.version += 1;
        Some(entry)
    }

    /// Everything, leaving nothing.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let empty = Table {
            version: self.version + 1,
            epoch: self.epoch + 1,
            ..Table::default()
        };
        std::mem::replace(self, empty)
    }

    /// Puts other keys in place of all; the old ones are left in `other`.
    pub fn swap(&mut self, other: &mut Self) {
        std::mem::swap(self, other);
        self.version = self.version.max(other.version) + 1;
        self.epoch = self.epoch.max(other.epoch) + 1;
    }

    fn close_gaps(&mut self) {
        self.entries.retain(Option::is_some);
        self.index.clear();
        for (place, entry) in self.entries.iter().enumerate() {
            let hash = entry.as_ref().map_or(0, |entry| mix(entry.hash));
            self.index
                .insert_unique(hash, place as u32, |place| hash_at(&self.entries, *place));
        }
        self.epoch += 1;
    }

    /// Looks at every candidate, and no further than natives know: almost always that is the answer.
    #[inline]
    fn look_quickly(&self, hash: i64, key: KeyRef<'_>) -> Quick {
        let mut asks = false;
        for place in self.index.iter_hash(mix(hash)) {
            let place = *place as usize;
            let Some(Some(entry)) = self.entries.get(place) else {
                continue;
            };
            if entry.hash == hash {
                match entry.compare(key) {
                    Verdict::Same => return Quick::Found(place),
                    Verdict::Ask => asks = true,
                    Verdict::Different => {}
                }
            }
        }
        if asks { Quick::Asks } else { Quick::Absent }
    }

    /// Looks at every candidate but those known to be other keys. One that is surely the same comes before one that must be asked.
    #[inline]
    fn look(&self, hash: i64, key: KeyRef<'_>, others: &Others) -> Step {
        let mut ask = None;
        for place in self.index.iter_hash(mix(hash)) {
            let place = *place as usize;
            let Some(entry) = &self.entries[place] else {
                continue;
            };
            if entry.hash != hash {
                continue;
            }
            match KeyRef::from(&entry.key).compare(key) {
                Verdict::Same => return Step::Found(place),
                Verdict::Ask if ask.is_none() && !is_known(others, place, &entry.key) => {
                    ask = Some((place, &entry.key));
                }
                _ => {}
            }
        }
        match ask {
            Some((place, key)) => Step::Ask(place, key.clone()),
            None => Step::Absent,
        }
    }

    /// The place of a key in a table that never changes.
    ///
    /// # Errors
    /// What a comparison raised.
    #[inline]
    pub fn find(&self, hash: i64, key: KeyRef<'_>) -> Result<Option<usize>, Error> {
        match self.look_quickly(hash, key) {
            Quick::Found(place) => Ok(Some(place)),
            Quick::Absent => Ok(None),
            Quick::Asks => self.find_asking(hash, key),
        }
    }

    #[cold]
    fn find_asking(&self, hash: i64, key: KeyRef<'_>) -> Result<Option<usize>, Error> {
        let mut others = Others::new();
        loop {
            match self.look(hash, key, &others) {
                Step::Found(place) => return Ok(Some(place)),
                Step::Absent => return Ok(None),
                Step::Ask(place, candidate) => {
                    if equal(&candidate, &key.to_any())? {
                        return Ok(Some(place));
                    }
                    others.insert(place, candidate);
                }
            }
        }
    }

    /// Stores a value with a key, in a table that nobody else has; an equal key that is there stays.
    ///
    /// # Errors
    /// The key is not hashable; what hashing or comparing raised.
    pub fn put(&mut self, key: Any, value: V) -> Result<(), Error> {
        let hash = KeyRef::from(&key).hash()?;
        self.put_hashed(hash, key, value)
    }

    /// The same, of a key whose hash is known.
    ///
    /// # Errors
    /// What comparing raised.
    #[inline]
    pub fn put_hashed(&mut self, hash: i64, key: Any, value: V) -> Result<(), Error> {
        match self.find(hash, KeyRef::from(&key))? {
            Some(place) => {
                if let Some(entry) = self.at_mut(place) {
                    entry.value = value;
                }
            }
            None => self.add(hash, key, value),
        }
        Ok(())
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
        Some(self.take())
    }
}

/// A table that threads share.
#[derive(Debug, Default)]
pub struct Hashed<V> {
    table: Cell<Table<V>>,
}

impl<V: Trace> Hashed<V> {
    pub(super) fn new(table: Table<V>) -> Self {
        Hashed {
            table: Cell::new(table),
        }
    }

    /// The table, whose lock is held for the time of a closure only.
    #[inline]
    #[must_use]
    pub fn table(&self) -> &Cell<Table<V>> {
        &self.table
    }

    /// Looks a key up, and acts on its place under the lock: `None` when it is not there. What `act` returns is dropped by the caller, outside.
    ///
    /// # Errors
    /// What a comparison raised; `act` was not called then.
    #[inline]
    pub fn locate<R>(
        &self,
        hash: i64,
        key: KeyRef<'_>,
        act: impl FnOnce(&mut Table<V>, Option<usize>) -> R,
    ) -> Result<R, Error> {
        let first = self.table.update(|table| match table.look_quickly(hash, key) {
            Quick::Found(place) => Ok(act(table, Some(place))),
            Quick::Absent => Ok(act(table, None)),
            Quick::Asks => Err(act),
        });
        match first {
            Ok(result) => Ok(result),
            Err(act) => self.ask(hash, key, act),
        }
    }

    #[cold]
    fn ask<R>(
        &self,
        hash: i64,
        key: KeyRef<'_>,
        act: impl FnOnce(&mut Table<V>, Option<usize>) -> R,
    ) -> Result<R, Error> {
        let asked = key.to_any();
        let mut act = Some(act);
        let mut others = Others::new();
        // The key that was asked last, its place, and whether it is the one.
        let mut last: Option<(usize, Any, bool)> = None;
        loop {
            let step = self.table.update(|table| {
                if let Some((place, candidate, true)) = &last
                    && table
                        .at(*place)
                        .is_some_and(|entry| is_same(&entry.key, candidate))
                {
                    return Ok(act.take().map(|act| act(table, Some(*place))));
                }
                match table.look(hash, key, &others) {
                    Step::Found(place) => Ok(act.take().map(|act| act(table, Some(place)))),
                    Step::Absent => Ok(act.take().map(|act| act(table, None))),
                    Step::Ask(place, candidate) => Err((place, candidate)),
                }
            });
            let (place, candidate) = match step {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => unreachable!("what acts is used once"),
                Err(next) => next,
            };
            let found = equal(&candidate, &asked)?;
            if !found {
                others.insert(place, candidate.clone());
            }
            last = Some((place, candidate, found));
        }
    }
}

// SAFETY: the cell shows the table.
unsafe impl<V: Trace> Trace for Hashed<V> {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.table.trace(tracer);
    }
    fn clear(&self) {
        self.table.clear();
    }
}
