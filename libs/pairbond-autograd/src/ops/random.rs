//! Random numbers, and functions of them.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::arguments::Ints;
use super::{into_tensor_result, mul, mul_number};
use crate::data::{DType, Element, dispatch, room};
use crate::tensor::{T, Tensor, from_vec, generator};

fn random_tensor(size: &Ints, dtype: DType, draw: impl FnOnce(usize) -> Vec<f64>) -> Result<T> {
    let length = |&size: &i64| usize::try_from(size).or_raise(ErrorKind::Runtime);
    let shape = size.0.iter().map(length).collect::<Result<Vec<_>>>()?;
    let numbers = draw(room::element_count(&shape));
    Ok(dispatch!(dtype, E => from_vec(numbers.into_iter().map(E::of_f64).gather(), &shape)))
}

/// Numbers from `low` up to and without `high`.
#[pairbond::function]
#[name("_uniform")]
pub(crate) fn uniform(size: Ints, low: f64, high: f64, dtype: DType) -> Result<Ref<Tensor>> {
    let number = |v| low + v * (high - low);
    into_tensor_result(random_tensor(&size, dtype, |len| {
        generator::draw_uniform(len).into_iter().map(number).gather()
    }))
}

/// Numbers of a normal distribution.
#[pairbond::function]
#[name("_normal")]
pub(crate) fn normal(size: Ints, mean: f64, std: f64, dtype: DType) -> Result<Ref<Tensor>> {
    let number = |v| mean + v * std;
    into_tensor_result(random_tensor(&size, dtype, |len| {
        generator::draw_normal(len).into_iter().map(number).gather()
    }))
}

/// `a` without some of its elements, which become zero; the others grow so that the mean stays.
#[pairbond::function]
#[name("_dropout")]
pub(crate) fn dropout(input: Ref<Tensor>, p: f64) -> Result<Ref<Tensor>> {
    let input = T::from_tensor(input);

    if !(0.0..=1.0).contains(&p) {
        return Err(Error::value_error(format!(
            "dropout probability has to be between 0 and 1, but got {p}"
        )));
    }
    if p >= 1.0 {
        return into_tensor_result(mul_number(&input, 0.0));
    }
    let keep = 1.0 / (1.0 - p);
    let draws = generator::draw_uniform(input.numel());
    let mask = dispatch!(input.dtype(), E => {
        from_vec(draws.into_iter().map(|v| E::of_f64(if v < p { 0.0 } else { keep })).gather(), input.shape())
    });
    into_tensor_result(mul(&input, &mask))
}
