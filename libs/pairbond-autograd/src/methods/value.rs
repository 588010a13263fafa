//! What the tape asks of tensors.

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond_tape::{Meta, Slice, Value, Variable, downcast_value, into_variable, is_grad_enabled};

use crate::data::{DType, Element, Geometry, Part, dispatch};
use crate::ops;
use crate::tensor::{T, Tensor, filled, given};

/// The dtype that has this number.
fn dtype(kind: u32) -> DType {
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
fn now(tensor: &Ref<Tensor>) -> T {
    T::now(tensor.clone())
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
        let own = self.numbers();
        Meta {
            shape: own.shape().into(),
            kind: own.dtype() as u32,
        }
    }

    fn full(number: f64, meta: &Meta, _: Option<&ErasedRef>) -> Result<Ref<Tensor>> {
        Ok(filled(number, &meta.shape, dtype(meta.kind)).into())
    }

    fn add(one: &Ref<Tensor>, other: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        given(ops::add(&now(one), &now(other)))
    }

    fn detach(this: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        Ok(Tensor::detached(&now(this)).into())
    }

    #[inline]
    fn is_differentiable(&self) -> bool {
        self.numbers().dtype().is_float()
    }

    fn is_like(&self, other: &Tensor) -> bool {
        let (own, other) = (self.numbers(), other.numbers());
        own.shape() == other.shape() && own.dtype() == other.dtype()
    }

    fn fit_gradient(grad: &Ref<Tensor>, meta: &Meta) -> Result<Option<Ref<Tensor>>> {
        let (grad, own) = (now(grad), &meta.shape[..]);
        let given_shape = grad.shape();
        let pairs = || given_shape.iter().rev().zip(own.iter().rev());
        if given_shape.len() < own.len() || !pairs().all(|(&given, &own)| given == own || own == 1) {
            return Ok(None);
        }
        given(ops::to_dtype(&ops::reduce_to(&grad, own)?, dtype(meta.kind))).map(Some)
    }

    fn copy_gradient(this: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        let this = now(this);
        if is_grad_enabled() {
            given(ops::clone(&this))
        } else {
            Ok(ops::copy_untracked(&this).into())
        }
    }

    fn add_in_place(this: &Ref<Tensor>, grad: &Ref<Tensor>) -> Result<bool> {
        ops::add_untracked(&now(this), &now(grad)).map(|()| true)
    }

    fn has_nan(&self) -> Result<bool> {
        let own = self.numbers();
        let memory = own.storage().read();
        Ok(dispatch!(own.dtype(), E => {
            let numbers = memory.slice::<E>();
            own.geometry().places().any(|at| numbers[at].to_f64().is_nan())
        }))
    }

    fn kind_name(kind: u32) -> &'static str {
        dtype(kind).name()
    }

    #[inline]
    fn version(&self) -> u64 {
        self.numbers().version()
    }

    fn count_write(&self, operation: &'static str) {
        self.numbers().written(operation);
    }

    fn last_writer(&self) -> &'static str {
        self.numbers().writer()
    }

    fn alias(this: &Ref<Tensor>) -> Result<Ref<Tensor>> {
        let this = now(this);
        Ok(Tensor::view_of(&this, this.geometry().clone()).into())
    }

    fn slice(&self, base: &Tensor) -> Arc<dyn Slice> {
        let (own, base) = (self.numbers(), base.numbers());
        match part(own.geometry(), base.geometry()) {
            Some(part) => Arc::new(part),
            None => Arc::new(Elsewhere),
        }
    }
}

/// Which elements of its base a view has; `None`: some that the base has not, as one of them was
/// given other memory.
fn part(view: &Geometry, base: &Geometry) -> Option<Part> {
    if base.is_contiguous() {
        let part = Geometry {
            offset: view.offset.checked_sub(base.offset)?,
            ..view.clone()
        };
        return part.check(base.numel()).is_ok().then_some(Part::Strided(part));
    }
    let places = base.places().enumerate();
    let order: std::collections::HashMap<usize, usize> = places.map(|(i, place)| (place, i)).collect();
    let places = view.places();
    let places = places
        .map(|place| order.get(&place).copied())
        .collect::<Option<_>>()?;
    Some(Part::Listed(places, view.shape.to_vec()))
}

/// A view that has elements that its base has not.
struct Elsewhere;

impl Elsewhere {
    fn refuse<R>(&self) -> Result<R> {
        Err(Error::runtime_error(
            "a view has elements that its base has not, because `tensor.data = other` gave one of them other memory: what is written to the view has \
             no derivative by the base",
        ))
    }
}

impl Slice for Elsewhere {
    fn take_part(&self, _: &Ref<Variable>) -> Result<Ref<Variable>> {
        self.refuse()
    }

    fn replace_part(&self, _: &Ref<Variable>, _: Option<&Ref<Variable>>) -> Result<Ref<Variable>> {
        self.refuse()
    }

    fn put_part(&self, _: &Ref<Variable>, _: &[usize]) -> Result<Ref<Variable>> {
        self.refuse()
    }
}

/// A value of the tape's as it is now.
fn as_now(value: &Ref<Variable>) -> Result<T> {
    downcast_value(value).map(now)
}

fn result(of: Result<T>) -> Result<Ref<Variable>> {
    given(of).map(into_variable)
}

impl Slice for Part {
    fn take_part(&self, whole: &Ref<Variable>) -> Result<Ref<Variable>> {
        result(ops::take_part(&as_now(whole)?, self))
    }

    fn replace_part(&self, whole: &Ref<Variable>, part: Option<&Ref<Variable>>) -> Result<Ref<Variable>> {
        let part = part.map(as_now).transpose()?;
        result(ops::replace_part(&as_now(whole)?, self, part.as_ref()))
    }

    fn put_part(&self, part: &Ref<Variable>, shape: &[usize]) -> Result<Ref<Variable>> {
        result(ops::put_part(&as_now(part)?, self, shape))
    }
}
