//! Calling a Python object from Rust.

use std::ffi::c_void;

use pairbond_core::any::RawAny;
use pairbond_core::error::Error;
use pairbond_core::frontend::{Arguments, Calls};
use pairbond_value::convert::{Mismatch, Sink, Source};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::{PySink, PySource, foreign_at_hand, from_text};
use crate::errors::owned_or_error;
use crate::owned::Owned;
use crate::running;

/// Arguments that are passed without an allocation.
const FEW: usize = 6;

/// Calls a Python object; the last arguments may have names.
///
/// # Errors
/// The exception that it raises, or an argument that belongs to another interpreter.
///
/// # Safety
/// Attached; a living object.
pub unsafe fn call_python(callable: *mut py::PyObject, arguments: &Arguments) -> Result<Any, Error> {
    if arguments.values().is_empty() {
        // SAFETY: attached; the callable is alive.
        return unsafe { call_vector(callable, std::ptr::null(), 0, None) };
    }
    if let ([argument], []) = (arguments.values(), arguments.names()) {
        let argument = PySink.write_any(argument)?;
        // The place in front is the callee's, for the object of a bound method.
        let mut places = [std::ptr::null_mut(), argument.as_ptr()];
        let count = 1 | py::PY_VECTORCALL_ARGUMENTS_OFFSET;
        // SAFETY: attached; the callable and the argument are alive; CPython restores the place
        // before the arguments.
        return unsafe { call_vector(callable, places.as_mut_ptr().add(1), count, None) };
    }
    let (arguments, names) = (arguments.values(), names_tuple(arguments.names())?);
    let mut few: [Option<Owned>; FEW] = [const { None }; FEW];
    let mut many = Vec::new();
    let held = if arguments.len() <= FEW {
        &mut few[..arguments.len()]
    } else {
        many.try_reserve_exact(arguments.len())?;
        many.resize(arguments.len(), None);
        &mut many[..]
    };
    for (place, argument) in held.iter_mut().zip(arguments) {
        *place = Some(PySink.write_any(argument)?);
    }
    let count = held.len() - names.as_ref().map_or(0, |(_, count)| *count);
    let names = names.as_ref().map(|(names, _)| names);
    // SAFETY: an owned reference has the layout of a pointer, and none is absent any more;
    // attached; the callable is alive.
    unsafe { call_vector(callable, held.as_ptr().cast(), count, names) }
}

/// As [`call_python`], for callables that are lent to native code.
///
/// # Safety
/// Attached; a living object, and the arguments of one call; `out` is a place for the result.
pub(crate) unsafe extern "C" fn call_attached(
    callable: *mut c_void,
    arguments: *const Arguments,
    out: *mut RawAny,
) -> Option<Error> {
    // SAFETY: attached; a living object, and the arguments of one call; `out` is a place for the
    // result: the caller ensures it.
    unsafe { Arguments::write_outcome(call_python(callable.cast(), &*arguments), out) }
}

/// Calls a Python object with one argument after the other.
///
/// # Errors
/// As [`call_python`].
///
/// # Safety
/// Attached; a living object.
pub unsafe fn call_python_each(callable: *mut py::PyObject, calls: &mut Calls) -> Result<(), Error> {
    // Many return the same object again and again: the value of an immutable one is reused.
    let mut last: Option<(Owned, Any)> = None;
    let mut value = Any::None;
    while calls.next_argument(&mut value) {
        let argument = PySink.write_any(&value)?;
        value = Any::None;
        let mut places = [std::ptr::null_mut(), argument.as_ptr()];
        let count = 1 | py::PY_VECTORCALL_ARGUMENTS_OFFSET;
        // SAFETY: as in `call_python`.
        let result = unsafe {
            owned_or_error(running::PyObject_Vectorcall(
                callable,
                places.as_mut_ptr().add(1),
                count,
                std::ptr::null_mut(),
            ))
        }?;
        let (_, known) = match &mut last {
            Some(known) if known.0.as_ptr() == result.as_ptr() => known,
            last => {
                let value = as_value(&result)?;
                last.insert((result, value))
            }
        };
        if !calls.on_result(known) {
            break;
        }
        if !matches!(
            known,
            Any::None | Any::Bool(_) | Any::Int(_) | Any::Float(_) | Any::Str(_)
        ) {
            last = None;
        }
    }
    Ok(())
}

