//! Functions that some supported release of pyo3-ffi (0.27 to 0.30) does not declare; each item
//! says where CPython has it.

#[cfg(not(Py_3_12))]
use std::ffi::c_ulong;
use std::ffi::{c_char, c_double, c_int, c_void};

use pyo3_ffi as py;

unsafe extern "C" {
    // Include/cpython/funcobject.h
    pub fn PyStaticMethod_New(function: *mut py::PyObject) -> *mut py::PyObject;

    // Include/cpython/classobject.h
    pub fn PyMethod_New(function: *mut py::PyObject, object: *mut py::PyObject) -> *mut py::PyObject;

    // Include/cpython/object.h: public since 3.13, underscored in 3.12.
    #[cfg(Py_3_13)]
    pub fn PyObject_VisitManagedDict(
        object: *mut py::PyObject,
        visit: py::visitproc,
        arg: *mut c_void,
    ) -> c_int;
    #[cfg(all(Py_3_12, not(Py_3_13)))]
    #[link_name = "_PyObject_VisitManagedDict"]
    pub fn PyObject_VisitManagedDict(
        object: *mut py::PyObject,
        visit: py::visitproc,
        arg: *mut c_void,
    ) -> c_int;
    // Include/cpython/object.h: what a type finds under a name, unbound; borrowed, or null without
    // an exception.
    pub fn _PyType_Lookup(class: *mut py::PyTypeObject, name: *mut py::PyObject) -> *mut py::PyObject;
    // Include/cpython/classobject.h: a callable that becomes a method where a class has it. New
    // reference.
    pub fn PyInstanceMethod_New(function: *mut py::PyObject) -> *mut py::PyObject;
    // Include/cpython/code.h since 3.11: tuples of names, new references.
    pub fn PyCode_GetVarnames(code: *mut py::PyCodeObject) -> *mut py::PyObject;
    pub fn PyCode_GetCellvars(code: *mut py::PyCodeObject) -> *mut py::PyObject;
    pub fn PyCode_GetFreevars(code: *mut py::PyCodeObject) -> *mut py::PyObject;
    // Include/cpython/floatobject.h: writes two bytes, or returns -1 and raises. pyo3-ffi has it
    // since 0.30.
    pub fn PyFloat_Pack2(value: c_double, bytes: *mut c_char, little_endian: c_int) -> c_int;
    // Include/pythread.h. pyo3-ffi has it since 0.30.
    #[cfg(not(Py_3_12))]
    fn PyThread_get_thread_ident() -> c_ulong;
    // Include/cpython/cellobject.h. pyo3-ffi has it since 0.29.
    #[cfg(not(Py_3_12))]
    pub static mut PyCell_Type: py::PyTypeObject;
    // Include/objimpl.h: what the macros `PyObject_New` and `PyObject_GC_New` call. pyo3-ffi has
    // them since 0.28.
    pub fn _PyObject_New(class: *mut py::PyTypeObject) -> *mut py::PyObject;
    pub fn _PyObject_GC_New(class: *mut py::PyTypeObject) -> *mut py::PyObject;
    // Include/cpython/object.h. pyo3-ffi has them since 0.29.
    #[cfg(all(Py_GIL_DISABLED, Py_3_14))]
    fn PyUnstable_TryIncRef(object: *mut py::PyObject) -> c_int;
    #[cfg(all(Py_GIL_DISABLED, Py_3_14))]
    fn PyUnstable_EnableTryIncRef(object: *mut py::PyObject);
    // Include/cpython/dictobject.h. Borrowed, or null with an exception. pyo3-ffi has it since
    // 0.28.
    pub fn PyDict_SetDefault(
        dict: *mut py::PyObject,
        key: *mut py::PyObject,
        value: *mut py::PyObject,
    ) -> *mut py::PyObject;
    // Include/import.h. New reference, or null: without an exception where the module is not
    // imported. pyo3-ffi has it since 0.28.
    pub fn PyImport_GetModule(name: *mut py::PyObject) -> *mut py::PyObject;
    // Include/pystate.h. Borrowed, never null. pyo3-ffi has it since 0.28.
    pub fn PyThreadState_GetInterpreter(state: *mut py::PyThreadState) -> *mut py::PyInterpreterState;
    // Include/cpython/pystate.h: the thread's state or null, without a check. Renamed in 3.13.
    #[cfg(not(Py_3_13))]
    #[link_name = "_PyThreadState_UncheckedGet"]
    fn thread_state() -> *mut py::PyThreadState;
    #[cfg(Py_3_13)]
    #[link_name = "PyThreadState_GetUnchecked"]
    fn thread_state() -> *mut py::PyThreadState;
}

