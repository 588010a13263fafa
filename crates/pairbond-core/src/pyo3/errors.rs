//! `PyErr` and [`Error`], without losing class, object or traceback.

use ::pyo3::exceptions::PyRuntimeError;
use ::pyo3::prelude::*;

use super::hooks::hooks_of_binary;
use crate::error::Error;

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        into_py_err(error)
    }
}

/// Returns the exception that an error becomes. An error that came from Python is the same
/// exception object again. Where Python cannot be had any more, a `RuntimeError` with the message.
#[cold]
#[must_use]
pub fn into_py_err(error: Error) -> PyErr {
    let Ok(hooks) = hooks_of_binary() else {
        return PyRuntimeError::new_err(error.message().to_owned());
    };
    let message = error.message().to_owned();
    Python::try_attach(|py| {
        (hooks.raise)(error);
        PyErr::fetch(py)
    })
    .unwrap_or_else(|| PyRuntimeError::new_err(message))
}

/// Returns the error that owns an exception; `None` where Python cannot be had any more, or no
/// module of this binary has joined pairbond. `?` uses it: `PyErr` converts into [`Error`] as every
/// `std::error::Error` does.
#[cold]
#[must_use]
pub fn from_py_err(error: &PyErr) -> Option<Error> {
    let hooks = hooks_of_binary().ok()?;
    Python::try_attach(|py| {
        error.clone_ref(py).restore(py);
        (hooks.take)()
    })
}
