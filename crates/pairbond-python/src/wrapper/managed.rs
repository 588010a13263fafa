//! Whether CPython keeps any attribute for a wrapper, without making a dictionary by asking.
//!
//! Since 3.14 the values of attributes lie behind the object, until a program asks for its
//! `__dict__`. `PyObject_VisitManagedDict` shows what there is, but before gh-130327 not a
//! dictionary that is laid over these values.
//!
//! That function looks at each of some thirty places, for each wrapper and twice in each
//! collection, and was a quarter of what the collection of a wrapped object took. CPython counts
//! the values; where that count and the dictionary are is no part of its API, so it is
//! [tried](values) with objects of all sorts before it is relied upon, and otherwise the function
//! is called, and no wrapper's memory used again.

use pyo3_ffi as py;

#[cfg(Py_3_14)]
use crate::owned::Owned;

/// Whether the memory of a wrapper, which has no attributes any more, may become another wrapper of
/// the same class: nothing was cleared that CPython [clears for
/// good](super::object_slots::clear_dict).
///
/// # Safety
/// Attached; a wrapper that is not shared, and its class, which a library made.
#[inline]
pub(super) unsafe fn is_as_new(wrapper: *mut py::PyObject, class: *mut py::PyTypeObject) -> bool {
    // SAFETY: attached; a wrapper that is not shared, and its class, which a library made: the
    // caller ensures it.
    #[cfg(Py_3_14)]
    unsafe {
        let values = values_of(class);
        !crate::ffi::has_flag(class, py::Py_TPFLAGS_MANAGED_DICT)
            || is_empty(wrapper, values) && values::are_valid(wrapper, values)
    }
    #[cfg(not(Py_3_14))]
    {
        let _ = (wrapper, class);
        true
    }
}

/// Finds out where CPython counts the values.
///
/// # Safety
/// Attached.
pub(crate) unsafe fn probe_dict_layout() {
    // SAFETY: attached: the caller ensures it.
    #[cfg(Py_3_14)]
    unsafe {
        values::probe_dict_layout();
    }
}

/// A class without fields, for the probes; `None` with an exception.
///
/// # Safety
/// Attached.
#[cfg(Py_3_14)]
unsafe fn empty_class() -> Option<Owned> {
    // SAFETY: attached: the caller ensures it. A new reference or null.
    unsafe {
        Owned::from_new(py::PyObject_CallFunction(
            (&raw mut py::PyType_Type).cast(),
            c"s(){}".as_ptr(),
            c"Probe".as_ptr(),
        ))
    }
}

/// Where the objects of a class have the [count of their values](values); 0 if that is not known.
///
/// # Safety
/// A living class.
#[cfg(Py_3_14)]
#[inline]
pub(crate) unsafe fn values_of(class: *mut py::PyTypeObject) -> isize {
    // SAFETY: A living class: the caller ensures it.
    unsafe {
        if values::are_known() {
            values::count_offset(class)
        } else {
            0
        }
    }
}

/// Whether an object has no attribute and no dictionary: nothing that CPython's function would
/// visit. A wrong no costs time only.
///
/// # Safety
/// A living object with a managed dictionary; [`values_of`] its class.
#[cfg(Py_3_14)]
#[inline(always)]
pub(crate) unsafe fn is_empty(object: *mut py::PyObject, values: isize) -> bool {
    // SAFETY: A living object with a managed dictionary; `values_of` its class: the caller ensures
    // it.
    values != 0 && unsafe { values::is_empty(object, values) }
}

