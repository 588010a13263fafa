//! Functions of each element.

use pairbond::prelude::*;

use super::mul;
use crate::engine::{Out, record};
use crate::kernels;
use crate::tensor::{DType, Element, Memory, T, Tensor, dispatch_float};

/// `f` of each element; integers become floats.
fn map(a: &T, name: &str, f: impl Fn(f64) -> f64) -> Result<T> {
    let a = super::to_dtype_untracked(
        a,
        if a.dtype().is_float() {
            a.dtype()
        } else {
            DType::Float32
        },
    );
    let memory = a.storage.read();
    dispatch_float!(a.dtype(), name, E => {
        let view = a.geometry.view(memory.slice::<E>());
        Ok(Tensor::of(Memory::of(kernels::map(&view, |v| E::of_f64(f(v.to_f64())))), a.shape()))
    })
}

pub(crate) fn exp(a: &T) -> Result<T> {
    let out = map(a, "exp", f64::exp)?;
    record("ExpBackward0", [a], &[Out], (), out, |g, ()| {
        Ok([Some(mul(g.grad(), &g.saved(0)?)?)])
    })
}
