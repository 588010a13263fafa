//! Growing what others decide the size of, where the standard library would abort the process.

use std::collections::TryReserveError;

/// Whether there are addresses for a thread: for its stack, and for the allocator's reserve
/// (glibc's is twice 64 MB). The C library ends the process when a thread that has begun finds no memory for
/// its thread-locals, so a thread that can be done without is begun only where there is plenty.
#[must_use]
pub fn has_room_for_a_thread() -> bool {
    const NEEDED: usize = 160 << 20;
    has_room(NEEDED)
}

/// Whether so many bytes can be had now, for arrays that grow together and of which none can fail.
pub(crate) fn has_room(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// A box; the value is dropped where there is no memory for one.
pub fn try_box<T>(value: T) -> Option<Box<T>> {
    box_or_value(value).ok()
}

/// A box, or the value where there is no memory for one.
pub(super) fn box_or_value<T>(value: T) -> Result<Box<T>, T> {
    const { assert!(size_of::<T>() > 0) };
    let layout = std::alloc::Layout::new::<T>();
    // SAFETY: the layout is not empty; the memory fits the value, and is the box's.
    unsafe {
        let memory = std::alloc::alloc(layout).cast::<T>();
        if memory.is_null() {
            return Err(value);
        }
        memory.write(value);
        Ok(Box::from_raw(memory))
    }
}

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
    // Not as lists grow: one of two values would have room for four.
    all.try_reserve_exact(values.size_hint().0)?;
    for value in values {
        try_push(&mut all, value)?;
    }
    Ok(all)
}
