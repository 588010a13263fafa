//! Methods that reorder elements or change the shape.

use pairbond::convert::{IntoValue, Sink};
use pairbond::prelude::*;

use super::whole_tensor;
use crate::ops;
use crate::ops::arguments::{Ints, resolve_lengths};
use crate::tensor::{Operand, Scalar, T, Tensor, TensorShape, into_tensor_result};

/// A tuple of tensors.
pub(crate) struct Tensors(Vec<T>);

impl IntoValue for Tensors {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out> {
        out.write_tuple(self.0.len(), &mut |index, slot| {
            self.0[index].as_tensor().into_value(slot).map(drop)
        })
    }
}

#[pairbond::methods]
impl TensorShape {
    /// The same elements in another shape: a view where that is possible.
    fn reshape(this: Borrow<'_, Self>, #[rest] shape: Vec<Ints>) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        let shape = resolve_lengths(&Ints::flatten_ints(shape), a.numel())?;
        into_tensor_result(ops::view_or_copy(&a, &shape))
    }

    /// The same elements in another shape, as a view.
    fn view(this: Borrow<'_, Self>, #[rest] shape: Vec<Ints>) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        let shape = resolve_lengths(&Ints::flatten_ints(shape), a.numel())?;
        into_tensor_result(ops::view(&a, &shape))
    }

