//! Single numbers of a tensor.

use pairbond::prelude::*;

use crate::data::{Element, dispatch};
use crate::tensor::{Numbers, Operand, to_dtype_untracked};

/// The place of the only element of a tensor that is to become a Python number.
pub(super) fn convertible(tensor: &Numbers) -> Result<usize> {
    only(tensor)
        .map_err(|_| Error::value_error("only one element tensors can be converted to Python scalars"))
}

/// Where the only element is.
pub(super) fn only(tensor: &Numbers) -> Result<usize> {
    match tensor.numel() {
        1 => Ok(tensor.geometry().offset),
        other => Err(Error::runtime_error(format!(
            "a Tensor with {other} elements cannot be converted to Scalar"
        ))),
    }
}

/// Whether one of the elements is that number.
pub(super) fn contains(tensor: &Numbers, number: Operand) -> Result<bool> {
    let number = number.tensor(tensor.dtype());
    if number.numel() != 1 {
        return Err(Error::runtime_error("`in` looks for one number"));
    }
    let dtype = tensor.dtype().with(number.dtype());
    let wanted = to_dtype_untracked(&number, dtype);
    let wanted = wanted.storage().read();
    let memory = tensor.storage().read();
    Ok(dispatch!(dtype, E => {
        let wanted = wanted.slice::<E>()[0];
        dispatch!(tensor.dtype(), Own => {
            let numbers = memory.slice::<Own>();
            tensor.geometry().places().any(|place| convert::<Own, E>(numbers[place]) == wanted)
        })
    }))
}

fn convert<From: Element, To: Element>(value: From) -> To {
    if From::DTYPE.is_float() {
        To::of_f64(value.to_f64())
    } else {
        To::of_i64(value.to_i64())
    }
}
