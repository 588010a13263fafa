//! Strings, bytes and paths.

use std::ffi::CStr;
use std::path::{Path, PathBuf};

use pairbond_core::error::Error;
use pairbond_core::memory::try_copy;
use pairbond_value::convert::Mismatch;
use pyo3_ffi as py;

use super::refused_conversion;
use crate::errors::{owned_or_error, take};
use crate::owned::Owned;
use crate::running;
use crate::wrapper::Spare;

/// The UTF-8 form of a `str`, which CPython keeps with the object.
#[inline]
pub(super) fn read_str<'a>(object: *mut py::PyObject) -> Result<&'a str, Mismatch> {
    // SAFETY: attached; a living object, which keeps the bytes for as long as the caller's source
    // is valid.
    unsafe {
        if py::PyUnicode_Check(object) == 0 {
            return Err(Mismatch::Type);
        }
        utf8_of(object).ok_or_else(not_utf8)
    }
}

/// As [`str()`], of an object that is one; `None` with an exception set.
///
/// # Safety
/// Attached; a `str` that lives as long as the result is used.
#[inline]
pub(crate) unsafe fn utf8_of<'a>(object: *mut py::PyObject) -> Option<&'a str> {
    // SAFETY: attached; a `str` that lives as long as the result is used: the caller ensures it. An
    // ASCII string lies behind its head, as in UTF-8; since 3.14 only CPython itself can find it in
    // the head.
    unsafe {
        #[cfg(not(Py_3_14))]
        if py::PyUnicode_IS_COMPACT_ASCII(object) != 0 {
            let start = object.cast::<py::PyASCIIObject>().add(1).cast::<u8>();
            let len = (*object.cast::<py::PyASCIIObject>()).length as usize;
            return Some(std::str::from_utf8_unchecked(std::slice::from_raw_parts(
                start, len,
            )));
        }
        let mut len: py::Py_ssize_t = 0;
        let start = py::PyUnicode_AsUTF8AndSize(object, &mut len);
        if start.is_null() {
            return None;
        }
        let bytes = std::slice::from_raw_parts(start.cast(), len as usize);
        Some(std::str::from_utf8_unchecked(bytes))
    }
}

#[cold]
fn not_utf8() -> Mismatch {
    // SAFETY: this thread is attached to the interpreter.
    if unsafe { py::PyErr_ExceptionMatches(py::PyExc_UnicodeEncodeError) } == 0 {
        return Mismatch::Raised(take());
    }
    crate::errors::clear();
    Mismatch::Value("the str holds a lone surrogate (half of a character), which UTF-8 cannot express".into())
}

/// The contents of a `bytes`. Not of a `bytearray` or `memoryview`: those may change or move while
/// they are borrowed.
#[inline]
pub(super) fn read_bytes<'a>(object: *mut py::PyObject) -> Result<&'a [u8], Mismatch> {
    // SAFETY: attached; a living object, which keeps the bytes as long as the source is valid.
    unsafe {
        if py::PyBytes_Check(object) == 0 {
            return Err(Mismatch::Type);
        }
        let start = py::PyBytes_AsString(object).cast::<u8>();
        Ok(std::slice::from_raw_parts(
            start,
            py::PyBytes_Size(object) as usize,
        ))
    }
}

/// A copy of what an object with a contiguous buffer of bytes (a `bytearray`, a `memoryview`) holds
/// now.
#[cold]
pub(super) fn read_buffer(object: *mut py::PyObject) -> Result<Vec<u8>, Mismatch> {
    // SAFETY: attached; a living object; the view is released before the function returns, and read
    // before that.
    unsafe {
        if py::PyObject_CheckBuffer(object) == 0 {
            return Err(Mismatch::Type);
        }
        let mut view = std::mem::MaybeUninit::<py::Py_buffer>::zeroed();
        if running::PyObject_GetBuffer(object, view.as_mut_ptr(), py::PyBUF_FORMAT | py::PyBUF_ND) != 0 {
            // Not contiguous, or released.
            return Err(Mismatch::Raised(take()));
        }
        let mut view = view.assume_init();
        let is_bytes = view.itemsize == 1
            && (view.format.is_null()
                || matches!(
                    std::ffi::CStr::from_ptr(view.format).to_bytes(),
                    b"B" | b"b" | b"c"
                ));
        let copied = if !is_bytes {
            Err(Mismatch::Type)
        } else if view.len == 0 {
            Ok(Vec::new())
        } else {
            let bytes = std::slice::from_raw_parts(view.buf.cast::<u8>(), view.len as usize);
            try_copy(bytes).map_err(|error| Mismatch::Raised(error.into()))
        };
        py::PyBuffer_Release(&mut view);
        copied
    }
}

/// Returns the result of `os.fspath` for the object, in the file system's encoding.
pub(super) fn read_path(object: *mut py::PyObject) -> Result<PathBuf, Mismatch> {
    // SAFETY: attached; a living object.
    unsafe {
        let Some(path) = Owned::from_new(running::PyOS_FSPath(object)) else {
            let class = py::Py_TYPE(object).cast::<py::PyObject>();
            let current = crate::errors::fetch_exception();
            let has_protocol = running::PyObject_HasAttrString(class, c"__fspath__".as_ptr()) != 0;
            if let Some(current) = current {
                crate::errors::restore_exception(current);
            }
            return Err(refused_conversion(has_protocol));
        };
        if !path.is_text() {
            return Ok(from_bytes(read_bytes(path.as_ptr())?));
        }
        from_str(&path)
    }
}

#[cfg(unix)]
fn from_str(path: &Owned) -> Result<PathBuf, Mismatch> {
    // SAFETY: attached; a str.
    let encoded = unsafe { owned_or_error(py::PyUnicode_EncodeFSDefault(path.as_ptr())) }?;
    Ok(from_bytes(read_bytes(encoded.as_ptr())?))
}

#[cfg(not(unix))]
fn from_str(path: &Owned) -> Result<PathBuf, Mismatch> {
    read_str(path.as_ptr()).map(PathBuf::from)
}

#[cfg(unix)]
fn from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// A string that CPython keeps: one object for each text.
pub(crate) fn intern_text(text: &CStr) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    unsafe { owned_or_error(py::PyUnicode_InternFromString(text.as_ptr())) }
}

#[inline]
pub(crate) fn from_text(text: &str) -> Result<Owned, Error> {
    Owned::from_text(text).ok_or_else(take)
}

/// A string that may have been given before.
#[inline]
pub(super) fn from_shared_text(text: &str) -> Result<Owned, Error> {
    let Some(known) = crate::interp::api::spare_wrappers().and_then(Spare::texts) else {
        return from_text(text);
    };
    // SAFETY: attached to the interpreter.
    if let Some(known) = unsafe { known.find(text) } {
        return Ok(known);
    }
    let made = from_text(text)?;
    // SAFETY: attached to the interpreter.
    unsafe { known.keep(text, &made) };
    Ok(made)
}

#[inline]
pub(super) fn from_slice(bytes: &[u8]) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    unsafe {
        owned_or_error(py::PyBytes_FromStringAndSize(
            bytes.as_ptr().cast(),
            bytes.len() as py::Py_ssize_t,
        ))
    }
}

/// A path as a `str`, with `surrogateescape` for bytes that are not text, as everywhere in Python's
/// `os`.
pub(super) fn from_path(path: &Path) -> Result<Owned, Error> {
    Owned::from_path(path).ok_or_else(take)
}
