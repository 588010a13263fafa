//! Errors of both libraries on their way through both.

use pairbond::prelude::*;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// pairbond's function: a Python exception goes through `PyErr`, then through `Error`.
#[pairbond::function]
pub fn call(function: Bound<'_, PyAny>) -> Result<Any, Error> {
    let result = function.call0()?;
    Ok(result.extract()?)
}

/// pairbond's function that fails as PyO3's do.
#[pairbond::function]
pub fn fail(message: &str) -> PyResult<()> {
    Err(PyKeyError::new_err(message.to_owned()))
}

/// PyO3's function that fails as pairbond's do.
#[pyfunction]
fn fail_natively(message: &str) -> PyResult<()> {
    let error = Error::new(ErrorKind::Index, message).with_note("a note");
    Err(error.with_cause(Error::value_error("below")))?
}

/// PyO3's function: a Python exception goes through `Error`, then through `PyErr`.
#[pyfunction]
fn call_natively(function: Function) -> PyResult<Any> {
    Ok(function.call(&[])?)
}

/// An `Error` that a `PyErr` became, and its message.
#[pyfunction]
fn words(function: Bound<'_, PyAny>) -> Option<String> {
    let error = Error::from(function.call0().err()?);
    Some(format!("{:?} {}", error.kind(), error.message()))
}

pub(crate) fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(fail_natively, m)?)?;
    m.add_function(wrap_pyfunction!(call_natively, m)?)?;
    m.add_function(wrap_pyfunction!(words, m)?)
}
