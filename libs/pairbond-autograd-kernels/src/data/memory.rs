//! [`Memory`]: reference-counted numbers, so that a reader needs no lock and a writer copies only
//! blocks that are being read.

use std::sync::Arc;

use super::DType;
use super::dtype::{Element, dispatch};

/// Numbers of one type.
#[derive(Clone, Debug)]
pub(crate) enum Block<E> {
    /// One, without an allocation.
    One([E; 1]),
    Many(Arc<Vec<E>>),
}

impl<E: Clone> Block<E> {
    pub(crate) fn from_vec(mut values: Vec<E>) -> Self {
        match values.len() {
            1 => Block::One([values.remove(0)]),
            _ => Block::Many(Arc::new(values)),
        }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[E] {
        match self {
            Block::One(one) => one,
            Block::Many(many) => many,
        }
    }

    /// The numbers by themselves: a copy, if they are shared.
    pub(crate) fn into_vec(self) -> Vec<E> {
        match self {
            Block::One(one) => one.into(),
            Block::Many(many) => Arc::unwrap_or_clone(many),
        }
    }

    /// For writing: a copy, if there are readers.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut [E] {
        match self {
            Block::One(one) => one,
            Block::Many(many) => Arc::<Vec<E>>::make_mut(many).as_mut_slice(),
        }
    }
}

/// Numbers of any type.
#[derive(Clone, Debug)]
pub(crate) enum Memory {
    Bool(Block<bool>),
    I64(Block<i64>),
    F32(Block<f32>),
    F64(Block<f64>),
    /// None: they are where others look at them, too. Only a `Storage` ever sees that.
    Elsewhere(DType),
}

impl Memory {
    pub(crate) fn from_vec<E: Element>(values: Vec<E>) -> Memory {
        E::wrap_block(Block::from_vec(values))
    }

    #[inline]
    pub(crate) fn from_scalar<E: Element>(value: E) -> Memory {
        E::wrap_block(Block::One([value]))
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Memory::Bool(_) => DType::Bool,
            Memory::I64(_) => DType::Int64,
            Memory::F32(_) => DType::Float32,
            Memory::F64(_) => DType::Float64,
            Memory::Elsewhere(dtype) => *dtype,
        }
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> usize {
        dispatch!(self.dtype(), E => self.typed_slice::<E>().len())
    }

    /// The numbers.
    ///
    /// # Panics
    /// They are of another type: the caller has checked.
    #[inline]
    pub(crate) fn typed_slice<E: Element>(&self) -> &[E] {
        E::typed_block(self).expect("of that dtype").as_slice()
    }

    /// As [`typed_slice`](Self::typed_slice), for writing.
    #[inline]
    pub(crate) fn slice_mut<E: Element>(&mut self) -> &mut [E] {
        E::block_mut(self).expect("of that dtype").make_mut()
    }
}
