//! Room in what grows with a program: tables, work lists, copies of lists. Where there is no
//! memory, these unwind with a `MemoryError`, which the function that Python called raises; Rust's
//! own functions would end the process.

pub use pairbond::memory::{Gather, Grow, Room};
use pairbond::memory::{or_unwind, try_copy};

/// Returns a copy of a text in memory of its own.
#[must_use]
pub fn boxed_str(text: &str) -> Box<str> {
    let mut copy = String::new();
    or_unwind(copy.try_reserve_exact(text.len()));
    copy.push_str(text);
    copy.into_boxed_str()
}

/// The same for bytes.
#[must_use]
pub fn boxed_bytes(bytes: &[u8]) -> Box<[u8]> {
    or_unwind(try_copy(bytes)).into_boxed_slice()
}

/// Returns a list of so many times a value.
pub fn filled_vec<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut all = Vec::new();
    or_unwind(all.try_reserve_exact(count));
    all.resize(count, value);
    all
}
