//! Memory that objects lend, as arguments of Rust code.

use pairbond_value::convert::Mismatch;
use pairbond_value::value::ArrayBody;
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// Returns the wrapper of an array over the memory that an object lends, as an argument of Rust
/// code.
pub(super) fn lent_by(object: *mut py::PyObject) -> Result<Owned, Mismatch> {
    // Most candidates for an array are lists or numbers.
    // SAFETY: attached; a living object; the class is alive.
    if unsafe {
        py::PyList_CheckExact(object) != 0
            || py::PyFloat_CheckExact(object) != 0
            || py::PyLong_CheckExact(object) != 0
            || py::PyBool_Check(object) != 0
    } {
        return Err(Mismatch::Type);
    }
    // SAFETY: attached; a living object; the class is alive.
    if unsafe {
        py::PyObject_CheckBuffer(object) == 0
            && running::PyObject_HasAttrString(object, c"__dlpack__".as_ptr()) == 0
    } {
        return Err(Mismatch::Type);
    }
    // The binary in charge makes it, for every library.
    let class = Interp::current()?.class_of(<ArrayBody as pairbond_core::object::Object>::info());
    let name = super::from_text("of")?;
    // SAFETY: attached; a living object; the class is alive.
    Ok(unsafe {
        owned_or_error(running::PyObject_CallMethodOneArg(
            class.cast(),
            name.as_ptr(),
            object,
        ))
    }?)
}
