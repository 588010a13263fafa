//! Operations: what each computes, and its derivative. One file per family.
//!
//! An operation is a function from tensors to a tensor: it computes with `kernels`, and ends with `record`, which says what the derivative is.
//!
//! ```text
//! pub(crate) fn exp(x: &T) -> Result<T> {
//!     let out = map(x, "exp", f64::exp)?;
//!     record("ExpBackward0", [x], &[Out], (), out, |g, ()| Ok([Some(mul(g.grad(), &g.saved(0)?)?)]))
//! }
//! ```
//!
//! * What the derivative needs is *saved*: inputs (`In`), the result itself (`Out`), and parameters that own no tensor (the compiler refuses others, because a
//!   collector would not see them).
//! * A derivative is written with operations of this folder, so that it has a derivative itself (`create_graph=True`).
//! * `g.when(i, || …)` computes only what somebody wants.

mod arithmetic;
mod functions;
mod in_place;
mod index;
mod matmul;
mod places;
mod reduce;
mod shape;

pub(crate) use arithmetic::{add, mul, neg, sub, to_dtype, to_dtype_untracked};
pub(crate) use functions::exp;
pub(crate) use in_place::{add_in_place, add_untracked, copy_in_place, copy_untracked, mul_in_place};
pub(crate) use index::{clone, contiguous, fill_in_place, get_item, set_item};
pub(crate) use matmul::matmul;
pub(crate) use places::{put, take};
pub(crate) use reduce::{reduce_to, sum};
pub(crate) use shape::{expand, reshape, select, transpose};
