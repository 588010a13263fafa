//! pairbond's side: objects that own Python objects, and functions that take and return PyO3's
//! types.

use std::sync::Mutex;

use pairbond::prelude::*;
use pairbond::pyo3::PyField;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A node of a graph that owns Python objects.
#[pairbond::object("pymixed.Node")]
pub struct Node {
    #[field]
    pub(crate) name: Str,
    #[field(set)]
    pub(crate) next: Cell<Option<Ref<Node>>>,
    /// Any Python object.
    #[field(set)]
    pub(crate) note: Cell<Option<PyField>>,
    /// A dict, and nothing else.
    #[field(set)]
    table: Cell<Option<PyField<PyDict>>>,
}

#[pairbond::methods]
impl Node {
    #[new]
    fn new(name: Str) -> Self {
        Node {
            name,
            next: Cell::default(),
            note: Cell::default(),
            table: Cell::default(),
        }
    }

    /// Takes a bound object and uses PyO3's API with it.
    fn describe(&self, other: Bound<'_, PyAny>) -> PyResult<String> {
        Ok(format!("{}: {}", self.name, other.repr()?))
    }

    /// Takes and returns an owned object.
    fn give_back(&self, object: Py<PyAny>) -> Py<PyAny> {
        object
    }

    /// A text of this type only.
    fn text(&self, text: Bound<'_, PyString>) -> Result<String, Error> {
        Ok(text.to_cow()?.into_owned())
    }

    /// Attaches inside a method.
    fn evaluate(&self, expression: &str) -> PyResult<Py<PyAny>> {
        Python::attach(|py| {
            let globals = PyDict::new(py);
            let code = std::ffi::CString::new(expression)?;
            py.eval(&code, Some(&globals), None).map(Bound::unbind)
        })
    }

    /// Stores a key in the table, through PyO3.
    fn set(&self, key: &str, value: Py<PyAny>) -> Result<(), Error> {
        Python::attach(|py| {
            let Some(table) = self.table.get() else {
                let made = PyDict::new(py);
                made.set_item(key, value)?;
                self.table.set(Some(PyField::new(&made)?));
                return Ok(());
            };
            Ok(table.bind(py)?.set_item(key, value)?)
        })
    }

    /// Works without the GIL and attaches for the result.
    #[detach]
    fn count(&self, to: u64) -> PyResult<u64> {
        let sum: u64 = (0..to).sum();
        Python::attach(|py| py.import("operator")?.getattr("index")?.call1((sum,))?.extract())
    }
}

/// An object without references.
#[pairbond::object("pymixed.Leaf")]
#[derive(Default)]
pub struct Leaf {
    #[field]
    value: Cell<i64>,
}

#[pairbond::methods]
impl Leaf {
    #[new]
    fn new(value: i64) -> Self {
        Leaf { value: value.into() }
    }
}

/// Calls a Python function with each node; returns their number.
#[pairbond::function]
pub fn walk(first: Ref<Node>, each: Bound<'_, PyAny>) -> PyResult<usize> {
    let (mut at, mut count) = (Some(first), 0);
    while let Some(node) = at {
        each.call1((&node,))?;
        at = node.next.get();
        count += 1;
    }
    Ok(count)
}

static KEPT: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Keeps a Python object in a static.
#[pairbond::function]
pub fn keep(object: Option<Py<PyAny>>) {
    *KEPT.lock().unwrap() = object;
}

/// Returns the kept object.
#[pairbond::function]
pub fn kept() -> Option<Py<PyAny>> {
    Python::attach(|py| Some(KEPT.lock().unwrap().as_ref()?.clone_ref(py)))
}

/// Calls a function on a native thread with a value that has no Python object yet, and returns the
/// result.
#[pairbond::function]
#[detach]
pub fn call_on_thread(function: Function, value: Any) -> Result<Any, Error> {
    let run = move || function.call(&[value]);
    std::thread::spawn(run).join().expect("the thread returns an error instead of panicking")
}
