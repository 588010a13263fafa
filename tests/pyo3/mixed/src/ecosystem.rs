//! Crates that stand on PyO3, beside pairbond's objects.

use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pairbond::prelude::*;
use pyo3::prelude::*;

use crate::node::Node;

/// numpy's arrays in, pairbond's array and object out.
#[pyfunction]
fn scaled<'py>(py: Python<'py>, node: Ref<Node>, values: PyReadonlyArray1<'py, f64>) -> (Bound<'py, PyArray1<f64>>, Ref<Node>) {
    let factor = node.name.len() as f64;
    let scaled: Vec<f64> = values.as_array().iter().map(|it| it * factor).collect();
    (scaled.into_pyarray(py), node)
}

/// Awaitable from asyncio; the object is kept over the await.
#[pyfunction]
fn later<'py>(py: Python<'py>, node: Ref<Node>) -> PyResult<Bound<'py, PyAny>> {
    pyo3_async_runtimes::tokio::future_into_py(py, async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(node)
    })
}

pub(crate) fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(scaled, m)?)?;
    m.add_function(wrap_pyfunction!(later, m)?)
}
