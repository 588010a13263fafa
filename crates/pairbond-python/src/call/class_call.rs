//! Calling a class of wrappers: what all such classes have in common.

use pairbond_core::error::Error;
use pairbond_core::object::Object;
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use super::bind::to_objects;
use crate::errors::owned_or_error;
use crate::errors::{finish_call, raise};
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

/// Raises CPython's error for a class with abstract methods.
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
/// Attached; a wrapper.
pub(crate) unsafe fn fits_type(object: *mut py::PyObject, info: &'static TypeInfo) -> Result<(), Error> {
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
