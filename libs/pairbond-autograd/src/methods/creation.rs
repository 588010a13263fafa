//! Functions that make tensors. What Python's signatures have beside (a shape in several arguments,
//! `like`) is in the Python package.

use pairbond::memory::Gather;
use pairbond::prelude::*;

use super::tensor::Data;
use crate::data::{DType, Element, dispatch, room};
use crate::tensor::{
    Numbers, Scalar, Storage, T, Tensor, exchange, from_vec, generator, into_tensor_result,
    to_dtype_untracked,
};
use crate::{engine, ops};

/// A leaf of its own that has these numbers.
fn new_leaf(tensor: T, requires_grad: bool) -> Result<Ref<Tensor>> {
    if requires_grad {
        engine::require_grad(&tensor, true)?;
    }
    Ok(tensor.into())
}

/// A tensor of numbers in lists, or a copy of those of an array or a tensor.
#[pairbond::function]
#[name("tensor")]
pub(crate) fn make_tensor(
    data: Data,
    #[keyword] dtype: Option<DType>,
    #[keyword] device: Option<Str>,
    #[keyword]
    #[default(false)]
    requires_grad: bool,
) -> Result<Ref<Tensor>> {
    on_cpu(device)?;
    let made = match data {
        Data::Tensor(tensor) => {
            let dtype = dtype.unwrap_or(tensor.dtype());
            to_dtype_untracked(&ops::copy_untracked(&tensor), dtype)
        }
        Data::Array(array) => exchange::copy_array(&array, dtype)?,
        Data::Nested(nested) => nested.into_tensor(dtype),
    };
    new_leaf(made, requires_grad)
}

/// The tensor itself, or one that shares the numbers of an array, if it is of that dtype; a copy
/// otherwise.
#[pairbond::function]
#[name("_as_tensor")]
pub(crate) fn as_tensor(data: Data, dtype: Option<DType>) -> Result<Ref<Tensor>> {
    into_tensor_result(match data {
        Data::Tensor(tensor) => ops::to_dtype(&tensor, dtype.unwrap_or(tensor.dtype())),
        Data::Array(array) => match exchange::share_array(array.clone()) {
            Ok(shared) => Ok(to_dtype_untracked(&shared, dtype.unwrap_or(shared.dtype()))),
            Err(_) => exchange::copy_array(&array, dtype),
        },
        Data::Nested(nested) => Ok(nested.into_tensor(dtype)),
    })
}

/// A tensor that shares the numbers of an array: of numpy, by the buffer protocol, or by DLPack.
#[pairbond::function]
#[name("_from_array")]
pub(crate) fn from_array(array: Array) -> Result<Ref<Tensor>> {
    into_tensor_result(exchange::share_array(array))
}

/// There is one device.
fn on_cpu(device: Option<Str>) -> Result<()> {
    match device {
        Some(name) if *name != *"cpu" => Err(Error::runtime_error(format!(
            "there is no device '{name}', only 'cpu'"
        ))),
        _ => Ok(()),
    }
}

/// The same number everywhere.
#[pairbond::function]
#[name("_full")]
pub(crate) fn full(
    shape: Vec<usize>,
    value: Scalar,
    dtype: Option<DType>,
    #[default(false)] requires_grad: bool,
) -> Result<Ref<Tensor>> {
    room::check_size(&shape)?;
    let dtype = dtype.unwrap_or(value.dtype());
    let len = room::element_count(&shape);
    let made = dispatch!(dtype, E => from_vec(room::filled_vec(value.to_element::<E>(), len), &shape));
    new_leaf(made, requires_grad)
}

/// Numbers from `start` on, as long as they are before `end`.
#[pairbond::function]
#[name("_arange")]
pub(crate) fn arange(
    start: Scalar,
    end: Scalar,
    step: Scalar,
    dtype: Option<DType>,
    #[default(false)] requires_grad: bool,
) -> Result<Ref<Tensor>> {
    let [from, to, by] = [start, end, step].map(Scalar::to_element::<f64>);
    if by == 0.0 || !from.is_finite() || !to.is_finite() || by.is_nan() {
        return Err(Error::runtime_error("step must be nonzero, and the ends finite"));
    }
    if (to - from) * by < 0.0 {
        return Err(Error::runtime_error(
            "upper bound and lower bound inconsistent with step sign",
        ));
    }
    let found = [start, end, step]
        .map(Scalar::dtype)
        .into_iter()
        .fold(DType::Int64, DType::promote_with);
    let dtype = dtype.unwrap_or(found);
    let len = ((to - from) / by).ceil() as usize;
    room::check_size(&[len])?;
    let made = dispatch!(dtype, E => {
        let whole = found == DType::Int64;
        let number = |i: usize| {
            if whole {
                E::of_i64(start.to_element::<i64>() + step.to_element::<i64>() * i as i64)
            } else {
                E::of_f64(from + by * i as f64)
            }
        };
        from_vec(room::collect_vec((0..len).map(number)), &[len])
    });
    new_leaf(made, requires_grad)
}

