//! Growing what others decide the size of: an error when there is no memory, where the standard library would abort the process.

use std::collections::TryReserveError;

/// Adds one value.
///
/// # Errors
/// There is no memory.
#[inline]
pub fn try_push<T>(values: &mut Vec<T>, value: T) -> Result<(), TryReserveError> {
    if values.len() == values.capacity() {
        values.try_reserve(1)?;
    }
    values.push(value);
    Ok(())
}

/// Adds a text.
///
/// # Errors
/// There is no memory.
#[inline]
pub fn try_push_str(text: &mut String, more: &str) -> Result<(), TryReserveError> {
    text.try_reserve(more.len())?;
    text.push_str(more);
    Ok(())
}

/// A copy of all values.
///
/// # Errors
/// There is no memory.
pub fn try_copy<T: Clone>(values: &[T]) -> Result<Vec<T>, TryReserveError> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

/// All values of an iterator, which may be endless.
///
/// # Errors
/// There is no memory.
pub fn try_collect<T>(values: impl Iterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut all = Vec::new();
    all.try_reserve(values.size_hint().0)?;
    for value in values {
        try_push(&mut all, value)?;
    }
    Ok(all)
}