/// The interpreter that this thread is attached to, or null.
#[inline]
pub fn attached_interpreter() -> *mut py::PyInterpreterState {
    // SAFETY: callable from any thread while the runtime's memory exists; a thread state's
    // interpreter is read only while attached.
    unsafe {
        let state = thread_state();
        if state.is_null() || !is_ours(state) {
            std::ptr::null_mut()
        } else {
            PyThreadState_GetInterpreter(state)
        }
    }
}

/// The interpreter of a thread that is attached for certain: before 3.12, [`attached_interpreter`]
/// does not recognise a thread that runs in an interpreter by a thread state that another thread
/// made.
#[inline]
pub fn current_interpreter() -> *mut py::PyInterpreterState {
    // SAFETY: as above; attached, so the state is ours.
    unsafe {
        let state = thread_state();
        if state.is_null() {
            std::ptr::null_mut()
        } else {
            PyThreadState_GetInterpreter(state)
        }
    }
}

/// Whether the current thread state is that of this thread: since 3.12 it always is.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(Py_3_12)]
#[inline]
unsafe fn is_ours(_: *mut py::PyThreadState) -> bool {
    true
}

/// Whether the current thread state is that of this thread. Before 3.12 it is one for the whole
/// process: of whichever thread has the GIL.
///
/// # Safety
/// The calling thread is attached to the interpreter.
#[cfg(not(Py_3_12))]
#[inline]
unsafe fn is_ours(current: *mut py::PyThreadState) -> bool {
    /// Include/cpython/pystate.h of 3.11, as far as it matters.
    #[repr(C)]
    struct ThreadState {
        links: [*mut c_void; 3],
        counters: [c_int; 7],
        pointers: [*mut c_void; 10],
        gilstate_counter: c_int,
        async_exc: *mut c_void,
        thread_id: c_ulong,
    }
    // SAFETY: callable from any thread. A thread that has ever had a state has its first one here.
    // The current state is another than that, and ours, only where a thread switches between
    // interpreters; the only way to find out is to read its owner, which is stale at worst. With
    // one interpreter no other thread's state is read.
    unsafe {
        let first = py::PyGILState_GetThisThreadState();
        if first == current || first.is_null() {
            return !first.is_null();
        }
        py::PyInterpreterState_Head() != py::PyInterpreterState_Main()
            && (*current.cast::<ThreadState>()).thread_id == PyThread_get_thread_ident()
    }
}

/// Counts a reference unless the object is dying.
///
/// # Safety
/// Attached; the memory of an object, which may be dying.
#[cfg(not(Py_GIL_DISABLED))]
#[inline]
pub unsafe fn try_incref(object: *mut py::PyObject) -> bool {
    // SAFETY: attached, and readable memory of an object: the caller ensures it. No other thread
    // counts while we hold the GIL.
    unsafe {
        if py::Py_REFCNT(object) > 0 {
            py::Py_INCREF(object);
            true
        } else {
            false
        }
    }
}

/// Lets other threads [`try_incref`] an object that is not shared yet.
///
/// # Safety
/// The object is alive and the thread attached.
#[cfg(not(Py_GIL_DISABLED))]
#[inline]
pub unsafe fn enable_try_incref(_object: *mut py::PyObject) {}

/// Counts a reference unless the object is dying: CPython's own function.
///
/// # Safety
/// The object's memory is valid, and the thread attached.
#[cfg(all(Py_GIL_DISABLED, Py_3_14))]
pub unsafe fn try_incref(object: *mut py::PyObject) -> bool {
    // SAFETY: the object's memory is valid, and the thread attached: the caller ensures it.
    unsafe { PyUnstable_TryIncRef(object) != 0 }
}

/// Lets other threads [`try_incref`] an object: CPython's own function.
///
/// # Safety
/// The object is alive and the thread attached.
#[cfg(all(Py_GIL_DISABLED, Py_3_14))]
pub unsafe fn enable_try_incref(object: *mut py::PyObject) {
    // SAFETY: the object is alive and the thread attached: the caller ensures it.
    unsafe { PyUnstable_EnableTryIncRef(object) }
}

