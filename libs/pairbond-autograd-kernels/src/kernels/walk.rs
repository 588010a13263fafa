//! [`Walk`]: the common way through operands of different strides, in rows that are as long as the
//! strides allow.

use crate::data::Geometry;

/// Numbers and where they are.
#[derive(Clone, Copy)]
pub struct Of<'a, E> {
    /// All numbers of the storage.
    pub numbers: &'a [E],
    /// Which of them, and in what order.
    pub geometry: &'a Geometry,
}

impl<'a, E> Of<'a, E> {
    /// All of them behind each other, if that is how they lie.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [E]> {
        let all = || &self.numbers[self.geometry.offset..self.geometry.offset + self.geometry.numel()];
        match self.geometry.is_contiguous() {
            true if self.geometry.numel() == 0 => Some(&[]),
            true => Some(all()),
            false => None,
        }
    }
}

/// The way through `N` operands that are stretched to one shape.
#[derive(Clone)]
pub(super) struct Walk<const N: usize> {
    /// Lengths, outermost first; the innermost is that of a row.
    lens: Vec<usize>,
    /// How far the next element is, for each operand.
    strides: Vec<[usize; N]>,
    start: [usize; N],
    empty: bool,
}

impl<const N: usize> Walk<N> {
    /// Through operands that can be stretched to `shape`.
    pub(super) fn through_operands(shape: &[usize], operands: [&Geometry; N]) -> Walk<N> {
        let stride = |geometry: &Geometry, axis: usize| {
            let own = (axis + geometry.shape.len()).checked_sub(shape.len());
            own.map_or(0, |own| {
                if geometry.shape[own] == 1 {
                    0
                } else {
                    geometry.strides[own]
                }
            })
        };
        let mut walk = Walk {
            lens: Vec::with_capacity(shape.len()),
            strides: Vec::with_capacity(shape.len()),
            start: operands.map(|geometry| geometry.offset),
            empty: shape.contains(&0),
        };
        for (axis, &len) in shape.iter().enumerate().filter(|(_, len)| **len != 1) {
            walk.push_dimension(len, operands.map(|geometry| stride(geometry, axis)));
        }
        walk
    }

    /// One dimension more inside, together with the last one if both are one step after the other
    /// for all.
    fn push_dimension(&mut self, len: usize, strides: [usize; N]) {
        if let (Some(outer_len), Some(outer)) = (self.lens.last_mut(), self.strides.last_mut())
            && (0..N).all(|i| outer[i] == strides[i] * len)
        {
            *outer_len *= len;
            *outer = strides;
            return;
        }
        self.lens.push(len);
        self.strides.push(strides);
    }

    /// How long its outermost dimension is.
    pub(super) fn outermost_len(&self) -> usize {
        self.lens.first().copied().unwrap_or(1)
    }

    /// The outermost dimension along which this operand has other elements, and how long it is.
    pub(super) fn first_of(&self, operand: usize) -> Option<(usize, usize)> {
        let axis = self.strides.iter().position(|strides| strides[operand] != 0)?;
        Some((axis, self.lens[axis]))
    }

    /// The part of a way that begins at `first` of a dimension and is `len` long there.
    pub(super) fn part_of_axis(&self, axis: usize, first: usize, len: usize) -> Walk<N> {
        let mut part = self.clone();
        if let (Some(all), Some(strides)) = (part.lens.get_mut(axis), self.strides.get(axis)) {
            *all = len;
            (0..N).for_each(|i| part.start[i] += strides[i] * first);
        }
        part
    }

    /// Calls `row` with the places of the first elements, how far the next ones are, and how many
    /// there are.
    pub(super) fn for_rows(&self, mut row: impl FnMut([usize; N], [usize; N], usize)) {
        if self.empty {
            return;
        }
        let Some((&len, outer)) = self.lens.split_last() else {
            return row(self.start, [1; N], 1);
        };
        let inner = self.strides[outer.len()];
        let mut index = vec![0; outer.len()];
        let mut places = self.start;
        loop {
            row(places, inner, len);
            let mut axis = outer.len();
            loop {
                let Some(next) = axis.checked_sub(1) else { return };
                axis = next;
                index[axis] += 1;
                let strides = &self.strides[axis];
                if index[axis] < outer[axis] {
                    (0..N).for_each(|i| places[i] += strides[i]);
                    break;
                }
                (0..N).for_each(|i| places[i] -= strides[i] * (outer[axis] - 1));
                index[axis] = 0;
            }
        }
    }
}

/// `len` elements from `place` on, `stride` apart.
#[inline]
pub(super) fn row_elements<E: Copy>(
    numbers: &[E],
    place: usize,
    stride: usize,
    len: usize,
) -> impl Iterator<Item = E> {
    let numbers = &numbers[place..];
    (0..len).map(move |i| numbers[i * stride])
}
