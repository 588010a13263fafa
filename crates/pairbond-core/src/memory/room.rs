//! Growing what others decide the size of: an error when there is no memory, where the standard
//! library would abort the process.

use std::collections::{BinaryHeap, HashMap, HashSet, TryReserveError};
use std::hash::{BuildHasher, Hash};

use crate::error::{Error, ErrorKind};

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
            super::keep_reserve();
            Ok(())
        }
        None => {
            super::use_reserve();
            Err(Error::new(
                ErrorKind::Memory,
                format!("there is no memory for {count} of {each} bytes"),
            ))
        }
    }
}

/// Whether there are addresses for a thread: for its stack, and for the allocator's reserve
/// (glibc's is twice 64 MB). The C library ends the process when a thread that has begun finds no memory for
/// its thread-locals, so a thread that can be done without is begun only where there is plenty.
#[must_use]
pub fn has_room_for_a_thread() -> bool {
    const NEEDED: usize = 160 << 20;
    has_room(NEEDED)
}

/// Whether so many bytes can be had now, for arrays that grow together and of which none can fail.
pub(crate) fn has_room(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// For code that cannot return an error: unwinds with a `MemoryError` where there was no room.
#[inline]
pub fn or_unwind<T>(made: Result<T, TryReserveError>) -> T {
    made.unwrap_or_else(|error| Error::from(error).unwind())
}

/// A box; the value is dropped where there is no memory for one.
pub fn try_box<T>(value: T) -> Option<Box<T>> {
    box_or_value(value).ok()
}

/// A box, or the value where there is no memory for one.
pub(super) fn box_or_value<T>(value: T) -> Result<Box<T>, T> {
    const { assert!(size_of::<T>() > 0) };
    let layout = std::alloc::Layout::new::<T>();
    // SAFETY: the layout is not empty; the memory fits the value, and is the box's.
    unsafe {
        let memory = std::alloc::alloc(layout).cast::<T>();
        if memory.is_null() {
            return Err(value);
        }
        memory.write(value);
        Ok(Box::from_raw(memory))
    }
}

/// Adds one value.
///
/// # Errors
/// There is no memory.
#[inline]
pub fn try_push<T>(values: &mut Vec<T>, value: T) -> Result<(), TryReserveError> {
    if values.len() == values.capacity() {
        values.try_reserve(1)?;
    }
    values.push(value);
    Ok(())
}

/// Adds a text.
///
/// # Errors
/// There is no memory.
#[inline]
pub fn try_push_str(text: &mut String, more: &str) -> Result<(), TryReserveError> {
    text.try_reserve(more.len())?;
    text.push_str(more);
    Ok(())
}

/// A copy of all values.
///
/// # Errors
/// There is no memory.
pub fn try_copy<T: Clone>(values: &[T]) -> Result<Vec<T>, TryReserveError> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

/// All values of an iterator, which may be endless.
///
/// # Errors
/// There is no memory.
pub fn try_collect<T>(values: impl Iterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut all = Vec::new();
    // Not as lists grow: one of two values would have room for four.
    all.try_reserve_exact(values.size_hint().0)?;
    for value in values {
        try_push(&mut all, value)?;
    }
    Ok(all)
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
