//! Loops over numbers: pure functions from numbers in memory to new memory. They know no tensor, no
//! history and no Python.

mod conv;
mod elementwise;
mod erf;
mod logs;
mod matmul;
mod pick;
mod reduce;
mod rows;
pub(crate) mod threads;
#[cfg(test)]
mod ulps;
mod vector;
mod walk;

pub(crate) use conv::Windows;
pub(crate) use elementwise::{GRAIN_IN_PLACE, Work, change, choose, map, update, zip};
pub(crate) use erf::Erf;
pub(crate) use logs::Logs;
pub(crate) use matmul::{Matrix, matmul_into, products};
pub(crate) use pick::{add_at, add_slices, numbers, places, slices, with_sums};
pub(crate) use reduce::{fold, sums};
pub(crate) use rows::{Along, best, running, softmax};
pub(crate) use vector::{Each, Vector, each};
pub(crate) use walk::Of;
