//! One element after the other.

use super::walk::{Of, Walk, row};
use crate::tensor::{Geometry, room};

/// `f` of each element, in order.
pub(crate) fn map<A: Copy, O>(a: Of<'_, A>, f: impl Fn(A) -> O) -> Vec<O> {
    if let Some(a) = a.as_slice() {
        return room::collect(a.iter().map(|&a| f(a)));
    }
    let mut out = room::empty(a.geometry.numel());
    Walk::of(&a.geometry.shape, [a.geometry]).rows(|[place], [stride], len| match stride {
        1 => out.extend(a.numbers[place..place + len].iter().map(|&a| f(a))),
        _ => out.extend(row(a.numbers, place, stride, len).map(&f)),
    });
    out
}

/// `f` of the elements of both, stretched to `shape`.
pub(crate) fn zip<A: Copy, B: Copy, O>(
    a: Of<'_, A>,
    b: Of<'_, B>,
    shape: &[usize],
    f: impl Fn(A, B) -> O,
) -> Vec<O> {
    let mut out = room::empty(room::count(shape));
    Walk::of(shape, [a.geometry, b.geometry]).rows(|[i, j], strides, len| match strides {
        [1, 1] => {
            let both = a.numbers[i..i + len].iter().zip(&b.numbers[j..j + len]);
            out.extend(both.map(|(&a, &b)| f(a, b)));
        }
        [1, 0] => out.extend(a.numbers[i..i + len].iter().map(|&a| f(a, b.numbers[j]))),
        [0, 1] => out.extend(b.numbers[j..j + len].iter().map(|&b| f(a.numbers[i], b))),
        [s, t] => {
            let both = row(a.numbers, i, s, len).zip(row(b.numbers, j, t, len));
            out.extend(both.map(|(a, b)| f(a, b)));
        }
    });
    out
}

/// The elements of `a` where `choose`, else those of `b`, stretched to `shape`.
pub(crate) fn choose<E: Copy>(choose: Of<'_, bool>, a: Of<'_, E>, b: Of<'_, E>, shape: &[usize]) -> Vec<E> {
    let mut out = room::empty(room::count(shape));
    Walk::of(shape, [choose.geometry, a.geometry, b.geometry]).rows(|[c, i, j], [r, s, t], len| {
        if (r, s, t) == (1, 1, 0) {
            let (choose, b) = (&choose.numbers[c..c + len], b.numbers[j]);
            let both = choose.iter().zip(&a.numbers[i..i + len]);
            out.extend(both.map(|(&choose, &a)| if choose { a } else { b }));
            return;
        }
        let both = row(a.numbers, i, s, len).zip(row(b.numbers, j, t, len));
        out.extend(
            row(choose.numbers, c, r, len)
                .zip(both)
                .map(|(choose, (a, b))| if choose { a } else { b }),
        );
    });
    out
}

/// Changes elements, each together with one of `new`, which is stretched to the shape of what is changed.
pub(crate) fn update<E: Copy>(numbers: &mut [E], geometry: &Geometry, new: Of<'_, E>, f: impl Fn(E, E) -> E) {
    Walk::of(&geometry.shape, [geometry, new.geometry]).rows(|[to, from], [step, stride], len| {
        if (step, stride) == (1, 1) {
            let both = numbers[to..to + len]
                .iter_mut()
                .zip(&new.numbers[from..from + len]);
            both.for_each(|(number, &new)| *number = f(*number, new));
            return;
        }
        for (i, new) in row(new.numbers, from, stride, len).enumerate() {
            let number = &mut numbers[to + i * step];
            *number = f(*number, new);
        }
    });
}
