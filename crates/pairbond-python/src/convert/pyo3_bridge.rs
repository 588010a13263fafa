//! The conversions that `pairbond_value::pyo3` uses.

use pairbond_core::error::Error;
use pairbond_value::convert::erased::{ErasedSource, with_place};
use pairbond_value::pyo3::{Bridge, Give, set_bridge};
use pyo3_ffi as py;

use super::{PySink, PySource};
use crate::owned::Owned;
use crate::{errors, interp};

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
    // SAFETY: the calling thread is attached, and the object lives as long as the source is used:
    // the caller ensures it.
    ErasedSource::from_source(unsafe { PySource::new(object) })
}

fn bridge_sink(give: &mut Give<'_>) -> Result<*mut py::PyObject, Error> {
    with_place(PySink, give).map(Owned::into_ptr)
}

/// Lets PyO3 convert pairbond's values in this binary. The thread is attached, and the binary has
/// joined pairbond.
pub(crate) fn connect_bridge() {
    set_bridge(&BRIDGE, interp::tag());
}
