//! Calling a Python object from Rust.

use pairbond_core::convert::{Mismatch, Sink, Source};
use pairbond_core::error::Error;
use pairbond_core::value::Any;
use pyo3_ffi as py;

use crate::convert::{PySink, PySource, owned};
use crate::owned::Owned;

/// Arguments that are passed without an allocation.
const FEW: usize = 6;

/// Calls a Python object with positional arguments.
///
/// # Errors
/// What it raises, or an argument that belongs to another interpreter.
///
/// # Safety
/// Attached; a living object.
pub unsafe fn call_python(callable: *mut py::PyObject, arguments: &[Any]) -> Result<Any, Error> {
    let mut few: [Option<Owned>; FEW] = [const { None }; FEW];
    let mut many;
    let held = if arguments.len() <= FEW {
        &mut few[..arguments.len()]
    } else {
        many = vec![None; arguments.len()];
        &mut many[..]
    };
    for (place, argument) in held.iter_mut().zip(arguments) {
        *place = Some(PySink.any(argument)?);
    }
    // SAFETY: an owned reference has the layout of a pointer, and none is absent any more; attached; the callable is alive.
    let result = unsafe {
        owned(py::PyObject_Vectorcall(
            callable,
            held.as_ptr().cast(),
            held.len(),
            std::ptr::null_mut(),
        ))
    }?;
    // SAFETY: attached; the result is alive until the end of this function.
    let value = unsafe { PySource::new(result.as_ptr()) }.any();
    value.map_err(|mismatch| match mismatch {
        Mismatch::Raised(error) => error,
        other => other.explain(
            || "the result of a Python function".into(),
            "any object",
            String::new,
        ),
    })
}
