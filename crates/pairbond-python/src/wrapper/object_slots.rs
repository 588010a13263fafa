//! The slots of `pairbond.Object`, which every wrapper class inherits: the mark of a wrapper, and
//! attributes, whose first use makes the collector track the wrapper. (The collector's slots:
//! `gc/slots.rs`.)

use std::ffi::{c_int, c_void};

use pyo3_ffi as py;

use crate::running;
#[cfg(not(Py_3_12))]
use crate::wrapper::Wrapper;

/// `tp_is_gc` of every wrapper class, and by that the mark of one (see `layout`).
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn is_gc(_: *mut py::PyObject) -> c_int {
    // CPython asks only if the type has the collector's flag.
    1
}

/// Whether the dictionary of a wrapper is for our slots to show and to empty. A class made in
/// Python has CPython's slots, which do so if the class that a library made, whose slots they call,
/// has none.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
#[cfg(Py_3_12)]
#[inline]
unsafe fn has_our_dict(class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a living wrapper class, which has such a base.
    unsafe { crate::ffi::has_flag(super::deciding_class(class), py::Py_TPFLAGS_MANAGED_DICT) }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cfg(Py_3_12)]
#[inline]
pub(crate) unsafe fn visit_dict(wrapper: *mut py::PyObject, visit: py::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: a living wrapper.
    unsafe {
        let class = py::Py_TYPE(wrapper);
        #[cfg(Py_3_14)]
        if super::managed::is_empty(wrapper, super::managed::values_of(class)) {
            return 0;
        }
        if has_our_dict(class) {
            crate::ffi::PyObject_VisitManagedDict(wrapper, visit, arg)
        } else {
            0
        }
    }
}

/// Whether a wrapper of a class that a library made, of whose values it is known [where they
/// are](super::managed::values_of), has nothing to [visit](visit_dict). A wrong no costs time only.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(always)]
pub(crate) unsafe fn has_no_dict(wrapper: *mut py::PyObject, values: isize) -> bool {
    // SAFETY: a living wrapper.
    #[cfg(Py_3_14)]
    unsafe {
        super::managed::is_empty(wrapper, values)
    }
    #[cfg(all(Py_3_12, not(Py_3_14)))]
    {
        let _ = (wrapper, values);
        false
    }
    // SAFETY: a living wrapper.
    #[cfg(not(Py_3_12))]
    unsafe {
        let _ = values;
        (*wrapper.cast::<Wrapper>()).dict.is_null()
    }
}

/// As [`visit_dict`] for such a wrapper.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[inline(always)]
pub(crate) unsafe fn visit_own_dict(
    wrapper: *mut py::PyObject,
    values: isize,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: a living wrapper.
    unsafe {
        if has_no_dict(wrapper, values) {
            return 0;
        }
        visit_dict(wrapper, visit, arg)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cfg(not(Py_3_12))]
#[inline]
pub(crate) unsafe fn visit_dict(wrapper: *mut py::PyObject, visit: py::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: a living wrapper.
    unsafe {
        let dict = (*wrapper.cast::<Wrapper>()).dict;
        if dict.is_null() { 0 } else { visit(dict, arg) }
    }
}

/// Returns whether a wrapper's `__dict__` has entries or other references. No other
/// attached thread runs.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
pub(super) unsafe fn has_attributes(wrapper: *mut py::PyObject) -> bool {
    unsafe extern "C" fn look_at_dict(dict: *mut py::PyObject, _: *mut c_void) -> c_int {
        // SAFETY: alive: its owner shows it.
        let fresh = unsafe {
            py::PyDict_CheckExact(dict) != 0 && py::Py_REFCNT(dict) == 1 && py::PyDict_Size(dict) == 0
        };
        c_int::from(!fresh)
    }
    // SAFETY: a living wrapper.
    unsafe { visit_dict(wrapper, look_at_dict, std::ptr::null_mut()) != 0 }
}

/// Whether a wrapper of a class made by a library has attributes, or may have: a wrong yes costs
/// time only.
///
/// # Safety
/// Attached; a living wrapper.
pub(crate) unsafe fn may_have_attributes(wrapper: *mut py::PyObject) -> bool {
    // Without a GIL another thread may be changing what would be looked at.
    // SAFETY: attached; a living wrapper: the caller ensures it.
    cfg!(Py_GIL_DISABLED) || unsafe { has_attributes(wrapper) }
}

/// Whether a wrapper has no attributes that could hide its class's. A wrong no costs time only.
///
/// # Safety
/// Attached, with a GIL; a living wrapper and its class.
#[inline(always)]
pub(crate) unsafe fn has_no_attributes(wrapper: *mut py::PyObject, class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a living class.
    #[cfg(Py_3_14)]
    let values = unsafe { super::managed::values_of(class) };
    #[cfg(not(Py_3_14))]
    let (values, _) = (0, class);
    // SAFETY: a living wrapper.
    unsafe { has_no_dict(wrapper, values) }
}

/// Empties the attributes of a wrapper that is garbage or dies. Whether there may have been any.
///
/// What CPython clears it clears for good, since 3.14: attributes of that memory have no place
/// inside the object any more, and methods are looked up the slow way. So it is left alone where
/// there is nothing, and [never used again](super::managed::is_as_new) where there was something.
///
/// # Safety
/// The calling thread is attached to the interpreter, and nothing else uses `wrapper`.
#[cfg(Py_3_12)]
#[inline]
pub(crate) unsafe fn clear_dict(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a wrapper that is not shared.
    unsafe {
        let class = py::Py_TYPE(wrapper);
        #[cfg(Py_3_14)]
        if super::managed::is_empty(wrapper, super::managed::values_of(class)) {
            return false;
        }
        let some = has_our_dict(class);
        if some {
            running::clear_attributes(wrapper);
        }
        some
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and nothing else uses `wrapper`.
#[cfg(not(Py_3_12))]
#[inline]
pub(crate) unsafe fn clear_dict(wrapper: *mut py::PyObject) -> bool {
    // SAFETY: a wrapper that is not shared.
    unsafe {
        let dict = (*wrapper.cast::<Wrapper>()).dict;
        if dict.is_null() {
            return false;
        }
        (*wrapper.cast::<Wrapper>()).dict = std::ptr::null_mut();
        running::decref(dict);
        true
    }
}

/// `tp_setattro` of classes whose objects reach no Python object by themselves: their wrappers are
/// unknown to the collector until they get an attribute.
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn set_attribute(
    wrapper: *mut py::PyObject,
    name: *mut py::PyObject,
    value: *mut py::PyObject,
) -> c_int {
    // SAFETY: a living wrapper; attached.
    unsafe {
        super::birth::track_wrapper(wrapper);
        py::PyObject_GenericSetAttr(wrapper, name, value)
    }
}

/// `__dict__`.
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn get_dict(wrapper: *mut py::PyObject, context: *mut c_void) -> *mut py::PyObject {
    // SAFETY: a living wrapper; attached. A holder of the dict may store in it.
    unsafe {
        super::birth::track_wrapper(wrapper);
        py::PyObject_GenericGetDict(wrapper, context)
    }
}

/// `__dict__ = …`.
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn set_dict(
    wrapper: *mut py::PyObject,
    value: *mut py::PyObject,
    context: *mut c_void,
) -> c_int {
    // SAFETY: a living wrapper; attached.
    unsafe {
        super::birth::track_wrapper(wrapper);
        py::PyObject_GenericSetDict(wrapper, value, context)
    }
}