/// CPython's `PyDictValues`, behind an object, and the pointer to its dictionary, before it.
#[cfg(Py_3_14)]
mod values {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, Ordering};

    use pyo3_ffi as py;

    use crate::owned::Owned;
    use crate::running;

    /// `Py_TPFLAGS_INLINE_VALUES`.
    const INLINE: std::ffi::c_ulong = 1 << 2;
    /// `MANAGED_DICT_OFFSET`, in words.
    const DICT: isize = if cfg!(Py_GIL_DISABLED) { -1 } else { -3 };
    /// Where `size` is, and from there on `valid`.
    const SIZE: isize = 1;
    const VALID: isize = 2;

    /// The same for all interpreters: a property of the CPython that is loaded.
    static KNOWN: AtomicBool = AtomicBool::new(false);

    #[inline]
    pub(super) fn are_known() -> bool {
        KNOWN.load(Ordering::Relaxed)
    }

    /// The place of the count in objects of a class, if it has any.
    ///
    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
    #[inline]
    pub(super) unsafe fn count_offset(class: *mut py::PyTypeObject) -> isize {
        // SAFETY: a living class.
        unsafe {
            if crate::ffi::has_flag(class, INLINE) && crate::ffi::has_flag(class, py::Py_TPFLAGS_MANAGED_DICT)
            {
                (*class).tp_basicsize + SIZE
            } else {
                0
            }
        }
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
    #[inline(always)]
    pub(super) unsafe fn is_empty(object: *mut py::PyObject, values: isize) -> bool {
        // SAFETY: such objects have both. Volatile: another thread may be setting an attribute, if
        // it is not a collector that traverses it.
        unsafe {
            ptr::read_volatile(object.byte_offset(values).cast::<u8>()) == 0
                && ptr::read_volatile(object.cast::<*mut py::PyObject>().offset(DICT)).is_null()
        }
    }

    /// Whether attributes still have their places there: false for good once they were cleared.
    /// (The count may stay as it was.)
    ///
    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
    #[inline(always)]
    pub(super) unsafe fn are_valid(object: *mut py::PyObject, values: isize) -> bool {
        // SAFETY: such objects have both. Volatile: another thread may be setting an attribute, if
        // it is not a collector that traverses it.
        unsafe { ptr::read_volatile(object.byte_offset(values + VALID).cast::<u8>()) == 1 }
    }

    /// Looks at objects with no attribute, with one, with many, with one that was taken away, with
    /// a dictionary, and after they were cleared.
    ///
    /// # Safety
    /// The calling thread is attached to the interpreter.
    pub(super) unsafe fn probe_dict_layout() {
        // SAFETY: attached; living objects.
        unsafe {
            let known =
                super::empty_class().is_some_and(|class| are_as_expected(class.as_ptr()) == Some(true));
            if !known {
                crate::errors::clear();
            }
            KNOWN.store(known, Ordering::Relaxed);
        }
    }

    /// # Safety
    /// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
    unsafe fn are_as_expected(class: *mut py::PyObject) -> Option<bool> {
        // SAFETY: attached; a class without fields of its own.
        unsafe {
            let place = count_offset(class.cast());
            let make = || Owned::from_new(running::PyObject_CallNoArgs(class));
            let set = |object: &Owned, number: i32| {
                let name = Owned::from_new(py::PyUnicode_FromFormat(c"a%d".as_ptr(), number))?;
                (running::PyObject_SetAttr(object.as_ptr(), name.as_ptr(), py::Py_None()) == 0).then_some(())
            };
            let empty = |object: &Owned| is_empty(object.as_ptr(), place);
            let (none, one, many, gone, dict) = (make()?, make()?, make()?, make()?, make()?);
            // Before an object has any attribute it has room for those that the others of its class
            // have.
            let at_first = [&none, &one, &many, &gone, &dict].into_iter().all(empty);
            set(&one, 0)?;
            for number in 0..100 {
                set(&many, number)?;
            }
            set(&gone, 0)?;
            let given = !empty(&gone);
            let name = Owned::from_new(py::PyUnicode_FromString(c"a0".as_ptr()))?;
            if running::PyObject_SetAttr(gone.as_ptr(), name.as_ptr(), ptr::null_mut()) != 0 {
                return None;
            }
            let held = Owned::from_new(running::PyObject_GetAttrString(
                dict.as_ptr(),
                c"__dict__".as_ptr(),
            ))?;
            let full = given && !empty(&one) && !empty(&many) && !empty(&dict);
            set(&gone, 1)?;
            drop(held);
            let valid = |object: &Owned| are_valid(object.as_ptr(), place);
            let at_last = valid(&none) && valid(&one) && !empty(&gone) && !empty(&dict);
            running::clear_attributes(one.as_ptr());
            Some(place != 0 && at_first && empty(&none) && full && at_last && !valid(&one))
        }
    }
}
