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
pub(crate) use elementwise::{
    GRAIN_IN_PLACE, Work, change_elements, choose_elements, map_elements, update_strided, zip_elements,
};
pub(crate) use erf::Erf;
pub(crate) use logs::Logs;
pub(crate) use matmul::{Matrix, batch_products, matmul_into};
pub(crate) use pick::{add_at, add_slices, gather_places, resolve_indices, select_slices, with_sums};
pub(crate) use reduce::{fold_axes, sum_axes};
pub(crate) use rows::{Along, best_in_rows, cumulative_rows, softmax_rows};
pub(crate) use vector::{Each, Vector, map_vectorized};
pub(crate) use walk::Of;
