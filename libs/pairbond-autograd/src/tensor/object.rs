//! [`Tensor`]: the object.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use pairbond::prelude::*;

use super::Storage;
use crate::data::{DType, Geometry, Memory};
use crate::engine::{AccumulateGrad, Node, function_of, is_grad_enabled};
use crate::hooks::TensorHooks;
use crate::ops::{TensorMath, TensorOperators, TensorReductions, TensorShape};

/// How the library hands tensors around.
pub(crate) type T = Ref<Tensor>;

/// What a tensor is, and its history. Its methods are those of the engine; what computes is in
/// `Tensor`, which all tensors are.
#[pairbond::object("pairbond_autograd.TensorBase", opaque)]
pub struct TensorBase {
    pub(crate) storage: Ref<Storage>,
    #[untraced]
    pub(crate) geometry: Geometry,
    /// Whose memory this is a view of, if it is one. Never a view itself.
    #[field(name = "_base")]
    pub(crate) base: Option<Ref<Tensor>>,
    #[untraced]
    pub(crate) requires_grad: AtomicBool,
    /// Whether this is a view also as far as derivatives are concerned: it was made while they were
    /// recorded, and of such a view.
    pub(crate) tracks: bool,
    /// Whether this is a view of what a custom function returned as a view.
    pub(crate) of_function: bool,
    /// Of a view: the version of its memory at which its history is right.
    #[untraced]
    pub(crate) seen: AtomicU64,
    /// The derivative that was accumulated.
    pub(crate) grad: Cell<Option<Ref<Tensor>>>,
    /// What made it, and as which of its outputs.
    pub(crate) grad_fn: Cell<Option<Ref<Node>>>,
    #[untraced]
    pub(crate) output: AtomicU32,
    /// Hooks for its gradient, while it is a leaf.
    pub(crate) hooks: Cell<Option<Ref<TensorHooks>>>,
    /// For a leaf: the node that accumulates. It refers to this tensor, and a graph to it.
    pub(crate) accumulator: Cell<Option<Weak<AccumulateGrad>>>,
}

/// A tensor as numbers in memory. Its methods are those that look at elements, share them and write
/// them, without a derivative of their own.
#[pairbond::object("pairbond_autograd.StridedTensor", extends = TensorShape, opaque)]
pub struct StridedTensor {
    inner: TensorShape,
}

/// An array of numbers that knows how it was computed.
#[pairbond::object("pairbond_autograd.Tensor", extends = StridedTensor, opaque, fast_getters)]
pub struct Tensor {
    strided: StridedTensor,
}

impl Tensor {
    #[inline]
    pub(crate) fn value(storage: Ref<Storage>, geometry: Geometry, base: Option<T>) -> Tensor {
        let inner = TensorBase {
            tracks: base.is_some() && is_grad_enabled(),
            of_function: false,
            seen: AtomicU64::new(if base.is_some() { storage.version() } else { 0 }),
            storage,
            geometry,
            base,
            requires_grad: AtomicBool::new(false),
            grad: Cell::new(None),
            grad_fn: Cell::new(None),
            output: AtomicU32::new(0),
            hooks: Cell::new(None),
            accumulator: Cell::new(None),
        };
        Tensor {
            strided: StridedTensor {
                inner: TensorShape {
                    inner: TensorReductions {
                        inner: TensorMath {
                            inner: TensorOperators { inner },
                        },
                    },
                },
            },
        }
    }

    /// A tensor of its own memory, contiguous.
    #[inline]
    pub(crate) fn of(memory: Memory, shape: &[usize]) -> T {
        Ref::new(Tensor::value(
            Storage::of(memory),
            Geometry::contiguous(shape),
            None,
        ))
    }

    /// The same memory in another way: a view, which counts changes together with `this`.
    pub(crate) fn view_of(this: &T, geometry: Geometry) -> T {
        Ref::new(Tensor::view_value(this, geometry))
    }

    /// As [`Tensor::view_of`], before it is an object.
    pub(crate) fn view_value(this: &T, geometry: Geometry) -> Tensor {
        let base = this.base.clone().unwrap_or_else(|| this.clone());
        let mut view = Tensor::value(this.storage.clone(), geometry, Some(base));
        if this.base.is_some() && !this.tracks {
            // Taken out of the base, it would miss what made `this`.
            let inner = &mut view.strided.inner.inner.inner.inner.inner;
            inner.tracks = false;
            inner.of_function = this.of_function || function_of(this).is_some();
        }
        view
    }

    /// The same memory, without a history: no view, as far as derivatives are concerned.
    pub(crate) fn detached(this: &Tensor) -> T {
        Ref::new(Tensor::value(this.storage.clone(), this.geometry.clone(), None))
    }
}

impl TensorBase {
    #[inline]
    pub(crate) fn shape(&self) -> &[usize] {
        &self.geometry.shape
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.storage.dtype()
    }

    pub(crate) fn numel(&self) -> usize {
        self.geometry.numel()
    }

    /// Whether derivatives are computed for it: it was asked for, or it was computed from such.
    #[inline]
    pub(crate) fn requires_grad(&self) -> bool {
        self.requires_grad.load(Ordering::Acquire) || self.tracks && self.base_requires_grad()
    }

    fn base_requires_grad(&self) -> bool {
        self.base.as_ref().is_some_and(|base| base.requires_grad())
    }

    /// Whether its gradient is to be kept although it is no leaf.
    pub(crate) fn retains(&self) -> bool {
        let hooks = self
            .grad_fn
            .with(|made| made.as_ref().and_then(|made| made.hooks.get()));
        hooks.is_some_and(|hooks| hooks.retains(self))
    }

    #[inline]
    pub(crate) fn output_number(&self) -> u32 {
        self.output.load(Ordering::Acquire)
    }
}
