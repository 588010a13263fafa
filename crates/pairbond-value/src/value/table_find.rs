//! Finding a key in a [`Table`], which may run foreign code.

use super::hash_table::{Table, mix_hash};
use super::key::{Verdict, keys_equal};
use crate::error::Error;
use crate::memory::Room;
use crate::object::ByAddress;
use crate::value::{Any, AnyRef};

/// The result of a first comparison of a key.
pub(super) enum Quick {
    Found(usize),
    Absent,
    /// Somebody must be asked.
    Asks,
}

/// The result of looking a key up.
pub(super) enum Look {
    Found(usize),
    Absent,
    /// Whether one of these keys, at these places, is equal must be asked. There may be more.
    Ask(Vec<(usize, Any)>),
}

/// How many candidates are copied by the first look that has to ask. Further looks copy all others,
/// so that a key is found with a number of looks that does not depend on how many keys have its
/// hash.
const FIRST: usize = 4;

/// The keys that a lookup has asked, and that are other keys than the one that is looked for, with
/// their places.
#[derive(Default)]
pub(super) struct Others {
    /// In the order in which the table of `version` shows them.
    keys: Vec<(usize, Any)>,
    /// The version of the table that was looked at last. As long as it is the same, its next look
    /// begins behind the keys.
    version: Option<usize>,
    /// The last look copied every candidate.
    all: bool,
    /// The keys by their places, made when the version is another.
    by_place: Option<ByAddress<Any>>,
}

impl Others {
    /// Notes that a candidate is another key. They come in the order in which a look gave them.
    pub(super) fn add(&mut self, place: usize, key: Any) {
        if let Some(by_place) = &mut self.by_place {
            by_place.room().insert(place, key);
        } else {
            self.keys.room().push((place, key));
        }
    }

    /// Prepares for a look at a table of this version. Returns how many candidates come first that
    /// are known.
    fn begin_look(&mut self, version: usize) -> usize {
        if self.by_place.is_none() {
            if self.version.is_none_or(|before| before == version) {
                return self.keys.len();
            }
            self.by_place = Some(self.keys.drain(..).collect());
        }
        0
    }

    fn is_known_other(&self, place: usize, key: &Any) -> bool {
        let known = self.by_place.as_ref().and_then(|keys| keys.get(&place));
        known.is_some_and(|known| is_same(known, key))
    }
}

/// Whether two keys are one object. Both are held, so that an address says so.
pub(super) fn is_same(a: &Any, b: &Any) -> bool {
    match (a, b) {
        (Any::Foreign(a), Any::Foreign(b)) => a.is(b),
        (a, b) => a.view().compare_key(b.view()) == Verdict::Same,
    }
}

impl<V> Table<V> {
    /// Looks at every candidate, and no further than natives know: almost always that is the
    /// answer.
    #[inline]
    pub(super) fn look_quickly(&self, hash: i64, key: AnyRef<'_>) -> Quick {
        let mut asks = false;
        for place in self.index.iter_hash(mix_hash(hash)) {
            let place = *place as usize;
            let Some(Some(entry)) = self.entries.get(place) else {
                continue;
            };
            if entry.hash == hash {
                match entry.compare_key(key) {
                    Verdict::Same => return Quick::Found(place),
                    Verdict::Ask => asks = true,
                    Verdict::Different => {}
                }
            }
        }
        if asks { Quick::Asks } else { Quick::Absent }
    }

