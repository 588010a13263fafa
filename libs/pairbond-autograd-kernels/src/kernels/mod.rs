//! Loops over numbers: pure functions from numbers in memory to new memory. They know no tensor, no
//! history and no Python.

mod elementwise;
mod erf;
mod image_columns;
mod logs;
mod matrix_product;
mod pick_elements;
mod reduction_loops;
mod row_loops;
pub mod threads;
#[cfg(test)]
mod ulps;
mod vector;
mod walk;

pub use elementwise::{
    GRAIN_IN_PLACE, Work, change_elements, choose_elements, map_elements, update_strided, zip_elements,
};
pub use erf::Erf;
pub use image_columns::Windows;
pub use logs::Logs;
pub use matrix_product::{Matrix, batch_products, matmul_into};
pub use pick_elements::{add_at, add_slices, gather_places, resolve_indices, select_slices, with_sums};
pub use reduction_loops::{fold_axes, sum_axes};
pub use row_loops::{Along, best_in_rows, cumulative_rows, softmax_rows};
pub use vector::{Each, Vector, map_vectorized};
pub use walk::Of;
