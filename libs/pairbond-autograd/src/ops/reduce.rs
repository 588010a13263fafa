//! Sums.

use pairbond::prelude::*;

use super::{expand, reshape};
use crate::engine::record;
use crate::kernels;
use crate::tensor::{DType, Element, Memory, T, Tensor, axis, dispatch};

/// What sums of elements of that dtype are.
fn summed(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::Int64 } else { dtype }
}

/// The sums over some dimensions, kept with length 1.
fn sum_axes(a: &T, axes: &[usize]) -> T {
    let memory = a.storage.read();
    let mut shape = a.shape().to_vec();
    axes.iter().for_each(|&axis| shape[axis] = 1);
    dispatch!(a.dtype(), E => {
        let view = a.geometry.view(memory.slice::<E>());
        let whole = axes.len() == shape.len();
        match summed(a.dtype()) {
            DType::Int64 if whole => Tensor::of(Memory::one(kernels::sum_all(&view, E::to_i64)), &shape),
            DType::Int64 => Tensor::of(Memory::of(kernels::sum_axes(&view, axes, E::to_i64)), &shape),
            _ if whole => Tensor::of(Memory::one(kernels::sum_all(&view, |v| v)), &shape),
            _ => Tensor::of(Memory::of(kernels::sum_axes(&view, axes, |v| v)), &shape),
        }
    })
}

/// The sum over one dimension, or over all.
pub(crate) fn sum(a: &T, dim: Option<i64>, keepdim: bool) -> Result<T> {
    let rank = a.shape().len();
    let axes: Vec<usize> = match dim {
        Some(dim) => vec![axis(dim, rank)?; rank.min(1)],
        None => (0..rank).collect(),
    };
    let kept = sum_axes(a, &axes);
    let shape: Vec<usize> = (0..rank)
        .filter(|axis| !axes.contains(axis))
        .map(|axis| a.shape()[axis])
        .collect();
    let out = if keepdim {
        kept.clone()
    } else {
        Tensor::of(kept.storage.read(), &shape)
    };
    let params = (a.shape().to_vec(), kept.shape().to_vec());
    let name = if dim.is_some() {
        "SumBackward1"
    } else {
        "SumBackward0"
    };
    record(name, [a], &[], params, out, |g, (shape, kept)| {
        Ok([Some(expand(&reshape(g.grad(), kept)?, shape)?)])
    })
}

/// The opposite of stretching: what was stretched to the shape of `a` gets the sum of all its copies.
pub(crate) fn reduce_to(a: &T, shape: &[usize]) -> Result<T> {
    if a.shape() == shape {
        return Ok(a.clone());
    }
    let more = a.shape().len() - shape.len();
    let axes: Vec<usize> = (0..a.shape().len())
        .filter(|&axis| axis < more || shape[axis - more] == 1 && a.shape()[axis] != 1)
        .collect();
    let out = Tensor::of(sum_axes(a, &axes).storage.read(), shape);
    record(
        "SumToSizeBackward0",
        [a],
        &[],
        a.shape().to_vec(),
        out,
        |g, shape| Ok([Some(expand(g.grad(), shape)?)]),
    )
}
