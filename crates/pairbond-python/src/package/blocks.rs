//! `__enter__` and `__exit__` of `erasing` and `trace`, as C functions.
//!
//! CPython looks for signals between the steps of Python code, so an interrupt can end a method
//! written in Python after it has begun something and before that is noted. It does not look inside
//! a C function, nor between the call of `__enter__` and the block.

use std::ffi::CStr;

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::call::method_table::{Methods, method_definition, method_fast};
use crate::errors::{finish_call, owned_or_error};
use crate::ffi::PyInstanceMethod_New;
use crate::owned::Owned;
use crate::running;

type Object = *mut py::PyObject;

pub(super) static FUNCTIONS: Methods<4> = Methods::new([
    method_fast(c"_enter_block", block_enter, c"_enter_block(block, /)\n--\n\nCalls block._begin(), and keeps the result in block._open."),
    method_fast(c"_exit_block", block_exit, c"_exit_block(block, /, *exception)\n--\n\nCalls block._end(result) with the last result that is kept."),
    method_definition(c"_as_method", as_method, py::METH_O, c"_as_method(function, /)\n--\n\nThe function as a method of a class."),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn as_method(_: Object, function: Object) -> Object {
    // SAFETY: attached; a living object.
    unsafe { PyInstanceMethod_New(function) }
}

/// An attribute of a block.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `block` alive.
unsafe fn get_attribute(block: Object, name: &CStr) -> Result<Owned, Error> {
    // SAFETY: attached; a living object; a new reference or null.
    unsafe { owned_or_error(running::PyObject_GetAttrString(block, name.as_ptr())) }
}

/// The block that a method is called with.
///
/// # Safety
/// `arguments` points at `count` living objects.
unsafe fn block_argument(arguments: *mut Object, count: py::Py_ssize_t) -> Result<Object, Error> {
    if count == 0 {
        return Err(Error::type_error("a block is expected"));
    }
    // SAFETY: the caller's array has `count` objects, and one was asked for.
    Ok(unsafe { *arguments })
}

unsafe extern "C" fn block_enter(_: Object, arguments: *mut Object, count: py::Py_ssize_t) -> Object {
    // SAFETY: attached; `count` arguments, which live as long as the call.
    unsafe { finish_call(|| begin_block(arguments, count)) }
}

/// # Safety
/// The calling thread is attached, and `arguments` points at `count` living objects.
unsafe fn begin_block(arguments: *mut Object, count: py::Py_ssize_t) -> Result<Owned, Error> {
    // SAFETY: the thread is attached, and the caller's array has `count` living objects.
    unsafe {
        let block = block_argument(arguments, count)?;
        let (open, end) = (get_attribute(block, c"_open")?, get_attribute(block, c"_end")?);
        let begun = get_attribute(block, c"_begin")?;
        let begun = begun.call0()?;
        if let Err(error) = open.append(&begun) {
            drop(end.call1(&begun));
            return Err(error);
        }
        Ok(Owned::from_borrowed(block))
    }
}

unsafe extern "C" fn block_exit(_: Object, arguments: *mut Object, count: py::Py_ssize_t) -> Object {
    // SAFETY: attached; `count` arguments, which live as long as the call.
    unsafe { finish_call(|| end_block(arguments, count)) }
}

/// # Safety
/// The calling thread is attached, and `arguments` points at `count` living objects.
unsafe fn end_block(arguments: *mut Object, count: py::Py_ssize_t) -> Result<Owned, Error> {
    // SAFETY: the caller's; a list that holds the begun blocks.
    unsafe {
        let block = block_argument(arguments, count)?;
        let (open, end) = (get_attribute(block, c"_open")?, get_attribute(block, c"_end")?);
        let last = owned_or_error(running::PyObject_CallMethodNoArgs(
            open.as_ptr(),
            crate::convert::intern_text(c"pop")?.as_ptr(),
        ))?;
        drop(end.call1(&last)?);
        // Not its result, which would decide whether an exception is dropped.
        Ok(Owned::none())
    }
}
