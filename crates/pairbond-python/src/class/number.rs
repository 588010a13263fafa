//! Operators.
//!
//! One slot serves both `a + b` and the reflected form: CPython calls it with the operands as
//! written, whichever of them is ours. A marker answers an operand of a type that its method does
//! not take with `NoSuchOperation`; that is `NotImplemented`, so that the other operand is asked.

use std::ffi::c_void;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::class::{Callable, Class};
use pyo3_ffi as py;

use super::protocol_slots::{inherited_slot, is_absent};
use crate::call::Exact;
use crate::convert::PySink;
use crate::errors::finish_call;
use crate::owned::Owned;
use crate::wrapper;

/// The operand that CPython understands as "ask the other one".
pub(super) fn not_implemented() -> Owned {
    // SAFETY: attached; a constant.
    unsafe { Owned::from_borrowed(py::Py_NotImplemented()) }
}

/// Runs an operator; `None` when it does not know the other operand.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `receiver` and `operand`
/// alive.
#[inline(always)]
pub(super) unsafe fn run_operator<M: Callable>(
    receiver: *mut py::PyObject,
    operand: *mut py::PyObject,
) -> Result<Option<Owned>, Error> {
    let operands = [operand];
    // SAFETY: both are alive during the call; the macros have checked that an operator has one
    // parameter.
    match unsafe { M::call(&Exact::new(receiver, operands.as_ptr()), PySink) } {
        Ok(result) => Ok(Some(result)),
        Err(error) if *error.kind() == ErrorKind::NoSuchOperation => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an operand is a wrapper of a `T`.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
#[inline(always)]
unsafe fn is_operand<T: Class>(object: *mut py::PyObject) -> bool {
    // SAFETY: alive during the call.
    unsafe { wrapper::borrow(object) }.is_some_and(|native| native.is::<T>())
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `a` and `b` alive.
#[inline(always)]
unsafe fn number_either<T: Class, M: Callable, R: Callable>(
    a: *mut py::PyObject,
    b: *mut py::PyObject,
) -> Result<Option<Owned>, Error> {
    // SAFETY: both are alive during the call.
    unsafe {
        if const { !is_absent::<M>() } && is_operand::<T>(a) {
            if let Some(result) = run_operator::<M>(a, b)? {
                return Ok(Some(result));
            }
            // Python does not ask again when both are of one class.
            if py::Py_TYPE(a) == py::Py_TYPE(b) {
                return Ok(None);
            }
        }
        if const { !is_absent::<R>() } && is_operand::<T>(b) {
            run_operator::<R>(b, a)
        } else {
            Ok(None)
        }
    }
}

pub(super) unsafe extern "C" fn number_binary<T: Class, M: Callable, R: Callable, const SLOT: i32>(
    a: *mut py::PyObject,
    b: *mut py::PyObject,
) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: both are alive during the call.
        if let Some(result) = unsafe { number_either::<T, M, R>(a, b) }? {
            return Ok(result);
        }
        // A class that defines one of the two methods inherits the other.
        let slot = inherited_slot::<T>(SLOT)?;
        if slot.is_null() {
            return Ok(not_implemented());
        }
        // SAFETY: both are alive during the call.
        unsafe {
            let function = std::mem::transmute::<*mut c_void, py::binaryfunc>(slot);
            crate::errors::owned_or_error(function(a, b))
        }
    })
}

pub(super) unsafe extern "C" fn number_power<T: Class, M: Callable, R: Callable>(
    a: *mut py::PyObject,
    b: *mut py::PyObject,
    modulus: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: all are alive during the call.
    finish_call(|| unsafe {
        if modulus == py::Py_None()
            && let Some(result) = number_either::<T, M, R>(a, b)?
        {
            return Ok(result);
        }
        let slot = inherited_slot::<T>(py::Py_nb_power)?;
        if slot.is_null() {
            return Ok(not_implemented());
        }
        let function = std::mem::transmute::<*mut c_void, py::ternaryfunc>(slot);
        crate::errors::owned_or_error(function(a, b, modulus))
    })
}

/// `a += b`: what the method returns is the new `a`; the macros let one that returns nothing return
/// its receiver.
pub(super) unsafe extern "C" fn in_place<M: Callable>(
    a: *mut py::PyObject,
    b: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: both are alive during the call.
    finish_call(|| unsafe { Ok(run_operator::<M>(a, b)?.unwrap_or_else(not_implemented)) })
}
