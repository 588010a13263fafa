//! [`Subscript`]: what stands in brackets and is no value of its own.

/// What stands in brackets beside numbers and objects: `a[1:n, ..., ::2]`.
///
/// ```
/// use pairbond_core::convert::Subscript;
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
    /// Several with commas between them, which [`Source::sequence`](super::Source::sequence) gives.
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
