//! Comparisons: six methods in one slot.

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pairbond_value::class::{Callable, Class};
use pyo3_ffi as py;

use super::number::{not_implemented, run_operator};
use super::protocol_slots::{inherited_slot, is_absent};
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::owned::Owned;

pub(super) unsafe extern "C" fn rich_compare<T, Lt, Le, Eq, Ne, Gt, Ge>(
    a: *mut py::PyObject,
    b: *mut py::PyObject,
    operation: c_int,
) -> *mut py::PyObject
where
    T: Class,
    Lt: Callable,
    Le: Callable,
    Eq: Callable,
    Ne: Callable,
    Gt: Callable,
    Ge: Callable,
{
    // SAFETY: both are alive during the call.
    finish_call(|| unsafe {
        match operation {
            py::Py_LT => compare_by::<T, Lt>(a, b, operation),
            py::Py_LE => compare_by::<T, Le>(a, b, operation),
            py::Py_EQ => compare_by::<T, Eq>(a, b, operation),
            py::Py_NE => compare_by::<T, Ne>(a, b, operation),
            py::Py_GT => compare_by::<T, Gt>(a, b, operation),
            _ => compare_by::<T, Ge>(a, b, operation),
        }
    })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `a` and `b` alive.
#[inline(always)]
unsafe fn compare_by<T: Class, M: Callable>(
    a: *mut py::PyObject,
    b: *mut py::PyObject,
    operation: c_int,
) -> Result<Owned, Error> {
    if const { is_absent::<M>() } {
        return by_base::<T>(a, b, operation);
    }
    // SAFETY: both are alive during the call.
    unsafe { Ok(run_operator::<M>(a, b)?.unwrap_or_else(not_implemented)) }
}

/// A comparison that the class does not define is its base's. `object` has the last word: it
/// compares identity, and makes `!=` of our `==`.
fn by_base<T: Class>(a: *mut py::PyObject, b: *mut py::PyObject, operation: c_int) -> Result<Owned, Error> {
    let slot = inherited_slot::<T>(py::Py_tp_richcompare)?;
    if slot.is_null() {
        return Ok(not_implemented());
    }
    // SAFETY: the slot of that number has this type; attached; both are alive during the call.
    unsafe {
        let function = std::mem::transmute::<*mut c_void, py::richcmpfunc>(slot);
        owned_or_error(function(a, b, operation))
    }
}
