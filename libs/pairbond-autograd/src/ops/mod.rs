//! Operations: what each computes, and its derivative. One file per family.
//!
//! An operation is a function from tensors to a tensor: it computes with `kernels`, and ends with
//! `record`, which says what the derivative is.
//!
//! ```text
//! pub(crate) fn exp(x: &T) -> Result<T> {
//!     let out = map!(dispatch_float(x.dtype(), "exp"), x, |v| v.exp())?;
//!     record("ExpBackward0", [x], &[Out], (), out, |g, ()| {
//!         Ok([Some(mul(&g.gradient(), &g.tensor(0)?)?)])
//!     })
//! }
//! ```
//!
//! A function of each element is one line of a table ([`functions`]).
//!
//! * What the derivative needs is *saved*: inputs (`In`), the result itself (`Out`), and parameters
//!   that own no tensor (the compiler refuses others, because a collector would not see them).
//! * A derivative is written with operations of this folder, so that it has a derivative itself
//!   (`create_graph=True`).
//! * `change` writes what an operation makes of a tensor to the tensor itself, with its history.
//! * `g.when(i, || …)` computes only gradients that are needed.

#![allow(
    clippy::bool_comparison,
    reason = "macros write comparisons for elements of every type"
)]

pub(crate) mod arguments;
mod arithmetic;
mod cast;
mod change;
mod common;
mod compare;
mod conv;
mod functions;
mod fused;
mod in_place;
mod index;
mod join;
mod matmul;
mod pick;
mod places;
mod random;
mod reduce;
mod rows;
mod shape;
mod step;
mod thread_count;

pub(crate) use arithmetic::*;
pub(crate) use cast::to_dtype;
pub(crate) use change::{change_in_place, change_to_comparison};
pub(crate) use compare::*;
pub(crate) use conv::{conv2d, max_pool2d};
pub(crate) use functions::*;
pub(crate) use fused::{fmod, frac, lerp, nan_to_num, round_to};
pub(crate) use in_place::{add_untracked, copy_untracked, replace_numbers};
pub(crate) use index::{copy_contiguous, get_item, make_contiguous, set_item};
pub(crate) use join::*;
pub(crate) use matmul::*;
pub(crate) use pick::*;
pub(crate) use places::{put_part, replace_part, take_part, take_places};
pub(crate) use random::{dropout, normal, uniform};
pub(crate) use reduce::*;
pub(crate) use rows::*;
pub(crate) use shape::*;
pub(crate) use step::{adam_step, assign_numbers, sgd_step};
pub(crate) use thread_count::{get_num_threads, set_num_threads};

use crate::tensor::{into_tensor_result, to_dtype_untracked};

/// Computes without leaving a history.
pub(crate) fn without_recording<R>(compute: impl FnOnce() -> R) -> R {
    let _mode = crate::engine::Mode::set(false);
    compute()
}
