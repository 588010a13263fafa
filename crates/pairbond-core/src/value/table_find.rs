//! Finding a key in a [`Table`], which may run foreign code.

use super::key::{Verdict, equal};
use super::table::{Table, mix};
use crate::error::Error;
use crate::memory::Room;
use crate::object::ByAddress;
use crate::value::{Any, AnyRef};

/// What a first look at a key came to.
pub(super) enum Quick {
    Found(usize),
    Absent,
    /// Somebody must be asked.
    Asks,
}

/// What looking a key up came to.
pub(super) enum Look {
    Found(usize),
    Absent,
    /// Whether one of these keys, at these places, is equal must be asked. There may be more.
    Ask(Vec<(usize, Any)>),
}

/// How many candidates are copied by the first look that has to ask. Further looks copy all others,
/// so that a key is found with a number of looks that does not depend on how many keys have its
/// hash.
pub(super) const FIRST: usize = 4;

/// Keys that were asked, and are other keys than the one that is looked for, by their places.
pub(super) type Others = ByAddress<Any>;

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
    /// Looks at every candidate, and no further than natives know: almost always that is the
    /// answer.
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

    /// Looks at every candidate but those known to be other keys. One that is surely the same comes
    /// before those that must be asked, up to `limit`.
    pub(super) fn look(&self, hash: i64, key: AnyRef<'_>, others: &Others, limit: usize) -> Look {
        let mut ask = Vec::new();
        for place in self.index.iter_hash(mix(hash)) {
            let place = *place as usize;
            let Some(entry) = &self.entries[place] else {
                continue;
            };
            if entry.hash != hash {
                continue;
            }
            #[cfg(test)]
            tests::LOOKED_AT.set(tests::LOOKED_AT.get() + 1);
            match entry.compare(key) {
                Verdict::Same => return Look::Found(place),
                Verdict::Ask if ask.len() < limit && !is_known(others, place, &entry.key) => {
                    ask.room().push((place, entry.key.clone()));
                }
                _ => {}
            }
        }
        if ask.is_empty() {
            Look::Absent
        } else {
            Look::Ask(ask)
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
        let asked = key.to_any();
        let mut others = Others::default();
        let mut limit = FIRST;
        loop {
            let candidates = match self.look(hash, key, &others, limit) {
                Look::Found(place) => return Ok(Some(place)),
                Look::Absent => return Ok(None),
                Look::Ask(candidates) => candidates,
            };
            for (place, candidate) in candidates {
                if equal(&candidate, &asked)? {
                    return Ok(Some(place));
                }
                others.room().insert(place, candidate);
            }
            limit = usize::MAX;
        }
    }

    /// Stores a value with a key, in a table that is not shared; an equal key that is there stays.
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
                self.make_room()?;
                let _ = self.add(hash, key, value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::hashed::Hashed;
    use super::*;
    use crate::value::Tuple;

    thread_local! {
        /// How many candidates were looked at where others had to be asked.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    /// A key of which there are many with the same hash, and about which others must be asked.
    fn colliding(i: i64) -> Any {
        // Ints that differ by a multiple of 2^61 - 1 have one hash.
        let digit = |n: u32| Any::Int(i / 4_i64.pow(n) % 4 * ((1 << 61) - 1));
        let key = Any::from((0..5).map(digit).collect::<Tuple<Any>>());
        assert_eq!(key.view().hash().ok(), colliding_hash(), "all of one hash");
        key
    }

    fn colliding_hash() -> Option<i64> {
        Any::from(Tuple::<Any>::from_iter([const { Any::Int(0) }; 5]))
            .view()
            .hash()
            .ok()
    }

    /// A dict compares a new key with each that has its hash: n (n - 1) / 2 times for n keys.
    #[test]
    fn keys_of_one_hash_are_looked_at_a_few_times_each() {
        let counts = if cfg!(miri) { [20, 40] } else { [200, 400] };
        for count in counts {
            let dict = count * (count - 1) / 2;
            LOOKED_AT.set(0);
            let mut table = Table::default();
            for i in 0..count {
                table.put(colliding(i), ()).unwrap();
            }
            assert_eq!(table.len(), count as usize);
            assert!(LOOKED_AT.get() as i64 <= 4 * dict, "{}", LOOKED_AT.get());
            LOOKED_AT.set(0);
            let shared = Hashed::new(Table::default());
            for i in 0..count {
                let key = colliding(i);
                let hash = key.view().hash().unwrap();
                let added = shared.locate_with(hash, key, |table, place, key| {
                    place.is_none().then(|| table.add(hash, key, ())).is_some()
                });
                assert!(added.unwrap());
            }
            assert!(LOOKED_AT.get() as i64 <= 4 * dict, "{}", LOOKED_AT.get());
            LOOKED_AT.set(0);
            let hash = colliding_hash().unwrap();
            for i in 0..count {
                let key = colliding(i);
                let place = shared.locate(hash, (&key).into(), |_, place| place);
                assert_eq!(place.unwrap(), Some(i as usize));
            }
            assert!(LOOKED_AT.get() as i64 <= 4 * dict, "{}", LOOKED_AT.get());
        }
    }
}
