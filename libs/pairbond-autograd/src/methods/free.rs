//! Operations that are functions of the module and no methods.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use crate::ops;
use crate::ops::arguments::Ints;
use crate::tensor::{Operand, T, Tensor, into_tensor_result};

/// Behind each other along a dimension.
#[pairbond::function]
#[name("cat")]
pub(crate) fn concatenate_tensors(tensors: Vec<Ref<Tensor>>, #[default(0)] dim: i64) -> Result<Ref<Tensor>> {
    let tensors: Vec<T> = tensors.into_iter().map(T::from_tensor).gather();

    into_tensor_result(ops::cat(&tensors, dim))
}

/// Behind each other along a new dimension.
#[pairbond::function]
#[name("stack")]
pub(crate) fn stack_tensors(tensors: Vec<Ref<Tensor>>, #[default(0)] dim: i64) -> Result<Ref<Tensor>> {
    let tensors: Vec<T> = tensors.into_iter().map(T::from_tensor).gather();

    into_tensor_result(ops::stack(&tensors, dim))
}

/// The elements of one where the condition is true, else those of the other.
#[pairbond::function]
#[name("_where")]
pub(crate) fn where_tensors(condition: Ref<Tensor>, input: Operand, other: Operand) -> Result<Ref<Tensor>> {
    let beside = match (&input, &other) {
        (Operand::Tensor(tensor), _) | (_, Operand::Tensor(tensor)) => tensor.dtype(),
        (Operand::Scalar(one), Operand::Scalar(other)) => one.dtype().promote_with(other.dtype()),
    };
    let (input, other) = (input.into_tensor(beside), other.into_tensor(beside));
    into_tensor_result(ops::choose_elements(&T::from_tensor(condition), &input, &other))
}

/// With some more of a number around the last dimensions: pairs, the last dimension's first.
#[pairbond::function]
#[name("_pad")]
pub(crate) fn pad_tensor(input: Ref<Tensor>, pad: Ints, value: f64) -> Result<Ref<Tensor>> {
    into_tensor_result(ops::pad_constant(&T::from_tensor(input), &pad, value))
}

/// `x` times the part of a normal distribution that is below it.
#[pairbond::function]
#[name("_gelu")]
pub(crate) fn gelu_of(input: Ref<Tensor>) -> Result<Ref<Tensor>> {
    into_tensor_result(ops::gelu(&T::from_tensor(input)))
}

/// The logarithm of `1 + exp(x)`.
#[pairbond::function]
#[name("_softplus")]
pub(crate) fn softplus_of(input: Ref<Tensor>) -> Result<Ref<Tensor>> {
    into_tensor_result(ops::softplus(&T::from_tensor(input)))
}
