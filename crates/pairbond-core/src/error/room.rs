//! Growing what others decide the size of: an error when there is no memory, where the standard
//! library would abort the process.

use std::collections::{BinaryHeap, HashMap, HashSet, TryReserveError};
use std::hash::{BuildHasher, Hash};

use super::{Error, ErrorKind, wants_backtraces};
use crate::alloc::{keep_block, try_collect, use_reserve};

/// Whether memory for `count` things of `each` bytes can be had now, before something is made whose
/// parts cannot fail one by one: a count that comes from outside is an error then, and does not
/// abort the process.
///
/// # Errors
/// `MemoryError`
///
/// ```
/// use pairbond_core::memory::check_room;
///
/// assert!(check_room(1000, 64).is_ok());
/// assert!(check_room(usize::MAX, 64).is_err());
/// ```
pub fn check_room(count: usize, each: usize) -> Result<(), Error> {
    let size = count
        .checked_mul(each)
        .filter(|size| Vec::<u8>::new().try_reserve_exact(*size).is_ok());
    match size {
        Some(_) => {
            keep_reserve();
            Ok(())
        }
        None => {
            use_reserve();
            Err(Error::new(
                ErrorKind::Memory,
                format!("there is no memory for {count} of {each} bytes"),
            ))
        }
    }
}

/// Keeps memory for the error that says that there is none, if none is kept and there is some. The
/// thread that calls it first has the binary's thread-locals from then on, and errors have read the
/// environment.
pub fn keep_reserve() {
    keep_block(|| {
        let _ = wants_backtraces();
    });
}

/// For code that cannot return an error: unwinds with a `MemoryError` where there was no room.
#[inline]
pub fn or_unwind<T>(made: Result<T, TryReserveError>) -> T {
    made.unwrap_or_else(|error| Error::from(error).unwind())
}

/// So many copies of a value. Without memory it unwinds with a `MemoryError`.
pub fn filled_vec<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut all = Vec::new();
    or_unwind(all.try_reserve_exact(count));
    all.resize(count, value);
    all
}

/// What takes one more once there is room. Without memory it unwinds with a `MemoryError`.
pub trait Room {
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

impl<T: Ord> Room for BinaryHeap<T> {
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
pub trait Grow<T> {
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
pub trait Gather: Iterator + Sized {
    /// As `collect`.
    #[inline]
    fn gather(self) -> Vec<Self::Item> {
        or_unwind(try_collect(self))
    }

    /// The same of results; the first error ends it.
    ///
    /// # Errors
    /// Those of the iterator.
    #[inline]
    fn gather_ok<T, E>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut all = Vec::new();
        for value in self {
            all.room().push(value?);
        }
        Ok(all)
    }
}

impl<I: Iterator> Gather for I {}