/// # Safety
/// Attached; a living object, and arguments as CPython's function wants them, with as many more
/// behind them as there are names.
#[inline]
unsafe fn call_vector(
    callable: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: Option<&Owned>,
) -> Result<Any, Error> {
    let names = names.map_or(std::ptr::null_mut(), Owned::as_ptr);
    // SAFETY: attached; a living object, and arguments as CPython's function wants them, with as
    // many more behind them as there are names: the caller ensures it.
    as_value(&unsafe { owned_or_error(running::PyObject_Vectorcall(callable, arguments, count, names)) }?)
}

#[inline]
fn as_value(result: &Owned) -> Result<Any, Error> {
    // SAFETY: this thread is attached to the interpreter.
    if result.as_ptr() == unsafe { py::Py_None() } {
        return Ok(Any::None);
    }
    // SAFETY: attached; the caller holds the result.
    let value = unsafe { PySource::new(result.as_ptr()) }.read_any();
    value.map_err(|mismatch| match mismatch {
        Mismatch::Raised(error) => error,
        other => other.into_error(
            || "the result of a Python function".into(),
            "any object",
            String::new,
        ),
    })
}

/// Names for a vectorcall and their number; `None` when there are none.
fn names_tuple(names: &[&str]) -> Result<Option<(Owned, usize)>, Error> {
    if names.is_empty() {
        return Ok(None);
    }
    // SAFETY: attached; a new tuple, each place filled once with a string.
    let tuple = unsafe { owned_or_error(py::PyTuple_New(names.len() as py::Py_ssize_t)) }?;
    for (at, name) in names.iter().enumerate() {
        let mut name = from_text(name)?.into_ptr();
        // SAFETY: attached; a new tuple, each place filled once with a string.
        unsafe {
            py::PyUnicode_InternInPlace(&mut name);
            py::PyTuple_SET_ITEM(tuple.as_ptr(), at as py::Py_ssize_t, name);
        }
    }
    Ok(Some((tuple, names.len())))
}

/// The hash of a value, or whether two are equal, as Python sees it.
///
/// # Errors
/// Not hashable; what hashing or comparing raises.
///
/// # Safety
/// Attached.
pub unsafe fn key(a: &Any, b: Option<&Any>) -> Result<Any, Error> {
    if let (Any::Foreign(a), Some(Any::Foreign(b))) = (a, b) {
        let (a, b) = (foreign_at_hand(a)?, foreign_at_hand(b)?);
        // SAFETY: attached; the values keep their objects alive.
        return unsafe { is_equal(a, b) };
    }
    let a = PySink.write_any(a)?;
    let Some(b) = b else {
        // SAFETY: attached; a living object.
        if unsafe { crate::wrapper::is_wrapper(a.as_ptr()) && crate::wrapper::borrow(a.as_ptr()).is_none() } {
            return Err(crate::wrapper::uninitialized_error(a.as_ptr()));
        }
        // SAFETY: attached; a living object.
        return match unsafe { running::PyObject_Hash(a.as_ptr()) } {
            -1 => Err(crate::errors::take()),
            hash => Ok(Any::Int(hash as i64)),
        };
    };
    let b = PySink.write_any(b)?;
    // SAFETY: attached; living objects.
    unsafe { is_equal(a.as_ptr(), b.as_ptr()) }
}

/// # Safety
/// Attached; living objects, which the caller keeps alive.
unsafe fn is_equal(a: *mut py::PyObject, b: *mut py::PyObject) -> Result<Any, Error> {
    // SAFETY: attached; living objects, which the caller keeps alive: the caller ensures it.
    match unsafe { running::PyObject_RichCompareBool(a, b, py::Py_EQ) } {
        -1 => Err(crate::errors::take()),
        answer => Ok(Any::Bool(answer == 1)),
    }
}
