//! Random numbers, and functions of them.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::arguments::Ints;
use super::{given, mul, times};
use crate::data::{DType, Element, dispatch, room};
use crate::tensor::{T, Tensor, from_vec, random};

fn shaped(size: &Ints, dtype: DType, draw: impl FnOnce(usize) -> Vec<f64>) -> Result<T> {
    let length = |&size: &i64| usize::try_from(size).or_raise(ErrorKind::Runtime);
    let shape = size.0.iter().map(length).collect::<Result<Vec<_>>>()?;
    let numbers = draw(room::count(&shape));
    Ok(dispatch!(dtype, E => from_vec(numbers.into_iter().map(E::of_f64).gather(), &shape)))
}

/// Numbers from `low` up to and without `high`.
#[pairbond::function]
#[name("_uniform")]
pub(crate) fn uniform(size: Ints, low: f64, high: f64, dtype: DType) -> Result<Ref<Tensor>> {
    let number = |v| low + v * (high - low);
    given(shaped(&size, dtype, |len| {
        random::uniform(len).into_iter().map(number).gather()
    }))
}

/// Numbers of a normal distribution.
#[pairbond::function]
#[name("_normal")]
pub(crate) fn normal(size: Ints, mean: f64, std: f64, dtype: DType) -> Result<Ref<Tensor>> {
    let number = |v| mean + v * std;
    given(shaped(&size, dtype, |len| {
        random::normal(len).into_iter().map(number).gather()
    }))
}

/// `a` without some of its elements, which become zero; the others grow so that the mean stays.
#[pairbond::function]
#[name("_dropout")]
pub(crate) fn dropout(input: Ref<Tensor>, p: f64) -> Result<Ref<Tensor>> {
    let input = T::now(input);

    if !(0.0..=1.0).contains(&p) {
        return Err(Error::value_error(format!(
            "dropout probability has to be between 0 and 1, but got {p}"
        )));
    }
    if p >= 1.0 {
        return given(times(&input, 0.0));
    }
    let keep = 1.0 / (1.0 - p);
    let draws = random::uniform(input.numel());
    let mask = dispatch!(input.dtype(), E => {
        from_vec(draws.into_iter().map(|v| E::of_f64(if v < p { 0.0 } else { keep })).gather(), input.shape())
    });
    given(mul(&input, &mask))
}
