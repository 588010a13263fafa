//! Objects that are called: CPython finds a function at the end of their wrapper, and calls that
//! with the arguments as they lie on its stack (the vectorcall protocol), instead of making a tuple
//! and a dict for `tp_call`.
//!
//! Objects of classes made in Python have the place and no function in it: CPython takes `tp_call`
//! for those, which a class may have replaced. Before 3.12 so may a class that can be changed, and
//! the function would still be called; there only classes that cannot be changed have it.

use std::mem::offset_of;

use pairbond_core::object::Object;
use pairbond_value::class::{Callable, Invoke};
use pyo3_ffi as py;

use super::protocol_slots::invoke_vector;
use crate::call::with_arguments;
use crate::convert::PySink;
use crate::errors::finish_call;
use crate::wrapper::{Wrapper, allocate_fresh};

/// A wrapper of an object that is called.
#[repr(C)]
pub(super) struct CallableWrapper {
    wrapper: Wrapper,
    vectorcall: Option<py::vectorcallfunc>,
}

pub(super) const FLAG: std::ffi::c_ulong = py::Py_TPFLAGS_HAVE_VECTORCALL;

/// Whether objects of a class have the function.
pub(super) fn is_fast<T: Object>() -> bool {
    cfg!(Py_3_12) || T::IMMUTABLE_TYPE
}

/// Where it is; `PyType_FromSpec` takes it as a member.
pub(super) fn vectorcall_member() -> py::PyMemberDef {
    py::PyMemberDef {
        name: c"__vectorcalloffset__".as_ptr(),
        type_code: py::Py_T_PYSSIZET,
        offset: offset_of!(CallableWrapper, vectorcall) as py::Py_ssize_t,
        flags: py::Py_READONLY,
        doc: std::ptr::null(),
    }
}

/// A way to call objects of a class.
pub(super) trait Called: 'static {
    const FUNCTION: py::vectorcallfunc;
}

/// By a method `__call__`.
pub(super) struct ByMethod<M>(M);
impl<M: Callable> Called for ByMethod<M> {
    const FUNCTION: py::vectorcallfunc = callable_call::<M>;
}

/// By the object itself.
pub(super) struct ByItself<I>(I);
impl<I: Invoke> Called for ByItself<I> {
    const FUNCTION: py::vectorcallfunc = callable_invoke::<I>;
}

unsafe extern "C" fn callable_call<M: Callable>(
    object: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: object and arguments are alive during the call.
    finish_call(|| unsafe {
        let count = py::PyVectorcall_NARGS(count) as usize;
        with_arguments!(M, object, arguments, count, names, |args| M::call(args, PySink))
    })
}

unsafe extern "C" fn callable_invoke<I: Invoke>(
    object: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: object and arguments are alive during the call.
    finish_call(|| unsafe {
        invoke_vector::<I>(object, arguments, py::PyVectorcall_NARGS(count) as usize, names)
    })
}

/// `tp_alloc`: a class statement replaces it by CPython's own.
pub(super) unsafe extern "C" fn callable_allocate<C: Called>(
    class: *mut py::PyTypeObject,
    _: py::Py_ssize_t,
) -> *mut py::PyObject {
    // SAFETY: called with a class that has it from here, whose objects are that large.
    unsafe {
        let made = allocate_fresh(class);
        if !made.is_null() {
            let function = &raw mut (*made.cast::<CallableWrapper>()).vectorcall;
            function.write(Some(C::FUNCTION));
        }
        made
    }
}

/// How large wrappers of such a class are.
pub(super) const SIZE: usize = size_of::<CallableWrapper>();
