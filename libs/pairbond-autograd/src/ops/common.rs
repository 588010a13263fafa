//! The common part of operations: the dtype and shape of results, and the choice of the loop.

use pairbond::prelude::*;

use super::{reduce_to, to_dtype, to_dtype_untracked};
use crate::data::{DType, Dims, Element, Float, Memory, broadcast_shapes};
use crate::kernels::{self, Each, Of, Work};
use crate::tensor::{T, Tensor, from_vec};

/// The numbers of a tensor and where they are; `memory` is what its storage holds now.
macro_rules! of {
    ($tensor:expr, $memory:expr, $e:ty) => {
        $crate::kernels::Of {
            numbers: $memory.typed_slice::<$e>(),
            geometry: $tensor.geometry(),
        }
    };
}
pub(crate) use of;

/// `map!(dispatch(dtype), a, |v| …)`: what that makes of each element, which is of that dtype;
/// `map!(mapped_by_vectors: …)` if it has no branches, and knows nothing but the element;
/// `map!(heavy: …)` if it is a function that takes its time.
macro_rules! map {
    ($dispatch:ident $dtypes:tt, $a:expr, |$v:ident| $body:expr) => {
        $crate::ops::common::map!(@Light $dispatch $dtypes, $a, |$v| $body)
    };
    (heavy: $dispatch:ident $dtypes:tt, $a:expr, |$v:ident| $body:expr) => {
        $crate::ops::common::map!(@Heavy $dispatch $dtypes, $a, |$v| $body)
    };
    (@$work:ident $dispatch:ident($dtype:expr $(, $what:expr)?), $a:expr, |$v:ident| $body:expr) => {{
        let a: &$crate::tensor::T = $a;
        let memory = a.storage().read_memory();
        let out: Result<T> = $dispatch!($dtype $(, $what)?, E => Ok($crate::ops::common::run_detached(a.numel(), || {
            $crate::ops::common::map_tensor($crate::ops::common::of!(a, memory, E), $crate::kernels::Work::$work, |$v: E| $body)
        })));
        out
    }};
    (mapped_by_vectors: $dispatch:ident($dtype:expr $(, $what:expr)?), $a:expr, |$v:ident| $body:expr) => {{
        let a: &$crate::tensor::T = $a;
        let memory = a.storage().read_memory();
        let out: Result<T> = $dispatch!($dtype $(, $what)?, E => {
            struct Made;
            impl $crate::kernels::Each<E, E> for Made {
                #[inline(always)]
                fn apply_to(&self, $v: E) -> E {
                    $body
                }
            }
            Ok($crate::ops::common::run_detached(a.numel(), || {
                $crate::ops::common::mapped_by_vectors($crate::ops::common::of!(a, memory, E), Made)
            }))
        });
        out
    }};
}
pub(crate) use map;

/// `zip!(dispatch(dtype), a, b, |v, w| …)`: what that makes of the elements of both, which are of
/// that dtype, stretched to a common shape.
macro_rules! zip {
    ($dispatch:ident $dtypes:tt, $a:expr, $b:expr, |$v:ident, $w:ident| $body:expr) => {
        $crate::ops::common::zip!(@Light $dispatch $dtypes, $a, $b, |$v, $w| $body)
    };
    (heavy: $dispatch:ident $dtypes:tt, $a:expr, $b:expr, |$v:ident, $w:ident| $body:expr) => {
        $crate::ops::common::zip!(@Heavy $dispatch $dtypes, $a, $b, |$v, $w| $body)
    };
    (@$work:ident $dispatch:ident($dtype:expr $(, $what:expr)?), $a:expr, $b:expr, |$v:ident, $w:ident| $body:expr) => {{
        let (a, b): (&$crate::tensor::T, &$crate::tensor::T) = ($a, $b);
        let shape = $crate::ops::common::shape_of(a, b)?;
        let (left, right) = (a.storage().read_memory(), b.storage().read_memory());
        let out: Result<T> = $dispatch!($dtype $(, $what)?, E => Ok($crate::ops::common::run_detached(a.numel().max(b.numel()), || {
            let (left, right) = ($crate::ops::common::of!(a, left, E), $crate::ops::common::of!(b, right, E));
            $crate::ops::common::zip_tensors(left, right, &shape, $crate::kernels::Work::$work, |$v: E, $w: E| $body)
        })));
        out
    }};
}
pub(crate) use zip;