/// Numbers at equal distances, both ends included.
#[pairbond::function]
#[name("_linspace")]
pub(crate) fn linspace(
    start: f64,
    end: f64,
    steps: usize,
    dtype: Option<DType>,
    #[default(false)] requires_grad: bool,
) -> Result<Ref<Tensor>> {
    room::check_size(&[steps])?;
    let step = (end - start) / (steps.max(2) - 1) as f64;
    // From both ends, so that both are met.
    let number = |i: usize| {
        if i < steps / 2 || steps == 1 {
            start + step * i as f64
        } else {
            end - step * (steps - 1 - i) as f64
        }
    };
    let made = dispatch!(dtype.unwrap_or(DType::Float32), E => {
        from_vec(room::collect_vec((0..steps).map(|i| E::of_f64(number(i)))), &[steps])
    });
    new_leaf(made, requires_grad)
}

/// Ones on the diagonal.
#[pairbond::function]
#[name("_eye")]
pub(crate) fn eye(
    n: usize,
    m: usize,
    dtype: Option<DType>,
    #[default(false)] requires_grad: bool,
) -> Result<Ref<Tensor>> {
    room::check_size(&[n, m])?;
    let made = dispatch!(dtype.unwrap_or(DType::Float32), E => {
        let one = |i: usize| E::of_i64(i64::from(i / m == i % m));
        from_vec(room::collect_vec((0..room::element_count(&[n, m])).map(one)), &[n, m])
    });
    new_leaf(made, requires_grad)
}

/// Makes the random numbers the same from here on.
#[pairbond::function]
#[name("_manual_seed")]
pub(crate) fn manual_seed(seed: i64) {
    generator::set_seed(seed.cast_unsigned());
}

fn random_floats(
    draw: fn(usize) -> Vec<f64>,
    shape: &[usize],
    dtype: Option<DType>,
    requires_grad: bool,
) -> Result<Ref<Tensor>> {
    room::check_size(shape)?;
    let dtype = dtype.unwrap_or(DType::Float32);
    dtype.check_float("random numbers are floats")?;
    let numbers = draw(room::element_count(shape));
    let made = dispatch!(dtype, E => from_vec(numbers.into_iter().map(E::of_f64).gather(), shape));
    new_leaf(made, requires_grad)
}

/// Random numbers from 0 up to and without 1.
#[pairbond::function]
#[name("_rand")]
pub(crate) fn rand(
    shape: Vec<usize>,
    dtype: Option<DType>,
    #[default(false)] requires_grad: bool,
) -> Result<Ref<Tensor>> {
    random_floats(generator::draw_uniform, &shape, dtype, requires_grad)
}

/// Random numbers of the standard normal distribution.
#[pairbond::function]
#[name("_randn")]
pub(crate) fn randn(
    shape: Vec<usize>,
    dtype: Option<DType>,
    #[default(false)] requires_grad: bool,
) -> Result<Ref<Tensor>> {
    random_floats(generator::draw_normal, &shape, dtype, requires_grad)
}

/// Random whole numbers from `low` up to and without `high`.
#[pairbond::function]
#[name("_randint")]
pub(crate) fn randint(low: i64, high: i64, shape: Vec<usize>, dtype: Option<DType>) -> Result<Ref<Tensor>> {
    room::check_size(&shape)?;
    if low >= high {
        return Err(Error::runtime_error(format!(
            "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )));
    }
    let numbers = generator::draw_integers(low, high, room::element_count(&shape));
    Ok(dispatch!(dtype.unwrap_or(DType::Int64), E => {
        from_vec(numbers.into_iter().map(E::of_i64).gather(), &shape).into()
    }))
}

/// The numbers below `n` in a random order.
#[pairbond::function]
#[name("_randperm")]
pub(crate) fn randperm(n: usize) -> Result<Ref<Tensor>> {
    room::check_size(&[n])?;
    let mut order = room::collect_vec((0..n).map(|it| it as i64));
    for last in (1..n).rev() {
        let other = generator::draw_integers(0, last as i64 + 1, 1)[0] as usize;
        order.swap(last, other);
    }
    Ok(from_vec(order, &[n]).into())
}

/// A tensor of a storage that was read back.
#[pairbond::function]
#[name("_rebuild")]
pub(crate) fn rebuild_tensor(
    storage: Ref<Storage>,
    shape: Vec<usize>,
    strides: Vec<usize>,
    offset: usize,
) -> Result<Ref<Tensor>> {
    let geometry = crate::data::Geometry {
        shape: shape.into(),
        strides: strides.into(),
        offset,
    };
    geometry.check_bounds(storage.len())?;
    Ok(Tensor::with_numbers(Numbers::with_geometry(storage, geometry)).into())
}

/// A storage that has the numbers of an array, in order.
#[pairbond::function]
#[name("_make_storage")]
pub(crate) fn make_storage(numbers: Array) -> Result<Ref<Storage>> {
    exchange::copy_array(&numbers, None).map(|tensor| tensor.storage().clone())
}
