//! [`Axes`]: a number for each axis of an array.

use std::ops::{Deref, DerefMut};

/// Most arrays have no more axes than this: their numbers need no memory of their own.
const FEW: usize = 3;

/// A number for each axis: in place where they are few.
#[derive(Clone, Debug)]
pub(super) enum Axes<T> {
    Few { len: u8, numbers: [T; FEW] },
    Many(Box<[T]>),
}

impl<T: Copy + Default> Axes<T> {
    /// Zeros for so many axes.
    #[inline]
    fn zeros(len: usize) -> Self {
        if len <= FEW {
            let numbers = [T::default(); FEW];
            let len = len as u8;
            return Axes::Few { len, numbers };
        }
        Axes::Many(vec![T::default(); len].into())
    }

    /// What `number` returns for each axis, in order.
    ///
    /// # Errors
    /// The first one of `number`.
    #[inline]
    pub(super) fn try_new<E>(len: usize, mut number: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
        let mut all = Self::zeros(len);
        for (axis, place) in all.iter_mut().enumerate() {
            *place = number(axis)?;
        }
        Ok(all)
    }

    /// What `number` returns for each axis, in order.
    #[inline]
    pub(super) fn new(len: usize, mut number: impl FnMut(usize) -> T) -> Self {
        let mut all = Self::zeros(len);
        for (axis, place) in all.iter_mut().enumerate() {
            *place = number(axis);
        }
        all
    }

    /// All but those of one axis.
    pub(super) fn without(&self, axis: usize) -> Self {
        Self::new(self.len() - 1, |at| self[at + usize::from(at >= axis)])
    }
}

impl<T: Copy + Default> From<&[T]> for Axes<T> {
    fn from(numbers: &[T]) -> Self {
        Self::new(numbers.len(), |axis| numbers[axis])
    }
}

impl<T> Deref for Axes<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Axes::Few { len, numbers } => &numbers[..usize::from(*len)],
            Axes::Many(numbers) => numbers,
        }
    }
}

impl<T> DerefMut for Axes<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Axes::Few { len, numbers } => &mut numbers[..usize::from(*len)],
            Axes::Many(numbers) => numbers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_alike() {
        for len in [0, 1, FEW, FEW + 1, 64] {
            let numbers: Vec<usize> = (10..10 + len).collect();
            let mut axes = Axes::from(&numbers[..]);
            assert_eq!(axes[..], numbers[..]);
            for axis in 0..len {
                let mut rest = numbers.clone();
                rest.remove(axis);
                assert_eq!(axes.without(axis)[..], rest[..]);
            }
            axes.reverse();
            assert!(axes.iter().rev().eq(&numbers));
            assert_eq!(
                Axes::try_new(len, Ok::<_, ()>).unwrap()[..],
                *Vec::from_iter(0..len)
            );
            let fails = Axes::try_new(len, |at| if at == 2 { Err(at) } else { Ok(at) });
            assert_eq!(fails.is_err(), len > 2);
        }
    }
}
