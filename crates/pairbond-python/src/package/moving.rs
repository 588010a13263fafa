//! `move`: an object on its way to a parameter that takes it by value. Its Python half,
//! `pairbond.move`, has the object as its variable `obj`.

use pairbond_core::error::Error;
use pairbond_core::object::Ref;
use pairbond_value::convert::{MovedBody, Source};
use pyo3_ffi as py;

use crate::call::method_table::{Methods, add_functions, method_definition};
use crate::convert::PySource;
use crate::errors::finish_call;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper::{self, Argument};

static FUNCTIONS: Methods<2> = Methods::new([
    method_definition(
        c"_move",
        move_argument,
        py::METH_NOARGS,
        c"_move()\n--\n\nThe second half of pairbond.move.",
    ),
    py::PyMethodDef::zeroed(),
]);

/// Adds it to the module. The thread is attached.
pub(super) fn publish_move(module: &Owned) -> Result<(), Error> {
    add_functions(module, &FUNCTIONS)
}

unsafe extern "C" fn move_argument(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(new_token)
}

/// The thread is attached.
fn new_token() -> Result<Owned, Error> {
    // SAFETY: attached; the argument keeps the wrapper, and that its object until it is taken away.
    unsafe {
        let interp = Interp::current()?;
        let argument = Argument::find()?;
        let object = wrapper::native_of(argument.object().as_ptr())?;
        if object.is::<MovedBody>() {
            return Ok(argument.object().clone());
        }
        let taken = wrapper::part_object(interp, &argument, object.as_ptr())?;
        let is_taken = taken.is_some();
        let reference =
            taken.unwrap_or_else(|| PySource::new(argument.object().as_ptr()).to_owned_ref(object));
        wrapper::give(Ref::try_new(MovedBody::from_object(reference, is_taken))?.into_erased())
    }
}
