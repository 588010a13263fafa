//! A module that PyO3 exports, with pairbond's classes and functions in it.
#![forbid(unsafe_code)]

mod cart;
#[cfg(feature = "ecosystem")]
mod ecosystem;
mod errors;
mod node;
mod values;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(gil_used = false)]
fn pymixed(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<cart::Cart>()?;
    pairbond::pyo3::add::<(
        node::Node,
        node::Leaf,
        node::walk,
        node::keep,
        node::kept,
        node::call_on_thread,
        errors::call,
        errors::fail,
    )>(m)?;
    values::add(m)?;
    errors::add(m)?;
    #[cfg(feature = "ecosystem")]
    ecosystem::add(m)?;
    Ok(())
}
