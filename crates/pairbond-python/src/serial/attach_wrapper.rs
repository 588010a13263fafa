//! Attaching a wrapper of a class made in Python to an object that has none.

use pairbond_core::error::Error;
use pairbond_core::object::ErasedBorrow;
use pairbond_value::value::Foreign;
use pyo3_ffi as py;

use crate::define::type_of_class;
use crate::errors::owned_or_error;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper;

/// Makes an instance of `class` the self of an object that has none: what `new()` returns, or a
/// bare instance.
pub(super) fn adopt(object: ErasedBorrow<'_>, class: &Foreign, new: Option<&Foreign>) -> Result<(), Error> {
    let interp = Interp::current()?;
    // SAFETY: attached; what a value holds lives as long as it; new references or null. Only
    // wrapper classes are allocated as such.
    unsafe {
        let class = class.as_ptr().cast::<py::PyObject>();
        let class = Owned::from_borrowed(class);
        if py::PyType_Check(class.as_ptr()) == 0
            || py::PyType_IsSubtype(class.as_ptr().cast(), interp.base_class()) == 0
        {
            return Err(Error::type_error(
                "the self of a native object is of a class that is none",
            ));
        }
        let own = match new {
            Some(new) => owned_or_error(crate::running::PyObject_CallNoArgs(new.as_ptr().cast()))?,
            None => {
                let own = owned_or_error(wrapper::allocate(class.as_ptr().cast()))?;
                wrapper::track_wrapper(own.as_ptr());
                own
            }
        };
        if !wrapper::is_wrapper(own.as_ptr()) {
            return Err(Error::type_error(format!(
                "{}.__new__() is expected to make a pairbond object",
                crate::ffi::type_name(class.as_ptr().cast())
            )));
        }
        wrapper::adopt_object(own.as_ptr(), object, type_of_class)
    }
}
