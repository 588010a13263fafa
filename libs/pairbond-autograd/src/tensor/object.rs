//! [`Tensor`]: the object.
//!
//! A class has one table of methods, and a table one file: so what a tensor can do is a chain of
//! classes, each of which adds a part. Their methods are in `methods/`.

use pairbond::prelude::*;
use pairbond_tape::{Variable, downcast_value};

use super::snapshot::Field;
use super::{Numbers, Storage, T};
use crate::data::{Geometry, Memory};

/// What a tensor is: numbers in memory, with a history. Its methods are those of the tape; what
/// computes is in `Tensor`, which all tensors are.
#[pairbond::object("pairbond_autograd.TensorBase", extends = Variable, opaque)]
pub struct TensorBase {
    variable: Variable,
    /// Read as a whole, and exchanged as a whole.
    numbers: Field,
    /// The derivative that was accumulated.
    pub(crate) grad: Cell<Option<Ref<Tensor>>>,
}

/// The operators of a tensor.
#[pairbond::object("pairbond_autograd.TensorOperators", extends = TensorBase, opaque)]
pub struct TensorOperators {
    inner: TensorBase,
}

/// Functions of each element of a tensor.
#[pairbond::object("pairbond_autograd.TensorMath", extends = TensorOperators, opaque)]
pub struct TensorMath {
    inner: TensorOperators,
}

/// Operations along the dimensions of a tensor.
#[pairbond::object("pairbond_autograd.TensorReductions", extends = TensorMath, opaque)]
pub struct TensorReductions {
    inner: TensorMath,
}

/// Operations on the dimensions of a tensor.
#[pairbond::object("pairbond_autograd.TensorShape", extends = TensorReductions, opaque)]
pub struct TensorShape {
    inner: TensorReductions,
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
    pub(crate) fn from_numbers(numbers: Numbers) -> Tensor {
        Tensor::with_history(Variable::new::<Tensor>(), numbers)
    }

    #[inline]
    fn with_history(variable: Variable, numbers: Numbers) -> Tensor {
        let inner = TensorBase {
            variable,
            numbers: numbers.into_field(),
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
    pub(crate) fn from_memory(memory: Memory, shape: &[usize]) -> T {
        Tensor::with_numbers(Numbers::whole_storage(Storage::from_memory(
            memory,
            Geometry::new_contiguous(shape),
        )))
    }

    /// A tensor of these numbers, which is no view as far as derivatives are concerned.
    #[inline]
    pub(crate) fn with_numbers(numbers: Numbers) -> T {
        T::new(Tensor::from_numbers(numbers.clone()), numbers)
    }

    /// The same memory in another way: a view, which counts changes together with `this`.
    pub(crate) fn view_of(this: &T, geometry: Geometry) -> T {
        let numbers = this.numbers().view_with(geometry);
        T::new(Tensor::view_value(this, numbers.clone()), numbers)
    }

    /// A view of `this` that has these numbers, before it is an object.
    pub(crate) fn view_value(this: &T, numbers: Numbers) -> Tensor {
        Tensor::with_history(
            Variable::view_of::<Tensor>(this, numbers.write_version()),
            numbers,
        )
    }

    /// The same memory, without a history.
    pub(crate) fn new_detached(this: &T) -> T {
        Tensor::with_numbers(this.numbers().clone())
    }
}

impl TensorBase {
    /// The numbers that it has now.
    #[inline]
    pub(crate) fn current_numbers(&self) -> Numbers {
        Numbers::of_field(&self.numbers)
    }

    /// Gives it other numbers, and leaves all else as it is.
    pub(crate) fn exchange_numbers(&self, numbers: &Numbers) {
        numbers.store_into(&self.numbers);
    }
}

#[pairbond::methods]
impl TensorBase {
    /// Whose memory this is a view of, if it is one. Never a view itself.
    #[getter(_base)]
    fn get_base(&self) -> Option<Ref<Tensor>> {
        downcast_value(self.base()?).ok().cloned()
    }
}
