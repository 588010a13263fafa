//! PyO3 in the same extension module (feature `pyo3`): what the orphan rule wants in the crate that
//! defines `Ref` and `Error`. The rest is in the crate `pairbond-value` (its module `pyo3`), whose
//! [`Hooks`] are called here.
//!
//! The only place of this crate that names Python, and only with the feature.

mod errors;
#[allow(unsafe_code, reason = "the frontend's functions are called")]
mod hooks;
#[allow(unsafe_code, reason = "the frontend's functions are called")]
mod objects;

pub use errors::{from_py_err, into_py_err};
#[doc(hidden)]
pub use hooks::{Hooks, Written, set_hooks};
