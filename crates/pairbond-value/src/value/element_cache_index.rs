//! [`Index`]: places by hash, of a table as it is at one version. For
//! [`ElementCache`](super::ElementCache)s, whose rules it is under.
//!
//! It knows every key of that version by its hash, so that a hash which is not here is no key's.
//! The caller compares a key that is found with the one in question.

use std::collections::TryReserveError;

use super::hash_table::mix_hash;

/// The result of looking a hash up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// The key is at this place.
    At(usize),
    /// There is no such key.
    Absent,
    /// A key with that hash is there, but it is not remembered which.
    Unknown,
}

/// See the head of this file.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The upper half of a mixed hash, and one more than the place; 0 for none. A power of two of
    /// them, or none at all.
    slots: Vec<(u32, u32)>,
    free: usize,
}

impl Index {
    pub(super) fn forget_all(&mut self) {
        self.slots.clear();
        self.free = 0;
    }

    /// Learns all keys anew: places and hashes, `len` of them, of which `end` is beyond.
    ///
    /// # Errors
    /// There is no memory.
    pub(super) fn rebuild_index(
        &mut self,
        len: usize,
        hashes: impl Iterator<Item = (usize, i64)>,
    ) -> Result<(), TryReserveError> {
        let size = (len * 2 + 8).next_power_of_two();
        self.forget_all();
        self.slots.try_reserve(size)?;
        self.slots.resize(size, (0, 0));
        self.free = size / 2 + size / 8;
        for (place, hash) in hashes {
            self.add(place, hash);
        }
        Ok(())
    }

    /// Learns another key; whether there is room for it.
    pub(super) fn add(&mut self, place: usize, hash: i64) -> bool {
        let (Some(next), false) = (u32::try_from(place + 1).ok(), self.free == 0) else {
            return false;
        };
        self.free -= 1;
        let (mixed, mask) = (mix_hash(hash), self.slots.len() - 1);
        let mut at = mixed as usize & mask;
        while self.slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = ((mixed >> 32) as u32, next);
        true
    }

    /// Looks a hash up. `is` says whether the key at a place is the one in question, if it knows.
    #[inline(always)]
    pub(super) fn find_hash(&self, hash: i64, mut is: impl FnMut(usize) -> Option<bool>) -> Sought {
        if self.slots.is_empty() {
            return Sought::Unknown;
        }
        let (mixed, mask) = (mix_hash(hash), self.slots.len() - 1);
        let (mut at, mut unsure) = (mixed as usize & mask, false);
        // There are always empty ones.
        while let (upper, next @ 1..) = self.slots[at & mask] {
            if upper == (mixed >> 32) as u32 {
                match is(next as usize - 1) {
                    Some(true) => return Sought::At(next as usize - 1),
                    Some(false) => {}
                    None => unsure = true,
                }
            }
            at = at.wrapping_add(1);
        }
        if unsure { Sought::Unknown } else { Sought::Absent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_nothing_else() {
        let mut index = Index::default();
        assert_eq!(index.find_hash(1, |_| Some(true)), Sought::Unknown);
        let hashes: Vec<i64> = (0..100).map(|n: i64| n * n * 1_000_003 - 7).collect();
        let known = index.rebuild_index(90, hashes[..90].iter().copied().enumerate());
        assert!(known.is_ok());
        for (place, hash) in hashes.iter().enumerate() {
            if place >= 90 {
                assert_eq!(index.find_hash(*hash, |_| Some(true)), Sought::Absent);
                assert!(index.add(place, *hash));
            }
            assert_eq!(index.find_hash(*hash, |at| Some(at == place)), Sought::At(place));
            assert_eq!(index.find_hash(*hash, |_| None), Sought::Unknown);
            assert_eq!(index.find_hash(*hash, |_| Some(false)), Sought::Absent);
        }
        // It never fills up: looking for an absent key must end.
        while index.add(7, 7) {}
        assert_eq!(index.find_hash(8, |_| Some(true)), Sought::Absent);
        index.forget_all();
        assert_eq!(index.find_hash(7, |_| Some(true)), Sought::Unknown);
    }
}
