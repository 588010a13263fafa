//! What the tape asks of tensors.

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond_tape::{Meta, Slice, Value, Variable, into_erased, is_grad_enabled, typed};

use super::{T, Tensor, filled};
use crate::data::{DType, Element, Geometry, Part, dispatch};
use crate::ops;

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

impl Value for Tensor {
    #[inline]
    fn variable(&self) -> &Variable {
        self
    }

    #[inline]
    fn grad(&self) -> &Cell<Option<T>> {
        &self.grad
    }

    fn meta(&self) -> Meta {
        Meta {
            shape: self.shape().into(),
            kind: self.dtype() as u32,
        }
    }

    fn full(number: f64, meta: &Meta, _: Option<&ErasedRef>) -> Result<T> {
        Ok(filled(number, &meta.shape, dtype(meta.kind)))
    }

    fn add(one: &T, other: &T) -> Result<T> {
        ops::add(one, other)
    }

    fn detach(this: &T) -> Result<T> {
        Ok(Tensor::detached(this))
    }

    #[inline]
    fn is_differentiable(&self) -> bool {
        self.dtype().is_float()
    }

    fn is_like(&self, other: &Tensor) -> bool {
        self.shape() == other.shape() && self.dtype() == other.dtype()
    }

    fn fit(grad: &T, meta: &Meta) -> Result<Option<T>> {
        let (given, own) = (grad.shape(), &meta.shape[..]);
        let pairs = || given.iter().rev().zip(own.iter().rev());
        if given.len() < own.len() || !pairs().all(|(&given, &own)| given == own || own == 1) {
            return Ok(None);
        }
        ops::to_dtype(&ops::reduce_to(grad, own)?, dtype(meta.kind)).map(Some)
    }

    fn copy(this: &T) -> Result<T> {
        if is_grad_enabled() {
            ops::clone(this)
        } else {
            Ok(ops::copy_untracked(this))
        }
    }

    fn add_in_place(this: &T, grad: &T) -> Result<bool> {
        ops::add_untracked(this, grad).map(|()| true)
    }

    fn has_nan(&self) -> Result<bool> {
        let memory = self.storage.read();
        Ok(dispatch!(self.dtype(), E => {
            let numbers = memory.slice::<E>();
            self.geometry.places().any(|at| numbers[at].to_f64().is_nan())
        }))
    }

    fn kind_name(kind: u32) -> &'static str {
        dtype(kind).name()
    }

    #[inline]
    fn version(&self) -> u64 {
        self.storage.version()
    }

    fn written(&self, operation: &'static str) {
        self.storage.written(operation);
    }

    fn writer(&self) -> &'static str {
        self.storage.writer()
    }

    fn alias(this: &T) -> Result<T> {
        Ok(Tensor::view_of(this, this.geometry.clone()))
    }

    fn slice(&self, base: &Tensor) -> Arc<dyn Slice> {
        Arc::new(part(self, base))
    }
}

/// Which elements of its base a view has.
fn part(view: &Tensor, base: &Tensor) -> Part {
    if base.geometry.is_contiguous() {
        return Part::Strided(Geometry {
            offset: view.geometry.offset - base.geometry.offset,
            ..view.geometry.clone()
        });
    }
    let places = base.geometry.places().enumerate();
    let order: std::collections::HashMap<usize, usize> = places.map(|(i, place)| (place, i)).collect();
    let places = view.geometry.places();
    let places = places.map(|place| order.get(&place).copied().unwrap_or(0));
    Part::Listed(places.collect(), view.shape().to_vec())
}

impl Slice for Part {
    fn take(&self, whole: &Ref<Variable>) -> Result<Ref<Variable>> {
        ops::take_part(typed(whole)?, self).map(into_erased)
    }

    fn replace(&self, whole: &Ref<Variable>, part: Option<&Ref<Variable>>) -> Result<Ref<Variable>> {
        let part = part.map(typed).transpose()?;
        ops::replace_part(typed(whole)?, self, part).map(into_erased)
    }

    fn put(&self, part: &Ref<Variable>, shape: &[usize]) -> Result<Ref<Variable>> {
        ops::put_part(typed(part)?, self, shape).map(into_erased)
    }
}
