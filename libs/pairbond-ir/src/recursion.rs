//! Recursion of any depth: on the heap when the stack ends.

/// Goes on, on another stack if this one is nearly used up.
pub(crate) fn with_stack<R>(inner: impl FnOnce() -> R) -> R {
    const RED_ZONE: usize = 64 << 10;
    const SEGMENT: usize = 1 << 20;
    stacker::maybe_grow(RED_ZONE, SEGMENT, inner)
}
