//! Products of matrices.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, Axis};

use super::threads;
use crate::data::Float;

/// Fewer products of numbers are not worth a thread.
const GRAIN: usize = 1 << 19;

/// Rows and columns are cut where the crate's tiles end.
const TILE: usize = 32;

/// A matrix, row by row or column by column.
#[derive(Clone, Copy)]
pub struct Matrix<'a, E> {
    /// The elements, from the first on.
    pub numbers: &'a [E],
    /// How many rows there are.
    pub rows: usize,
    /// How many columns there are.
    pub columns: usize,
    /// How far the next row and the next column are.
    pub strides: [usize; 2],
}

impl<'a, E> Matrix<'a, E> {
    /// Row by row, from the beginning of the numbers.
    pub fn row_major(numbers: &'a [E], rows: usize, columns: usize) -> Self {
        Matrix {
            numbers,
            rows,
            columns,
            strides: [columns, 1],
        }
    }

    /// Its rows as columns.
    pub fn transposed(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            strides: [self.strides[1], self.strides[0]],
            ..self
        }
    }

    fn array_view(&self) -> ArrayView2<'a, E> {
        use ndarray::ShapeBuilder;
        let shape = (self.rows, self.columns).strides((self.strides[0], self.strides[1]));
        ArrayView2::from_shape(shape, self.numbers).expect("a matrix lies within its numbers")
    }
}

/// Writes `a` times `b` to `out`.
///
/// # Panics
/// The matrices do not fit: the caller has checked.
pub fn matmul_into<E: Float>(out: &mut [E], a: Matrix<'_, E>, b: Matrix<'_, E>) {
    let mut out = ArrayViewMut2::from_shape((a.rows, b.columns), out).expect("the result fits");
    let multiply = |a: ArrayView2<'_, E>, b: ArrayView2<'_, E>, out: &mut ArrayViewMut2<'_, E>| {
        general_mat_mul(E::of_i64(1), &a, &b, E::ZERO, out);
    };
    let (a, b) = (a.array_view(), b.array_view());
    // The longer side is cut: the other operand is prepared for each part.
    let axis = Axis(usize::from(b.ncols() > a.nrows()));
    let tiles = out.len_of(axis).div_ceil(TILE);
    let count = threads::piece_count(
        tiles,
        GRAIN.div_ceil((out.len() * a.ncols() / tiles.max(1)).max(1)),
    );
    if count == 1 {
        return multiply(a, b, &mut out);
    }
    let size = tiles.div_ceil(count) * TILE;
    let cut = if axis.index() == 0 { a } else { b };
    let pieces = out
        .axis_chunks_iter_mut(axis, size)
        .zip(cut.axis_chunks_iter(axis, size));
    threads::run_pieces(pieces, |(mut out, cut)| match axis.index() {
        0 => multiply(cut, b, &mut out),
        _ => multiply(a, cut, &mut out),
    });
}

/// Products of a batch: calls `part` with the number and place of each. Their sizes are those of
/// one result and of the dimension that is summed over.
pub fn batch_products<E: Send>(
    out: &mut [E],
    [numbers, sum]: [usize; 2],
    part: impl Fn(usize, &mut [E]) + Sync,
) {
    let grain = GRAIN.div_ceil((numbers * sum).max(1));
    // Large ones that are fewer than threads are cut themselves.
    let few = out.len() / numbers.max(1) < threads::thread_count() && grain == 1;
    threads::split_result(
        out,
        numbers,
        if few { usize::MAX } else { grain },
        |first, out| {
            let all = out.chunks_exact_mut(numbers.max(1)).enumerate();
            all.for_each(|(number, out)| part(first + number, out));
        },
    );
}
