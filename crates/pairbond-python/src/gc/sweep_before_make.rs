//! The functions of the shared table that make a wrapper: they look for garbage first, when it is
//! time. (Where Python code constructs an object, `wrapper` calls [`Api::sweep`].)
//!
//! [`Api::sweep`]: crate::interp::api::Api::sweep

use pairbond_core::object::Header;
use pyo3_ffi as py;

use super::sweep::sweep_beside;
use crate::interp::Interp;
use crate::wrapper::{find_or_make_given, find_or_make_or_null, is_sweep_due};

/// See [`Api::make_wrapper`](crate::interp::api::Api).
///
/// # Safety
/// Attached to the interpreter; the object is alive and a native reference to it is held.
pub(crate) unsafe extern "C" fn make_or_null(
    interp: *const Interp,
    object: *const Header,
) -> *mut py::PyObject {
    // SAFETY: the caller's contract is that of both functions.
    unsafe {
        sweep_if_due(&*object);
        find_or_make_or_null(interp, object)
    }
}

/// See [`Api::give_wrapper`](crate::interp::api::Api).
///
/// # Safety
/// Attached to the interpreter; the caller gives away a native reference to the object.
pub(crate) unsafe extern "C" fn make_given(
    interp: *const Interp,
    object: *const Header,
) -> *mut py::PyObject {
    // SAFETY: the caller's contract is that of both functions; the reference keeps the object.
    unsafe {
        sweep_if_due(&*object);
        find_or_make_given(interp, object)
    }
}

/// # Safety
/// Attached, and the caller keeps the object. Making a wrapper allocates, which may collect: no
/// caller relies on more than what holds during a sweep.
#[inline(always)]
unsafe fn sweep_if_due(object: &Header) {
    if object.info().is_traced()
        && let Some(crowded) = is_sweep_due(object.info().is_node())
    {
        // SAFETY: attached, and the caller keeps the object; foreign code may run, as making a
        // wrapper may collect.
        unsafe { sweep_beside(Some(object), crowded) }
    }
}
