//! What looks at a whole row: along one dimension of elements that lie behind each other.

use crate::tensor::Float;

/// How the elements along a dimension lie: `outer` blocks of `len` times `inner` elements.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    pub(crate) outer: usize,
    pub(crate) len: usize,
    pub(crate) inner: usize,
}

impl Along {
    /// In a contiguous tensor of that shape; one without dimensions is a row of one.
    pub(crate) fn of(shape: &[usize], axis: usize) -> Along {
        Along {
            outer: shape.iter().take(axis).product(),
            len: shape.get(axis).copied().unwrap_or(1),
            inner: shape.iter().skip(axis + 1).product(),
        }
    }

    /// Where each row begins.
    pub(crate) fn starts(self) -> impl Iterator<Item = usize> {
        (0..self.outer)
            .flat_map(move |outer| (0..self.inner).map(move |inner| outer * self.len * self.inner + inner))
    }
}

/// The place of the element of each row that `better` than all before it (NaN is better than any).
pub(crate) fn best<E: Copy + PartialOrd>(
    numbers: &[E],
    along: Along,
    better: impl Fn(E, E) -> bool,
) -> Vec<i64> {
    let row = |start: usize| {
        let mut best = 0;
        let mut value = numbers[start];
        for i in 1..along.len {
            let new = numbers[start + i * along.inner];
            if better(new, value) || nan(new) && !nan(value) {
                (best, value) = (i, new);
            }
        }
        best as i64
    };
    along.starts().map(row).collect()
}

#[inline]
#[allow(clippy::eq_op)]
fn nan<E: PartialEq>(value: E) -> bool {
    value != value
}

/// `exp` and `ln` of an element.
pub(crate) trait Exp: Float + PartialOrd {
    fn exp(self) -> Self;
    fn ln(self) -> Self;
}
impl Exp for f32 {
    fn exp(self) -> f32 {
        self.exp()
    }
    fn ln(self) -> f32 {
        self.ln()
    }
}
impl Exp for f64 {
    fn exp(self) -> f64 {
        self.exp()
    }
    fn ln(self) -> f64 {
        self.ln()
    }
}

/// Softmax of each row, or its logarithm.
pub(crate) fn softmax<E: Exp>(numbers: &[E], along: Along, log: bool) -> Vec<E> {
    let mut out = numbers.to_vec();
    if along.len == 0 {
        return out;
    }
    for start in along.starts() {
        let places = || (0..along.len).map(|i| start + i * along.inner);
        let most = places()
            .map(|i| numbers[i])
            .fold(numbers[start], |a, b| if b > a { b } else { a });
        let mut sum = E::ZERO;
        for i in places() {
            let power = (numbers[i] - most).exp();
            sum = sum + power;
            out[i] = if log { numbers[i] - most } else { power };
        }
        let log_sum = sum.ln();
        places().for_each(|i| out[i] = if log { out[i] - log_sum } else { out[i] / sum });
    }
    out
}

/// The sums of each row up to each element.
pub(crate) fn running<E: Copy>(numbers: &[E], along: Along, add: impl Fn(E, E) -> E) -> Vec<E> {
    let mut out = numbers.to_vec();
    for start in along.starts() {
        for i in 1..along.len {
            let place = start + i * along.inner;
            out[place] = add(out[place - along.inner], out[place]);
        }
    }
    out
}
