//! Elements by their numbers along a dimension.

use super::row_loops::Along;
use crate::data::{DType, Element, room};
use pairbond::memory::{Gather, Room};

/// For each element of the index, the place of the element that it means. `index` lies as `to`,
/// whose lengths are the same or larger, except along the dimension. `shape` and `of` are the
/// lengths of the index and of the indexed tensor.
pub fn gather_places(
    index: &[i64],
    shape: &[usize],
    of: &[usize],
    axis: usize,
) -> Result<Vec<usize>, (i64, usize)> {
    if shape.is_empty() {
        return index.iter().map(|&i| resolve_index(i, 1)).gather_ok();
    }
    let strides: Vec<usize> = (0..of.len()).map(|axis| of[axis + 1..].iter().product()).gather();
    let mut at = vec![0; shape.len()];
    let mut out = Vec::new();
    for &i in index {
        let chosen = resolve_index(i, of[axis])?;
        let rest = (0..at.len())
            .filter(|&other| other != axis)
            .map(|other| at[other] * strides[other]);
        out.room().push(chosen * strides[axis] + rest.sum::<usize>());
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
fn resolve_index(index: i64, len: usize) -> Result<usize, (i64, usize)> {
    match usize::try_from(index) {
        Ok(place) if place < len => Ok(place),
        _ => Err((index, len)),
    }
}

/// All numbers of an index of `len` elements.
pub fn resolve_indices(index: &[i64], len: usize) -> Result<Vec<usize>, (i64, usize)> {
    index.iter().map(|&i| resolve_index(i, len)).gather_ok()
}

/// Slices along a dimension.
pub fn select_slices<E: Copy>(a: &[E], along: Along, index: &[usize]) -> Vec<E> {
    let mut out = room::vec_with_capacity(along.outer * index.len() * along.inner);
    for outer in 0..along.outer {
        for &i in index {
            let start = (outer * along.len + i) * along.inner;
            out.extend_from_slice(&a[start..start + along.inner]);
        }
    }
    out
}

/// Adds slices to those of `out` along a dimension.
pub fn add_slices<O: Copy, E: Copy>(
    out: &mut [O],
    along: Along,
    index: &[usize],
    from: &[E],
    add: impl Fn(O, E) -> O,
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

/// Fewer numbers may be added to one of single precision, one after the other.
const FEW: usize = 1 << 16;

/// Calls `add` with sums to add so many numbers to: in double precision, where many small numbers
/// could get lost beside their sum.
pub fn with_sums<E: Element>(
    out: &mut [E],
    count: usize,
    add: impl FnOnce(&mut [E]),
    add_wide: impl FnOnce(&mut [f64]),
) {
    if E::DTYPE != DType::Float32 || count < FEW {
        return add(out);
    }
    let mut sums: Vec<f64> = room::collect_vec(out.iter().map(|v| v.to_f64()));
    add_wide(&mut sums);
    out.iter_mut()
        .zip(sums)
        .for_each(|(out, sum)| *out = E::of_f64(sum));
}

/// Adds numbers at places, `count` in all.
pub fn add_at<E: Element>(
    out: &mut [E],
    count: usize,
    places: impl Iterator<Item = usize> + Clone,
    numbers: impl Iterator<Item = E> + Clone,
) {
    let both = || places.clone().zip(numbers.clone());
    with_sums(
        out,
        count,
        |sums| both().for_each(|(place, v)| sums[place] = sums[place].add(v)),
        |sums| both().for_each(|(place, v)| sums[place] += v.to_f64()),
    );
}
