//! Making objects from Python.
//!
//! `Package(…)` on the class itself is one step, `vectorcall`: the wrapper is not shared before the
//! value is there, so that a constructor that fails leaves nothing behind. A subclass made in
//! Python takes CPython's way, `__new__` and then `__init__`, with any arguments; `__new__` gives a
//! wrapper without an object, which raises when it is used.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_core::object::Object;
use pairbond_core::types::{TypeFlags, TypeInfo};
use pairbond_value::class::{Class, Constructor, Signature};
use pyo3_ffi as py;

use crate::call::{check_wrapper, from_objects, generic_call, is_as_built, new, with_arguments};
use crate::errors::raise;
use crate::errors::{finish_call, finish_status};
use crate::wrapper;

/// `tp_new` of a class without one, and so of every subclass: its objects come from Rust only.
pub(super) unsafe extern "C" fn refuse_new<T: Class>(
    _: *mut py::PyTypeObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    refuse(T::KEY);
    std::ptr::null_mut()
}

#[cold]
fn refuse(class: &str) {
    raise(Error::type_error(format!(
        "cannot create '{class}' instances from Python"
    )));
}

/// `tp_init` of a class without a constructor: it must not be the base's, which would make another
/// object.
pub(super) unsafe extern "C" fn refuse_init(
    object: *mut py::PyObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> c_int {
    // SAFETY: a living object.
    refuse(&unsafe { crate::ffi::type_name(py::Py_TYPE(object)) });
    -1
}

/// `tp_init`
pub(super) unsafe extern "C" fn construct_init<C: Constructor>(
    object: *mut py::PyObject,
    arguments: *mut py::PyObject,
    keywords: *mut py::PyObject,
) -> c_int {
    // SAFETY: alive during the call; a tuple, and a dict or null; `check_wrapper` has looked at the
    // class.
    finish_status(|| unsafe {
        check_wrapper::<C::Object>(object)?;
        let value = from_objects(arguments, keywords, |arguments, count, names| {
            with_arguments!(C, std::ptr::null_mut(), arguments, count, names, |args| {
                C::construct(args)
            })
        })?;
        wrapper::tie(object, value)?;
        Ok(0)
    })
}

/// `tp_vectorcall`: the class itself is called.
pub(super) unsafe extern "C" fn construct_vectorcall<C: Constructor>(
    class: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    let class = class.cast::<py::PyTypeObject>();
    // SAFETY: a living type; the arguments of one call.
    unsafe {
        let count = py::PyVectorcall_NARGS(count) as usize;
        if !is_as_built(
            class,
            construct_init::<C> as *const () as usize,
            new as *const () as usize,
        ) {
            return generic_call(class, arguments, count, keywords);
        }
        // The value goes from the constructor's hands into the object: everything is inlined, once
        // for each form of arguments.
        finish_call(|| {
            with_arguments!(C, std::ptr::null_mut(), arguments, count, keywords, |args| {
                wrapper::make_pair(class, || C::construct(args))
            })
        })
    }
}

/// How classes that are defined in Python and extend a Rust type make the value of that. Kept with
/// the type, for the process.
#[repr(C)]
pub(crate) struct BaseConstructor {
    pub(crate) signature: &'static Signature,
    /// Writes a value of the type, or says why not. The arguments are those of a vectorcall.
    pub(crate) write: unsafe extern "C" fn(
        *mut u8,
        *const *mut py::PyObject,
        usize,
        *mut py::PyObject,
        *mut Option<Error>,
    ) -> bool,
}

impl BaseConstructor {
    /// Keeps the constructor of a type with it.
    pub(super) fn register<C: Constructor>() {
        let mine: &'static Self = Box::leak(Box::new(BaseConstructor {
            signature: const { &C::SIGNATURE },
            write: write_value::<C>,
        }));
        C::Object::info().keep_frontend_data(std::ptr::NonNull::from(mine).cast());
    }

    /// The constructor of a Rust type, if it has one and a class in this process.
    pub(crate) fn of(info: &TypeInfo) -> Option<&'static Self> {
        // With an enum its variants are kept, which cannot be constructed.
        let constructed = !info.is_dynamic() && !info.flags().contains(TypeFlags::CONSTANT);
        let kept = constructed.then(|| info.frontend_data()).flatten()?;
        // SAFETY: the pointer kept with any other Rust type is its constructor, by the function
        // above; it lives for the process.
        Some(unsafe { kept.cast::<Self>().as_ref() })
    }
}

unsafe extern "C" fn write_value<C: Constructor>(
    place: *mut u8,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
    error: *mut Option<Error>,
) -> bool {
    let value = crate::errors::catch_panic(|| {
        // SAFETY: attached; the arguments of one call; places for a value and an error.
        unsafe {
            with_arguments!(C, std::ptr::null_mut(), arguments, count, names, |args| {
                C::construct(args)
            })
        }
    });
    match value {
        Ok(value) => {
            // SAFETY: attached; the arguments of one call; places for a value and an error.
            unsafe { place.cast::<C::Object>().write(value) };
            true
        }
        Err(other) => {
            // SAFETY: attached; the arguments of one call; places for a value and an error.
            unsafe { *error = Some(other) };
            false
        }
    }
}
