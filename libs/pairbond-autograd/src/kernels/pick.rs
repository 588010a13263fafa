//! Elements by their numbers along a dimension.

use super::rows::Along;
use crate::data::room;

/// For each element of the index, the place of the element that it means. `index` lies as `to`,
/// whose lengths are the same or larger, except along the dimension. `shape` and `of` are the
/// lengths of the index and of the indexed tensor.
pub(crate) fn places(
    index: &[i64],
    shape: &[usize],
    of: &[usize],
    axis: usize,
) -> Result<Vec<usize>, (i64, usize)> {
    if shape.is_empty() {
        return index.iter().map(|&i| place(i, 1)).collect();
    }
    let strides: Vec<usize> = (0..of.len())
        .map(|axis| of[axis + 1..].iter().product())
        .collect();
    let mut at = vec![0; shape.len()];
    let mut out = Vec::with_capacity(index.len());
    for &i in index {
        let chosen = place(i, of[axis])?;
        let rest = (0..at.len())
            .filter(|&other| other != axis)
            .map(|other| at[other] * strides[other]);
        out.push(chosen * strides[axis] + rest.sum::<usize>());
        for axis in (0..at.len()).rev() {
            at[axis] += 1;
            if at[axis] < shape[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
    Ok(out)
}

/// A number that counts from the front.
fn place(index: i64, len: usize) -> Result<usize, (i64, usize)> {
    match usize::try_from(index) {
        Ok(place) if place < len => Ok(place),
        _ => Err((index, len)),
    }
}

/// All numbers of an index of `len` elements.
pub(crate) fn numbers(index: &[i64], len: usize) -> Result<Vec<usize>, (i64, usize)> {
    index.iter().map(|&i| place(i, len)).collect()
}

/// Slices along a dimension.
pub(crate) fn slices<E: Copy>(a: &[E], along: Along, index: &[usize]) -> Vec<E> {
    let mut out = room::empty(along.outer * index.len() * along.inner);
    for outer in 0..along.outer {
        for &i in index {
            let start = (outer * along.len + i) * along.inner;
            out.extend_from_slice(&a[start..start + along.inner]);
        }
    }
    out
}

/// Adds slices to those of `out` along a dimension.
pub(crate) fn add_slices<E: Copy>(
    out: &mut [E],
    along: Along,
    index: &[usize],
    from: &[E],
    add: impl Fn(E, E) -> E,
) {
    let mut from = from.chunks_exact(along.inner.max(1));
    for outer in 0..along.outer {
        for &i in index {
            let start = (outer * along.len + i) * along.inner;
            let slice = from.next().unwrap_or_default();
            out[start..start + along.inner]
                .iter_mut()
                .zip(slice)
                .for_each(|(out, &value)| *out = add(*out, value));
        }
    }
}
