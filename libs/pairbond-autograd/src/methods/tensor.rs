//! Constructors of a [`Tensor`], its most frequent methods, and operations in place, one line each.
//!
//! Frequent methods stand here and not in the class of the engine's methods: CPython checks whether
//! a tensor is of the class that has the attribute, and for this class compares one pointer.

use pairbond::prelude::*;

use crate::data::DType;
use crate::engine::Node;
use crate::tensor::{
    Nested, Numbers, Operand, Scalar, T, Tensor, exchange, filled_tensor, to_dtype_untracked,
};
use crate::{engine, ops};

#[pairbond::methods]
impl Tensor {
    /// A tensor of numbers in lists (of float32, if no other dtype is said), one that shares
    /// another one's memory, or, of numbers alone, zeros of that shape.
    #[new]
    fn new(
        #[rest] data: Vec<Data>,
        #[keyword] dtype: Option<DType>,
        #[keyword]
        #[default(false)]
        requires_grad: bool,
        #[keyword]
        #[default(false)]
        _alias: bool,
    ) -> Result<Tensor> {
        if _alias && let [Data::Tensor(tensor)] = &data[..] {
            return engine::alias_tensor(tensor);
        }
        let source = match (sizes_from_data(&data)?, data.into_iter().next()) {
            (None, Some(Data::Tensor(tensor))) => {
                to_dtype_untracked(&tensor, dtype.unwrap_or(tensor.dtype()))
            }
            (None, Some(Data::Array(array))) => exchange::copy_array(&array, dtype)?,
            (None, Some(Data::Nested(nested))) => nested.into_tensor(Some(dtype.unwrap_or(DType::Float32))),
            (shape, _) => filled_tensor(
                0.0,
                &shape.unwrap_or_else(|| vec![0]),
                dtype.unwrap_or(DType::Float32),
            ),
        };
        let tensor = Tensor::from_numbers(source.numbers().clone());
        engine::require_grad(&tensor, requires_grad)?;
        Ok(tensor)
    }

    /// The gradient that was accumulated.
    #[getter(grad)]
    fn get_grad(&self) -> &Cell<Option<Ref<Tensor>>> {
        &self.grad
    }

    #[setter(grad)]
    fn put_grad(&self, grad: Option<Ref<Tensor>>) -> Result<()> {
        let is_itself = |grad: &Ref<Tensor>| std::ptr::eq::<Tensor>(&**grad, self);
        if grad.as_ref().is_some_and(is_itself) {
            return Err(Error::runtime_error("can't assign Variable as its own grad"));
        }
        if let Some(grad) = &grad {
            check_grad(&grad.current_numbers(), &self.current_numbers())?;
        }
        self.grad.set(grad);
        Ok(())
    }

    /// The node that computed it; None for a leaf.
    #[getter(grad_fn)]
    fn get_grad_fn(&self) -> &Cell<Option<Ref<Node>>> {
        engine::grad_fn_cell(self)
    }

    /// Whether nothing made it.
    #[getter]
    fn is_leaf(&self) -> bool {
        engine::grad_fn_cell(self).with(Option::is_none)
    }

