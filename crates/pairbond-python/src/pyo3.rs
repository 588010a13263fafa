//! PyO3 in the same extension module: members of pairbond in a module that PyO3 initialises, and
//! the conversions that `pairbond_value::pyo3` uses.

use std::ffi::c_void;

use pairbond_core::error::Error;
use pairbond_value::class::{MemberList, Module, ModuleVisitor};
use pairbond_value::convert::erased::{ErasedSource, with_place};
use pairbond_value::pyo3::{Bridge, Give, set_bridge};
use pyo3_ffi as py;

use crate::convert::{PySink, PySource};
use crate::owned::Owned;
use crate::{errors, interp, module};

static BRIDGE: Bridge = Bridge {
    source: bridge_source,
    sink: bridge_sink,
    raise: errors::raise,
    take: errors::take,
    tag: interp::tag,
};

/// # Safety
/// The calling thread is attached, and the object lives as long as the source is used.
unsafe fn bridge_source(object: *mut py::PyObject) -> ErasedSource<'static> {
    // SAFETY: the caller promises both.
    ErasedSource::of(unsafe { PySource::new(object) })
}

fn bridge_sink(give: &mut Give<'_>) -> Result<*mut py::PyObject, Error> {
    with_place(PySink, give).map(Owned::into_ptr)
}

/// Lets PyO3 convert pairbond's values in this binary. The thread is attached, and the binary has
/// joined pairbond.
pub(crate) fn connect_bridge() {
    set_bridge(&BRIDGE, interp::tag());
}

/// The members of a list as a module without a name of its own.
enum Listed<L> {
    #[expect(dead_code, reason = "never made: it stands for a list of types")]
    Never(std::convert::Infallible, std::marker::PhantomData<L>),
}

impl<L: MemberList> Module for Listed<L> {
    const NAME: &'static str = "";
    const DOC: &'static str = "";

    fn describe<V: ModuleVisitor>(visitor: &mut V) {
        L::show_all(visitor);
    }
}

/// Joins pairbond and adds classes and functions to a module that is being initialised. Returns
/// `false` with an exception set when `pairbond` cannot be imported.
///
/// # Errors
/// The binaries or types do not fit; what CPython raised.
///
/// # Safety
/// The thread is attached, and `module` a living module object.
pub unsafe fn add<L: MemberList>(module: *mut c_void) -> Result<bool, Error> {
    crate::call::install_hooks();
    // SAFETY: the caller promises a living module, on an attached thread.
    unsafe {
        let module = Owned::from_borrowed(module.cast());
        module::join_and_add::<Listed<L>>(&module, &module::name_of(&module)?)
    }
}
