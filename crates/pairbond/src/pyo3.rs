//! PyO3 in the same extension module (feature `pyo3`): one `.so`, one `PyInit_`, both libraries'
//! classes and functions.
//!
//! PyO3's `#[pymodule]` takes pairbond's members with [`add`]:
//!
//! ```ignore
//! use pairbond::prelude::*;
//! use pyo3::prelude::*;
//!
//! #[pairbond::object("shop.Item")]
//! struct Item {
//!     #[field]
//!     name: Str,
//! }
//!
//! #[pairbond::function]
//! fn cheapest(items: List<Item>) -> Option<Ref<Item>> {
//!     items.get(0)
//! }
//!
//! /// Arguments and results of PyO3's functions may be pairbond's types.
//! #[pyfunction]
//! fn label(item: Ref<Item>) -> String {
//!     format!("item {}", item.name)
//! }
//!
//! #[pymodule]
//! fn shop(m: &Bound<'_, PyModule>) -> PyResult<()> {
//!     pairbond::pyo3::add::<(Item, cheapest)>(m)?;
//!     m.add_function(wrap_pyfunction!(label, m)?)
//! }
//! ```
//!
//! The other way round, [`module!`](crate::module) takes PyO3's members: `#[pyclass]` and
//! `#[pyfunction]` in front of a member's name, or `#[pyo3]` in front of a function that is called
//! with the module (`&Bound<'_, PyModule>`):
//!
//! ```ignore
//! pairbond::module!(shop {
//!     Item, cheapest, #[pyclass] Cart, #[pyfunction] label, #[pyo3] add_constants
//! });
//! ```
//!
//! | | pairbond's function | PyO3's function |
//! |---|---|---|
//! | `Ref<T>`, `Borrow<'_, T>`, `New<T>`, `Any`, `Str`, `List<T>`, … | arguments, results | arguments, results |
//! | `Bound<'_, T>`, `Py<T>` | arguments, results | arguments, results |
//! | `?` on a `Result` of the other library | yes: the same exception object | yes: the same exception object |
//!
//! | a reference that is kept | from | to | |
//! |---|---|---|---|
//! | [`PyField<T>`](PyField) | a pairbond object | a Python object | traced; cycles are collected |
//! | [`Handle<T>`](Handle) | a `#[pyclass]` | a pairbond object | one line in `__traverse__` and `__clear__`; cycles are collected |
//! | `Ref<T>` | a `#[pyclass]` | a pairbond object | a root: no collector sees it |
//!
//! PyO3 0.27 to 0.30 are supported: a program has one PyO3, and cargo chooses the release that your
//! crate asks for. PyO3's `abi3` features are not: pairbond reads structures that the stable ABI
//! hides. PyO3 refuses to import its modules into a second interpreter, with pairbond's members or
//! without.

use std::ffi::c_void;

use ::pyo3::prelude::*;

pub use pairbond_value::class::MemberList;
use pairbond_value::class::ModuleObject;
pub use pairbond_value::pyo3::{Handle, PyField};

/// Adds pairbond's classes and functions to a module that PyO3 initialises, in the order of the
/// tuple (bases before the classes that extend them).
///
/// # Errors
/// `ImportError` if `pairbond` is not installed, or does not fit this extension; what CPython
/// raised.
#[allow(unsafe_code, reason = "hands PyO3's module to the frontend as a pointer")]
pub fn add<L: MemberList>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: a `Bound` proves that the thread is attached and the module alive.
    match unsafe { pairbond_python::pyo3::add::<L>(module.as_ptr().cast::<c_void>()) } {
        Ok(true) => Ok(()),
        Ok(false) => Err(PyErr::fetch(module.py())),
        Err(error) => Err(error.into()),
    }
}

/// Calls `add` with the module that pairbond is initialising; for the expansion of `module!`.
///
/// # Errors
/// Those of `add`.
#[doc(hidden)]
#[allow(unsafe_code, reason = "takes the module from the frontend as a pointer")]
pub fn with_module(
    module: ModuleObject<'_>,
    add: impl FnOnce(&Bound<'_, PyModule>) -> PyResult<()>,
) -> crate::Result<()> {
    // SAFETY: a `ModuleObject` proves that the thread is attached and the module alive.
    let module = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), module.as_ptr().cast()) };
    Ok(add(module.cast().map_err(PyErr::from)?)?)
}
