//! Room in what grows with a program: tables, work lists, copies of lists. Where there is no
//! memory, these unwind with a `MemoryError`, which the function that Python called raises; Rust's
//! own functions would end the process.

pub(crate) use pairbond::memory::{Gather, Grow, Room};
use pairbond::memory::{or_unwind, try_copy};

/// A copy of a text in memory of its own.
pub(crate) fn boxed_str(text: &str) -> Box<str> {
    let mut copy = String::new();
    or_unwind(copy.try_reserve_exact(text.len()));
    copy.push_str(text);
    copy.into_boxed_str()
}

/// The same for bytes.
pub(crate) fn boxed_bytes(bytes: &[u8]) -> Box<[u8]> {
    or_unwind(try_copy(bytes)).into_boxed_slice()
}

/// A list of so many.
pub(crate) fn filled_vec<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut all = Vec::new();
    or_unwind(all.try_reserve_exact(count));
    all.resize(count, value);
    all
}
