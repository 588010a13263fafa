//! Finding a key in a [`Table`], and asking whoever must be asked.

use std::collections::BTreeMap;

use super::key::{Verdict, equal};
use super::table::{Table, mix};
use crate::error::Error;
use crate::value::{Any, AnyRef};

/// What a first look at a key came to.
pub(super) enum Quick {
    Found(usize),
    Absent,
    /// Somebody must be asked.
    Asks,
}

/// What looking a key up came to.
pub(super) enum Step {
    Found(usize),
    Absent,
    /// Whether the key at that place, which this is, is equal must be asked.
    Ask(usize, Any),
}

/// Keys that were asked, and are other keys than the one that is looked for, by their places.
pub(super) type Others = BTreeMap<usize, Any>;

fn is_known(others: &Others, place: usize, key: &Any) -> bool {
    others.get(&place).is_some_and(|known| is_same(known, key))
}

/// Whether two keys are one object. Both are held, so that an address says so.
pub(super) fn is_same(a: &Any, b: &Any) -> bool {
    match (a, b) {
        (Any::Foreign(a), Any::Foreign(b)) => a.is(b),
        (a, b) => a.view().compare(b.view()) == Verdict::Same,
    }
}

impl<V> Table<V> {
    /// Looks at every candidate, and no further than natives know: almost always that is the answer.
    #[inline]
    pub(super) fn look_quickly(&self, hash: i64, key: AnyRef<'_>) -> Quick {
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
    pub(super) fn look(&self, hash: i64, key: AnyRef<'_>, others: &Others) -> Step {
        let mut ask = None;
        for place in self.index.iter_hash(mix(hash)) {
            let place = *place as usize;
            let Some(entry) = &self.entries[place] else {
                continue;
            };
            if entry.hash != hash {
                continue;
            }
            match entry.compare(key) {
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
    pub fn find(&self, hash: i64, key: AnyRef<'_>) -> Result<Option<usize>, Error> {
        match self.look_quickly(hash, key) {
            Quick::Found(place) => Ok(Some(place)),
            Quick::Absent => Ok(None),
            Quick::Asks => self.find_asking(hash, key),
        }
    }

    #[cold]
    fn find_asking(&self, hash: i64, key: AnyRef<'_>) -> Result<Option<usize>, Error> {
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
        let hash = key.view().hash()?;
        self.put_hashed(hash, key, value)
    }

    /// The same, of a key whose hash is known.
    ///
    /// # Errors
    /// What comparing raised.
    #[inline]
    pub fn put_hashed(&mut self, hash: i64, key: Any, value: V) -> Result<(), Error> {
        match self.find(hash, AnyRef::from(&key))? {
            Some(place) => drop(self.replace(place, value)),
            None => {
                let _ = self.add(hash, key, value);
            }
        }
        Ok(())
    }
}
