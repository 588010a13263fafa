//! Sums.

use super::View;
use crate::tensor::Element;

/// The sum of all.
pub(crate) fn sum_all<E: Element, O: Element>(a: &View<'_, E>, into: impl Fn(E) -> O) -> O {
    let mut sums = [O::ZERO; 8];
    // Eight sums instead of one: the compiler adds them side by side, and the error grows with an eighth of the length.
    match a.as_slice() {
        Some(a) => {
            let (chunks, rest) = a.as_chunks::<8>();
            for chunk in chunks {
                for (sum, &value) in sums.iter_mut().zip(chunk) {
                    *sum = sum.add(into(value));
                }
            }
            for (sum, &value) in sums.iter_mut().zip(rest) {
                *sum = sum.add(into(value));
            }
        }
        None => a
            .iter()
            .enumerate()
            .for_each(|(i, &value)| sums[i % 8] = sums[i % 8].add(into(value))),
    }
    sums.into_iter().fold(O::ZERO, O::add)
}

/// The sums over some dimensions, which are left out of the result.
pub(crate) fn sum_axes<E: Element, O: Element>(
    a: &View<'_, E>,
    axes: &[usize],
    into: impl Fn(E) -> O,
) -> Vec<O> {
    // The dimensions that stay first, so that what is summed up lies together in the iteration.
    let mut order: Vec<usize> = (0..a.ndim()).filter(|axis| !axes.contains(axis)).collect();
    let kept = order.len();
    order.extend(axes);
    let turned = a.view().permuted_axes(order);
    let outer: usize = turned.shape()[..kept].iter().product();
    let inner: usize = turned.shape()[kept..].iter().product();
    let mut out = vec![O::ZERO; outer];
    if inner == 0 {
        return out;
    }
    let mut elements = turned.iter();
    for sum in &mut out {
        for _ in 0..inner {
            if let Some(&value) = elements.next() {
                *sum = sum.add(into(value));
            }
        }
    }
    out
}
