//! Room for the elements of results. Their shape comes from users, and a few numbers stretched far
//! have as many elements as their shape says: what memory cannot hold raises, wherever it is in a
//! computation, and does not end the process.

use pairbond::prelude::*;

/// Allocations of at least so many bytes are tried first. A smaller one fails only if no memory is
/// left at all.
const LARGE: usize = 1 << 20;

/// How many elements there are in a shape; unwinds with an error if no memory can have so many.
#[inline]
pub fn element_count(shape: &[usize]) -> usize {
    match checked_count(shape) {
        Some(count) => count,
        None => too_large(shape).unwind(),
    }
}

fn checked_count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    let count = shape.iter().try_fold(1_usize, |len, &n| len.checked_mul(n))?;
    let bytes = count.checked_mul(size_of::<f64>())?;
    isize::try_from(bytes).is_ok().then_some(count)
}

/// # Errors
/// No memory can have so many elements.
pub fn check_size(shape: &[usize]) -> Result<()> {
    checked_count(shape).map(drop).ok_or_else(|| too_large(shape))
}

#[cold]
fn too_large(shape: &[usize]) -> Error {
    Error::runtime_error(format!("a tensor of shape {shape:?} is larger than memory"))
}

/// Unwinds with `MemoryError` if there is no memory for so many.
#[inline]
fn reserve_or_unwind<E>(count: usize) {
    if count.saturating_mul(size_of::<E>()) >= LARGE {
        let trial = Vec::<E>::new().try_reserve_exact(count);
        if trial.is_err() {
            memory_error(count, size_of::<E>());
        }
    }
}

/// Unwinds with `MemoryError` if there is no memory for shape and strides of so many dimensions,
/// which grow to powers of two.
#[inline]
pub fn ask_for_dims(count: usize) {
    reserve_or_unwind::<[usize; 4]>(count);
}

#[cold]
fn memory_error(count: usize, size: usize) -> ! {
    let message = format!(
        "there is no memory for a tensor of {count} elements ({} bytes)",
        count.saturating_mul(size)
    );
    Error::new(ErrorKind::Memory, message).unwind()
}

/// Room for so many elements.
#[inline]
pub fn vec_with_capacity<E>(count: usize) -> Vec<E> {
    let mut all = Vec::new();
    if all.try_reserve_exact(count).is_err() {
        memory_error(count, size_of::<E>());
    }
    all
}

/// The same element so often.
#[inline]
pub fn filled_vec<E: Clone>(value: E, count: usize) -> Vec<E> {
    reserve_or_unwind::<E>(count);
    if count.saturating_mul(size_of::<E>()) >= LARGE {
        // The system gives zeros.
        return vec![value; count];
    }
    let mut all = vec_with_capacity(count);
    all.resize(count, value);
    all
}

/// All that an iterator gives, which knows how many that is.
#[inline]
pub fn collect_vec<E>(all: impl ExactSizeIterator<Item = E>) -> Vec<E> {
    let mut made = vec_with_capacity(all.len());
    made.extend(all);
    made
}
