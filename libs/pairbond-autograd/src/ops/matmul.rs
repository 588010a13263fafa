//! Products of matrices.

use pairbond::prelude::*;

use super::transpose;
use crate::engine::{In, record};
use crate::kernels;
use crate::tensor::{T, dispatch_float, from_vec};

pub(crate) fn matmul(a: &T, b: &T) -> Result<T> {
    let (left, right) = (a.shape(), b.shape());
    if left.len() != 2 || right.len() != 2 || left[1] != right[0] {
        return Err(Error::runtime_error(format!(
            "mat1 and mat2 shapes cannot be multiplied ({left:?} and {right:?})"
        )));
    }
    if a.dtype() != b.dtype() {
        return Err(Error::runtime_error(format!(
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            a.dtype().name(),
            b.dtype().name()
        )));
    }
    let (one, two) = (a.storage.read(), b.storage.read());
    let out: Result<T> = dispatch_float!(a.dtype(), "matmul", E => {
        let product = kernels::matmul(&a.geometry.view(one.slice::<E>()), &b.geometry.view(two.slice::<E>()));
        Ok(from_vec(product, &[left[0], right[1]]))
    });
    record("MmBackward0", [a, b], &[In(a), In(b)], (), out?, |g, ()| {
        Ok([
            g.when(0, || matmul(g.grad(), &transpose(&g.saved(1)?, 0, 1)?))?,
            g.when(1, || matmul(&transpose(&g.saved(0)?, 0, 1)?, g.grad()))?,
        ])
    })
}
