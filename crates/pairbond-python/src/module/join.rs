//! Joining the process's pairbond.

use std::ffi::c_char;

use pairbond_core::abi::{Head, Unfit, VERSION};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::runtime::{AdoptError, adopt_runtime};
use pyo3_ffi as py;

use crate::interp::SHAPE;
use crate::interp::api::{Api, CAPSULE, install_api};
use crate::owned::Owned;
use crate::running;

/// Joins the process's pairbond: imports `pairbond._pairbond` into the current interpreter, and
/// makes this binary use its table and runtime. Returns `false` with an exception set when that
/// cannot be imported. The thread is attached.
///
/// # Errors
/// `ImportError` that begins with `module`: the binaries do not fit
/// ([`Unfit`]).
pub(super) fn join(module: &str) -> Result<bool, Error> {
    // SAFETY: attached; a new reference or null.
    let package = unsafe { Owned::from_new(running::PyImport_ImportModule(c"pairbond._pairbond".as_ptr())) };
    let Some(package) = package else {
        missing_package(module);
        return Ok(false);
    };
    // SAFETY: attached, with living objects; a new reference or null. The capsule of that name has
    // a table that lives for the process, and begins with a head, whatever its version.
    let (table, head) = unsafe {
        let name: *const c_char = c"_api".as_ptr();
        let Some(capsule) = Owned::from_new(running::PyObject_GetAttrString(package.as_ptr(), name)) else {
            return Ok(false);
        };
        let table = py::PyCapsule_GetPointer(capsule.as_ptr(), CAPSULE.as_ptr()).cast::<Api>();
        let Some(head) = table.cast::<Head>().as_ref() else {
            return Ok(false);
        };
        (table, head)
    };
    let unfit = |why: AdoptError| Error::new(ErrorKind::Import, format!("{module} {why}"));
    head.check_table::<Api>()
        .map_err(|why| unfit(AdoptError::Unfit(why)))?;
    // SAFETY: a table of this version, which lives for the process.
    let table = unsafe { &*table };
    if table.shape != SHAPE {
        return Err(unfit(AdoptError::Unfit(Unfit::Shape {
            built: VERSION,
            process: head.version.get(),
        })));
    }
    // SAFETY: its runtime lives for the process, too.
    unsafe { adopt_runtime(table.runtime) }.map_err(unfit)?;
    install_api(table);
    Ok(true)
}

/// An import failed. A missing package becomes a message with the command that installs it; every
/// other exception stays. The thread is attached, and an exception is set.
fn missing_package(module: &str) {
    // SAFETY: attached, with an exception set; a built-in class.
    if unsafe { py::PyErr_ExceptionMatches(py::PyExc_ModuleNotFoundError) } == 0 {
        return;
    }
    let Some(cause) = crate::errors::fetch_exception() else {
        return;
    };
    // SAFETY: attached, with a living object; a new reference or null.
    let name = unsafe { Owned::from_new(running::PyObject_GetAttrString(cause.as_ptr(), c"name".as_ptr())) };
    let name = name.filter(Owned::is_text);
    let is = |wanted: &std::ffi::CStr| {
        name.as_ref().is_some_and(|name| {
            // SAFETY: attached, with a living string.
            unsafe { py::PyUnicode_CompareWithASCIIString(name.as_ptr(), wanted.as_ptr()) == 0 }
        })
    };
    if !is(c"pairbond") && !is(c"pairbond._pairbond") {
        crate::errors::clear();
        return crate::errors::restore_exception(cause);
    }
    let version = pairbond_core::abi::pep440_version(pairbond_core::abi::VERSION);
    let text = format!("{module} needs pairbond, which is not installed: pip install 'pairbond>={version}'");
    let (Ok(text), Some(name)) = (crate::convert::from_text(&text), &name) else {
        return crate::errors::restore_exception(cause);
    };
    // SAFETY: attached, with living objects and a built-in class.
    unsafe {
        let none = std::ptr::null_mut();
        py::PyErr_SetImportErrorSubclass(py::PyExc_ModuleNotFoundError, text.as_ptr(), name.as_ptr(), none);
    }
    if let Some(raised) = crate::errors::fetch_exception() {
        // SAFETY: attached; an exception, and a counted reference to its cause that is given away.
        unsafe { py::PyException_SetCause(raised.as_ptr(), cause.into_ptr()) };
        crate::errors::restore_exception(raised);
    }
}
