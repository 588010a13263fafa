//! Tensors: numbers in memory that several tensors may share, and a shape and strides for each
//! tensor.
//!
//! # Promise
//! * A [`Storage`]'s numbers are shared between threads without a data race. A reader takes them as
//!   they are at that moment ([`Memory`] is counted), and keeps them as long as it computes; a
//!   writer writes to a copy while there are readers. No lock is held while numbers are read.
//! * All views of a storage count its changes together ([`Numbers::write_version`]).
//! * Nothing in here knows how a derivative is computed. A tensor has a place for its history,
//!   which belongs to the tape.

mod choose;
mod convert;
mod create;
pub(crate) mod exchange;
pub(crate) mod generator;
pub(crate) mod lists;
mod object;
mod operand;
mod snapshot;
mod storage;
mod subscript;

pub(crate) use convert::to_dtype_untracked;
pub(crate) use create::{Nested, filled_tensor, from_vec};
pub use object::{
    StridedTensor, Tensor, TensorBase, TensorMath, TensorOperators, TensorReductions, TensorShape,
};
pub(crate) use operand::{Operand, Scalar};
pub(crate) use snapshot::{Numbers, T, into_tensor_result};
pub use storage::Storage;

pub(crate) use choose::Chosen;
pub(crate) use subscript::{Key, Part};
