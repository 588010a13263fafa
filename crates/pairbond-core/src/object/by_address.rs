//! [`ByAddress`]: tables of objects by their addresses.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table by address. Its user ensures that no address is used again meanwhile.
pub type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// Addresses are unique; a multiplication spreads them.
#[derive(Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }
    fn write_usize(&mut self, address: usize) {
        let mixed = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}
