//! Many elements into one.

use super::walk::{Of, Walk, row};
use crate::tensor::{Geometry, room};

/// How many are joined side by side: the compiler makes vectors of it, and the error of a sum grows with this part of the length.
const LANES: usize = 16;

/// Joins all elements that fall on the same place of `shape`, which is the shape of `a` with 1 in the dimensions that are joined.
/// `join` may be called in any order, with `start` any number of times.
pub(crate) fn fold<E: Copy, O: Copy>(
    a: Of<'_, E>,
    shape: &[usize],
    start: O,
    into: impl Fn(E) -> O,
    join: impl Fn(O, O) -> O,
) -> Vec<O> {
    let kept = Geometry::contiguous(shape);
    let mut out = room::filled(start, kept.numel());
    Walk::of(&a.geometry.shape, [a.geometry, &kept]).rows(|[place, to], strides, len| match strides {
        [1, 0] => out[to] = join(out[to], line(&a.numbers[place..place + len], start, &into, &join)),
        [1, 1] => {
            let numbers = &a.numbers[place..place + len];
            out[to..to + len]
                .iter_mut()
                .zip(numbers)
                .for_each(|(out, &value)| *out = join(*out, into(value)));
        }
        [stride, 0] => {
            let all = row(a.numbers, place, stride, len);
            out[to] = all.fold(out[to], |sum, value| join(sum, into(value)));
        }
        [stride, step] => {
            for (i, value) in row(a.numbers, place, stride, len).enumerate() {
                let out = &mut out[to + i * step];
                *out = join(*out, into(value));
            }
        }
    });
    out
}

/// Joins elements that lie behind each other.
pub(super) fn line<E: Copy, O: Copy>(
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
