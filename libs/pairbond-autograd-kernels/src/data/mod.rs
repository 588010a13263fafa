//! Numbers in memory, below tensors: types of elements, shared blocks, shapes and strides. Kernels
//! work on them.

mod dtype;
mod geometry;
mod memory;
mod part;
pub(crate) mod room;

pub use dtype::DType;
pub(crate) use dtype::{Element, Float, dispatch, dispatch_float};
pub(crate) use geometry::{Dims, Geometry, broadcast_shapes, resolve_axis};
pub(crate) use memory::{Block, Memory};
pub(crate) use part::Part;
