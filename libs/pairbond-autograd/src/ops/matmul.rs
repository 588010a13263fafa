//! Products of matrices.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::common::{in_order, run_detached};
use super::{into_tensor_result, mul, reduce_to, reshape, squeeze_axes, sum, transpose, unsqueeze};
use crate::data::{DType, Element, Geometry, broadcast_shapes, dispatch_float, room};
use crate::engine::{For, Tensors, record_op};
use crate::kernels::{Matrix, batch_products, matmul_into};
use crate::tensor::{T, Tensor, from_vec};

/// The matrix at a place; `None`: it has to be copied, because neither rows nor columns lie
/// together.
fn matrix_at<'a, E>(a: &Geometry, numbers: &'a [E], place: usize) -> Option<Matrix<'a, E>> {
    let rank = a.shape.len();
    let (rows, columns) = (a.shape[rank - 2], a.shape[rank - 1]);
    let strides = [a.strides[rank - 2], a.strides[rank - 1]];
    let inner = |stride: usize, len: usize| stride == 1 || len == 1;
    let fits = inner(strides[1], columns) && (strides[0] >= columns || rows == 1)
        || inner(strides[0], rows) && (strides[1] >= rows || columns == 1);
    let normal = |axis: usize, len: usize, other: usize| if len == 1 { other.max(1) } else { strides[axis] };
    fits.then(|| Matrix {
        numbers: &numbers[place..],
        rows,
        columns,
        strides: match (rows, columns) {
            (1, _) => [normal(0, 1, columns), strides[1].max(1)],
            (_, 1) => [strides[0].max(1), normal(1, 1, rows)],
            _ => strides,
        },
    })
}

/// Products of batches of matrices, without a history. The batches have the same shape but for
/// stretched dimensions.
fn batch_matmul(a: &T, b: &T) -> Result<T> {
    let (left, right) = (a.shape(), b.shape());
    let (n, k, m) = (left[left.len() - 2], left[left.len() - 1], right[right.len() - 1]);
    let batch = broadcast_shapes(&left[..left.len() - 2], &right[..right.len() - 2])?;
    let shape = [&batch[..], &[n, m]].concat();
    let lies_well = |a: &T| matrix_at::<u8>(a.geometry(), &[0; 0], 0).is_some();
    let a = if a.numel() == 0 || lies_well(a) {
        a.clone()
    } else {
        in_order(a)
    };
    let b = if b.numel() == 0 || lies_well(b) {
        b.clone()
    } else {
        in_order(b)
    };
    let (one, two) = (a.storage().read_memory(), b.storage().read_memory());
    let starts = |a: &T| -> Result<Vec<usize>> {
        let rank = a.shape().len();
        let mut heads = a.geometry().clone();
        heads.shape.truncate(rank - 2);
        heads.strides.truncate(rank - 2);
        let more = batch.len() - heads.shape.len();
        let stride = |axis: usize| {
            axis.checked_sub(more).map_or(0, |own| {
                if heads.shape[own] == 1 {
                    0
                } else {
                    heads.strides[own]
                }
            })
        };
        heads.strides = (0..batch.len()).map(stride).collect();
        heads.shape = batch[..].into();
        Ok(heads.element_places().gather())
    };
    let (lefts, rights) = (starts(&a)?, starts(&b)?);
    dispatch_float!(a.dtype(), "matmul", E => {
        let mut out = room::filled_vec(E::ZERO, room::element_count(&shape));
        if !out.is_empty() && k != 0 {
            run_detached(out.len() * k, || {
                let (a, b, one, two) = (a.geometry(), b.geometry(), one.typed_slice::<E>(), two.typed_slice::<E>());
                batch_products(&mut out, [n * m, k], |place, out| {
                    let (left, right) = (matrix_at(a, one, lefts[place]), matrix_at(b, two, rights[place]));
                    if let (Some(left), Some(right)) = (left, right) {
                        matmul_into(out, left, right);
                    }
                });
            });
        }
        Ok(from_vec(out, &shape))
    })
}

/// Products of batches of matrices, both of at least two dimensions.
fn multiply_matrices(a: &T, b: &T) -> Result<T> {
    let out = batch_matmul(a, b)?;
    let name = if out.shape().len() == 2 {
        "MmBackward0"
    } else {
        "BmmBackward0"
    };
    let (params, saves) = ((a.shape().to_vec(), b.shape().to_vec()), [For(0, b), For(1, a)]);
    record_op(name, [a, b], &saves, params, out, |g, (left, right)| {
        Ok([
            g.when(0, || {
                let b = g.tensor_for(0)?;
                reduce_to(
                    &multiply_matrices(&g.result_grad(), &transpose(&b, -2, -1)?)?,
                    left,
                )
            })?,
            g.when(1, || {
                let a = g.tensor_for(1)?;
                // Rows of all matrices of a batch are multiplied by one matrix: one product instead
                // of a sum of many.
                if right.len() == 2 && left.len() > 2 {
                    let rows = |t: &T| {
                        reshape(
                            t,
                            &[
                                t.numel() / t.shape()[t.shape().len() - 1].max(1),
                                t.shape()[t.shape().len() - 1],
                            ],
                        )
                    };
                    return multiply_matrices(&transpose(&rows(&a)?, 0, 1)?, &rows(&g.result_grad())?);
                }
                reduce_to(
                    &multiply_matrices(&transpose(&a, -2, -1)?, &g.result_grad())?,
                    right,
                )
            })?,
        ])
    })
}

