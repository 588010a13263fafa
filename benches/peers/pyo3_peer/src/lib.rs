//! PyO3 as its guide recommends it: `Py<Node>` fields, a hand-written `__traverse__`, dict and weak
//! references.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTraverseError, PyVisit};

#[pyclass(dict, weakref)]
struct Node {
    #[allow(dead_code)]
    value: i64,
    #[allow(dead_code)]
    weight: f64,
    #[pyo3(get)]
    child: Option<Py<Node>>,
    #[pyo3(get)]
    fixed: Option<Py<Node>>,
}

#[pymethods]
impl Node {
    #[new]
    #[pyo3(signature = (value, weight, *, fixed=None))]
    fn new(value: i64, weight: f64, fixed: Option<Py<Node>>) -> Self {
        Node {
            value,
            weight,
            child: None,
            fixed,
        }
    }

    fn call0(&self) {}

    fn call3(&self, a: i64, b: i64, c: i64) -> i64 {
        a + b + c
    }

    fn set_child(&mut self, child: Py<Node>) {
        self.child = Some(child);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(child) = &self.child {
            visit.call(child)?;
        }
        if let Some(fixed) = &self.fixed {
            visit.call(fixed)?;
        }
        Ok(())
    }

    fn __clear__(&mut self) {
        self.child = None;
        self.fixed = None;
    }
}

/// Only a frozen class gets its field read as a CPython member, and a frozen class has no
/// `set_child`.
#[pyclass(frozen, dict, weakref)]
struct FrozenNode {
    #[pyo3(get)]
    fixed: Py<Node>,
}

#[pymethods]
impl FrozenNode {
    #[new]
    fn new(fixed: Py<Node>) -> Self {
        FrozenNode { fixed }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.fixed)
    }
}

#[pyclass(frozen)]
struct Sequence {
    items: Vec<Py<Node>>,
}

#[pymethods]
impl Sequence {
    fn __len__(&self) -> usize {
        self.items.len()
    }

    fn __getitem__(&self, py: Python<'_>, index: usize) -> PyResult<Py<Node>> {
        match self.items.get(index) {
            Some(node) => Ok(node.clone_ref(py)),
            None => Err(PyIndexError::new_err("index out of range")),
        }
    }
}

/// An iterator.
#[pyclass]
struct Numbers {
    left: i64,
}

#[pymethods]
impl Numbers {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<i64> {
        let left = self.left;
        self.left = (left - 1).max(0);
        (left > 0).then_some(left)
    }
}

#[pyfunction]
fn numbers(n: i64) -> Numbers {
    Numbers { left: n }
}

fn node(py: Python<'_>, value: i64) -> PyResult<Py<Node>> {
    Py::new(py, Node::new(value, 1.0, None))
}

#[pyfunction]
fn call0() {}

#[pyfunction]
fn call3(a: i64, b: i64, c: i64) -> i64 {
    a + b + c
}

#[pyfunction]
fn make_node(py: Python<'_>) -> PyResult<Py<Node>> {
    node(py, 7)
}

#[pyfunction]
fn make_parent(py: Python<'_>) -> PyResult<Py<Node>> {
    let parent = node(py, 1)?;
    parent.borrow_mut(py).child = Some(node(py, 7)?);
    Ok(parent)
}

#[pyfunction]
fn make_list(py: Python<'_>, n: i64) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for i in 0..n {
        list.append(node(py, i)?)?;
    }
    Ok(list)
}

#[pyfunction]
fn make_sequence(py: Python<'_>, n: i64) -> PyResult<Sequence> {
    let items = (0..n).map(|i| node(py, i)).collect::<PyResult<_>>()?;
    Ok(Sequence { items })
}

#[pyfunction]
fn apply<'py>(callable: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    callable.call0()
}

#[pyfunction]
fn fail() -> PyResult<()> {
    Err(PyValueError::new_err("failed"))
}

#[pymodule]
mod pyo3_peer {
    #[pymodule_export]
    const PYO3_VERSION: &str = "0.30.1";
    #[pymodule_export]
    use super::{
        FrozenNode, Node, Numbers, Sequence, apply, call0, call3, fail, make_list, make_node,
        make_parent, make_sequence, numbers,
    };
}
