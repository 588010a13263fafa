//! Single numbers of a tensor.

use pairbond::prelude::*;

use crate::data::{Element, dispatch};
use crate::tensor::{Numbers, Operand, to_dtype_untracked};

/// The place of the only element of a tensor that is to become a Python number.
pub(super) fn single_number_place(tensor: &Numbers) -> Result<usize> {
    single_place(tensor)
        .map_err(|_| Error::value_error("only one element tensors can be converted to Python scalars"))
}

/// Where the only element is.
pub(super) fn single_place(tensor: &Numbers) -> Result<usize> {
    match tensor.numel() {
        1 => Ok(tensor.geometry().offset),
        other => Err(Error::runtime_error(format!(
            "a Tensor with {other} elements cannot be converted to Scalar"
        ))),
    }
}

/// Whether one of the elements is that number.
pub(super) fn contains_number(tensor: &Numbers, number: Operand) -> Result<bool> {
    let number = number.into_tensor(tensor.dtype());
    if number.numel() != 1 {
        return Err(Error::runtime_error("`in` looks for one number"));
    }
    let dtype = tensor.dtype().promote_with(number.dtype());
    let wanted = to_dtype_untracked(&number, dtype);
    let wanted = wanted.storage().read_memory();
    let memory = tensor.storage().read_memory();
    Ok(dispatch!(dtype, E => {
        let wanted = wanted.typed_slice::<E>()[0];
        dispatch!(tensor.dtype(), Own => {
            let numbers = memory.typed_slice::<Own>();
            tensor.geometry().element_places().any(|place| convert_element::<Own, E>(numbers[place]) == wanted)
        })
    }))
}

fn convert_element<From: Element, To: Element>(value: From) -> To {
    if From::DTYPE.is_float() {
        To::of_f64(value.to_f64())
    } else {
        To::of_i64(value.to_i64())
    }
}
