//! Helpers of all container classes: bodies, results, `repr`.

use std::ffi::c_int;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::try_push_str;
use pairbond_core::object::{ErasedBorrow, Object};
use pairbond_value::convert::Source;
use pyo3_ffi as py;

pub(crate) use super::define::{Methods, method_noargs, with_keywords};
pub(crate) use super::define::{method_fast, method_generic, method_one};
use crate::convert::PySource;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

pub(crate) type Object_ = *mut py::PyObject;

/// The native object of a container's wrapper. `__class__` can be assigned, so CPython's check of
/// the receiver's class is not enough.
///
/// # Safety
/// Attached; a wrapper; the caller keeps it for `'a`.
#[inline]
pub(crate) unsafe fn body_of<'a, T: Object>(object: Object_) -> Result<&'a T, Error> {
    // SAFETY: attached; a wrapper; the caller keeps it for `'a`: the caller ensures it. CPython
    // calls the functions of our classes with wrappers only.
    let native = unsafe { std::ptr::NonNull::new((*object.cast::<wrapper::Wrapper>()).native) };
    // SAFETY: the caller keeps the wrapper, and that its native object.
    match native.and_then(|native| unsafe { ErasedBorrow::<'a>::from_header(native) }.downcast::<T>()) {
        Some(body) => Ok(body.get()),
        // SAFETY: the caller keeps the wrapper, and that its native object.
        None => Err(unsafe { no_body::<T>(object) }),
    }
}

/// As [`body_of`], of any object; `None` when it is something else.
///
/// # Safety
/// Attached; the caller keeps the object for `'a`.
#[inline]
pub(crate) unsafe fn as_body<'a, T: Object>(object: Object_) -> Option<&'a T> {
    // SAFETY: attached; the caller keeps the object for `'a`: the caller ensures it.
    let native = unsafe { wrapper::borrow::<'a>(object) }?;
    native.downcast::<T>().map(pairbond_core::object::Borrow::get)
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
#[cold]
unsafe fn no_body<T: Object>(object: Object_) -> Error {
    // SAFETY: attached; a living object.
    match unsafe { PySource::new(object).read_object() } {
        Err(pairbond_value::convert::Mismatch::Raised(error)) => error,
        _ => Error::type_error(format!(
            "expected a {}, got {}",
            T::KEY,
            crate::convert::short_description(object)
        )),
    }
}

/// `KeyError(key)`
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `key` alive.
pub(crate) unsafe fn key_error(key: Object_) -> Error {
    // SAFETY: attached; a living object. An instance, because a tuple would be taken for the
    // arguments of the class.
    unsafe {
        if let Some(error) = Owned::from_new(running::PyObject_CallOneArg(py::PyExc_KeyError, key)) {
            py::PyErr_SetObject(py::PyExc_KeyError, error.as_ptr());
        }
    }
    take()
}

/// A new wrapper, of a value that was made for it.
pub(crate) fn wrap_new<T: Object + Send + Sync>(value: T) -> Result<Owned, Error> {
    let class = Interp::current()?.class_of(T::info());
    // SAFETY: attached; these types have classes of their own.
    unsafe { wrapper::make_pair(class, || Ok(value)) }
}

pub(crate) fn not_implemented() -> Owned {
    // SAFETY: attached; a constant.
    unsafe { Owned::from_borrowed(py::Py_NotImplemented()) }
}

pub(crate) fn new_int(value: usize) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    unsafe { owned_or_error(py::PyLong_FromSize_t(value)) }
}

/// Whether two objects are equal, as containers see it: the same object is.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `a` and `b` alive.
pub(crate) unsafe fn objects_equal(a: Object_, b: Object_) -> Result<bool, Error> {
    // SAFETY: attached; living objects.
    match unsafe { running::PyObject_RichCompareBool(a, b, py::Py_EQ) } {
        -1 => Err(take()),
        answer => Ok(answer == 1),
    }
}

/// Checks the number of positional arguments, in CPython's words.
pub(crate) fn check_arity(name: &str, count: py::Py_ssize_t, least: isize, most: isize) -> Result<(), Error> {
    if count >= least && count <= most {
        return Ok(());
    }
    let (word, bound) = if count < least {
        ("at least", least)
    } else {
        ("at most", most)
    };
    Err(Error::new(
        ErrorKind::Type,
        format!(
            "{name} expected {word} {bound} argument{}, got {count}",
            if bound == 1 { "" } else { "s" }
        ),
    ))
}

/// `Name(…)`: what a container's `repr` is around that of its content; in a cycle, `Name(...)`.
pub(crate) fn repr_around(
    object: &Owned,
    content: impl FnOnce() -> Result<String, Error>,
) -> Result<Owned, Error> {
    let name = object.class_name();
    // SAFETY: attached, with a living object.
    match unsafe { py::Py_ReprEnter(object.as_ptr()) } {
        0 => {}
        -1 => return Err(take()),
        _ => return crate::convert::from_text(&format!("{name}(...)")),
    }
    let content = pairbond_value::value::with_recursion_guard(content);
    // SAFETY: attached, with a living object, which was entered.
    unsafe { py::Py_ReprLeave(object.as_ptr()) };
    let content = content?;
    let mut text = String::new();
    for part in [&*name, "(", &content, ")"] {
        try_push_str(&mut text, part)?;
    }
    crate::convert::from_text(&text)
}

/// `repr` of an object, as text. Lone surrogates are escaped, as `repr` itself does it for what
/// cannot be printed.
pub(crate) fn repr_text(object: &Owned) -> Result<String, Error> {
    // SAFETY: attached, with a living object; the bytes are read while they are alive.
    let (_bytes, slice) = unsafe {
        let text = owned_or_error(running::PyObject_Repr(object.as_ptr()))?;
        let bytes = owned_or_error(py::PyUnicode_AsEncodedString(
            text.as_ptr(),
            c"utf-8".as_ptr(),
            c"backslashreplace".as_ptr(),
        ))?;
        let start = py::PyBytes_AsString(bytes.as_ptr()).cast::<u8>();
        let slice = std::slice::from_raw_parts(start, py::PyBytes_Size(bytes.as_ptr()) as usize);
        (bytes, slice)
    };
    let mut text = String::new();
    for chunk in slice.utf8_chunks() {
        try_push_str(&mut text, chunk.valid())?;
    }
    Ok(text)
}

/// The arguments of a constructor that takes at most one, by position only.
///
/// # Safety
/// Attached; a tuple, and a dict or null.
pub(crate) unsafe fn only_argument(
    name: &str,
    arguments: Object_,
    keywords: Object_,
) -> Result<Option<Object_>, Error> {
    // SAFETY: attached; a tuple, and a dict or null: the caller ensures it.
    unsafe {
        if !keywords.is_null() && py::PyDict_Size(keywords) != 0 {
            return Err(Error::type_error(format!("{name}() takes no keyword arguments")));
        }
        let count = py::PyTuple_GET_SIZE(arguments);
        check_arity(name, count, 0, 1)?;
        Ok((count == 1).then(|| py::PyTuple_GET_ITEM(arguments, 0)))
    }
}

/// `tp_init` of a container that can change: a second call replaces the content, as `list.__init__`
/// does.
///
/// # Safety
/// Attached; a wrapper.
pub(crate) unsafe fn initialise_body<T: Object>(
    object: Object_,
    value: T,
    replace: impl FnOnce(&T, T),
) -> Result<c_int, Error> {
    // SAFETY: attached; a wrapper: the caller ensures it.
    match unsafe { as_body::<T>(object) } {
        Some(body) => replace(body, value),
        None => {
            // SAFETY: attached; a wrapper: the caller ensures it.
            unsafe {
                crate::call::check_wrapper::<T>(object)?;
                wrapper::tie(object, value)?;
            }
        }
    }
    Ok(0)
}
