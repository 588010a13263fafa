//! Arithmetic of shapes and strides. Strides are in bytes, and may be negative or zero.

use super::Axes;
use crate::error::{Error, ErrorKind};

/// The bytes of all elements, when no stride is at work.
pub(super) fn bytes_of_shape(shape: &[usize], item: usize) -> Result<usize, Error> {
    let too_large = || {
        Error::new(
            ErrorKind::Overflow,
            "an array of that shape is larger than memory",
        )
    };
    // A zero anywhere makes it empty; the others must be countable all the same, as frontends
    // multiply them.
    let all = shape
        .iter()
        .filter(|n| **n != 0)
        .try_fold(item, |all, n| all.checked_mul(*n))
        .filter(|all| isize::try_from(*all).is_ok())
        .ok_or_else(too_large)?;
    Ok(if shape.contains(&0) { 0 } else { all })
}

/// Whether the elements are no further apart than memory is large, so that the offset of each can
/// be computed.
pub(super) fn check_extent(shape: &[usize], strides: &[isize]) -> Result<(), Error> {
    let axis = |(n, stride): (&usize, &isize)| {
        isize::try_from(n.saturating_sub(1))
            .ok()?
            .checked_mul(stride.checked_abs()?)
    };
    let all = shape
        .iter()
        .zip(strides)
        .map(axis)
        .try_fold(0_isize, |all, one| all.checked_add(one?));
    match all {
        _ if shape.contains(&0) => Ok(()),
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorKind::Overflow,
            "an array with those strides reaches beyond memory",
        )),
    }
}

/// Row after row, the last index fastest.
pub(super) fn c_strides(shape: &[usize], item: usize) -> Axes<isize> {
    let mut strides = Axes::from_elem(0, shape.len());
    let mut step = item as isize;
    for (stride, n) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step = step.wrapping_mul((*n).max(1) as isize);
    }
    strides
}

/// Whether elements lie one behind the other, the last index fastest (or the first, when `shape`
/// and `strides` come reversed).
pub(super) fn is_contiguous<'a>(
    dimensions: impl DoubleEndedIterator<Item = (&'a usize, &'a isize)> + Clone,
    item: usize,
) -> bool {
    if dimensions.clone().any(|(n, _)| *n == 0) {
        return true;
    }
    let mut step = item as isize;
    for (n, stride) in dimensions.rev() {
        if *n != 1 && *stride != step {
            return false;
        }
        step = step.wrapping_mul(*n as isize);
    }
    true
}

/// The offsets of all elements, the last index fastest.
#[derive(Clone, Debug)]
pub(super) struct Offsets<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
    at: Vec<usize>,
    offset: isize,
    left: usize,
}

impl<'a> Offsets<'a> {
    pub(super) fn new(shape: &'a [usize], strides: &'a [isize]) -> Self {
        Offsets {
            shape,
            strides,
            at: vec![0; shape.len()],
            offset: 0,
            left: shape.iter().product(),
        }
    }
}

impl Iterator for Offsets<'_> {
    type Item = isize;

    #[inline]
    fn next(&mut self) -> Option<isize> {
        self.left = self.left.checked_sub(1)?;
        let now = self.offset;
        for axis in (0..self.shape.len()).rev() {
            self.at[axis] += 1;
            self.offset = self.offset.wrapping_add(self.strides[axis]);
            if self.at[axis] < self.shape[axis] {
                break;
            }
            self.offset = self
                .offset
                .wrapping_sub(self.strides[axis].wrapping_mul(self.shape[axis] as isize));
            self.at[axis] = 0;
        }
        Some(now)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Offsets<'_> {}
