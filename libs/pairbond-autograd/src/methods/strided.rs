//! A tensor as numbers in memory, for Python: the methods of [`StridedTensor`].

use pairbond::prelude::*;

use super::iterator::TensorIterator;
use super::signature_types::{OneOrAll, Target, Value};
use super::{numbers, show, whole_tensor};
use crate::data::{DType, Element, dispatch};
use crate::tensor::lists::{self, Lists, Shape};
use crate::tensor::{
    Key, Numbers, Operand, Storage, StridedTensor, T, Tensor, exchange, filled_tensor, into_tensor_result,
};
use crate::{engine, ops};

/// The only number, as one of Python's.
fn single_float(own: &Numbers) -> Result<f64> {
    let memory = own.storage().read_memory();
    let place = numbers::single_number_place(own)?;
    Ok(dispatch!(own.dtype(), E => memory.typed_slice::<E>()[place].to_f64()))
}

/// As [`single_float`].
fn single_integer(own: &Numbers) -> Result<i64> {
    let memory = own.storage().read_memory();
    let place = numbers::single_number_place(own)?;
    Ok(dispatch!(own.dtype(), E => memory.typed_slice::<E>()[place].to_i64()))
}

#[pairbond::methods]
impl StridedTensor {
    #[getter]
    #[name("shape")]
    fn get_shape(&self) -> Shape {
        Shape(self.current_numbers().shape().to_vec())
    }

    #[getter]
    #[name("dtype")]
    fn get_dtype(&self) -> DType {
        self.current_numbers().dtype()
    }

