//! A `#[pyclass]` that owns pairbond's objects.

use pairbond::prelude::*;
use pairbond::pyo3::Handle;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::node::Node;

/// Holds nodes in both ways.
#[pyclass(weakref, dict)]
#[derive(Default)]
pub struct Cart {
    first: Option<Handle<Node>>,
    /// A root: no collector sees it.
    native: Vec<Ref<Node>>,
}

#[pymethods]
impl Cart {
    #[new]
    fn new() -> Self {
        Cart::default()
    }

    #[getter]
    fn first(&self, py: Python<'_>) -> Option<Handle<Node>> {
        self.first.as_ref().map(|it| it.clone_ref(py))
    }

    #[setter]
    fn set_first(&mut self, first: Option<Handle<Node>>) {
        self.first = first;
    }

    fn name(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let first = self.first.as_ref();
        first.map(|it| Ok(it.borrow(py)?.name.to_string())).transpose()
    }

    fn add(&mut self, node: Ref<Node>) {
        self.native.push(node);
    }

    fn nodes(&self) -> Vec<Ref<Node>> {
        self.native.clone()
    }

    fn hold(&mut self, py: Python<'_>, node: Ref<Node>) -> PyResult<()> {
        self.first = Some(Handle::new(py, &node)?);
        Ok(())
    }

    fn taken(&self, py: Python<'_>) -> PyResult<Option<Ref<Node>>> {
        self.first.as_ref().map(|it| it.to_ref(py)).transpose()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.first {
            Some(first) => visit.call(first),
            None => Ok(()),
        }
    }

    fn __clear__(&mut self) {
        self.first = None;
    }
}
