//! Whether two binaries lay hash tables out alike.
//!
//! The index of a map is hashbrown's table, whose code is in each binary that uses one, while the
//! version that Cargo chose, the processor's features and the order that the compiler gave its
//! fields are each binary's own. Sizes are not enough: so each binary fills a small table, and what
//! lies in memory then is compared.

use hashbrown::HashTable;

use super::shapes::mix_hash;

/// Words of the table's own.
const WORDS: usize = size_of::<HashTable<u32>>() / size_of::<usize>();
/// No number in a table as small as this is as large as an address.
const LOWEST_ADDRESS: usize = 4096;

/// A digest of a small table as this binary makes it: its words, which of them is an address, the
/// marks of all places, and where entries lie.
#[must_use]
pub fn table_digest() -> u64 {
    if cfg!(miri) {
        // It does not let an address be read as a number, and has one binary only.
        return 0;
    }
    const ENTRIES: u32 = 5;
    let hash = |n: &u32| u64::from(*n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut table = HashTable::<u32>::with_capacity(ENTRIES as usize);
    for n in 1..=ENTRIES {
        table.insert_unique(hash(&n), n, hash);
    }
    let _ = table
        .find_entry(hash(&2), |n| *n == 2)
        .map(|found| found.remove());
    // SAFETY: the table is made of words: a pointer and three counts, without padding between or
    // behind them.
    let words = unsafe { (&raw const table).cast::<[usize; WORDS]>().read() };
    let mut digest = mix_hash(0xcbf2_9ce4_8422_2325, WORDS);
    for word in words {
        digest = mix_hash(digest, word.min(LOWEST_ADDRESS));
    }
    if let Some(marks) = words.iter().find(|word| **word >= LOWEST_ADDRESS) {
        let start = std::ptr::with_exposed_provenance::<u8>(*marks);
        for place in 0..table.num_buckets() {
            // SAFETY: the address is that of one mark for each place, and of more behind them; all
            // are written when a table is made. Should this version lay them out otherwise, they
            // are still within the block that the table owns, whose end they are.
            digest = mix_hash(digest, usize::from(unsafe { start.add(place).read() }));
        }
        for entry in &table {
            digest = mix_hash(digest, std::ptr::from_ref(entry).addr().wrapping_sub(*marks));
        }
    }
    digest
}

/// The digest of the runtime's binary.
pub(crate) unsafe extern "C" fn digest_here() -> u64 {
    table_digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_same_digest_wherever_it_is_made() {
        let before: Vec<_> = (0..50).map(|n| vec![n; n]).collect();
        assert_eq!(table_digest(), table_digest());
        drop(before);
        assert_eq!(table_digest(), table_digest());
    }
}
