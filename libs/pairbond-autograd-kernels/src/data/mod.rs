//! Numbers in memory, below tensors: types of elements, shared blocks, shapes and strides. Kernels
//! work on them.

mod dtype;
mod geometry;
mod memory;
pub mod room;

pub use dtype::DType;
pub use dtype::{Element, Float, dispatch, dispatch_float};
pub use geometry::{Dims, Geometry, broadcast_shapes, resolve_axis};
pub use memory::{Block, Memory};
