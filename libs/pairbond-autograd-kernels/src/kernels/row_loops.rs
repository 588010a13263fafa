//! Loops over whole rows: along one dimension of contiguous elements.

use super::logs::Logs;
use super::reduction_loops::fold_line;
use super::threads;
use super::vector::{Vector, fill_vectorized};
use crate::data::room::filled_vec;

/// Fewer elements are not worth a thread: for the place of the best, for softmax, and for sums up
/// to each.
const GRAINS: [usize; 3] = [1 << 15, 1 << 14, 1 << 14];

/// How the elements along a dimension lie: `outer` blocks of `len` times `inner` elements.
#[derive(Clone, Copy)]
pub struct Along {
    /// How many blocks there are.
    pub outer: usize,
    /// How long the dimension is.
    pub len: usize,
    /// How many elements there are at each place along it.
    pub inner: usize,
}

impl Along {
    /// In a contiguous tensor of that shape; one without dimensions is a row of one.
    pub fn for_axis(shape: &[usize], axis: usize) -> Along {
        Along {
            outer: shape.iter().take(axis).product(),
            len: shape.get(axis).copied().unwrap_or(1),
            inner: shape.iter().skip(axis + 1).product(),
        }
    }

    /// Splits the results for these elements, `len` numbers of each row, and calls `run` with each
    /// piece and its part of the elements: where that begins, and how it lies.
    fn split_rows<O: Send>(
        self,
        out: &mut [O],
        len: usize,
        grain: usize,
        run: impl Fn(usize, Along, &mut [O]) + Sync,
    ) {
        let block = self.len * self.inner;
        threads::split_result(
            out,
            len * self.inner,
            grain.div_ceil(block.max(1)),
            |first, out| {
                let outer = out.len() / (len * self.inner).max(1);
                run(first * block, Along { outer, ..self }, out);
            },
        );
    }

    /// Where each row begins.
    pub fn row_starts(self) -> impl Iterator<Item = usize> {
        (0..self.outer)
            .flat_map(move |outer| (0..self.inner).map(move |inner| outer * self.len * self.inner + inner))
    }
}

/// The place of the element of each row that `better` than all before it (NaN is better than any).
pub fn best_in_rows<E: Copy + PartialOrd + Sync>(
    numbers: &[E],
    along: Along,
    better: impl Fn(E, E) -> bool + Sync,
) -> Vec<i64> {
    let row = |numbers: &[E], start: usize| {
        let mut best = 0;
        let mut value = numbers[start];
        for i in 1..along.len {
            let new = numbers[start + i * along.inner];
            if better(new, value) || is_nan(new) && !is_nan(value) {
                (best, value) = (i, new);
            }
        }
        best as i64
    };
    let mut out = filled_vec(0, along.outer * along.inner);
    along.split_rows(&mut out, 1, GRAINS[0], |first, along, out| {
        let numbers = &numbers[first..];
        let rows = along.row_starts().map(|start| row(numbers, start));
        out.iter_mut().zip(rows).for_each(|(out, best)| *out = best);
    });
    out
}

#[inline]
#[allow(clippy::eq_op)]
fn is_nan<E: PartialEq>(value: E) -> bool {
    value != value
}

/// Softmax of each row, or its logarithm.
pub fn softmax_rows<E: Logs>(numbers: &[E], along: Along, log: bool) -> Vec<E> {
    let mut out = filled_vec(E::ZERO, numbers.len());
    if along.len > 0 {
        along.split_rows(&mut out, along.len, GRAINS[1], |first, along, out| {
            softmax_into(&numbers[first..first + out.len()], along, log, out);
        });
    }
    out
}

fn softmax_into<E: Logs>(numbers: &[E], along: Along, log: bool, out: &mut [E]) {
    if along.inner == 1 {
        let rows = numbers
            .chunks_exact(along.len)
            .zip(out.chunks_exact_mut(along.len));
        return rows.for_each(|(row, out)| softmax_of(row, out, log));
    }
    let (mut row, mut done) = (vec![E::ZERO; along.len], vec![E::ZERO; along.len]);
    for start in along.row_starts() {
        let place = |i: usize| start + i * along.inner;
        (0..along.len).for_each(|i| row[i] = numbers[place(i)]);
        softmax_of(&row, &mut done, log);
        (0..along.len).for_each(|i| out[place(i)] = done[i]);
    }
}

/// Of one row.
fn softmax_of<E: Logs>(row: &[E], out: &mut [E], log: bool) {
    let most = fold_line(row, row[0], |v| v, |a, b| if b > a { b } else { a });
    fill_vectorized(row, out, |v| Vector::exp(v - most));
    let sum = E::of_f64(fold_line(out, 0.0, |v| v.to_f64(), |a, b| a + b));
    if log {
        let log_sum = Logs::ln(sum);
        fill_vectorized(row, out, |v| v - most - log_sum);
    } else {
        out.iter_mut().for_each(|v| *v = *v / sum);
    }
}

/// The sums of each row up to each element.
pub fn cumulative_rows<E: Copy + Send, S: Copy + Sync>(
    numbers: &[E],
    along: Along,
    zero: S,
    add: impl Fn(S, E) -> S + Sync,
    rounded: impl Fn(S) -> E + Sync,
) -> Vec<E> {
    let mut out = numbers.to_vec();
    along.split_rows(&mut out, along.len, GRAINS[2], |_, along, out| {
        for start in along.row_starts() {
            let mut sum = zero;
            for i in 0..along.len {
                let place = start + i * along.inner;
                sum = add(sum, out[place]);
                out[place] = rounded(sum);
            }
        }
    });
    out
}
