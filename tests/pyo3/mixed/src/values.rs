//! pairbond's values as arguments and results of PyO3's functions.

use pairbond::prelude::*;
use pairbond::value::{BigInt, DType};
use pairbond::{New, Weak};
use pyo3::prelude::*;

use crate::node::{Leaf, Node};

macro_rules! pass {
    ($($name:ident: $t:ty;)*) => {
        $(
            #[pyfunction]
            fn $name(value: $t) -> $t {
                value
            }
        )*

        /// Adds the functions.
        pub(crate) fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($name, m)?)?;)*
            m.add_function(wrap_pyfunction!(name_of, m)?)?;
            m.add_function(wrap_pyfunction!(new_leaf, m)?)?;
            m.add_function(wrap_pyfunction!(next_of, m)?)?;
            m.add_function(wrap_pyfunction!(weak_next, m)?)?;
            m.add_function(wrap_pyfunction!(apply, m)?)?;
            m.add_function(wrap_pyfunction!(detached_name, m)?)
        }
    };
}

pass! {
    pass_node: Ref<Node>;
    pass_optional: Option<Ref<Node>>;
    pass_vec: Vec<Ref<Node>>;
    pass_any: Any;
    pass_str: Str;
    pass_bytes: Bytes;
    pass_big: BigInt;
    pass_function: Function;
    pass_foreign: Foreign;
    pass_array: Array;
    pass_dtype: DType;
    pass_list: List<i64>;
    pass_nodes: List<Node>;
    pass_tuple: Tuple<Any>;
    pass_set: Set<Str>;
    pass_map: Map<Str, Any>;
    pass_frozen: FrozenMap<Str, i64>;
}

#[pyfunction]
fn name_of(node: Borrow<'_, Node>) -> String {
    node.name.to_string()
}

#[pyfunction]
fn new_leaf() -> New<Leaf> {
    New(Leaf::default())
}

#[pyfunction]
fn next_of<'a>(node: Borrow<'a, Node>) -> Option<Ref<Node>> {
    node.next.get()
}

#[pyfunction]
fn weak_next(node: Weak<Node>) -> Weak<Node> {
    node
}

#[pyfunction]
fn apply(function: Function, value: Any) -> PyResult<Any> {
    Ok(function.call(&[value])?)
}

/// A borrowed object while the thread is detached.
#[pyfunction]
fn detached_name(py: Python<'_>, node: Ref<Node>) -> String {
    py.detach(|| node.name.to_string())
}
