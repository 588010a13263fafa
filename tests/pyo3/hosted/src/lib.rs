//! A module that pairbond exports, with PyO3's classes and functions in it.
#![forbid(unsafe_code)]

use pairbond::prelude::*;
use pyo3::prelude::*;

/// A class of pairbond.
#[pairbond::object("pyhosted.Item")]
struct Item {
    #[field]
    name: Str,
}

#[pairbond::methods]
impl Item {
    #[new]
    fn new(name: Str) -> Self {
        Item { name }
    }
}

/// A class of PyO3.
#[pyclass]
#[derive(Default)]
struct Counter {
    #[pyo3(get)]
    count: u64,
}

#[pymethods]
impl Counter {
    #[new]
    fn new() -> Self {
        Counter::default()
    }

    fn add(&mut self, item: Borrow<'_, Item>) -> String {
        self.count += 1;
        item.name.to_string()
    }
}

#[pyfunction]
fn twice(item: Ref<Item>) -> (Ref<Item>, Ref<Item>) {
    (item.clone(), item)
}

#[pairbond::function]
fn native(item: Ref<Item>) -> Ref<Item> {
    item
}

fn constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LIMIT", 42)
}

pairbond::module!(
    /// Both libraries.
    pyhosted { Item, #[pyclass] Counter, native, #[pyfunction] twice, #[pyo3] constants }
);
