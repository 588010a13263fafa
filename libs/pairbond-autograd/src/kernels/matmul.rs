//! Products of matrices.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Ix2};

use super::View;
use crate::tensor::Float;

/// The product of two matrices, row by row.
///
/// # Panics
/// They are no matrices that fit: whoever calls has looked.
pub(crate) fn matmul<E: Float>(a: &View<'_, E>, b: &View<'_, E>) -> Vec<E> {
    let two = "two dimensions";
    let a = a.view().into_dimensionality::<Ix2>().expect(two);
    let b = b.view().into_dimensionality::<Ix2>().expect(two);
    let mut out = Array2::from_elem((a.nrows(), b.ncols()), E::ZERO);
    general_mat_mul(E::of_i64(1), &a, &b, E::ZERO, &mut out);
    out.into_raw_vec_and_offset().0
}
