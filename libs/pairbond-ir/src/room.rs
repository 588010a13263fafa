//! Room in what grows with a program: tables, work lists, copies of lists. Where there is no
//! memory, these unwind with a `MemoryError`, which the function that Python called raises; Rust's
//! own functions would end the process.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use pairbond::memory::{or_unwind, try_collect, try_copy};

/// What takes one more once there is room.
pub(crate) trait Room {
    /// Makes room for one more.
    fn room(&mut self) -> &mut Self;
}

impl<T> Room for Vec<T> {
    #[inline]
    fn room(&mut self) -> &mut Self {
        if self.len() == self.capacity() {
            or_unwind(self.try_reserve(1));
        }
        self
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Room for HashMap<K, V, S> {
    #[inline]
    fn room(&mut self) -> &mut Self {
        or_unwind(self.try_reserve(1));
        self
    }
}

impl<T: Eq + Hash, S: BuildHasher> Room for HashSet<T, S> {
    #[inline]
    fn room(&mut self) -> &mut Self {
        or_unwind(self.try_reserve(1));
        self
    }
}

/// A list that takes as many as there are.
pub(crate) trait Grow<T> {
    /// As `extend`.
    fn grow(&mut self, more: impl IntoIterator<Item = T>);
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn grow(&mut self, more: impl IntoIterator<Item = T>) {
        let more = more.into_iter();
        or_unwind(self.try_reserve(more.size_hint().0));
        for it in more {
            self.room().push(it);
        }
    }
}

/// Collecting into a list.
pub(crate) trait Gather: Iterator + Sized {
    /// As `collect`.
    #[inline]
    fn gather(self) -> Vec<Self::Item> {
        or_unwind(try_collect(self))
    }
}

impl<I: Iterator> Gather for I {}

/// A copy of a text in memory of its own.
pub(crate) fn boxed(text: &str) -> Box<str> {
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
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut all = Vec::new();
    or_unwind(all.try_reserve_exact(count));
    all.resize(count, value);
    all
}