/// 3.13t exports neither; the same on the public fields (Include/cpython/object.h, refcount.h:
/// shift 2, 1 = maybe weakly referenced, 3 = merged).
///
/// # Safety
/// The object's memory is valid, and the thread attached.
#[cfg(all(Py_GIL_DISABLED, not(Py_3_14)))]
pub unsafe fn try_incref(object: *mut py::PyObject) -> bool {
    use std::sync::atomic::Ordering;
    // SAFETY: the fields are atomics of a valid object.
    unsafe {
        let shared = &(*object).ob_ref_shared;
        if (*object).ob_ref_local.load(Ordering::Relaxed) == u32::MAX {
            return true;
        }
        let mut now = shared.load(Ordering::Relaxed);
        loop {
            if now == 0 || now == 3 {
                return false;
            }
            match shared.compare_exchange_weak(now, now + 4, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
    }
}

/// Lets other threads [`try_incref`] an object, as above.
///
/// # Safety
/// The object is alive and the thread attached.
#[cfg(all(Py_GIL_DISABLED, not(Py_3_14)))]
pub unsafe fn enable_try_incref(object: *mut py::PyObject) {
    use std::sync::atomic::Ordering;
    // SAFETY: the fields are atomics of a valid object.
    unsafe {
        let shared = &(*object).ob_ref_shared;
        let mut now = shared.load(Ordering::Relaxed);
        while now & 3 == 0 {
            match shared.compare_exchange_weak(now, now | 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }
}

#[cfg(Py_GIL_DISABLED)]
unsafe extern "C" {
    // Include/objimpl.h since 3.12. Without a GIL it stops the world for that time
    // (Python/gc_free_threading.c).
    pub fn PyUnstable_GC_VisitObjects(
        visit: unsafe extern "C" fn(*mut py::PyObject, *mut c_void) -> c_int,
        arg: *mut c_void,
    );
}

/// A type's name for messages.
///
/// # Safety
/// `class` is a living type.
pub unsafe fn type_name(class: *mut py::PyTypeObject) -> String {
    // SAFETY: `tp_name` is a C string that lives with the type.
    unsafe {
        std::ffi::CStr::from_ptr((*class).tp_name)
            .to_string_lossy()
            .into_owned()
    }
}

/// Whether a type has a flag.
///
/// # Safety
/// `class` is a living type.
#[inline]
pub unsafe fn has_flag(class: *mut py::PyTypeObject, flag: std::ffi::c_ulong) -> bool {
    // SAFETY: `class` is a living type: the caller ensures it. (Atomic on free-threaded builds.)
    unsafe { py::PyType_HasFeature(class, flag) != 0 }
}

/// Gives a class a flag.
///
/// # Safety
/// `class` is a living type that is not shared yet.
pub unsafe fn set_flag(class: *mut py::PyTypeObject, flag: std::ffi::c_ulong) {
    // SAFETY: `class` is a living type that is not shared yet: the caller ensures it.
    unsafe {
        #[cfg(not(Py_GIL_DISABLED))]
        {
            (*class).tp_flags |= flag;
        }
        #[cfg(Py_GIL_DISABLED)]
        (*class)
            .tp_flags
            .fetch_or(flag, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Takes a flag from a class.
///
/// # Safety
/// As [`set_flag`].
pub unsafe fn clear_flag(class: *mut py::PyTypeObject, flag: std::ffi::c_ulong) {
    // SAFETY: `class` is a living type that is not shared yet: the caller ensures it.
    unsafe {
        #[cfg(not(Py_GIL_DISABLED))]
        {
            (*class).tp_flags &= !flag;
        }
        #[cfg(Py_GIL_DISABLED)]
        (*class)
            .tp_flags
            .fetch_and(!flag, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Whether a class has all of these flags.
///
/// # Safety
/// `class` is a living type.
#[inline]
pub unsafe fn has_flags(class: *mut py::PyTypeObject, flags: std::ffi::c_ulong) -> bool {
    // SAFETY: `class` is a living type: the caller ensures it.
    #[cfg(not(Py_GIL_DISABLED))]
    let all = unsafe { (*class).tp_flags };
    // SAFETY: `class` is a living type: the caller ensures it.
    #[cfg(Py_GIL_DISABLED)]
    let all = unsafe { py::PyType_GetFlags(class) };
    all & flags == flags
}

/// How a method that a class has from its definitions begins: `PyMethodDescrObject`, which
/// `pyo3-ffi` does not declare.
#[repr(C)]
pub struct MethodDescriptor {
    base: py::PyObject,
    class: *mut py::PyTypeObject,
    name: *mut py::PyObject,
    qualified_name: *mut py::PyObject,
    /// The definition.
    pub method: *mut py::PyMethodDef,
}
