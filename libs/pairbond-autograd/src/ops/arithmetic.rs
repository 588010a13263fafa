//! Sums and products, element by element; conversion of elements.

use pairbond::prelude::*;

use super::reduce_to;
use crate::engine::{In, record};
use crate::kernels;
use crate::tensor::{DType, Element, Memory, T, Tensor, broadcast, dispatch};

/// `f` of the elements of both, in the dtype that holds both.
fn binary<F: Binary>(a: &T, b: &T, f: F) -> Result<T> {
    let dtype = a.dtype().with(b.dtype());
    let shape = if a.shape() == b.shape() {
        a.shape().to_vec()
    } else {
        broadcast(a.shape(), b.shape())?
    };
    let (a, b) = (to_dtype_untracked(a, dtype), to_dtype_untracked(b, dtype));
    let (left, right) = (a.storage.read(), b.storage.read());
    Ok(dispatch!(dtype, E => {
        let (left, right) = (left.slice::<E>(), right.slice::<E>());
        let memory = if a.numel() == 1 && b.numel() == 1 {
            Memory::one(f.of(left[a.geometry.offset], right[b.geometry.offset]))
        } else {
            Memory::of(kernels::zip(&a.geometry.view(left), &b.geometry.view(right), &shape, |a, b| f.of(a, b)))
        };
        Tensor::of(memory, &shape)
    }))
}

/// A function of two elements of any type.
trait Binary {
    fn of<E: Element>(&self, a: E, b: E) -> E;
}

struct Add;
impl Binary for Add {
    #[inline]
    fn of<E: Element>(&self, a: E, b: E) -> E {
        a.add(b)
    }
}

struct Mul;
impl Binary for Mul {
    #[inline]
    fn of<E: Element>(&self, a: E, b: E) -> E {
        a.mul(b)
    }
}

/// What the elements are: a gradient is of the dtype of what it belongs to.
fn like(grad: &T, shape: &[usize], dtype: DType) -> Result<T> {
    to_dtype(&reduce_to(grad, shape)?, dtype)
}

pub(crate) fn add(a: &T, b: &T) -> Result<T> {
    let out = binary(a, b, Add)?;
    let params = (a.shape().to_vec(), a.dtype(), b.shape().to_vec(), b.dtype());
    record(
        "AddBackward0",
        [a, b],
        &[],
        params,
        out,
        |g, (a, a_type, b, b_type)| {
            Ok([
                g.when(0, || like(g.grad(), a, *a_type))?,
                g.when(1, || like(g.grad(), b, *b_type))?,
            ])
        },
    )
}

pub(crate) fn mul(a: &T, b: &T) -> Result<T> {
    let out = binary(a, b, Mul)?;
    record("MulBackward0", [a, b], &[In(a), In(b)], (), out, |g, ()| {
        let (a, b) = (g.saved(0)?, g.saved(1)?);
        Ok([
            g.when(0, || like(&mul(g.grad(), &b)?, a.shape(), a.dtype()))?,
            g.when(1, || like(&mul(g.grad(), &a)?, b.shape(), b.dtype()))?,
        ])
    })
}

pub(crate) fn neg(a: &T) -> Result<T> {
    let memory = a.storage.read();
    let out = dispatch!(a.dtype(), E => {
        let view = a.geometry.view(memory.slice::<E>());
        let minus = E::of_i64(-1);
        Tensor::of(Memory::of(kernels::map(&view, |a| minus.mul(a))), a.shape())
    });
    record("NegBackward0", [a], &[], (), out, |g, ()| {
        Ok([Some(neg(g.grad())?)])
    })
}

pub(crate) fn sub(a: &T, b: &T) -> Result<T> {
    add(a, &neg(b)?)
}

/// The same numbers in another dtype, without a history; the same tensor if it is of that dtype.
pub(crate) fn to_dtype_untracked(a: &T, dtype: DType) -> T {
    if a.dtype() == dtype {
        return a.clone();
    }
    let memory = a.storage.read();
    dispatch!(a.dtype(), From => {
        let view = a.geometry.view(memory.slice::<From>());
        let exact = a.dtype() == DType::Int64 && dtype == DType::Bool;
        dispatch!(dtype, To => {
            let convert = |value: From| if exact { To::of_i64(value.to_i64()) } else { To::of_f64(value.to_f64()) };
            Tensor::of(Memory::of(kernels::map(&view, convert)), a.shape())
        })
    })
}

/// The same numbers in another dtype; the same tensor if it is of that dtype.
pub(crate) fn to_dtype(a: &T, dtype: DType) -> Result<T> {
    if a.dtype() == dtype {
        return Ok(a.clone());
    }
    let out = to_dtype_untracked(a, dtype);
    record("ToCopyBackward0", [a], &[], a.dtype(), out, |g, dtype| {
        Ok([Some(to_dtype(g.grad(), *dtype)?)])
    })
}
