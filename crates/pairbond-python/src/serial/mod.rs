//! Copying and pickling: functions on graphs for Python's protocols. The protocols
//! themselves are written in Python (`pairbond/_serial.py`).
//!
//! * `members` – which objects belong to which graph, while a pickle or a copy is being made.
//! * `save_graph` – objects → graph, with the attributes of their wrappers.
//! * `load_graph` – graph → objects, in two steps, because Python objects may refer to the objects
//!   before they are complete.
//! * `attach_wrapper` – the wrapper of an object that was loaded, if its class was made in Python.
//! * `compare` – structural equality, hash and order; JSON.

mod attach_wrapper;
mod compare;
mod load_graph;
mod members;
mod save_graph;

use crate::interp::Interp;
use crate::module::{add_class, add_function};
use crate::owned::Owned;
use pairbond_core::error::Error;

/// Adds the functions and the classes behind them. The thread is attached to `interp`.
pub(crate) fn publish(interp: &Interp, module: &Owned) -> Result<(), Error> {
    add_class::<members::Members>(interp, module)?;
    add_class::<save_graph::Taken>(interp, module)?;
    add_class::<load_graph::Making>(interp, module)?;
    add_function::<save_graph::take>(module)?;
    add_function::<load_graph::make>(module)?;
    add_function::<compare::structural_equal>(module)?;
    add_function::<compare::structural_hash>(module)?;
    add_function::<compare::structural_compare>(module)?;
    add_function::<compare::to_json>(module)?;
    add_function::<compare::from_json>(module)?;
    add_function::<compare::function_name>(module)?;
    Ok(())
}
