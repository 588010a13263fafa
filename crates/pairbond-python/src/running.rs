//! Calls into CPython that may run Python code, for a thread that an ending interpreter may end.
//!
//! Before 3.14 an interpreter that is ending ends the threads that want to run in it, by unwinding
//! them (`pthread_exit`). Unwinding through Rust would run destructors, which release Python
//! objects; and a process whose unwinding is caught, or comes to a frame that none may pass, is
//! aborted. So such a thread hangs here, in the innermost Rust frame, as it does in CPython from
//! 3.14 on.
//!
//! These frames must not be inlined. Where one is inlined into an `extern "C"` function, which may
//! not unwind, LLVM makes one landing pad of its clean-up and of that function's terminating
//! filter, and Rust's personality function passes by what has a filter when a thread is ended
//! (`_UA_FORCE_UNWIND`): the thread does not hang, its unwinding comes to a `catch_unwind`, and
//! glibc ends the process, "FATAL: exception not rethrown". Only optimised builds show it: the
//! tests of shutdown run on a release build, too.
//!
//! **Functions that may run Python code are called through this module**, under CPython's name:
//! `scripts/check_architecture.py` ensures it. The exceptions are collections that an allocation
//! starts, before 3.12 (from then on they wait for the interpreter's loop).

#![allow(non_snake_case, reason = "these are CPython's functions")]

use std::ffi::{c_char, c_int, c_longlong};

use pyo3_ffi as py;

/// Dropped by unwinding only.
struct Hang;

