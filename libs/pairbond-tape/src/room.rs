//! Memory that may not be there: what cannot be had raises, and does not end the process.

use pairbond::memory::or_unwind;

/// A value in a box, as a list of one: a plain box ends the process if there is no memory for it.
pub(crate) fn try_boxed<E>(value: E) -> Box<[E; 1]> {
    let mut one = Vec::new();
    or_unwind(one.try_reserve_exact(1));
    one.push(value);
    match one.into_boxed_slice().try_into() {
        Ok(boxed) => boxed,
        Err(_) => unreachable!("one was put in"),
    }
}

/// `None` so often.
pub(crate) fn none_list<E>(count: usize) -> Vec<Option<E>> {
    let mut all = Vec::new();
    or_unwind(all.try_reserve_exact(count));
    all.resize_with(count, || None);
    all
}
