//! What Python sees of a [`Tensor`] that computes nothing, and the methods of the operations, one line each.

use pairbond::prelude::*;

use super::create::Nested;
use super::{DType, Element, Operand, T, Tensor, dispatch, show};
use crate::{engine, ops};

#[pairbond::methods]
impl Tensor {
    /// A tensor of numbers in lists, or one that shares another one's memory.
    #[new]
    fn new(
        data: Data,
        dtype: Option<DType>,
        #[keyword]
        #[default(false)]
        requires_grad: bool,
    ) -> Result<Tensor> {
        let source = match data {
            Data::Tensor(tensor) if dtype.is_none_or(|dtype| dtype == tensor.dtype()) => tensor,
            Data::Tensor(tensor) => ops::to_dtype_untracked(&tensor, dtype.unwrap_or(tensor.dtype())),
            Data::Nested(nested) => nested.tensor(dtype),
        };
        let tensor = Tensor::value(source.storage.clone(), source.geometry.clone(), None);
        engine::require_grad(&tensor, requires_grad)?;
        Ok(tensor)
    }

    #[getter]
    #[name("shape")]
    fn get_shape(&self) -> Shape {
        Shape(self.shape().to_vec())
    }

    #[getter]
    #[name("dtype")]
    fn get_dtype(&self) -> DType {
        self.dtype()
    }

    /// How many dimensions there are.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape().len()
    }

    #[name("numel")]
    fn get_numel(&self) -> usize {
        self.numel()
    }

    /// How far the next element in each dimension is.
    fn stride(&self) -> Shape {
        Shape(self.geometry.strides.clone())
    }

    fn storage_offset(&self) -> usize {
        self.geometry.offset
    }

    /// The numbers that it shares with its views.
    fn untyped_storage(&self) -> Ref<super::Storage> {
        self.storage.clone()
    }

    /// The numbers, in lists.
    fn tolist(&self) -> Lists {
        let memory = self.storage.read();
        let mut places = self.geometry.places();
        dispatch!(self.dtype(), E => {
            let numbers = memory.slice::<E>();
            lists(self.shape(), &mut || python(numbers[places.next().unwrap_or(0)]))
        })
    }

    /// The only number.
    fn item(&self) -> Result<Any> {
        let memory = self.storage.read();
        match self.numel() {
            1 => Ok(dispatch!(self.dtype(), E => python(memory.slice::<E>()[self.geometry.offset]))),
            other => Err(Error::runtime_error(format!(
                "a Tensor with {other} elements cannot be converted to Scalar"
            ))),
        }
    }

    fn __repr__(&self) -> String {
        show::repr(self, engine::describe_history(self))
    }

    fn __len__(&self) -> Result<usize> {
        let first = self.shape().first().copied();
        first.ok_or_else(|| Error::type_error("len() of a 0-d tensor"))
    }

    /// Adds to its numbers.
    fn add_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        ops::add_in_place(&this.to_ref(), &other.tensor(this.dtype()))?;
        Ok(this)
    }

    /// Multiplies its numbers.
    fn mul_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        ops::mul_in_place(&this.to_ref(), &other.tensor(this.dtype()))?;
        Ok(this)
    }

    /// Takes the numbers of another one.
    fn copy_(this: Borrow<'_, Self>, other: Operand) -> Result<Borrow<'_, Self>> {
        ops::copy_in_place(&this.to_ref(), &other.tensor(this.dtype()))?;
        Ok(this)
    }
}

/// What a tensor is made from.
pub(super) enum Data {
    Tensor(T),
    Nested(Nested),
}

impl<'a> pairbond::FromValue<'a> for Data {
    fn expected() -> std::borrow::Cow<'static, str> {
        Nested::expected()
    }

    fn from_value<S: pairbond::Source<'a>>(source: S) -> Result<Self, pairbond::Mismatch> {
        match Ref::from_value(source) {
            Ok(tensor) => Ok(Data::Tensor(tensor)),
            Err(_) => Nested::from_value(source).map(Data::Nested),
        }
    }
}

/// Numbers that Python sees as a tuple.
pub(crate) struct Shape(pub(crate) Vec<usize>);

impl pairbond::IntoValue for Shape {
    fn into_value<S: pairbond::Sink>(self, out: S) -> Result<S::Out> {
        out.tuple(self.0.len(), &mut |index, slot| {
            self.0[index].into_value(slot).map(drop)
        })
    }
}

fn python<E: Element>(value: E) -> Any {
    match E::DTYPE {
        DType::Bool => Any::from(value.to_i64() != 0),
        DType::Int64 => Any::from(value.to_i64()),
        _ => Any::from(value.to_f64()),
    }
}

/// Lists in lists.
pub(crate) enum Lists {
    One(Any),
    Many(Vec<Lists>),
}

impl pairbond::IntoValue for Lists {
    fn into_value<S: pairbond::Sink>(self, out: S) -> Result<S::Out> {
        match self {
            Lists::One(value) => value.into_value(out),
            Lists::Many(all) => all.into_value(out),
        }
    }
}

fn lists(shape: &[usize], next: &mut dyn FnMut() -> Any) -> Lists {
    match shape.split_first() {
        None => Lists::One(next()),
        Some((&len, inner)) => Lists::Many((0..len).map(|_| lists(inner, next)).collect()),
    }
}
