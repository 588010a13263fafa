//! Products of matrices.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::tensor::Float;

/// A matrix, row by row or column by column.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, E> {
    pub(crate) numbers: &'a [E],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// How far the next row and the next column are.
    pub(crate) strides: [usize; 2],
}

impl<'a, E> Matrix<'a, E> {
    /// Row by row, from the beginning of the numbers.
    pub(crate) fn of(numbers: &'a [E], rows: usize, columns: usize) -> Self {
        Matrix {
            numbers,
            rows,
            columns,
            strides: [columns, 1],
        }
    }

    /// Its rows as columns.
    pub(crate) fn transposed(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            strides: [self.strides[1], self.strides[0]],
            ..self
        }
    }

    fn view(&self) -> ArrayView2<'a, E> {
        use ndarray::ShapeBuilder;
        let shape = (self.rows, self.columns).strides((self.strides[0], self.strides[1]));
        ArrayView2::from_shape(shape, self.numbers).expect("a matrix lies within its numbers")
    }
}

/// Writes `a` times `b` to `out`, or adds it to what is there.
///
/// # Panics
/// They are no matrices that fit: whoever calls has looked.
pub(crate) fn matmul_into<E: Float>(out: &mut [E], a: Matrix<'_, E>, b: Matrix<'_, E>, add: bool) {
    let scale = if add { E::of_i64(1) } else { E::ZERO };
    let mut out = ArrayViewMut2::from_shape((a.rows, b.columns), out).expect("the result fits");
    general_mat_mul(E::of_i64(1), &a.view(), &b.view(), scale, &mut out);
}