/// A shape as it is spoken: `2x3`.
fn format_shape(shape: &[usize]) -> String {
    let lens: Vec<String> = shape.iter().map(usize::to_string).gather();
    lens.join("x")
}

fn do_not_fit(left: &[usize], right: &[usize]) -> Error {
    Error::runtime_error(match (left, right) {
        ([one], [other]) => format!(
            "inconsistent tensor size, expected tensor [{one}] and src [{other}] to have the same number of elements, but got {one} and {other} \
             elements respectively"
        ),
        (&[rows, columns], [len]) => {
            format!("size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({len})")
        }
        (&[images, _, columns], &[_, _, _]) => format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{images}, {columns}] but got: {:?}.",
            &right[..2]
        ),
        _ => format!(
            "mat1 and mat2 shapes cannot be multiplied ({} and {})",
            format_shape(left),
            format_shape(right)
        ),
    })
}

/// The product of two matrices.
pub(crate) fn mm(a: &T, b: &T) -> Result<T> {
    for (which, one) in [("self", a), ("mat2", b)] {
        if one.shape().len() != 2 {
            return Err(Error::runtime_error(format!(
                "mm: {which} must be a matrix, got {}-D tensor",
                one.shape().len()
            )));
        }
    }
    matmul(a, b)
}

/// The products of two batches of as many matrices.
pub(crate) fn bmm(a: &T, b: &T) -> Result<T> {
    for (which, one) in [("batch1", a), ("batch2", b)] {
        if one.shape().len() != 3 {
            return Err(Error::runtime_error(format!("{which} must be a 3D tensor")));
        }
    }
    if a.shape()[0] != b.shape()[0] {
        return Err(do_not_fit(a.shape(), b.shape()));
    }
    matmul(a, b)
}

/// As numpy's: vectors are a row on the left and a column on the right.
pub(crate) fn matmul(a: &T, b: &T) -> Result<T> {
    if a.dtype() != b.dtype() {
        return Err(Error::runtime_error(format!(
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            a.dtype().name(),
            b.dtype().name()
        )));
    }
    if a.dtype() == DType::Bool {
        return Err(Error::new(
            ErrorKind::NotImplemented,
            "\"matmul\" not implemented for 'Bool'",
        ));
    }
    let (left, right) = (a.shape(), b.shape());
    let (Some(&columns), Some(&last)) = (left.last(), right.last()) else {
        return Err(Error::runtime_error(format!(
            "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
            left.len(),
            right.len()
        )));
    };
    let rows = if right.len() == 1 {
        last
    } else {
        right[right.len() - 2]
    };
    if columns != rows {
        return Err(do_not_fit(left, right));
    }
    match (left.len(), right.len()) {
        (1, 1) => sum(&mul(a, b)?, None, false),
        (1, _) => {
            let out = multiply_matrices(&unsqueeze(a, 0)?, b)?;
            squeeze_axes(&out, &[out.shape().len() - 2])
        }
        (_, 1) => {
            let out = multiply_matrices(a, &unsqueeze(b, 1)?)?;
            squeeze_axes(&out, &[out.shape().len() - 1])
        }
        // Many rows and one matrix.
        (3.., 2) if a.geometry().is_contiguous() => {
            let flat = reshape(a, &[a.numel() / columns.max(1), columns])?;
            let out = multiply_matrices(&flat, b)?;
            reshape(&out, &[&left[..left.len() - 1], &[last]].concat())
        }
        _ => multiply_matrices(a, b),
    }
}

/// `x` times the transposed weights, and a bias.
#[pairbond::function]
#[name("_linear")]
pub(crate) fn linear(
    input: Ref<Tensor>,
    weight: Ref<Tensor>,
    bias: Option<Ref<Tensor>>,
) -> Result<Ref<Tensor>> {
    let bias = bias.map(T::from_tensor);

    let out = matmul(
        &T::from_tensor(input),
        &super::transpose_matrix(&T::from_tensor(weight))?,
    )?;
    into_tensor_result(match bias {
        Some(bias) => super::add(&out, &bias),
        None => Ok(out),
    })
}