impl Drop for Hang {
    #[cold]
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

macro_rules! running {
    ($($name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {$(
        /// CPython's function of this name.
        ///
        /// # Safety
        /// As for that.
        #[inline(never)]
        pub(crate) unsafe fn $name($($argument: $type),*) $(-> $result)? {
            mod c {
                use super::*;

                unsafe extern "C-unwind" {
                    pub(super) fn $name($($argument: $type),*) $(-> $result)?;
                }
            }
            let hang = Hang;
            // SAFETY: the caller keeps the contract of CPython's function. CPython is C: no panic
            // comes out of it.
            let result = unsafe { c::$name($($argument),*) };
            std::mem::forget(hang);
            result
        }
    )*};
}

running! {
    PyObject_Call(callable: *mut py::PyObject, arguments: *mut py::PyObject, names: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_CallNoArgs(callable: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_CallOneArg(callable: *mut py::PyObject, argument: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_Vectorcall(callable: *mut py::PyObject, arguments: *const *mut py::PyObject, count: usize, names: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_VectorcallMethod(name: *mut py::PyObject, arguments: *const *mut py::PyObject, count: usize, names: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_GetAttr(object: *mut py::PyObject, name: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_GetAttrString(object: *mut py::PyObject, name: *const c_char) -> *mut py::PyObject;
    PyObject_HasAttrString(object: *mut py::PyObject, name: *const c_char) -> c_int;
    PyObject_SetAttr(object: *mut py::PyObject, name: *mut py::PyObject, value: *mut py::PyObject) -> c_int;
    PyObject_SetAttrString(object: *mut py::PyObject, name: *const c_char, value: *mut py::PyObject) -> c_int;
    PyObject_GetItem(object: *mut py::PyObject, key: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_SetItem(object: *mut py::PyObject, key: *mut py::PyObject, value: *mut py::PyObject) -> c_int;
    PyObject_DelItem(object: *mut py::PyObject, key: *mut py::PyObject) -> c_int;
    PyImport_Import(name: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_GetIter(object: *mut py::PyObject) -> *mut py::PyObject;
    PyIter_Next(iterator: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_Hash(object: *mut py::PyObject) -> py::Py_hash_t;
    PyObject_IsInstance(object: *mut py::PyObject, class: *mut py::PyObject) -> c_int;
    PyObject_IsTrue(object: *mut py::PyObject) -> c_int;
    PyObject_Repr(object: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_RichCompare(a: *mut py::PyObject, b: *mut py::PyObject, operator: c_int) -> *mut py::PyObject;
    PyObject_RichCompareBool(a: *mut py::PyObject, b: *mut py::PyObject, operator: c_int) -> c_int;
    PyObject_Size(object: *mut py::PyObject) -> py::Py_ssize_t;
    PyObject_Str(object: *mut py::PyObject) -> *mut py::PyObject;
    PyObject_GetBuffer(object: *mut py::PyObject, view: *mut py::Py_buffer, flags: c_int) -> c_int;
    PyFloat_AsDouble(object: *mut py::PyObject) -> f64;
    PyComplex_AsCComplex(object: *mut py::PyObject) -> py::Py_complex;
    PyLong_AsLongLong(object: *mut py::PyObject) -> c_longlong;
    PyLong_AsLongLongAndOverflow(object: *mut py::PyObject, overflow: *mut c_int) -> c_longlong;
    PyNumber_AsSsize_t(object: *mut py::PyObject, error: *mut py::PyObject) -> py::Py_ssize_t;
    PyNumber_Index(object: *mut py::PyObject) -> *mut py::PyObject;
    PySequence_Contains(object: *mut py::PyObject, item: *mut py::PyObject) -> c_int;
    PySequence_GetItem(object: *mut py::PyObject, index: py::Py_ssize_t) -> *mut py::PyObject;
    PySequence_List(object: *mut py::PyObject) -> *mut py::PyObject;
    PySequence_Size(object: *mut py::PyObject) -> py::Py_ssize_t;
    PySequence_Tuple(object: *mut py::PyObject) -> *mut py::PyObject;
    PyMapping_Items(object: *mut py::PyObject) -> *mut py::PyObject;
    PyMapping_Keys(object: *mut py::PyObject) -> *mut py::PyObject;
    PySet_Add(set: *mut py::PyObject, key: *mut py::PyObject) -> c_int;
    PyDict_SetItem(dict: *mut py::PyObject, key: *mut py::PyObject, value: *mut py::PyObject) -> c_int;
    PyImport_ImportModule(name: *const c_char) -> *mut py::PyObject;
    PySlice_Unpack(
        slice: *mut py::PyObject,
        start: *mut py::Py_ssize_t,
        stop: *mut py::Py_ssize_t,
        step: *mut py::Py_ssize_t
    ) -> c_int;
    PyMemoryView_FromObject(object: *mut py::PyObject) -> *mut py::PyObject;
    PyOS_FSPath(path: *mut py::PyObject) -> *mut py::PyObject;
    PyErr_CheckSignals() -> c_int;
    PyErr_WriteUnraisable(context: *mut py::PyObject);
    PyObject_CallFinalizerFromDealloc(object: *mut py::PyObject) -> c_int;
    PyObject_ClearWeakRefs(object: *mut py::PyObject);
}

#[cfg(not(Py_3_14))]
running! {
    Py_DecRef(object: *mut py::PyObject);
}

#[cfg(Py_3_13)]
running! {
    PyObject_ClearManagedDict(object: *mut py::PyObject);
}

#[cfg(not(Py_3_12))]
running! {
    PyErr_NormalizeException(class: *mut *mut py::PyObject, value: *mut *mut py::PyObject, traceback: *mut *mut py::PyObject);
}

#[cfg(all(Py_3_12, not(Py_3_13)))]
running! {
    _PyObject_ClearManagedDict(object: *mut py::PyObject);
}

/// Calls a method without arguments.
///
/// # Safety
/// As for CPython's function.
pub(crate) unsafe fn PyObject_CallMethodNoArgs(
    object: *mut py::PyObject,
    name: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: as for CPython's function: the caller ensures it.
    unsafe { PyObject_VectorcallMethod(name, [object].as_ptr(), 1, std::ptr::null_mut()) }
}

/// Calls a method with one argument.
///
/// # Safety
/// As for CPython's function.
pub(crate) unsafe fn PyObject_CallMethodOneArg(
    object: *mut py::PyObject,
    name: *mut py::PyObject,
    argument: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: as for CPython's function: the caller ensures it.
    unsafe { PyObject_VectorcallMethod(name, [object, argument].as_ptr(), 2, std::ptr::null_mut()) }
}

/// Empties the attributes of an object.
///
/// # Safety
/// As for CPython's function.
#[cfg(Py_3_12)]
pub(crate) unsafe fn clear_attributes(object: *mut py::PyObject) {
    // SAFETY: as for CPython's function: the caller ensures it.
    unsafe {
        #[cfg(Py_3_13)]
        PyObject_ClearManagedDict(object);
        #[cfg(not(Py_3_13))]
        _PyObject_ClearManagedDict(object);
    }
}

/// Drops a reference.
///
/// # Safety
/// A counted reference, which is given up; attached.
#[inline]
pub(crate) unsafe fn decref(object: *mut py::PyObject) {
    // SAFETY: a counted reference, which is given up; attached: the caller ensures it. With a GIL
    // no other thread counts meanwhile.
    unsafe {
        #[cfg(not(Py_3_14))]
        if py::Py_REFCNT(object) == 1 {
            return Py_DecRef(object);
        }
        py::Py_DECREF(object);
    }
}
