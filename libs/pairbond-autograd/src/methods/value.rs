//! The tape's trait `Value` for tensors.

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond_tape::{Meta, Slice, Value, Variable, downcast_value, into_variable, is_grad_enabled};

use crate::data::{DType, Element, Geometry, dispatch};
use crate::ops;
use crate::part::Part;
use crate::tensor::{T, Tensor, filled_tensor, into_tensor_result};

/// The dtype that has this number.
fn dtype_from_kind(kind: u32) -> DType {
    const ALL: [DType; 4] = [DType::Bool, DType::Int64, DType::Float32, DType::Float64];
    const _: () = {
        let mut at = 0;
        while at < ALL.len() {
            assert!(ALL[at] as usize == at);
            at += 1;
        }
    };
    ALL[kind as usize]
}

#[inline]
fn current_numbers(tensor: &Ref<Tensor>) -> T {
    T::from_tensor(tensor.clone())
}

impl Value for Tensor {
    #[inline]
    fn variable(&self) -> &Variable {
        self
    }

    #[inline]
    fn grad(&self) -> &Cell<Option<Ref<Tensor>>> {
        &self.grad
    }

    fn meta(&self) -> Meta {
        let own = self.current_numbers();
        Meta {
            shape: own.shape().into(),
            kind: own.dtype() as u32,
        }
    }

    fn full(number: f64, meta: &Meta, _: Option<&ErasedRef>) -> Result<Ref<Tensor>> {
        Ok(filled_tensor(number, &meta.shape, dtype_from_kind(meta.kind)).into())
    }

    fn add(one: &Ref<Tensor>, other: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::add(&current_numbers(one), &current_numbers(other)))
    }

    fn detach(this: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        Ok(Tensor::new_detached(&current_numbers(this)).into())
    }

    #[inline]
    fn is_differentiable(&self) -> bool {
        self.current_numbers().dtype().is_float()
    }

    fn is_like(&self, other: &Tensor) -> bool {
        let (own, other) = (self.current_numbers(), other.current_numbers());
        own.shape() == other.shape() && own.dtype() == other.dtype()
    }

    fn fit_gradient(grad: &Ref<Tensor>, meta: &Meta) -> Result<Option<Ref<Tensor>>> {
        let (grad, own) = (current_numbers(grad), &meta.shape[..]);
        let given_shape = grad.shape();
        let pairs = || given_shape.iter().rev().zip(own.iter().rev());
        if given_shape.len() < own.len() || !pairs().all(|(&given, &own)| given == own || own == 1) {
            return Ok(None);
        }
        into_tensor_result(ops::to_dtype(
            &ops::reduce_to(&grad, own)?,
            dtype_from_kind(meta.kind),
        ))
        .map(Some)
    }

    fn copy_gradient(this: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        let this = current_numbers(this);
        if is_grad_enabled() {
            into_tensor_result(ops::copy_contiguous(&this))
        } else {
            Ok(ops::copy_untracked(&this).into())
        }
    }

    fn add_in_place(this: &Ref<Tensor>, grad: &Ref<Tensor>) -> Result<bool> {
        ops::add_untracked(&current_numbers(this), &current_numbers(grad)).map(|()| true)
    }

    fn has_nan(&self) -> Result<bool> {
        let own = self.current_numbers();
        let memory = own.storage().read_memory();
        Ok(dispatch!(own.dtype(), E => {
            let numbers = memory.typed_slice::<E>();
            own.geometry().element_places().any(|at| numbers[at].to_f64().is_nan())
        }))
    }

    fn kind_name(kind: u32) -> &'static str {
        dtype_from_kind(kind).name()
    }

    #[inline]
    fn version(&self) -> u64 {
        self.current_numbers().write_version()
    }

    fn count_write(&self, operation: &'static str) {
        self.current_numbers().count_write(operation);
    }

    fn last_writer(&self) -> &'static str {
        self.current_numbers().last_writer()
    }

    fn alias(this: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        let this = current_numbers(this);
        Ok(Tensor::view_of(&this, this.geometry().clone()).into())
    }

    fn slice(&self, base: &Tensor) -> Arc<dyn Slice> {
        let (own, base) = (self.current_numbers(), base.current_numbers());
        match part_of_base(own.geometry(), base.geometry()) {
            Some(part) => Arc::new(part),
            None => Arc::new(Elsewhere),
        }
    }
}

/// Which elements of its base a view has; `None`: some that the base has not, as one of them was
/// given other memory.
fn part_of_base(view: &Geometry, base: &Geometry) -> Option<Part> {
    if base.is_contiguous() {
        let part = Geometry {
            offset: view.offset.checked_sub(base.offset)?,
            ..view.clone()
        };
        return part
            .check_bounds(base.numel())
            .is_ok()
            .then_some(Part::Strided(part));
    }
    let places = base.element_places().enumerate();
    let order: std::collections::HashMap<usize, usize> = places.map(|(i, place)| (place, i)).collect();
    let places = view.element_places();
    let places = places
        .map(|place| order.get(&place).copied())
        .collect::<Option<_>>()?;
    Some(Part::Listed(places, view.shape.to_vec()))
}

/// A view that has elements that its base has not.
struct Elsewhere;

impl Elsewhere {
    fn refuse_write<R>(&self) -> Result<R> {
        Err(Error::runtime_error(
            "a view has elements that its base has not, because `tensor.data = other` gave one of them other memory: what is written to the view has \
             no derivative by the base",
        ))
    }
}

impl Slice for Elsewhere {
    fn take_part(&self, _: &Ref<Variable>) -> Result<Ref<Variable>> {
        self.refuse_write()
    }

    fn replace_part(&self, _: &Ref<Variable>, _: Option<&Ref<Variable>>) -> Result<Ref<Variable>> {
        self.refuse_write()
    }

    fn put_part(&self, _: &Ref<Variable>, _: &[usize]) -> Result<Ref<Variable>> {
        self.refuse_write()
    }
}

/// A value of the tape's as it is now.
fn as_now(value: &Ref<Variable>) -> Result<T> {
    downcast_value(value).map(current_numbers)
}

fn into_variable_result(of: Result<T>) -> Result<Ref<Variable>> {
    into_tensor_result(of).map(into_variable)
}

impl Slice for Part {
    fn take_part(&self, whole: &Ref<Variable>) -> Result<Ref<Variable>> {
        into_variable_result(ops::take_part(&as_now(whole)?, self))
    }

    fn replace_part(&self, whole: &Ref<Variable>, part: Option<&Ref<Variable>>) -> Result<Ref<Variable>> {
        let part = part.map(as_now).transpose()?;
        into_variable_result(ops::replace_part(&as_now(whole)?, self, part.as_ref()))
    }

    fn put_part(&self, part: &Ref<Variable>, shape: &[usize]) -> Result<Ref<Variable>> {
        into_variable_result(ops::put_part(&as_now(part)?, self, shape))
    }
}
