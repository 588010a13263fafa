//! Giving an object a self that is there already: a wrapper that `cls.__new__(cls)` made, and that stands for nothing yet.

use pairbond_core::error::Error;
use pairbond_core::object::ErasedBorrow;
use pairbond_core::value::Foreign;
use pyo3_ffi as py;

use crate::errors::take;
use crate::owned::Owned;
use crate::wrapper;

/// Makes what `new()` returns, a wrapper without an object, the self of an object that has none.
pub(super) fn adopt(object: ErasedBorrow<'_>, new: &Foreign) -> Result<(), Error> {
    // SAFETY: attached; the callable lives as long as its value; a new reference or null.
    unsafe {
        let made = crate::running::PyObject_CallNoArgs(new.as_ptr().cast());
        let own = Owned::from_new(made).ok_or_else(take)?;
        if !wrapper::is_wrapper(own.as_ptr()) {
            return Err(Error::type_error(format!(
                "{}.__new__() is expected to make a pairbond object",
                crate::ffi::type_name(py::Py_TYPE(own.as_ptr()))
            )));
        }
        wrapper::adopt(own.as_ptr(), object)
    }
}