    /// Where its numbers are: always the processor's memory.
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }

    /// How many dimensions there are.
    #[getter]
    fn ndim(&self) -> usize {
        self.current_numbers().shape().len()
    }

    /// How many dimensions there are.
    fn dim(&self) -> usize {
        self.current_numbers().shape().len()
    }

    /// The shape, or the length of one dimension.
    fn size(&self, dim: Option<i64>) -> Result<OneOrAll> {
        OneOrAll::from_dim(self.current_numbers().shape(), dim)
    }

    /// How far the next element in each dimension is, or in one.
    fn stride(&self, dim: Option<i64>) -> Result<OneOrAll> {
        OneOrAll::from_dim(&self.current_numbers().geometry().strides, dim)
    }

    #[name("numel")]
    fn get_numel(&self) -> usize {
        self.current_numbers().numel()
    }

    fn nelement(&self) -> usize {
        self.current_numbers().numel()
    }

    /// The bytes of an element.
    fn element_size(&self) -> usize {
        self.current_numbers().dtype().element_size()
    }

    /// The bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.current_numbers().dtype().element_size()
    }

    /// The bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        let own = self.current_numbers();
        own.numel() * own.dtype().element_size()
    }

    /// Which of its storage's numbers is the first element.
    fn storage_offset(&self) -> usize {
        self.current_numbers().geometry().offset
    }

    /// The numbers that it shares with its views.
    fn untyped_storage(&self) -> Ref<Storage> {
        self.current_numbers().storage().clone()
    }

    /// The numbers that it shares with its views.
    #[name("storage")]
    fn get_storage(&self) -> Ref<Storage> {
        self.current_numbers().storage().clone()
    }

    /// Storage, shape, strides and offset, as they are at one moment.
    #[name("_parts")]
    fn storage_parts(&self) -> (Ref<Storage>, Shape, Shape, usize) {
        let own = self.current_numbers();
        let geometry = own.geometry();
        let lengths = |all: &[usize]| Shape(all.to_vec());
        let (shape, strides) = (lengths(&geometry.shape), lengths(&geometry.strides));
        (own.storage().clone(), shape, strides, geometry.offset)
    }

    /// Where the first element lies in memory.
    fn data_ptr(&self) -> usize {
        let own = self.current_numbers();
        own.storage().data_address() + own.geometry().offset * own.dtype().element_size()
    }

    /// Whether the elements lie behind each other in order.
    fn is_contiguous(&self) -> bool {
        self.current_numbers().geometry().is_contiguous()
    }

    /// The same elements behind each other in order; the same tensor if they are.
    fn contiguous(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::make_contiguous(&whole_tensor(this)?))
    }

    /// A copy, which knows where it came from.
    #[name("clone")]
    fn make_clone(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::copy_contiguous(&whole_tensor(this)?))
    }

    /// Whether it shares the memory of another tensor, and its history.
    #[name("_is_view")]
    fn is_view(&self) -> bool {
        self.base().is_some()
    }

    /// The same memory without a history. Writes to it are not counted as writes to the tensor.
    #[getter]
    fn data(&self) -> Ref<Tensor> {
        Tensor::with_numbers(self.current_numbers().without_counter()).into()
    }

    /// Gives the tensor the memory of another, and with it shape, strides and dtype. Both share
    /// writes from then on. The tensor keeps history, hooks, gradient and version, and views of it
    /// keep the memory that they had.
    #[setter(data)]
    fn put_data(this: Borrow<'_, Self>, data: Ref<Tensor>) -> Result<()> {
        let (tensor, data) = (whole_tensor(this)?, data.current_numbers());
        if tensor.requires_grad() && !data.dtype().is_float() {
            return Err(Error::runtime_error(
                "data set to a tensor that requires gradients must be floating point or complex dtype",
            ));
        }
        engine::exchange_numbers(&tensor, &data);
        Ok(())
    }

    /// As an assignment to `data`, but counted as a write to the tensor.
    fn set_(this: Borrow<'_, Self>, source: Ref<Tensor>) -> Result<Borrow<'_, Self>> {
        let (tensor, source) = (whole_tensor(this)?, source.current_numbers());
        engine::check_in_place(&tensor, false)?;
        if source.dtype() != tensor.dtype() {
            return Err(Error::runtime_error(format!(
                "Could not set tensor of type {} to a tensor of type {}",
                source.dtype().name(),
                tensor.dtype().name()
            )));
        }
        if engine::is_grad_enabled() && tensor.requires_grad() {
            return Err(Error::runtime_error(
                "the derivative for 'set_' is not implemented",
            ));
        }
        engine::exchange_numbers(&tensor, &source);
        this.current_numbers().count_write("set_");
        Ok(this)
    }

    fn is_floating_point(&self) -> bool {
        self.current_numbers().dtype().is_float()
    }

    /// The same numbers in another dtype, or in that of another tensor; the same tensor if it is of
    /// that dtype.
    #[name("_to")]
    fn to_dtype(this: Borrow<'_, Self>, dtype: Target, #[default(false)] copy: bool) -> Result<Ref<Tensor>> {
        let tensor = whole_tensor(this)?;
        let wanted = dtype.0.unwrap_or(tensor.dtype());
        if copy && wanted == tensor.dtype() {
            return into_tensor_result(ops::copy_contiguous(&tensor));
        }
        into_tensor_result(ops::to_dtype(&tensor, wanted))
    }

    /// As float32.
    fn float(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::to_dtype(&whole_tensor(this)?, DType::Float32))
    }

    /// As float64.
    fn double(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::to_dtype(&whole_tensor(this)?, DType::Float64))
    }

    /// As int64.
    fn long(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::to_dtype(&whole_tensor(this)?, DType::Int64))
    }

    /// As truth values.
    fn bool(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::to_dtype(&whole_tensor(this)?, DType::Bool))
    }

    /// As the dtype of another tensor.
    fn type_as(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::to_dtype(&whole_tensor(this)?, T::from_tensor(other).dtype()))
    }

    /// An array that shares the numbers: what numpy and others look at.
    #[name("_array")]
    fn as_array(this: Borrow<'_, Self>) -> Result<Array> {
        exchange::shared_array(&whole_tensor(this)?)
    }

    /// The memory of the tensor, for `memoryview(tensor)` and others.
    fn __buffer__(this: Borrow<'_, Self>) -> Result<Array> {
        exchange::lend_buffer(&whole_tensor(this)?)
    }

    /// The numbers, in lists.
    fn tolist(&self) -> Lists {
        let own = self.current_numbers();
        let memory = own.storage().read_memory();
        let mut places = own.geometry().element_places();
        dispatch!(own.dtype(), E => {
            let numbers = memory.typed_slice::<E>();
            lists::nested_lists(own.shape(), &mut || lists::element_to_python(numbers[places.next().unwrap_or(0)]))
        })
    }

    /// The only number.
    fn item(&self) -> Result<Any> {
        let own = self.current_numbers();
        let memory = own.storage().read_memory();
        let place = numbers::single_place(&own)?;
        Ok(dispatch!(own.dtype(), E => lists::element_to_python(memory.typed_slice::<E>()[place])))
    }

    fn __float__(&self) -> Result<f64> {
        single_float(&self.current_numbers())
    }

    fn __int__(&self) -> Result<i64> {
        single_integer(&self.current_numbers())
    }

    fn __index__(&self) -> Result<i64> {
        let own = self.current_numbers();
        if own.dtype().is_float() || own.numel() != 1 {
            return Err(Error::type_error(
                "only integer tensors of a single element can be converted to an index",
            ));
        }
        single_integer(&own)
    }

    fn __bool__(&self) -> Result<bool> {
        let own = self.current_numbers();
        match own.numel() {
            0 => Err(Error::runtime_error(
                "Boolean value of Tensor with no values is ambiguous",
            )),
            1 => Ok(single_float(&own)? != 0.0),
            _ => Err(Error::runtime_error(
                "Boolean value of Tensor with more than one value is ambiguous",
            )),
        }
    }

    fn __repr__(this: Borrow<'_, Self>) -> Result<String> {
        let tensor = whole_tensor(this)?;
        Ok(show::tensor_repr(&tensor, engine::describe_history(&tensor)))
    }

    fn __len__(&self) -> Result<usize> {
        let first = self.current_numbers().shape().first().copied();
        first.ok_or_else(|| Error::type_error("len() of a 0-d tensor"))
    }

    /// Whether one of its elements is that number.
    fn __contains__(&self, number: Operand) -> Result<bool> {
        numbers::contains_number(&self.current_numbers(), number)
    }

    fn __iter__(this: Borrow<'_, Self>) -> Result<Ref<TensorIterator>> {
        let tensor = whole_tensor(this)?;
        if tensor.shape().is_empty() {
            return Err(Error::type_error("iteration over a 0-d tensor"));
        }
        Ok(TensorIterator::over_tensor(tensor.into()))
    }

    /// A view for numbers, slices, None and ...; a copy for tensors and lists of integers or truth
    /// values.
    fn __getitem__(this: Borrow<'_, Self>, key: Key) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::get_item(&whole_tensor(this)?, key))
    }

    fn __setitem__(this: Borrow<'_, Self>, key: Key, value: Value) -> Result<()> {
        let tensor = whole_tensor(this)?;
        let value = value.into_tensor(tensor.dtype())?;
        ops::set_item(&tensor, key, &value)
    }

    /// Writes a number to all places.
    fn fill_(this: Borrow<'_, Self>, value: Operand) -> Result<Borrow<'_, Self>> {
        let tensor = whole_tensor(this)?;
        let value = value.into_tensor(tensor.dtype());
        if !value.shape().is_empty() {
            return Err(Error::runtime_error(format!(
                "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
                value.shape().len()
            )));
        }
        ops::replace_numbers(&tensor, &value, ("FillBackward0", "fill_"))?;
        Ok(this)
    }

    /// Writes zeros to all places.
    fn zero_(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        let tensor = whole_tensor(this)?;
        let zero = filled_tensor(0.0, &[], tensor.dtype());
        ops::replace_numbers(&tensor, &zero, ("ZeroBackward0", "zero_"))?;
        Ok(this)
    }
}
