//! What Python sees of a tensor as numbers in memory: the methods of [`StridedTensor`].

use pairbond::prelude::*;

use super::arguments::{OneOrAll, Target, Value};
use super::iterator::TensorIterator;
use super::lists::{self, Lists, Shape};
use super::{Key, Operand, Storage, StridedTensor, T, Tensor, exchange, numbers, show};
use crate::data::{DType, Element, dispatch};
use crate::{engine, ops};

/// The tensor that has this.
fn whole(this: Borrow<'_, StridedTensor>) -> Result<T> {
    let tensor = this.to_ref().downcast::<Tensor>();
    tensor.map_err(|_| Error::type_error("a StridedTensor is made as a Tensor"))
}

#[pairbond::methods]
impl StridedTensor {
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

    /// Where its numbers are: always the processor's memory.
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }

    /// How many dimensions there are.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// How many dimensions there are.
    fn dim(&self) -> usize {
        self.shape().len()
    }

    /// The shape, or the length of one dimension.
    fn size(&self, dim: Option<i64>) -> Result<OneOrAll> {
        OneOrAll::of(self.shape(), dim)
    }

    /// How far the next element in each dimension is, or in one.
    fn stride(&self, dim: Option<i64>) -> Result<OneOrAll> {
        OneOrAll::of(&self.geometry.strides, dim)
    }

    #[name("numel")]
    fn get_numel(&self) -> usize {
        self.numel()
    }

    fn nelement(&self) -> usize {
        self.numel()
    }

    /// The bytes of an element.
    fn element_size(&self) -> usize {
        self.dtype().size()
    }

    /// The bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.dtype().size()
    }

    /// The bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.numel() * self.dtype().size()
    }

    /// Which of its storage's numbers is the first element.
    fn storage_offset(&self) -> usize {
        self.geometry.offset
    }

    /// The numbers that it shares with its views.
    fn untyped_storage(&self) -> Ref<Storage> {
        self.storage.clone()
    }

    /// The numbers that it shares with its views.
    #[name("storage")]
    fn get_storage(&self) -> Ref<Storage> {
        self.storage.clone()
    }

    /// Where the first element lies in memory.
    fn data_ptr(&self) -> usize {
        self.storage.address() + self.geometry.offset * self.dtype().size()
    }

    /// Whether the elements lie behind each other in order.
    fn is_contiguous(&self) -> bool {
        self.geometry.is_contiguous()
    }

    /// The same elements behind each other in order; the same tensor if they are.
    fn contiguous(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        ops::contiguous(&whole(this)?)
    }

    /// A copy, which knows where it came from.
    #[name("clone")]
    fn make_clone(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        ops::clone(&whole(this)?)
    }

    /// Whether it shares the memory of another tensor, and its history.
    #[name("_is_view")]
    fn is_view(&self) -> bool {
        self.base().is_some()
    }

    /// The same memory without a history.
    #[getter]
    fn data(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        Ok(Tensor::detached(&*whole(this)?))
    }

    /// Gives the tensor the numbers of another, which both have from then on, and leaves its
    /// history alone. They are of the same shape and dtype, and lie in order.
    #[setter(data)]
    fn put_data(&self, data: T) -> Result<()> {
        if data.storage.is(&self.storage) && data.geometry == self.geometry {
            return Ok(());
        }
        let whole = |tensor: &StridedTensor| {
            tensor.geometry.is_contiguous()
                && tensor.geometry.offset == 0
                && tensor.numel() == tensor.storage.len()
        };
        if data.shape() != self.shape() || data.dtype() != self.dtype() || !whole(&data) || !whole(self) {
            return Err(Error::runtime_error(
                "a tensor keeps its memory: tensor.data can only be set to a whole tensor of the same shape and dtype, whose elements lie in order, \
                 tensor.data.copy_(other) writes other numbers into it",
            ));
        }
        self.storage.become_alias(&data.storage)
    }

    fn is_floating_point(&self) -> bool {
        self.dtype().is_float()
    }

    /// The same numbers in another dtype, or in that of another tensor; the same tensor if it is of
    /// that dtype.
    #[name("_to")]
    fn to(this: Borrow<'_, Self>, dtype: Target, #[default(false)] copy: bool) -> Result<Ref<Tensor>> {
        let tensor = whole(this)?;
        let wanted = dtype.0.unwrap_or(tensor.dtype());
        if copy && wanted == tensor.dtype() {
            return ops::clone(&tensor);
        }
        ops::to_dtype(&tensor, wanted)
    }

    /// As float32.
    fn float(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        ops::to_dtype(&whole(this)?, DType::Float32)
    }

    /// As float64.
    fn double(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        ops::to_dtype(&whole(this)?, DType::Float64)
    }

    /// As int64.
    fn long(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        ops::to_dtype(&whole(this)?, DType::Int64)
    }

    /// As truth values.
    fn bool(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        ops::to_dtype(&whole(this)?, DType::Bool)
    }

    /// As the dtype of another tensor.
    fn type_as(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        ops::to_dtype(&whole(this)?, other.dtype())
    }

    /// An array that shares the numbers: what numpy and others look at.
    #[name("_array")]
    fn array(this: Borrow<'_, Self>) -> Result<Array> {
        exchange::array(&*whole(this)?)
    }

    /// What `memoryview(tensor)` and others look at: the same memory.
    fn __buffer__(this: Borrow<'_, Self>) -> Result<Array> {
        exchange::lend(&*whole(this)?)
    }

    /// The numbers, in lists.
    fn tolist(&self) -> Lists {
        let memory = self.storage.read();
        let mut places = self.geometry.places();
        dispatch!(self.dtype(), E => {
            let numbers = memory.slice::<E>();
            lists::lists(self.shape(), &mut || lists::python(numbers[places.next().unwrap_or(0)]))
        })
    }

    /// The only number.
    fn item(&self) -> Result<Any> {
        let memory = self.storage.read();
        let place = numbers::only(self)?;
        Ok(dispatch!(self.dtype(), E => lists::python(memory.slice::<E>()[place])))
    }

    fn __float__(&self) -> Result<f64> {
        let memory = self.storage.read();
        let place = numbers::convertible(self)?;
        Ok(dispatch!(self.dtype(), E => memory.slice::<E>()[place].to_f64()))
    }

    fn __int__(&self) -> Result<i64> {
        let memory = self.storage.read();
        let place = numbers::convertible(self)?;
        Ok(dispatch!(self.dtype(), E => memory.slice::<E>()[place].to_i64()))
    }

    fn __index__(&self) -> Result<i64> {
        if self.dtype().is_float() || self.numel() != 1 {
            return Err(Error::type_error(
                "only integer tensors of a single element can be converted to an index",
            ));
        }
        self.__int__()
    }

    fn __bool__(&self) -> Result<bool> {
        match self.numel() {
            0 => Err(Error::runtime_error(
                "Boolean value of Tensor with no values is ambiguous",
            )),
            1 => Ok(self.__float__()? != 0.0),
            _ => Err(Error::runtime_error(
                "Boolean value of Tensor with more than one value is ambiguous",
            )),
        }
    }

    fn __repr__(this: Borrow<'_, Self>) -> Result<String> {
        let tensor = whole(this)?;
        Ok(show::repr(&tensor, engine::describe_history(&tensor)))
    }

    fn __len__(&self) -> Result<usize> {
        let first = self.shape().first().copied();
        first.ok_or_else(|| Error::type_error("len() of a 0-d tensor"))
    }

    /// Whether one of its elements is that number.
    fn __contains__(&self, number: Operand) -> Result<bool> {
        numbers::contains(self, number)
    }

    fn __iter__(this: Borrow<'_, Self>) -> Result<Ref<TensorIterator>> {
        if this.shape().is_empty() {
            return Err(Error::type_error("iteration over a 0-d tensor"));
        }
        Ok(TensorIterator::over(whole(this)?))
    }

    /// A view for numbers, slices, None and ...; a copy for tensors and lists of integers or truth
    /// values.
    fn __getitem__(this: Borrow<'_, Self>, key: Key) -> Result<Ref<Tensor>> {
        ops::get_item(&whole(this)?, key)
    }

    fn __setitem__(this: Borrow<'_, Self>, key: Key, value: Value) -> Result<()> {
        let tensor = whole(this)?;
        let value = value.tensor(tensor.dtype())?;
        ops::set_item(&tensor, key, &value)
    }

    /// Writes a number to all places.
    fn fill_(this: Borrow<'_, Self>, value: Operand) -> Result<Borrow<'_, Self>> {
        let tensor = whole(this)?;
        let value = value.tensor(tensor.dtype());
        if !value.shape().is_empty() {
            return Err(Error::runtime_error(format!(
                "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
                value.shape().len()
            )));
        }
        ops::replace(&tensor, &value, ("FillBackward0", "fill_"))?;
        Ok(this)
    }

    /// Writes zeros to all places.
    fn zero_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        let tensor = whole(this)?;
        let zero = super::filled(0.0, &[], tensor.dtype());
        ops::replace(&tensor, &zero, ("ZeroBackward0", "zero_"))?;
        Ok(this)
    }
}
