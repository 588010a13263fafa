//! [`Memory`]: reference-counted numbers, so that a reader needs no lock and a writer copies only
//! blocks that are being read.

use std::sync::Arc;

use super::DType;
use super::dtype::{Element, dispatch};

/// Numbers of one type.
#[derive(Clone, Debug)]
pub enum Block<E> {
    /// One, without an allocation.
    One([E; 1]),
    /// Several, which readers share.
    Many(Arc<Vec<E>>),
}

impl<E: Clone> Block<E> {
    /// Takes numbers over.
    pub fn from_vec(mut values: Vec<E>) -> Self {
        match values.len() {
            1 => Block::One([values.remove(0)]),
            _ => Block::Many(Arc::new(values)),
        }
    }

    /// The numbers, for reading.
    #[inline]
    pub fn as_slice(&self) -> &[E] {
        match self {
            Block::One(one) => one,
            Block::Many(many) => many,
        }
    }

    /// The numbers by themselves: a copy, if they are shared.
    pub fn into_vec(self) -> Vec<E> {
        match self {
            Block::One(one) => one.into(),
            Block::Many(many) => Arc::unwrap_or_clone(many),
        }
    }

    /// For writing: a copy, if there are readers.
    #[inline]
    pub fn make_mut(&mut self) -> &mut [E] {
        match self {
            Block::One(one) => one,
            Block::Many(many) => Arc::<Vec<E>>::make_mut(many).as_mut_slice(),
        }
    }
}

/// Numbers of any type.
#[derive(Clone, Debug)]
pub enum Memory {
    /// Truth values.
    Bool(Block<bool>),
    /// Integers.
    I64(Block<i64>),
    /// Floats of 32 bits.
    F32(Block<f32>),
    /// Floats of 64 bits.
    F64(Block<f64>),
    /// None: they are where others look at them, too. Only a `Storage` ever sees that.
    Elsewhere(DType),
}

impl Memory {
    /// Takes numbers over.
    pub fn from_vec<E: Element>(values: Vec<E>) -> Memory {
        E::wrap_block(Block::from_vec(values))
    }

    /// One number.
    #[inline]
    pub fn from_scalar<E: Element>(value: E) -> Memory {
        E::wrap_block(Block::One([value]))
    }

    /// Returns the type of the numbers.
    #[inline]
    pub fn dtype(&self) -> DType {
        match self {
            Memory::Bool(_) => DType::Bool,
            Memory::I64(_) => DType::Int64,
            Memory::F32(_) => DType::Float32,
            Memory::F64(_) => DType::Float64,
            Memory::Elsewhere(dtype) => *dtype,
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        dispatch!(self.dtype(), E => self.typed_slice::<E>().len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers.
    ///
    /// # Panics
    /// They are of another type: the caller has checked.
    #[inline]
    pub fn typed_slice<E: Element>(&self) -> &[E] {
        E::typed_block(self).expect("of that dtype").as_slice()
    }

    /// As [`typed_slice`](Self::typed_slice), for writing.
    #[inline]
    pub fn slice_mut<E: Element>(&mut self) -> &mut [E] {
        E::block_mut(self).expect("of that dtype").make_mut()
    }
}
