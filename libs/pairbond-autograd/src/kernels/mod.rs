//! Loops over numbers: pure functions from views to new memory. They know no tensor, no history and no Python.

mod elementwise;
mod matmul;
mod reduce;

pub(crate) use elementwise::{map, zip};
pub(crate) use matmul::matmul;
pub(crate) use reduce::{sum_all, sum_axes};

/// What is read: elements in some order.
pub(crate) type View<'a, E> = ndarray::ArrayView<'a, E, ndarray::IxDyn>;