/// `f` of each element. One number takes no way through memory.
#[inline]
pub(crate) fn map_tensor<A: Element, O: Element>(a: Of<'_, A>, work: Work, f: impl Fn(A) -> O + Sync) -> T {
    match *a.numbers {
        [one] if a.geometry.numel() == 1 => {
            Tensor::from_memory(Memory::from_scalar(f(one)), &a.geometry.shape)
        }
        _ => from_vec(kernels::map_elements(a, work, f), &a.geometry.shape),
    }
}

/// As [`map_tensor`], several elements at a time.
#[inline]
pub(crate) fn mapped_by_vectors<A: Element, O: Float>(a: Of<'_, A>, make: impl Each<A, O> + Sync) -> T {
    match a.as_slice() {
        Some(all) if all.len() > 1 => from_vec(kernels::map_vectorized(all, make), &a.geometry.shape),
        _ => map_tensor(a, Work::Heavy, |v| make.apply_to(v)),
    }
}

/// `f` of the elements of both, stretched to `shape`.
#[inline]
pub(crate) fn zip_tensors<A: Element, B: Element, O: Element>(
    a: Of<'_, A>,
    b: Of<'_, B>,
    shape: &[usize],
    work: Work,
    f: impl Fn(A, B) -> O + Sync,
) -> T {
    match (a.numbers, b.numbers) {
        (&[one], &[other]) if shape.iter().product::<usize>() == 1 => {
            Tensor::from_memory(Memory::from_scalar(f(one, other)), shape)
        }
        _ => from_vec(kernels::zip_elements(a, b, shape, work, f), shape),
    }
}

/// Runs a loop over so many elements; other Python threads go on meanwhile, if that is worth while.
#[inline]
pub(crate) fn run_detached<R>(elements: usize, run: impl FnOnce() -> R + Send) -> R {
    const WORTH_WHILE: usize = 1 << 15;
    if elements < WORTH_WHILE {
        run()
    } else {
        pairbond::detached(run)
    }
}

/// The shape that both are stretched to.
pub(crate) fn shape_of(a: &T, b: &T) -> Result<Dims> {
    if a.shape() == b.shape() {
        return Ok(a.shape().into());
    }
    broadcast_shapes(a.shape(), b.shape()).map(Dims::from_vec)
}

/// The dtype of a result of both: a tensor without dimensions changes the kind only.
pub(crate) fn dtype_of(a: &T, b: &T) -> DType {
    let (one, other) = (a.dtype(), b.dtype());
    if one == other {
        return one;
    }
    let kind = |dtype: DType| if dtype.is_float() { 2 } else { dtype as u8 };
    match (a.shape().is_empty(), b.shape().is_empty()) {
        (true, false) if kind(one) <= kind(other) => other,
        (false, true) if kind(other) <= kind(one) => one,
        _ => one.promote_with(other),
    }
}

/// Both in the dtype of their result.
pub(crate) fn promote_both(a: &T, b: &T) -> (T, T, DType) {
    let dtype = dtype_of(a, b);
    (to_dtype_untracked(a, dtype), to_dtype_untracked(b, dtype), dtype)
}

/// In a dtype that has fractions: integers become float32.
pub(crate) fn to_floating(a: &T) -> T {
    let dtype = if a.dtype().is_float() {
        a.dtype()
    } else {
        DType::Float32
    };
    to_dtype_untracked(a, dtype)
}

/// A tensor whose numbers lie behind each other from the beginning of its memory, without a
/// history; the same one if they do.
pub(crate) fn in_order(a: &T) -> T {
    let whole = a.geometry().is_contiguous() && a.geometry().offset == 0;
    if whole {
        a.clone()
    } else {
        super::copy_untracked(a)
    }
}

/// Shape and dtype of an operand that was stretched or converted, if it was.
pub(crate) type Fit = Option<Box<(Vec<usize>, DType)>>;

/// How an input differs from the result.
#[inline]
pub(crate) fn record_fit(input: &T, out: &T) -> Fit {
    let same = input.shape() == out.shape() && input.dtype() == out.dtype();
    (!same).then(|| Box::new((input.shape().to_vec(), input.dtype())))
}

/// A gradient as the input needs it.
#[inline]
pub(crate) fn fit_grad(grad: &T, fit: &Fit) -> Result<T> {
    match fit {
        None => Ok(grad.clone()),
        Some(fit) => to_dtype(&reduce_to(grad, &fit.0)?, fit.1),
    }
}

/// A gradient in the shape and dtype of an input that was saved.
pub(crate) fn grad_like(grad: &T, input: &T) -> Result<T> {
    if grad.shape() == input.shape() && grad.dtype() == input.dtype() {
        return Ok(grad.clone());
    }
    to_dtype(&reduce_to(grad, input.shape())?, input.dtype())
}
