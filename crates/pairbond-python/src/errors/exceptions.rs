//! Exception classes that Rust defines: one in each interpreter, made when a module lists it or the
//! first error of it is raised.
//!
//! They are kept in the interpreter's own dict, by key, so that all extension modules see the same
//! class.

use std::ffi::CString;

use pairbond_core::error::exception::{ExceptionBase, ExceptionInfo, define_exception};
use pairbond_core::error::{Error, ErrorKind};
use pyo3_ffi as py;

use super::take::{owned_or_error, take};
use crate::ffi::PyDict_SetDefault;
use crate::owned::Owned;
use crate::running;

/// The class of a definition.
///
/// # Errors
/// Its base cannot be imported, or is no exception class; no memory.
pub(crate) fn exception_class(info: &'static ExceptionInfo) -> Result<Owned, Error> {
    define_exception(info);
    let all = all_classes()?;
    if let Some(class) = find_class(&all, info.key)? {
        return Ok(class);
    }
    let base = match info.base {
        ExceptionBase::Defined(base) => exception_class(base)?,
        ExceptionBase::Named(name) => class_named(name)?,
    };
    let text = |text: &str| {
        CString::new(text)
            .map_err(|_| Error::value_error(format!("{}: its documentation has a null character", info.key)))
    };
    let (key, doc) = (text(info.key)?, text(info.doc)?);
    let doc_text = if info.doc.is_empty() {
        std::ptr::null()
    } else {
        doc.as_ptr()
    };
    // SAFETY: attached; living objects and texts; a new reference or null.
    unsafe {
        let class = owned_or_error(py::PyErr_NewExceptionWithDoc(
            key.as_ptr(),
            doc_text,
            base.as_ptr(),
            std::ptr::null_mut(),
        ))?;
        let name = new_text(info.key)?;
        // Another thread may have been faster: the first one stays.
        match PyDict_SetDefault(all.as_ptr(), name.as_ptr(), class.as_ptr()) {
            kept if kept.is_null() => Err(take()),
            kept => Ok(Owned::from_borrowed(kept)),
        }
    }
}

/// The class with a key, if one was made here.
///
/// # Errors
/// No memory.
pub(super) fn made_class(key: &str) -> Result<Option<Owned>, Error> {
    find_class(&all_classes()?, key)
}

/// Where the interpreter's dict has that of all classes.
const ALL: &str = "pairbond.exceptions";

/// The dict of all classes in this interpreter.
fn all_classes() -> Result<Owned, Error> {
    // SAFETY: attached; borrowed from the interpreter, or null where there is no memory.
    let state = unsafe { py::PyInterpreterState_GetDict(crate::ffi::current_interpreter()) };
    if state.is_null() {
        return Err(Error::new(ErrorKind::Memory, "out of memory"));
    }
    // SAFETY: attached; borrowed from the interpreter, or null where there is no memory.
    let state = unsafe { Owned::from_borrowed(state) };
    if let Some(all) = find_class(&state, ALL)? {
        return Ok(all);
    }
    let name = new_text(ALL)?;
    let made = Owned::empty_dict()?;
    // SAFETY: attached; borrowed from the interpreter, or null where there is no memory.
    unsafe {
        match PyDict_SetDefault(state.as_ptr(), name.as_ptr(), made.as_ptr()) {
            kept if kept.is_null() => Err(take()),
            kept => Ok(Owned::from_borrowed(kept)),
        }
    }
}

fn find_class(all: &Owned, key: &str) -> Result<Option<Owned>, Error> {
    let key = new_text(key)?;
    // SAFETY: attached; living objects; a borrowed reference, or null with or without an exception.
    let found = unsafe { py::PyDict_GetItemWithError(all.as_ptr(), key.as_ptr()) };
    match found.is_null() {
        // SAFETY: attached; borrowed from the living dict.
        false => Ok(Some(unsafe { Owned::from_borrowed(found) })),
        true if !super::is_set() => Ok(None),
        true => Err(take()),
    }
}

/// A class of the language, or of a module, which is imported.
fn class_named(name: &'static str) -> Result<Owned, Error> {
    let (module, attribute) = name.rsplit_once('.').unwrap_or(("builtins", name));
    let (module, attribute) = (new_text(module)?, new_text(attribute)?);
    // SAFETY: attached; living objects; new references or null.
    let class = unsafe {
        let module = owned_or_error(running::PyImport_Import(module.as_ptr()))?;
        owned_or_error(running::PyObject_GetAttr(module.as_ptr(), attribute.as_ptr()))?
    };
    // SAFETY: attached; a living object.
    if unsafe { py::PyExceptionClass_Check(class.as_ptr()) } == 0 {
        let message = format!("{name} is not an exception class: no other can extend it");
        return Err(Error::type_error(message));
    }
    Ok(class)
}

fn new_text(text: &str) -> Result<Owned, Error> {
    Owned::from_text(text).ok_or_else(take)
}
