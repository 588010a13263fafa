//! Many elements into one.

use super::elementwise::Work;
use super::threads;
use super::walk::{Of, Walk, row_elements};
use crate::data::{Geometry, room};

/// How many are joined side by side: the compiler makes vectors of it, and the error of a sum grows
/// with this part of the length.
const LANES: usize = 16;

/// Fewer elements are not worth a thread.
fn min_elements(work: Work) -> usize {
    match work {
        Work::Light => 1 << 18,
        Work::Heavy => 1 << 15,
    }
}

/// Joins all elements that fall on the same place of `shape`, which is the shape of `a` with 1 in
/// the dimensions that are joined. `join` may be called in any order, with `start` any number of
/// times.
pub fn fold_axes<E: Copy + Sync, O: Copy + Send + Sync>(
    a: Of<'_, E>,
    shape: &[usize],
    work: Work,
    start: O,
    into: impl Fn(E) -> O + Sync,
    join: impl Fn(O, O) -> O + Sync,
) -> Vec<O> {
    let of_line = |numbers: &[E]| fold_line(numbers, start, &into, &join);
    fold_lines(a, shape, work, start, &into, &join, of_line)
}

/// The sums, which single numbers would get lost beside: in double precision, but for short lines.
pub fn sum_axes(a: Of<'_, f32>, shape: &[usize]) -> Vec<f64> {
    const SHORT: usize = 1024;
    let short = |numbers: &[f32]| f64::from(fold_line(numbers, 0.0, |v| v, |v, w| v + w));
    let of_line = |numbers: &[f32]| numbers.chunks(SHORT).map(short).sum();
    fold_lines(a, shape, Work::Light, 0.0, &f64::from, &|v, w| v + w, of_line)
}

/// As [`fold_axes`]; `of_line` joins elements that lie behind each other.
fn fold_lines<E: Copy + Sync, O: Copy + Send + Sync>(
    a: Of<'_, E>,
    shape: &[usize],
    work: Work,
    start: O,
    into: &(impl Fn(E) -> O + Sync),
    join: &(impl Fn(O, O) -> O + Sync),
    of_line: impl Fn(&[E]) -> O + Sync,
) -> Vec<O> {
    let kept = Geometry::new_contiguous(shape);
    let mut out = room::filled_vec(start, kept.numel());
    let walk = Walk::through_operands(&a.geometry.shape, [a.geometry, &kept]);
    let Some((axis, len)) = walk.first_of(1) else {
        fold_along(a, &walk, 0, &mut out, into, join, &of_line);
        return out;
    };
    // Elements outside of this dimension fall on the same places.
    let unit = out.len().div_ceil(len.max(1));
    let each = a.geometry.numel().div_ceil(len.max(1));
    threads::split_result(
        &mut out,
        unit,
        min_elements(work).div_ceil(each.max(1)),
        |first, out| {
            let part = walk.part_of_axis(axis, first, out.len() / unit.max(1));
            fold_along(a, &part, first * unit, out, into, join, &of_line);
        },
    );
    out
}

/// Joins the elements of a way to `out`, the first of which is the place `first` of all.
fn fold_along<E: Copy, O: Copy>(
    a: Of<'_, E>,
    walk: &Walk<2>,
    first: usize,
    out: &mut [O],
    into: &impl Fn(E) -> O,
    join: &impl Fn(O, O) -> O,
    of_line: &impl Fn(&[E]) -> O,
) {
    walk.for_rows(|[place, to], strides, len| {
        let to = to - first;
        match strides {
            [1, 0] => out[to] = join(out[to], of_line(&a.numbers[place..place + len])),
            [1, 1] => {
                let numbers = &a.numbers[place..place + len];
                out[to..to + len]
                    .iter_mut()
                    .zip(numbers)
                    .for_each(|(out, &value)| *out = join(*out, into(value)));
            }
            [stride, 0] => {
                let all = row_elements(a.numbers, place, stride, len);
                out[to] = all.fold(out[to], |sum, value| join(sum, into(value)));
            }
            [stride, step] => {
                for (i, value) in row_elements(a.numbers, place, stride, len).enumerate() {
                    let out = &mut out[to + i * step];
                    *out = join(*out, into(value));
                }
            }
        }
    });
}

/// Joins elements that lie behind each other.
pub(super) fn fold_line<E: Copy, O: Copy>(
    numbers: &[E],
    start: O,
    into: impl Fn(E) -> O,
    join: impl Fn(O, O) -> O,
) -> O {
    if numbers.len() < LANES {
        return numbers.iter().fold(start, |sum, &value| join(sum, into(value)));
    }
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [start; LANES];
    for chunk in chunks {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum = join(*sum, into(value));
        }
    }
    for (sum, &value) in sums.iter_mut().zip(rest) {
        *sum = join(*sum, into(value));
    }
    sums.into_iter().fold(start, &join)
}