    fn view_as(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::view(&whole_tensor(this)?, T::from_tensor(other).shape()))
    }

    fn reshape_as(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::view_or_copy(
            &whole_tensor(this)?,
            T::from_tensor(other).shape(),
        ))
    }

    fn flatten(
        this: Borrow<'_, Self>,
        #[default(0)] start_dim: i64,
        #[default(-1)] end_dim: i64,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::flatten(&whole_tensor(this)?, start_dim, end_dim))
    }

    /// A view with two dimensions exchanged.
    fn transpose(this: Borrow<'_, Self>, dim0: i64, dim1: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::transpose(&whole_tensor(this)?, dim0, dim1))
    }

    fn swapaxes(this: Borrow<'_, Self>, axis0: i64, axis1: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::transpose(&whole_tensor(this)?, axis0, axis1))
    }

    /// A matrix with rows and columns exchanged.
    fn t(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::transpose_matrix(&whole_tensor(this)?))
    }

    /// A view with the dimensions in the opposite order.
    #[getter]
    #[name("T")]
    fn reversed_dims(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        let back: Vec<i64> = (0..a.shape().len() as i64).rev().collect();
        into_tensor_result(ops::permute(&a, &back))
    }

    /// A view with the last two dimensions exchanged.
    #[getter]
    #[name("mT")]
    fn matrices_turned(this: Borrow<'_, Self>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::transpose(&whole_tensor(this)?, -2, -1))
    }

    /// A view with the dimensions in another order.
    fn permute(this: Borrow<'_, Self>, #[rest] dims: Vec<Ints>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::permute(&whole_tensor(this)?, &Ints::flatten_ints(dims)))
    }

    /// A view of the elements whose places in two dimensions are the same, but for `offset`, as the
    /// last dimension.
    fn diagonal(
        this: Borrow<'_, Self>,
        #[default(0)] offset: i64,
        #[default(0)] dim1: i64,
        #[default(1)] dim2: i64,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::diagonal_view(&whole_tensor(this)?, offset, dim1, dim2))
    }

    /// A view that repeats elements.
    fn expand(this: Borrow<'_, Self>, #[rest] shape: Vec<Ints>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::expand_to(&whole_tensor(this)?, &Ints::flatten_ints(shape)))
    }

    fn expand_as(this: Borrow<'_, Self>, other: Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::expand(&whole_tensor(this)?, T::from_tensor(other).shape()))
    }

    fn repeat(this: Borrow<'_, Self>, #[rest] repeats: Vec<Ints>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::repeat(&whole_tensor(this)?, &Ints::flatten_ints(repeats)))
    }

    fn squeeze(this: Borrow<'_, Self>, dim: Option<Ints>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::squeeze(&whole_tensor(this)?, dim.as_ref()))
    }

    fn unsqueeze(this: Borrow<'_, Self>, dim: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::unsqueeze(&whole_tensor(this)?, dim))
    }

    /// A part of a dimension, as a view.
    fn narrow(this: Borrow<'_, Self>, dim: i64, start: i64, length: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::narrow_from(&whole_tensor(this)?, dim, start, length))
    }

    fn select(this: Borrow<'_, Self>, dim: i64, index: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::select(&whole_tensor(this)?, dim, index))
    }

    /// Parts of so many elements each along a dimension, as views.
    fn split(this: Borrow<'_, Self>, split_size: Ints, #[default(0)] dim: i64) -> Result<Tensors> {
        ops::split(&whole_tensor(this)?, &split_size, dim).map(Tensors)
    }

    /// So many parts along a dimension, as views.
    fn chunk(this: Borrow<'_, Self>, chunks: i64, #[default(0)] dim: i64) -> Result<Tensors> {
        ops::chunk(&whole_tensor(this)?, chunks, dim).map(Tensors)
    }

    /// Removes a dimension: returns one tensor for each place.
    fn unbind(this: Borrow<'_, Self>, #[default(0)] dim: i64) -> Result<Tensors> {
        let a = whole_tensor(this)?;
        let len = a
            .shape()
            .get(crate::data::resolve_axis(dim, a.shape().len())?)
            .copied()
            .unwrap_or(0);
        pairbond::memory::check_room(len, 256)?;
        (0..len as i64)
            .map(|place| ops::select(&a, dim, place))
            .collect::<Result<Vec<_>>>()
            .map(Tensors)
    }

    fn index_select(this: Borrow<'_, Self>, dim: i64, index: Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::index_select(
            &whole_tensor(this)?,
            dim,
            &T::from_tensor(index),
        ))
    }

    fn index_add(
        this: Borrow<'_, Self>,
        dim: i64,
        index: Ref<Tensor>,
        source: Ref<Tensor>,
        #[keyword] alpha: Option<Scalar>,
    ) -> Result<Ref<Tensor>> {
        let source = T::from_tensor(source);

        let source = match alpha {
            Some(alpha) => ops::mul_scalar(&source, alpha)?,
            None => source,
        };
        into_tensor_result(ops::index_add(
            &whole_tensor(this)?,
            dim,
            &T::from_tensor(index),
            &source,
        ))
    }

    fn gather(this: Borrow<'_, Self>, dim: i64, index: Ref<Tensor>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::gather(&whole_tensor(this)?, dim, &T::from_tensor(index)))
    }

    fn scatter(this: Borrow<'_, Self>, dim: i64, index: Ref<Tensor>, src: Operand) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        into_tensor_result(ops::scatter(
            &a,
            dim,
            &T::from_tensor(index),
            &src.into_tensor(a.dtype()),
        ))
    }

    fn scatter_add(
        this: Borrow<'_, Self>,
        dim: i64,
        index: Ref<Tensor>,
        src: Ref<Tensor>,
    ) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::scatter_add(
            &whole_tensor(this)?,
            dim,
            &T::from_tensor(index),
            &T::from_tensor(src),
        ))
    }

    fn masked_fill(this: Borrow<'_, Self>, mask: Ref<Tensor>, value: Operand) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::masked_by(&whole_tensor(this)?, &T::from_tensor(mask), value))
    }

    fn r#where(this: Borrow<'_, Self>, condition: Ref<Tensor>, other: Operand) -> Result<Ref<Tensor>> {
        let a = whole_tensor(this)?;
        into_tensor_result(ops::choose_elements(
            &T::from_tensor(condition),
            &a,
            &other.into_tensor_beside(&a),
        ))
    }

    fn flip(this: Borrow<'_, Self>, #[rest] dims: Vec<Ints>) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::flip(&whole_tensor(this)?, &Ints(Ints::flatten_ints(dims))))
    }

    fn tril(this: Borrow<'_, Self>, #[default(0)] diagonal: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::keep_triangle(&whole_tensor(this)?, diagonal, true))
    }

    fn triu(this: Borrow<'_, Self>, #[default(0)] diagonal: i64) -> Result<Ref<Tensor>> {
        into_tensor_result(ops::keep_triangle(&whole_tensor(this)?, diagonal, false))
    }
}
