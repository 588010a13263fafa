//! [`Few`]: a sequence that is mostly short.

use std::borrow::Cow;
use std::ops::Deref;

use smallvec::SmallVec;

use super::from_value::convert_inside;
use super::{FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::{Error, ErrorKind};

/// The elements of a sequence that mostly has one or two: these need no memory of their own.
/// Arguments and results as of `Vec`.
///
/// ```
/// use pairbond_value::convert::Few;
///
/// let one: Few<&str> = ["a"].into_iter().collect();
/// assert_eq!(*one, ["a"]);
/// assert_eq!(one.into_iter().chain(Few::from(vec!["b", "c"])).collect::<Few<_>>().len(), 3);
/// assert!(Few::<u8>::default().is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Few<T>(SmallVec<[T; 2]>);

impl<T> Few<T> {
    /// Takes all elements out.
    #[inline]
    pub fn drain(&mut self) -> impl ExactSizeIterator<Item = T> {
        self.0.drain(..)
    }
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Few(SmallVec::new())
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(all: Vec<T>) -> Self {
        Few(all.into())
    }
}

impl<T> FromIterator<T> for Few<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut few = Few::default();
        few.extend(all);
        few
    }
}

/// Without memory it unwinds with a `MemoryError`.
impl<T> Extend<T> for Few<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, all: I) {
        for value in all {
            self.room_for(1);
            self.0.push(value);
        }
    }
}

impl<T> Few<T> {
    /// An empty list with room for so many. Without memory it unwinds with a `MemoryError`.
    #[must_use]
    pub fn with_room(count: usize) -> Self {
        let mut few = Few::default();
        few.room_for(count);
        few
    }

    #[inline]
    fn room_for(&mut self, more: usize) {
        if self.0.try_reserve(more).is_err() {
            no_room().unwind();
        }
    }
}

#[cold]
fn no_room() -> Error {
    Error::new(ErrorKind::Memory, "there is no memory for more elements")
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self.0.into_iter())
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The elements of a [`Few`], one after the other.
#[derive(Debug)]
pub struct IntoIter<T>(smallvec::IntoIter<[T; 2]>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}

impl<'a, T: for<'b> FromValue<'b>> FromValue<'a> for Few<T> {
    fn expected_type() -> Cow<'static, str> {
        Vec::<T>::expected_type()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut place = None;
        Few::read_into(source, &mut place)?;
        Ok(place.unwrap_or_default())
    }
    fn read_into<S: Source<'a>>(source: S, place: &mut Option<Self>) -> Result<(), Mismatch> {
        let few = place.insert(Few::default());
        source.read_sequence(|i, item| {
            let item = convert_inside(item, || format!("[{i}]"))?;
            few.0.try_reserve(1).map_err(|_| no_room())?;
            few.0.push(item);
            Ok(())
        })?;
        Ok(())
    }
}

impl<T: IntoValue> IntoValue for Few<T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        out.write_list(self.into_iter())
    }
}
