//! [`ByNode`]: maps from nodes, by their addresses.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Addresses are as good as hashes, but for their low bits.
#[derive(Default)]
pub(crate) struct Address(u64);

impl Hasher for Address {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses only")
    }
    fn write_usize(&mut self, address: usize) {
        let mixed = (address as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // A map looks at the low bits, which are zeros if nodes lie a power of two apart.
        self.0 = mixed ^ (mixed >> 32);
    }
}

pub(crate) type ByNode<V> = HashMap<usize, V, BuildHasherDefault<Address>>;
