//! Copying and pickling: what Python's protocols need of the core's graphs. The protocols
//! themselves are written in Python (`pairbond/_serial.py`).
//!
//! * `members` – which objects belong to which graph, while a pickle or a copy is being made.
//! * `take` – objects → graph, and what Python has attached to their selves.
//! * `make` – graph → objects, in two steps, because Python objects may refer to the objects before
//!   they are complete.
//! * `adopt` – giving an object that was made from data a self of a class made in Python.
//! * `compare` – structural equality, hash and order; JSON.

mod adopt;
mod compare;
mod make;
mod members;
mod take;

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::interp::Interp;
use crate::module::{add_class, add_function};

/// Adds the functions and the classes behind them.
///
/// # Safety
/// Attached; a living module.
pub(crate) unsafe fn publish(interp: &Interp, module: *mut py::PyObject) -> Result<(), Error> {
    // SAFETY: attached; a living module: the caller ensures it.
    unsafe {
        add_class::<members::Members>(interp, module)?;
        add_class::<take::Taken>(interp, module)?;
        add_class::<make::Making>(interp, module)?;
        add_function::<take::take>(module)?;
        add_function::<make::make>(module)?;
        add_function::<compare::structural_equal>(module)?;
        add_function::<compare::structural_hash>(module)?;
        add_function::<compare::structural_compare>(module)?;
        add_function::<compare::to_json>(module)?;
        add_function::<compare::from_json>(module)?;
        add_function::<compare::function_name>(module)?;
        Ok(())
    }
}
