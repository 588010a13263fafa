//! Hashing for tables of names, addresses and keys of our own: quick, and not resistant to keys
//! that are chosen to collide.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use pairbond::Object;
use pairbond::prelude::*;

/// A table that hashes so.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A set that hashes so.
pub type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// The key of an object in tables by address: that of [`Weak::addr`]. No other object has it as
/// long as this one is held.
#[inline]
#[must_use]
pub fn object_address<T: Object>(of: &Ref<T>) -> usize {
    std::ptr::from_ref(of.header()).addr()
}

/// The same, by a borrowed handle.
#[inline]
#[must_use]
pub fn address_of<T: Object>(of: Borrow<'_, T>) -> usize {
    std::ptr::from_ref(of.header()).addr()
}

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Multiplies and rotates, word by word.
#[derive(Clone, Copy, Default)]
pub struct FastHasher(u64);

impl FastHasher {
    #[inline]
    fn add_word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(ODD);
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            // Some bytes are read twice, which is quicker than to copy so few.
            let last = match (bytes.last_chunk::<8>(), rest.last_chunk::<4>()) {
                (Some(last), _) => u64::from_le_bytes(*last),
                (None, Some(last)) => {
                    let first = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
                    u64::from(first) << 32 | u64::from(u32::from_le_bytes(*last))
                }
                (None, None) => rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            };
            self.add_word(last ^ (rest.len() as u64) << 56);
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.add_word(value.into());
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.add_word(value.into());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.add_word(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add_word(value as u64);
    }

    /// Tables use the upper bits and the lower ones.
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, BuildHasherDefault};

    use super::FastHasher;

    #[test]
    fn every_byte_of_a_name_counts() {
        let hashes = BuildHasherDefault::<FastHasher>::default();
        let name = b"arith.addi.overflow";
        for len in 1..=name.len() {
            let mut seen = HashSet::from([hashes.hash_one(&name[..len - 1])]);
            seen.insert(hashes.hash_one(&name[..len]));
            for at in 0..len {
                let mut changed = name[..len].to_vec();
                changed[at] = b'0';
                seen.insert(hashes.hash_one(&changed[..]));
            }
            assert_eq!(seen.len(), 2 + len, "of {len} bytes");
        }
    }

    #[test]
    fn names_and_addresses_spread() {
        let hashes = BuildHasherDefault::<FastHasher>::default();
        let names: HashSet<u64> = (0..10_000)
            .map(|it| hashes.hash_one(format!("%{it}")) & 0x3FFF)
            .collect();
        let places: HashSet<u64> = (0..10_000_usize)
            .map(|it| hashes.hash_one(0x7F00_0000 + it * 112) & 0x3FFF)
            .collect();
        // By chance it is 7,500 of 16,384.
        assert!(
            names.len() > 7000 && places.len() > 7000,
            "{} {}",
            names.len(),
            places.len()
        );
    }
}