    /// Adds to its numbers, `alpha` times.
    fn add_(
        this: Borrow<'_, Self>,
        other: Operand,
        #[keyword] alpha: Option<Scalar>,
    ) -> Result<Borrow<'_, Self>> {
        let now = T::from_tensor(this.to_ref());
        change_by_other(this, &now, "add_", other, alpha, ops::add)
    }

    /// Subtracts from its numbers, `alpha` times.
    fn sub_(
        this: Borrow<'_, Self>,
        other: Operand,
        #[keyword] alpha: Option<Scalar>,
    ) -> Result<Borrow<'_, Self>> {
        let now = T::from_tensor(this.to_ref());
        if let Operand::Scalar(number) = other {
            ops::check_minus(now.dtype(), number.dtype())?;
        }
        change_by_other(this, &now, "sub_", other, alpha, ops::sub)
    }

    /// Multiplies its numbers.
    fn mul_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        let now = T::from_tensor(this.to_ref());
        change_by_other(this, &now, "mul_", other, None, ops::mul)
    }

    /// Divides its numbers.
    fn div_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        let now = T::from_tensor(this.to_ref());
        change_by_other(this, &now, "div_", other, None, ops::div)
    }

    /// Raises its numbers to a power.
    fn pow_(this: Borrow<'_, Self>, exponent: Operand) -> Result<Borrow<'_, Self>> {
        let now = T::from_tensor(this.to_ref());
        ops::change_in_place(&now, "pow_", |a| match exponent {
            Operand::Scalar(power) => ops::pow_scalar(a, power),
            Operand::Tensor(power) => ops::pow(a, &power.unify_with(&now)),
        })?;
        Ok(this)
    }

    fn __iadd__(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        Self::add_(this, other, None)
    }

    fn __isub__(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        Self::sub_(this, other, None)
    }

    fn __imul__(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        Self::mul_(this, other)
    }

    fn __itruediv__(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        Self::div_(this, other)
    }

    /// Cuts its numbers off at bounds.
    fn clamp_(
        this: Borrow<'_, Self>,
        min: Option<Operand>,
        max: Option<Operand>,
    ) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "clamp_", |a| {
            ops::clamp_by(a, min, max)
        })?;
        Ok(this)
    }

    /// Writes a number where a mask is true.
    fn masked_fill_(this: Borrow<'_, Self>, mask: Ref<Tensor>, value: Operand) -> Result<Borrow<'_, Self>> {
        let mask = T::from_tensor(mask);
        ops::change_in_place(&T::from_tensor(this.to_ref()), "masked_fill_", |a| {
            ops::masked_by(a, &mask, value)
        })?;
        Ok(this)
    }

    /// Writes what `compute` makes of its numbers, with the history of that. Errors of later runs
    /// call it `operation`.
    #[name("_change")]
    fn change_by<'a>(this: Borrow<'a, Self>, operation: &str, compute: Function) -> Result<Borrow<'a, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), intern_name(operation), |a| {
            compute.call(&[a.as_tensor().clone().into()])?.to::<T>()
        })?;
        Ok(this)
    }

    /// As [`Self::change_by`], of a comparison with another tensor.
    #[name("_change_to_comparison")]
    fn compare_by<'a>(
        this: Borrow<'a, Self>,
        operation: &str,
        other: Ref<Tensor>,
        compare: Function,
    ) -> Result<Borrow<'a, Self>> {
        let now = T::from_tensor(this.to_ref());
        ops::change_to_comparison(
            &now,
            intern_name(operation),
            &T::from_tensor(other).unify_with(&now),
            |a, other| {
                let both = [a.as_tensor().clone().into(), other.as_tensor().clone().into()];
                compare.call(&both)?.to::<T>()
            },
        )?;
        Ok(this)
    }

    /// Changes the sign of its numbers.
    fn neg_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "neg_", ops::neg)?;
        Ok(this)
    }

    /// Takes the sign from its numbers.
    fn abs_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "abs_", ops::abs)?;
        Ok(this)
    }

    /// As `exp`, in place.
    fn exp_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "exp_", ops::exp)?;
        Ok(this)
    }

    /// As `log`, in place.
    fn log_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "log_", ops::log)?;
        Ok(this)
    }

    /// As `sqrt`, in place.
    fn sqrt_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "sqrt_", ops::sqrt)?;
        Ok(this)
    }

    /// As `tanh`, in place.
    fn tanh_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "tanh_", ops::tanh)?;
        Ok(this)
    }

    /// As `sigmoid`, in place.
    fn sigmoid_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "sigmoid_", ops::sigmoid)?;
        Ok(this)
    }

    /// Writes zero where its numbers are negative.
    fn relu_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        ops::change_in_place(&T::from_tensor(this.to_ref()), "relu_", ops::relu)?;
        Ok(this)
    }

    /// Takes the numbers of another one.
    fn copy_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        let now = T::from_tensor(this.to_ref());
        ops::replace_numbers(&now, &other.into_tensor_beside(&now), ("CopyBackwards", "copy_"))?;
        Ok(this)
    }
}

/// Whether a tensor of those numbers may be the gradient of one of these.
fn check_grad(grad: &Numbers, own: &Numbers) -> Result<()> {
    let message = if grad.shape() != own.shape() {
        format!(
            "attempting to assign a gradient of size '{:?}' to a tensor of size '{:?}'. Please ensure that the gradient and the tensor are the same size",
            grad.shape(),
            own.shape()
        )
    } else if grad.dtype() != own.dtype() {
        format!(
            "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}': they must be the same",
            grad.dtype().name(),
            own.dtype().name()
        )
    } else {
        return Ok(());
    };
    Err(Error::runtime_error(message))
}

/// A name for as long as the process lives; each is kept once.
fn intern_name(name: &str) -> &'static str {
    static NAMES: std::sync::Mutex<Vec<&str>> = std::sync::Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into());
    names.push(kept);
    kept
}

/// Writes to a tensor what an operation makes of it, as it is `now`, and another one, which counts
/// `alpha` times.
fn change_by_other<'a>(
    this: Borrow<'a, Tensor>,
    now: &T,
    name: &'static str,
    other: Operand,
    alpha: Option<Scalar>,
    operation: fn(&T, &T) -> Result<T>,
) -> Result<Borrow<'a, Tensor>> {
    let mut other = other.into_tensor_beside(now);
    if let Some(alpha) = alpha {
        other = ops::mul_scalar(&other, alpha)?;
    }
    ops::change_in_place(now, name, |a| operation(a, &other))?;
    Ok(this)
}

/// The shape, if the arguments are lengths and not numbers.
fn sizes_from_data(data: &[Data]) -> Result<Option<Vec<usize>>> {
    let length = |data: &Data| match data {
        Data::Nested(nested) => nested.as_integer(),
        _ => None,
    };
    match (data.iter().map(length).collect::<Option<Vec<i64>>>(), data) {
        (None, [_]) | (_, []) => Ok(None),
        (None, _) => Err(Error::type_error(
            "Tensor() takes lengths as ints, or one sequence of numbers, array or tensor",
        )),
        (Some(lengths), _) => lengths
            .iter()
            .map(|&length| usize::try_from(length))
            .collect::<Result<_, _>>()
            .map(Some)
            .map_err(|_| {
                Error::runtime_error(format!(
                    "Trying to create tensor with negative dimension: {lengths:?}"
                ))
            }),
    }
}

/// The data that a tensor is created from.
pub(crate) enum Data {
    Tensor(T),
    Array(Array),
    Nested(Nested),
}

impl<'a> pairbond::convert::FromValue<'a> for Data {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        Nested::expected_type()
    }

    fn from_value<S: pairbond::convert::Source<'a>>(source: S) -> Result<Self, pairbond::convert::Mismatch> {
        match T::from_value(source) {
            Ok(tensor) => Ok(Data::Tensor(tensor)),
            Err(_) => match Array::from_value(source) {
                Ok(array) => Ok(Data::Array(array)),
                Err(_) => Nested::from_value(source).map(Data::Nested),
            },
        }
    }
}
