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
/// cannot be imported.
///
/// # Errors
/// `ImportError` that begins with `module`: the binaries do not fit
/// ([`Unfit`]).
///
/// # Safety
/// Attached.
pub(super) unsafe fn join(module: &str) -> Result<bool, Error> {
    // SAFETY: attached; the capsule's pointer is a table that lives for the process, and begins
    // with a head, whatever its version.
    unsafe {
        let Some(package) = Owned::from_new(running::PyImport_ImportModule(c"pairbond._pairbond".as_ptr()))
        else {
            missing_package(module);
            return Ok(false);
        };
        let name: *const c_char = c"_api".as_ptr();
        let Some(capsule) = Owned::from_new(running::PyObject_GetAttrString(package.as_ptr(), name)) else {
            return Ok(false);
        };
        let table = py::PyCapsule_GetPointer(capsule.as_ptr(), CAPSULE.as_ptr()).cast::<Api>();
        if table.is_null() {
            return Ok(false);
        }
        let unfit = |why: AdoptError| Error::new(ErrorKind::Import, format!("{module} {why}"));
        let head = &*table.cast::<Head>();
        head.check_table::<Api>()
            .map_err(|why| unfit(AdoptError::Unfit(why)))?;
        let table = &*table;
        if table.shape != SHAPE {
            return Err(unfit(AdoptError::Unfit(Unfit::Shape {
                built: VERSION,
                process: head.version.get(),
            })));
        }
        adopt_runtime(table.runtime).map_err(unfit)?;
        install_api(table);
        Ok(true)
    }
}

/// An import failed. A missing package becomes a message with the command that installs it; every
/// other exception stays.
///
/// # Safety
/// Attached; an exception is set.
unsafe fn missing_package(module: &str) {
    // SAFETY: attached; built-in classes, and objects that are alive.
    unsafe {
        if py::PyErr_ExceptionMatches(py::PyExc_ModuleNotFoundError) == 0 {
            return;
        }
        let Some(cause) = crate::errors::fetch_exception() else {
            return;
        };
        let name = Owned::from_new(running::PyObject_GetAttrString(cause.as_ptr(), c"name".as_ptr()));
        let name = name.filter(|name| py::PyUnicode_Check(name.as_ptr()) != 0);
        let is = |wanted: &std::ffi::CStr| {
            name.as_ref()
                .is_some_and(|name| py::PyUnicode_CompareWithASCIIString(name.as_ptr(), wanted.as_ptr()) == 0)
        };
        if !is(c"pairbond") && !is(c"pairbond._pairbond") {
            py::PyErr_Clear();
            return crate::errors::restore_exception(cause);
        }
        let version = pairbond_core::abi::pep440_version(pairbond_core::abi::VERSION);
        let text =
            format!("{module} needs pairbond, which is not installed: pip install 'pairbond>={version}'");
        let (Ok(text), Some(name)) = (crate::convert::from_text(&text), &name) else {
            return crate::errors::restore_exception(cause);
        };
        let none = std::ptr::null_mut();
        py::PyErr_SetImportErrorSubclass(py::PyExc_ModuleNotFoundError, text.as_ptr(), name.as_ptr(), none);
        if let Some(raised) = crate::errors::fetch_exception() {
            py::PyException_SetCause(raised.as_ptr(), cause.into_ptr());
            crate::errors::restore_exception(raised);
        }
    }
}
