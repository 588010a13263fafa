//! The functions of [`Value`] on values of any library, by a table for each type.

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;

use super::{Meta, Slice, T, Value, Variable, downcast_value, into_variable, refresh_view};

/// The functions of one type of values.
pub(crate) struct Operations {
    grad: fn(&T) -> Result<Option<T>>,
    meta: fn(&T) -> Result<Meta>,
    pub(crate) full: fn(f64, &Meta, Option<&ErasedRef>) -> Result<T>,
    add: fn(&T, &T) -> Result<T>,
    detach: fn(&T) -> Result<T>,
    backend: fn(&T) -> Option<ErasedRef>,
    is_differentiable: fn(&T) -> bool,
    is_like: fn(&T, &T) -> Result<bool>,
    pub(crate) fit: fn(&T, &Meta) -> Result<Option<T>>,
    exchange_grad: fn(&T, Option<&T>, T) -> Result<Option<T>>,
    copy: fn(&T) -> Result<T>,
    add_in_place: fn(&T, &T) -> Result<bool>,
    has_nan: fn(&T) -> Result<bool>,
    kind_name: fn(u32) -> &'static str,
    version: fn(&T) -> u64,
    written: fn(&T, &'static str),
    writer: fn(&T) -> &'static str,
    alias: fn(&T) -> Result<T>,
    slice: fn(&T, &T) -> Result<Arc<dyn Slice>>,
    look: fn(&T),
    calls_python: bool,
}

/// The table of a type.
pub(crate) struct Table<V>(std::marker::PhantomData<V>);

impl<V: Value> Table<V> {
    pub(crate) const OPERATIONS: &'static Operations = &Operations {
        grad: |value| Ok(downcast_value::<V>(value)?.grad().get().map(into_variable)),
        meta: |value| Ok(downcast_value::<V>(value)?.meta()),
        full: |number, meta, backend| V::full(number, meta, backend).map(into_variable),
        add: |one, other| V::add(downcast_value(one)?, downcast_value(other)?).map(into_variable),
        detach: |value| V::detach(downcast_value(value)?).map(into_variable),
        backend: |value| downcast_value::<V>(value).ok()?.backend(),
        is_differentiable: |value| downcast_value::<V>(value).is_ok_and(|value| value.is_differentiable()),
        is_like: |one, other| Ok(downcast_value::<V>(one)?.is_like(downcast_value::<V>(other)?)),
        fit: |grad, meta| Ok(V::fit_gradient(downcast_value(grad)?, meta)?.map(into_variable)),
        exchange_grad: |value, before, grad| exchange_grad(downcast_value::<V>(value)?, before, grad),
        copy: |value| V::copy_gradient(downcast_value(value)?).map(into_variable),
        add_in_place: |value, grad| V::add_in_place(downcast_value(value)?, downcast_value(grad)?),
        has_nan: |value| downcast_value::<V>(value)?.has_nan(),
        kind_name: V::kind_name,
        version: |value| downcast_value::<V>(value).map_or(0, |value| value.version()),
        written: |value, operation| {
            if let Ok(value) = downcast_value::<V>(value) {
                value.count_write(operation);
            }
        },
        writer: |value| downcast_value::<V>(value).map_or("", |value| value.last_writer()),
        alias: |value| V::alias(downcast_value(value)?).map(into_variable),
        slice: |view, base| Ok(downcast_value::<V>(view)?.slice(downcast_value::<V>(base)?)),
        look: |view| {
            if let Ok(view) = downcast_value::<V>(view) {
                refresh_view::<V>(view);
            }
        },
        calls_python: V::CALLS_PYTHON,
    };
}

/// Puts a gradient in the place of `before`, if that is still there; returns the gradient itself if
/// another thread was faster.
fn exchange_grad<V: Value>(value: &Ref<V>, before: Option<&T>, grad: T) -> Result<Option<T>> {
    let mut grad = Some(downcast_value::<V>(&grad)?.clone());
    let replaced = value.grad().update(|place| {
        let same = match (&*place, before) {
            (None, None) => true,
            (Some(now), Some(before)) => now.is(before),
            _ => false,
        };
        if same {
            std::mem::swap(place, &mut grad);
        }
        same
    });
    if replaced {
        drop(grad);
        return Ok(None);
    }
    Ok(grad.map(into_variable))
}

pub(crate) fn grad_of(value: &T) -> Result<Option<T>> {
    (value.operations.grad)(value)
}

pub(crate) fn meta_of(value: &T) -> Result<Meta> {
    (value.operations.meta)(value)
}

pub(crate) fn add_values(one: &T, other: &T) -> Result<T> {
    (one.operations.add)(one, other)
}

/// The same numbers without a history.
pub(crate) fn detach_value(value: &T) -> Result<T> {
    (value.operations.detach)(value)
}

pub(crate) fn backend_of(value: &T) -> Option<ErasedRef> {
    (value.operations.backend)(value)
}

pub(crate) fn is_differentiable(value: &T) -> bool {
    (value.operations.is_differentiable)(value)
}

/// Whether another value is of the same library, shape and type of elements.
///
/// # Errors
/// It is of another library.
pub(crate) fn is_like(one: &T, other: &T) -> Result<bool> {
    (one.operations.is_like)(one, other)
}

/// A gradient as a value of that shape and kind needs it, which is of the library of `of`.
pub(crate) fn fit_gradient(of: &Variable, grad: &T, meta: &Meta) -> Result<Option<T>> {
    (of.operations.fit)(grad, meta)
}

/// Puts a gradient in the place of `before`; returns the gradient, if `before` is no more there.
pub(crate) fn replace_grad(value: &T, before: Option<&T>, grad: T) -> Result<Option<T>> {
    (value.operations.exchange_grad)(value, before, grad)
}

pub(crate) fn copy_gradient(value: &T) -> Result<T> {
    (value.operations.copy)(value)
}

pub(crate) fn add_in_place(value: &T, grad: &T) -> Result<bool> {
    (value.operations.add_in_place)(value, grad)
}

pub(crate) fn has_nan(value: &T) -> Result<bool> {
    (value.operations.has_nan)(value)
}

/// The name of the type of a value's elements.
pub(crate) fn kind_name(value: &Variable, meta: &Meta) -> &'static str {
    (value.operations.kind_name)(meta.kind)
}

pub(crate) fn version_of(value: &T) -> u64 {
    (value.operations.version)(value)
}

pub(crate) fn count_write(value: &T, operation: &'static str) {
    (value.operations.written)(value, operation);
}

pub(crate) fn last_writer(value: &T) -> &'static str {
    (value.operations.writer)(value)
}

/// A view of all of a value.
pub(crate) fn alias_value(value: &T) -> Result<T> {
    (value.operations.alias)(value)
}

pub(crate) fn slice_of_base(view: &T, base: &T) -> Result<Arc<dyn Slice>> {
    (view.operations.slice)(view, base)
}

/// Gives a view of memory that was written to since a history that says so.
#[inline]
pub(crate) fn look_at(view: &T) {
    if view.is_tracked_view() {
        (view.operations.look)(view);
    }
}

pub(crate) fn calls_python(value: &Variable) -> bool {
    value.operations.calls_python
}
