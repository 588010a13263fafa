//! [`Array`]: numbers in memory that others look at too: numpy, through buffers and DLPack.
//!
//! * `block` – a piece of memory and what keeps it; `body` – the native object: what the elements
//!   are and where; `part` – parts of it, `copy` – copies; `data` – arrays as bytes, and of bytes;
//!   `number` – the Rust types of elements; `array_view` – typed access from Rust; `shape` –
//!   arithmetic of shapes and strides; `tensor` – DLPack's description; `handle` – [`Array`] as
//!   arguments and results.
//!
//! # Promises
//! 1. Memory lives as long as it is in use: arrays made from one another, buffers and
//!    capsules that frontends gave out hold the *block*, and that holds its allocation or its owner
//!    – a reference as any other, released on whatever thread.
//! 2. Arrays never move, grow or shrink. So giving a view out takes nothing back.
//! 3. Safe Rust has no data races, although Python may write at any time: single elements are read
//!    and written atomically (relaxed), whatever their alignment, and a slice `&[T]` is given only
//!    of memory that was read-only from its birth ([`Array::constant`]).
//! 4. Every index is checked, and each shape, when an array is made: its elements lie within the
//!    block. For lent memory the lender vouches for that.
//!
//! # Roads not taken
//! * Borrow flags as `numpy` crates keep them: they bind only code that checks them, and Python
//!   does not.
//! * The block as a plain counted pointer: two arrays would show the same owner to a collector,
//!   each as its own.

mod array_view;
mod block;
mod body;
mod copy;
mod data;
mod handle;
#[cfg(feature = "ndarray")]
mod ndarray;
mod number;
mod part;
mod shape;
mod tensor;

/// A number for each axis. Those of up to three axes, which most arrays have, need no memory of
/// their own.
pub type Axes<T> = smallvec::SmallVec<[T; 3]>;

pub use array_view::ArrayView;
pub use block::BlockBody;
pub use body::{ArrayBody, Lent};
pub use data::Access;
pub use handle::Array;
pub use number::Number;
pub use tensor::{ManagedTensor, Tensor};
