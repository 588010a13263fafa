//! Tensors from values.

use pairbond::convert::Mismatch;
use pairbond::convert::{FromValue, Source};
use pairbond::memory::Gather;
use pairbond::prelude::*;
use smallvec::SmallVec;

use super::{Scalar, T, Tensor};
use crate::data::{DType, Dims, Element, Memory, dispatch, room};

/// A tensor of these values, in order.
pub(crate) fn from_vec<E: Element>(values: Vec<E>, shape: &[usize]) -> T {
    Tensor::from_memory(Memory::from_vec(values), shape)
}

/// A tensor that is the same everywhere.
pub(crate) fn filled_tensor(value: f64, shape: &[usize], dtype: DType) -> T {
    let len = room::element_count(shape);
    dispatch!(dtype, E => from_vec(room::filled_vec(E::of_f64(value), len), shape))
}

/// A tensor without dimensions, of the dtype that `like` has with such a value.
pub(crate) fn scalar_like(value: Scalar, like: DType) -> T {
    let dtype = value.dtype_with(like);
    let memory = dispatch!(dtype, E => Memory::from_scalar(value.to_element::<E>()));
    Tensor::from_memory(memory, &[])
}

/// Numbers in lists, as Python writes them.
pub(crate) struct Nested {
    values: SmallVec<[Scalar; 1]>,
    shape: Dims,
}

impl<'a> FromValue<'a> for Nested {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        "a number or a sequence of numbers".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let mut nested = Nested {
            values: SmallVec::new(),
            shape: Dims::new(),
        };
        nested.take_nested(source, 0)?;
        Ok(nested)
    }
}

impl Nested {
    fn take_nested<'a, S: Source<'a>>(&mut self, source: S, depth: usize) -> Result<(), Mismatch> {
        if let Err(Mismatch::Overflow) = source.read_i64() {
            return Err(Mismatch::Raised(Error::value_error(
                "an integer does not fit into 64 bits, which is what int64 has",
            )));
        }
        if let Ok(value) = Scalar::from_value(source) {
            if depth != self.shape.len() {
                return Err(ragged_error(depth));
            }
            let room = self.values.try_reserve(1);
            room.map_err(|_| Error::new(ErrorKind::Memory, "there is no memory for these numbers"))?;
            self.values.push(value);
            return Ok(());
        }
        let first = depth == self.shape.len();
        if first && !self.values.is_empty() || depth >= 64 {
            return Err(ragged_error(depth));
        }
        if first {
            self.shape.push(usize::MAX);
        }
        let len = source.read_sequence(|_, item| self.take_nested(item, depth + 1))?;
        if self.shape[depth] == usize::MAX {
            self.shape[depth] = len;
        }
        if self.shape[depth] == len {
            Ok(())
        } else {
            Err(ragged_error(depth))
        }
    }

    /// The integer, if it is one and no sequence.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        match (&self.values[..], &self.shape[..]) {
            (&[Scalar::Int(value)], []) => Some(value),
            _ => None,
        }
    }

    /// The tensor; of the dtype that is wanted, or that of the values.
    pub(crate) fn into_tensor(self, dtype: Option<DType>) -> T {
        let found = self
            .values
            .iter()
            .map(|value| value.dtype())
            .reduce(DType::promote_with);
        let dtype = dtype.or(found).unwrap_or(DType::Float32);
        let memory = dispatch!(dtype, E => match self.values[..] {
            [value] => Memory::from_scalar(value.to_element::<E>()),
            ref all => Memory::from_vec(all.iter().map(|value| value.to_element::<E>()).gather()),
        });
        Tensor::from_memory(memory, &self.shape)
    }
}

fn ragged_error(depth: usize) -> Mismatch {
    Mismatch::Value(format!(
        "the sequences in dimension {depth} are not all of the same length"
    ))
}