    /// Looks at every candidate but those known to be other keys, until there are some that must be
    /// asked: few the first time, all others afterwards. One that is surely the same comes before
    /// these, if it was there when the table was [looked at quickly](Self::look_quickly).
    pub(super) fn look_up(&self, hash: i64, key: AnyRef<'_>, others: &mut Others) -> Look {
        let mut known = others.begin_look(self.version());
        if known > 0 && others.all {
            return Look::Absent;
        }
        let limit = if others.version.is_none() {
            FIRST
        } else {
            usize::MAX
        };
        others.version = Some(self.version());
        others.all = limit == usize::MAX;
        let mut ask = Vec::new();
        for place in self.index.iter_hash(mix_hash(hash)) {
            let place = *place as usize;
            let Some(entry) = &self.entries[place] else {
                continue;
            };
            if entry.hash != hash {
                continue;
            }
            #[cfg(test)]
            tests::LOOKED_AT.set(tests::LOOKED_AT.get() + 1);
            match entry.compare_key(key) {
                Verdict::Same => return Look::Found(place),
                Verdict::Ask if known > 0 => known -= 1,
                Verdict::Ask if !others.is_known_other(place, &entry.key) => {
                    ask.room().push((place, entry.key.clone()));
                    if ask.len() == limit {
                        break;
                    }
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
    pub fn find_place(&self, hash: i64, key: AnyRef<'_>) -> Result<Option<usize>, Error> {
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
        loop {
            let candidates = match self.look_up(hash, key, &mut others) {
                Look::Found(place) => return Ok(Some(place)),
                Look::Absent => return Ok(None),
                Look::Ask(candidates) => candidates,
            };
            for (place, candidate) in candidates {
                if keys_equal(&candidate, &asked)? {
                    return Ok(Some(place));
                }
                others.add(place, candidate);
            }
        }
    }

    /// Stores a value with a key, in a table that is not shared; an equal key that is there stays.
    ///
    /// # Errors
    /// The key is not hashable; what hashing or comparing raised.
    pub fn put_if_absent(&mut self, key: Any, value: V) -> Result<(), Error> {
        let hash = key.view().hash()?;
        self.put_hashed(hash, key, value)
    }

    /// The same, of a key whose hash is known.
    ///
    /// # Errors
    /// What comparing raised.
    #[inline]
    pub fn put_hashed(&mut self, hash: i64, key: Any, value: V) -> Result<(), Error> {
        match self.find_place(hash, AnyRef::from(&key))? {
            Some(place) => drop(self.replace_value(place, value)),
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

    /// A tuple of which there are many with the same hash.
    fn colliding_tuple(i: i64) -> Any {
        // Ints that differ by a multiple of 2^61 - 1 have one hash.
        let digit = |n: u32| Any::Int(i / 4_i64.pow(n) % 4 * ((1 << 61) - 1));
        Any::from((0..5).map(digit).collect::<Tuple<Any>>())
    }

    /// A key of which there are many with the same hash, and about which others must be asked: it
    /// lies deeper than tuples are compared at once.
    fn colliding_key(i: i64) -> Any {
        let nested = |key, _| Any::from(Tuple::<Any>::from_iter([key]));
        let key = (0..9).fold(colliding_tuple(i), nested);
        if i > 0 {
            assert_eq!(key.view().hash().ok(), colliding_hash(), "all of one hash");
            assert_eq!(key.view().compare_key(colliding_key(0).view()), Verdict::Ask);
        }
        key
    }

    fn colliding_hash() -> Option<i64> {
        colliding_key(0).view().hash().ok()
    }

    #[test]
    fn tuples_of_plain_values_are_compared_without_asking() {
        let verdict = |a: &Any, b: &Any| a.view().compare_key(b.view());
        let (a, b) = (colliding_tuple(1), colliding_tuple(2));
        assert_eq!(verdict(&a, &b), Verdict::Different);
        assert_eq!(verdict(&a, &colliding_tuple(1)), Verdict::Same);
        let tuple = |items: [Any; 2]| Any::from(Tuple::<Any>::from_iter(items));
        let one = tuple([a.clone(), Any::Int(1)]);
        assert_eq!(verdict(&one, &tuple([a.clone(), Any::Float(1.0)])), Verdict::Same);
        assert_eq!(verdict(&one, &tuple([b, Any::Int(1)])), Verdict::Different);
        assert_eq!(verdict(&one, &a), Verdict::Different);
        // An element that must be asked is asked before those behind it are looked at.
        let asks = |i, last| tuple([colliding_key(i), Any::Int(last)]);
        assert_eq!(verdict(&asks(1, 1), &asks(2, 2)), Verdict::Ask);
    }

    /// A dict compares a new key with each that has its hash: n (n - 1) / 2 times for n keys.
    #[test]
    fn keys_of_one_hash_are_looked_at_a_few_times_each() {
        let counts = if cfg!(miri) { [3, 5] } else { [200, 400] };
        for count in counts {
            let dict = count * (count - 1) / 2;
            LOOKED_AT.set(0);
            let mut table = Table::default();
            for i in 0..count {
                table.put_if_absent(colliding_key(i), ()).unwrap();
            }
            assert_eq!(table.len(), count as usize);
            assert!(LOOKED_AT.get() as i64 <= 4 * dict, "{}", LOOKED_AT.get());
            LOOKED_AT.set(0);
            let shared = Hashed::new(Table::default());
            for i in 0..count {
                let key = colliding_key(i);
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
                let key = colliding_key(i);
                let place = shared.find_locked(hash, (&key).into(), |_, place| place);
                assert_eq!(place.unwrap(), Some(i as usize));
            }
            assert!(LOOKED_AT.get() as i64 <= 4 * dict, "{}", LOOKED_AT.get());
        }
    }
}
