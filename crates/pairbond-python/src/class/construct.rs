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

use crate::call::{finish_call, finish_status, from_objects, to_objects, with_arguments};
use crate::convert::owned_or_error;
use crate::errors::raise;
use crate::interp::Interp;
use crate::wrapper;

/// `tp_new` of a class with a constructor. The arguments are `__init__`'s business.
pub(crate) unsafe extern "C" fn new(
    class: *mut py::PyTypeObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: CPython calls it with the class or one that extends it. Attributes can be set before
    // there is an object that would decide whether the collector must know the wrapper.
    unsafe {
        if let Err(error) = refuse_abstract(class) {
            raise(error);
            return std::ptr::null_mut();
        }
        let made = wrapper::allocate(class);
        if !made.is_null() {
            wrapper::track_wrapper(made);
        }
        made
    }
}

/// What CPython says about a class with abstract methods.
///
/// # Safety
/// Attached; a living class.
pub(crate) unsafe fn refuse_abstract(class: *mut py::PyTypeObject) -> Result<(), Error> {
    // SAFETY: attached; a living class: the caller ensures it.
    unsafe {
        if crate::ffi::has_flag(class, py::Py_TPFLAGS_IS_ABSTRACT)
            && let Some(new) = py::PyBaseObject_Type.tp_new
        {
            let none = owned_or_error(py::PyTuple_New(0))?;
            return owned_or_error(new(class, none.as_ptr(), std::ptr::null_mut())).map(drop);
        }
    }
    Ok(())
}

/// `tp_new` of a class without one, and so of every subclass: its objects come from Rust only.
pub(super) unsafe extern "C" fn refuse_new<T: Class>(
    _: *mut py::PyTypeObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    raise(Error::type_error(format!(
        "cannot create '{}' instances from Python",
        T::KEY
    )));
    std::ptr::null_mut()
}

/// `tp_init` of a class without a constructor: it must not be the base's, which would make another
/// object.
pub(super) unsafe extern "C" fn refuse_init(
    object: *mut py::PyObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> c_int {
    // SAFETY: a living object.
    let name = unsafe { crate::ffi::type_name(py::Py_TYPE(object)) };
    raise(Error::type_error(format!(
        "cannot create '{name}' instances from Python"
    )));
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

/// Whether a wrapper is to be given a `T`: `Base.__init__(derived)` must not make it a plain
/// `Base`. The first class made by a library, from the wrapper's own class upwards, decides.
///
/// # Safety
/// Attached; a wrapper.
pub(crate) unsafe fn check_wrapper<T: Object>(object: *mut py::PyObject) -> Result<(), Error> {
    // SAFETY: attached; a wrapper: the caller ensures it.
    unsafe { fits_type(object, T::info()) }
}

/// As [`check_wrapper`], of a registered type.
///
/// # Safety
/// As there.
pub(super) unsafe fn fits_type(object: *mut py::PyObject, info: &'static TypeInfo) -> Result<(), Error> {
    let wanted = Interp::current()?.class_of(info);
    // SAFETY: attached; living types.
    unsafe {
        let address = |class: *mut py::PyTypeObject| (*class).tp_dealloc.map(|f| f as usize);
        let mut class = py::Py_TYPE(object);
        while class != wanted && !class.is_null() && address(class) != address(wanted) {
            class = (*class).tp_base;
        }
        if class == wanted {
            return Ok(());
        }
        let (ours, theirs) = (info.key(), crate::ffi::type_name(py::Py_TYPE(object)));
        Err(Error::type_error(format!(
            "{ours}.__init__() makes {ours} objects, it cannot make a {theirs}"
        )))
    }
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

/// Whether a class still has the `tp_init` and `tp_new` that it got, by their addresses: then a
/// call of it needs no detour.
///
/// # Safety
/// A living class.
#[inline(always)]
pub(crate) unsafe fn is_as_built(class: *mut py::PyTypeObject, init: usize, new: usize) -> bool {
    // SAFETY: A living class: the caller ensures it.
    unsafe {
        (*class).tp_init.map(|f| f as usize) == Some(init) && (*class).tp_new.map(|f| f as usize) == Some(new)
    }
}

/// Somebody has given the class a `__new__` or `__init__` since: what `type.__call__` does without
/// our shortcut.
///
/// # Safety
/// Attached; a living class that has a constructor; the arguments of one call.
#[cold]
pub(crate) unsafe fn generic_call(
    class: *mut py::PyTypeObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: attached; the arguments of one call.
    finish_call(|| unsafe {
        let (tuple, dict) = to_objects(arguments, count, keywords)?;
        let call = py::PyType_Type.tp_call.expect("types can be called");
        owned_or_error(call(class.cast(), tuple.as_ptr(), dict.as_ptr()))
    })
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
    pub(super) fn keep<C: Constructor>() {
        let mine: &'static Self = Box::leak(Box::new(BaseConstructor {
            signature: const { &C::SIGNATURE },
            write: write_value::<C>,
        }));
        C::Object::info().keep(std::ptr::NonNull::from(mine).cast());
    }

    /// The constructor of a Rust type, if it has one and a class in this process.
    pub(crate) fn of(info: &TypeInfo) -> Option<&'static Self> {
        // With an enum its variants are kept, which cannot be constructed.
        let constructed = info.table().is_none() && !info.flags().has(TypeFlags::CONSTANT);
        let kept = constructed.then(|| info.kept()).flatten()?;
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
    // SAFETY: attached; the arguments of one call; places for a value and an error.
    unsafe {
        let value = crate::errors::catch(|| {
            with_arguments!(C, std::ptr::null_mut(), arguments, count, names, |args| {
                C::construct(args)
            })
        });
        match value {
            Ok(value) => {
                place.cast::<C::Object>().write(value);
                true
            }
            Err(other) => {
                *error = Some(other);
                false
            }
        }
    }
}
