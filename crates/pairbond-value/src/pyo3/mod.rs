//! PyO3 in the same extension module (feature `pyo3`): its conversion traits for pairbond's types,
//! and pairbond's for PyO3's.
//!
//! The only place of this crate that names Python, and only with the feature: Rust's orphan rule
//! asks for implementations of `FromPyObject` and `IntoPyObject` in the crate that defines `Any`
//! and `List`. Those of `Ref` and `Error` are in the core for the same reason.
//!
//! 1. **Identity.** A value crosses through the `Source` and `Sink` of the CPython frontend, so
//!    `#[pyfunction]`s see the same wrappers as pairbond's own functions. The frontend registers
//!    them when a module is initialised ([`Bridge`]).
//! 2. **Attached is proved by the frontend, not by PyO3.** `Bound<'_, T>` as an argument of a
//!    pairbond function is accepted only where the calling thread is attached.
//! 3. **References that a collector must see have types of their own**: [`PyField`] owns a Python
//!    object from a pairbond object, [`Handle`] owns a wrapper from a `#[pyclass]`. `Py<T>` is not
//!    `Trace`: shutdown releases what native objects own of an interpreter, and could not empty a
//!    `Py<T>`, which would be released twice.
//!
//! PyO3 allows its modules in one interpreter of a process; so is the tag that [`PyField`] uses
//! that of the one interpreter that initialised the module last.
//!
//! Covered by `tests/pyo3`.

#[allow(unsafe_code, reason = "the frontend's functions are called")]
mod bridge;
mod convert;
mod handle;
#[allow(unsafe_code, reason = "a reference is shown to collectors")]
mod py_field;
#[allow(unsafe_code, reason = "references pass between the two libraries")]
mod values;

pub use crate::core_pyo3::{from_py_err, into_py_err};
pub use bridge::{Bridge, Give, set_bridge};
pub use handle::Handle;
pub use py_field::PyField;
