//! One element after the other.

use super::threads;
use super::walk::{Of, Walk, row_elements};
use crate::data::{Element, Geometry, room};

/// The operation on each element.
#[derive(Clone, Copy)]
pub enum Work {
    /// Hardly anything: memory takes the time.
    Light,
    /// A function, number by number.
    Heavy,
}

impl Work {
    /// Fewer elements of a result are not worth a thread. Large results lie in new pages, and the
    /// first write to each waits for it.
    fn min_elements(self) -> usize {
        match self {
            Work::Light => 1 << 22,
            Work::Heavy => 1 << 13,
        }
    }
}

/// Fewer elements that are changed in place are not worth a thread.
pub const GRAIN_IN_PLACE: usize = 1 << 17;

/// Where results are written, one after the other.
enum Out<'a, O> {
    New(&'a mut Vec<O>),
    Part(&'a mut [O]),
}

impl<O> Out<'_, O> {
    /// As many as the iterator says that it gives.
    #[inline]
    fn extend(&mut self, all: impl Iterator<Item = O>) {
        match self {
            Out::New(new) => new.extend(all),
            Out::Part(part) => {
                let (now, rest) = std::mem::take(part).split_at_mut(all.size_hint().0);
                now.iter_mut().zip(all).for_each(|(to, new)| *to = new);
                *part = rest;
            }
        }
    }
}

/// Collects the output of `rows` along a way, or along parts of it.
fn build_rows<const N: usize, O: Element>(
    walk: &Walk<N>,
    len: usize,
    work: Work,
    rows: impl Fn(&Walk<N>, Out<'_, O>) + Sync,
) -> Vec<O> {
    if threads::piece_count(len, work.min_elements()) == 1 {
        let mut out = room::vec_with_capacity(len);
        rows(walk, Out::New(&mut out));
        return out;
    }
    let mut out = room::filled_vec(O::ZERO, len);
    let unit = len / walk.outermost_len();
    threads::split_result(
        &mut out,
        unit,
        work.min_elements().div_ceil(unit),
        |first, part| {
            rows(&walk.part_of_axis(0, first, part.len() / unit), Out::Part(part));
        },
    );
    out
}

/// `f` of each element, in order.
pub fn map_elements<A: Copy + Sync, O: Element>(
    a: Of<'_, A>,
    work: Work,
    f: impl Fn(A) -> O + Sync,
) -> Vec<O> {
    if let Some(a) = a.as_slice()
        && threads::piece_count(a.len(), work.min_elements()) == 1
    {
        return room::collect_vec(a.iter().map(|&a| f(a)));
    }
    let walk = Walk::through_operands(&a.geometry.shape, [a.geometry]);
    build_rows(&walk, a.geometry.numel(), work, |walk, mut out| {
        walk.for_rows(|[place], [stride], len| match stride {
            1 => out.extend(a.numbers[place..place + len].iter().map(|&a| f(a))),
            _ => out.extend(row_elements(a.numbers, place, stride, len).map(&f)),
        });
    })
}

/// `f` of the elements of both, stretched to `shape`.
pub fn zip_elements<A: Copy + Sync, B: Copy + Sync, O: Element>(
    a: Of<'_, A>,
    b: Of<'_, B>,
    shape: &[usize],
    work: Work,
    f: impl Fn(A, B) -> O + Sync,
) -> Vec<O> {
    let walk = Walk::through_operands(shape, [a.geometry, b.geometry]);
    build_rows(&walk, room::element_count(shape), work, |walk, mut out| {
        walk.for_rows(|[i, j], strides, len| match strides {
            [1, 1] => {
                let both = a.numbers[i..i + len].iter().zip(&b.numbers[j..j + len]);
                out.extend(both.map(|(&a, &b)| f(a, b)));
            }
            [1, 0] => out.extend(a.numbers[i..i + len].iter().map(|&a| f(a, b.numbers[j]))),
            [0, 1] => out.extend(b.numbers[j..j + len].iter().map(|&b| f(a.numbers[i], b))),
            [s, t] => {
                let both = row_elements(a.numbers, i, s, len).zip(row_elements(b.numbers, j, t, len));
                out.extend(both.map(|(a, b)| f(a, b)));
            }
        });
    })
}

/// The elements of `a` where `choose`, else those of `b`, stretched to `shape`.
pub fn choose_elements<E: Element>(
    choose: Of<'_, bool>,
    a: Of<'_, E>,
    b: Of<'_, E>,
    shape: &[usize],
) -> Vec<E> {
    let walk = Walk::through_operands(shape, [choose.geometry, a.geometry, b.geometry]);
    build_rows(&walk, room::element_count(shape), Work::Light, |walk, mut out| {
        walk.for_rows(|[c, i, j], [r, s, t], len| {
            if (r, s, t) == (1, 1, 0) {
                let (choose, b) = (&choose.numbers[c..c + len], b.numbers[j]);
                let both = choose.iter().zip(&a.numbers[i..i + len]);
                out.extend(both.map(|(&choose, &a)| if choose { a } else { b }));
                return;
            }
            let both = row_elements(a.numbers, i, s, len).zip(row_elements(b.numbers, j, t, len));
            out.extend(
                row_elements(choose.numbers, c, r, len)
                    .zip(both)
                    .map(|(choose, (a, b))| if choose { a } else { b }),
            );
        });
    })
}

/// Changes elements, each together with the one of `new` that is in the same place.
pub fn change_elements<E: Copy + Send, N: Copy + Sync>(
    numbers: &mut [E],
    new: &[N],
    f: impl Fn(&mut E, N) + Sync,
) {
    threads::split_result(numbers, 1, GRAIN_IN_PLACE, |first, part| {
        let both = part.iter_mut().zip(&new[first..]);
        both.for_each(|(number, &new)| f(number, new));
    });
}

/// Changes elements, each together with one of `new`, which is stretched to their shape.
pub fn update_strided<E: Element>(
    numbers: &mut [E],
    geometry: &Geometry,
    new: Of<'_, E>,
    f: impl Fn(E, E) -> E + Sync,
) {
    Walk::through_operands(&geometry.shape, [geometry, new.geometry]).for_rows(
        |[to, from], [step, stride], len| {
            if (step, stride) == (1, 1) {
                let (numbers, new) = (&mut numbers[to..to + len], &new.numbers[from..from + len]);
                return change_elements(numbers, new, |number, new| *number = f(*number, new));
            }
            for (i, new) in row_elements(new.numbers, from, stride, len).enumerate() {
                let number = &mut numbers[to + i * step];
                *number = f(*number, new);
            }
        },
    );
}
