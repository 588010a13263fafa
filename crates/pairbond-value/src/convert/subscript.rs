//! [`Subscript`]: what stands in brackets and is no value of its own.

use std::borrow::Cow;

use super::{FromValue, Mismatch, Source};
use crate::error::Error;

/// A subscript that is no number or object: `a[1:n, ..., ::2]`.
///
/// ```
/// use pairbond_value::convert::Subscript;
///
/// let from_the_end = Subscript::Slice { start: -2, stop: i64::MAX, step: 1 };
/// assert_eq!(from_the_end.places(5), Some((3, 1, 2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Subscript {
    /// `start:stop:step`. An omitted bound is the start or the end of everything, seen in the
    /// direction of `step`, which is not zero.
    Slice {
        /// The first place; counted from the end when negative.
        start: i64,
        /// The place before which it ends.
        stop: i64,
        /// From one place to the next.
        step: i64,
    },
    /// `...`
    Ellipsis,
    /// Several with commas between them, which
    /// [`Source::read_sequence`](super::Source::read_sequence) gives.
    Several,
}

impl Subscript {
    /// The first place, the step and the number of places that a slice has in a sequence of that
    /// length.
    #[must_use]
    pub fn places(self, len: usize) -> Option<(usize, i64, usize)> {
        let Subscript::Slice { start, stop, step } = self else {
            return None;
        };
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        // The places at which a slice can begin and end: going down it may end before the first.
        let (low, high) = if step < 0 { (-1, len - 1) } else { (0, len) };
        let within = |at: i64| (if at < 0 { at.saturating_add(len) } else { at }).clamp(low, high);
        let (start, stop) = (within(start), within(stop));
        let way = if step < 0 { start - stop } else { stop - start };
        let count = if way <= 0 {
            0
        } else {
            (way - 1).unsigned_abs() / step.unsigned_abs() + 1
        };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Some((usize::try_from(start).unwrap_or(0), step, count))
    }
}

impl Subscript {
    /// Returns the places that a slice has in a sequence of that length, in its order; none for
    /// other subscripts.
    ///
    /// ```
    /// use pairbond_value::convert::Subscript;
    ///
    /// let every_second = Subscript::Slice { start: i64::MAX, stop: i64::MIN, step: -2 };
    /// assert_eq!(every_second.indices(5).collect::<Vec<_>>(), [4, 2, 0]);
    /// ```
    pub fn indices(self, len: usize) -> impl ExactSizeIterator<Item = usize> + use<> {
        let (start, step, count) = self.places(len).unwrap_or((0, 1, 0));
        (0..count).map(move |nth| (start as i64).wrapping_add((nth as i64).wrapping_mul(step)) as usize)
    }
}

impl<'a> FromValue<'a> for Subscript {
    fn expected_type() -> Cow<'static, str> {
        "a slice".into()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        source.read_subscript()
    }
}

/// The argument of a sequence's `__getitem__`: `a[3]`, `a[-1]`, `a[1:5]`.
///
/// ```
/// use pairbond_value::convert::IntOrSlice;
///
/// fn get(all: &[char], at: IntOrSlice) -> String {
///     at.indices(all.len()).unwrap().into_iter().map(|index| all[index]).collect()
/// }
/// assert_eq!(get(&['a', 'b', 'c'], IntOrSlice::Int(-1)), "c");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOrSlice {
    /// An index; counted from the end when negative.
    Int(i64),
    /// A [`Subscript::Slice`].
    Slice(Subscript),
}

impl IntOrSlice {
    /// The one place of an index, or those of a slice.
    ///
    /// # Errors
    /// `IndexError`: there is no such place.
    pub fn indices(self, len: usize) -> Result<Vec<usize>, Error> {
        match self {
            IntOrSlice::Slice(slice) => Ok(slice.indices(len).collect()),
            IntOrSlice::Int(index) => {
                let place = if index < 0 {
                    index.saturating_add_unsigned(len as u64)
                } else {
                    index
                };
                match usize::try_from(place) {
                    Ok(place) if place < len => Ok(vec![place]),
                    _ => Err(Error::index_error(format!(
                        "index {index} is out of range: there are {len}"
                    ))),
                }
            }
        }
    }
}

impl<'a> FromValue<'a> for IntOrSlice {
    fn expected_type() -> Cow<'static, str> {
        "int or slice".into()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.read_subscript() {
            Ok(slice @ Subscript::Slice { .. }) => Ok(IntOrSlice::Slice(slice)),
            Ok(_) => Err(Mismatch::Type),
            Err(Mismatch::Type) => source.read_i64().map(IntOrSlice::Int),
            Err(other) => Err(other),
        }
    }
}
