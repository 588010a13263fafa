//! Calls into CPython that may run Python code, for a thread that an ending interpreter may end.
//!
//! Before 3.14 an interpreter that is ending ends the threads that want to run in it, by unwinding them (`pthread_exit`). Unwinding through Rust would run
//! destructors, which release Python objects; and a process whose unwinding is caught, or comes to a frame that none may pass, is aborted. So such a
//! thread hangs here, in the innermost Rust frame, as it does in CPython from 3.14 on.
//!
//! Here is what native code does on threads of its own and on daemon threads: calling, overridden methods, releasing (and by that `__del__` and
//! callbacks of weak references). What else runs Python code does so in the middle of a conversion.

use std::ffi::c_int;

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
    ($($(#[$attribute:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $link:literal;)*) => {$(
        $(#[$attribute])*
        ///
        /// # Safety
        /// As for CPython's function.
        #[inline]
        pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
            unsafe extern "C-unwind" {
                #[link_name = $link]
                fn unwinding($($argument: $type),*) $(-> $result)?;
            }
            let hang = Hang;
            // SAFETY: promised. (CPython itself is C: no panic comes out of it.)
            let result = unsafe { unwinding($($argument),*) };
            std::mem::forget(hang);
            result
        }
    )*};
}

running! {
    /// Calls an object.
    vectorcall(
        callable: *mut py::PyObject,
        arguments: *const *mut py::PyObject,
        count: usize,
        names: *mut py::PyObject
    ) -> *mut py::PyObject = "PyObject_Vectorcall";
    /// Calls a method of the first argument.
    vectorcall_method(
        name: *mut py::PyObject,
        arguments: *const *mut py::PyObject,
        count: usize,
        names: *mut py::PyObject
    ) -> *mut py::PyObject = "PyObject_VectorcallMethod";
    /// An attribute.
    get_attribute(object: *mut py::PyObject, name: *mut py::PyObject) -> *mut py::PyObject = "PyObject_GetAttr";
    /// Runs `__del__` of a dying object.
    finalize(object: *mut py::PyObject) -> c_int = "PyObject_CallFinalizerFromDealloc";
    /// Ends the weak references to a dying object.
    clear_weak_references(object: *mut py::PyObject) = "PyObject_ClearWeakRefs";
}

#[cfg(not(Py_3_14))]
running! {
    /// Drops a reference, perhaps the last.
    decref_last(object: *mut py::PyObject) = "Py_DecRef";
}

#[cfg(Py_3_13)]
running! {
    /// Empties the attributes of an object.
    clear_attributes(object: *mut py::PyObject) = "PyObject_ClearManagedDict";
}

#[cfg(all(Py_3_12, not(Py_3_13)))]
running! {
    /// Empties the attributes of an object.
    clear_attributes(object: *mut py::PyObject) = "_PyObject_ClearManagedDict";
}

/// Drops a reference.
///
/// # Safety
/// A counted reference, which is given up; attached.
#[inline]
pub unsafe fn decref(object: *mut py::PyObject) {
    // SAFETY: promised. With a GIL nobody else counts meanwhile.
    unsafe {
        #[cfg(not(Py_3_14))]
        if py::Py_REFCNT(object) == 1 {
            return decref_last(object);
        }
        py::Py_DECREF(object);
    }
}
