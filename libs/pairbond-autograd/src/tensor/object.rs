//! [`Tensor`]: the object.

use pairbond::prelude::*;
use pairbond_tape::{Variable, typed};

use super::Storage;
use crate::data::{DType, Geometry, Memory};
use crate::ops::{TensorMath, TensorOperators, TensorReductions, TensorShape};

/// How the library hands tensors around.
pub(crate) type T = Ref<Tensor>;

/// What a tensor is: numbers in memory, with a history. Its methods are those of the tape; what
/// computes is in `Tensor`, which all tensors are.
#[pairbond::object("pairbond_autograd.TensorBase", extends = Variable, opaque)]
pub struct TensorBase {
    variable: Variable,
    pub(crate) storage: Ref<Storage>,
    #[untraced]
    pub(crate) geometry: Geometry,
    /// The derivative that was accumulated.
    pub(crate) grad: Cell<Option<Ref<Tensor>>>,
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
    /// A tensor that is no view.
    #[inline]
    pub(crate) fn value(storage: Ref<Storage>, geometry: Geometry) -> Tensor {
        Tensor::with_history(Variable::new::<Tensor>(), storage, geometry)
    }

    #[inline]
    fn with_history(variable: Variable, storage: Ref<Storage>, geometry: Geometry) -> Tensor {
        let inner = TensorBase {
            variable,
            storage,
            geometry,
            grad: Cell::new(None),
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
        Ref::new(Tensor::value(Storage::of(memory), Geometry::contiguous(shape)))
    }

    /// The same memory in another way: a view, which counts changes together with `this`.
    pub(crate) fn view_of(this: &T, geometry: Geometry) -> T {
        Ref::new(Tensor::view_value(this, geometry))
    }

    /// As [`Tensor::view_of`], before it is an object.
    pub(crate) fn view_value(this: &T, geometry: Geometry) -> Tensor {
        let history = Variable::view_of(this, this.storage.version());
        Tensor::with_history(history, this.storage.clone(), geometry)
    }

    /// The same memory, without a history: no view, as far as derivatives are concerned.
    pub(crate) fn detached(this: &Tensor) -> T {
        Ref::new(Tensor::value(this.storage.clone(), this.geometry.clone()))
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
}

#[pairbond::methods]
impl TensorBase {
    /// Whose memory this is a view of, if it is one. Never a view itself.
    #[getter(_base)]
    fn get_base(&self) -> Option<Ref<Tensor>> {
        typed(self.base()?).ok().cloned()
    }
}
