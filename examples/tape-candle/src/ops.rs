//! Operations: candle computes, and a derivative is made of operations.

use pairbond::prelude::*;
use pairbond_tape::{Save, record};

use crate::array::{A, made};

/// The sum.
pub(crate) fn add(a: &A, b: &A) -> Result<A> {
    let out = made(&a.tensor + &b.tensor)?;
    record("AddBackward", [a, b], &[], (), out, |g, ()| {
        Ok([Some(g.grad().clone()), Some(g.grad().clone())])
    })
}

/// The product of elements.
pub(crate) fn mul(a: &A, b: &A) -> Result<A> {
    let (out, saves) = (made(&a.tensor * &b.tensor)?, [Save::For(0, b), Save::For(1, a)]);
    record("MulBackward", [a, b], &saves, (), out, |g, ()| {
        let times = |input| mul(g.grad(), &g.saved_for(input)?);
        Ok([g.when(0, || times(0))?, g.when(1, || times(1))?])
    })
}

/// The product with a number.
pub(crate) fn scale(a: &A, factor: f64) -> Result<A> {
    let out = made(a.tensor.affine(factor, 0.0))?;
    record("ScaleBackward", [a], &[], factor, out, |g, &factor| {
        Ok([Some(scale(g.grad(), factor)?)])
    })
}

/// The product of matrices.
pub(crate) fn matmul(a: &A, b: &A) -> Result<A> {
    let out = made(a.tensor.matmul(&b.tensor))?;
    let saves = [Save::For(0, b), Save::For(1, a)];
    record("MatmulBackward", [a, b], &saves, (), out, |g, ()| {
        let first = || matmul(g.grad(), &transpose(&g.saved_for(0)?)?);
        let second = || matmul(&transpose(&g.saved_for(1)?)?, g.grad());
        Ok([g.when(0, first)?, g.when(1, second)?])
    })
}

/// The transposed matrix.
fn transpose(a: &A) -> Result<A> {
    let out = made(a.tensor.t().and_then(|out| out.contiguous()))?;
    record("TBackward", [a], &[], (), out, |g, ()| {
        Ok([Some(transpose(g.grad())?)])
    })
}

/// The hyperbolic tangent of each element.
pub(crate) fn tanh(a: &A) -> Result<A> {
    let out = made(a.tensor.tanh())?;
    record("TanhBackward", [a], &[Save::Out], (), out, |g, ()| {
        let out = g.saved(0)?;
        let less = scale(&mul(g.grad(), &mul(&out, &out)?)?, -1.0)?;
        Ok([Some(add(g.grad(), &less)?)])
    })
}

/// The sum along the dimensions in which a tensor of that shape was stretched.
pub(crate) fn sum_to(a: &A, shape: &[usize]) -> Result<A> {
    let own = a.tensor.dims();
    if own == shape {
        return Ok(a.clone());
    }
    let more = own.len() - shape.len();
    let stretched = |&at: &usize| at < more || (shape[at - more] == 1 && own[at] != 1);
    let dims: Vec<usize> = (0..own.len()).filter(stretched).collect();
    let out = made(a.tensor.sum_keepdim(dims).and_then(|sum| sum.reshape(shape)))?;
    record("SumBackward", [a], &[], own.to_vec(), out, |g, shape| {
        Ok([Some(expand(g.grad(), shape)?)])
    })
}

/// The same numbers, stretched.
pub(crate) fn expand(a: &A, shape: &[usize]) -> Result<A> {
    let out = made(a.tensor.broadcast_as(shape).and_then(|out| out.contiguous()))?;
    let own = a.tensor.dims().to_vec();
    record("ExpandBackward", [a], &[], own, out, |g, shape| {
        Ok([Some(sum_to(g.grad(), shape)?)])
    })
}
