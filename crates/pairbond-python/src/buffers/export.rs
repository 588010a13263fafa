//! `bf_getbuffer` and `bf_releasebuffer`.
//!
//! A buffer owns the native block, not only (as the protocol has it) the wrapper: a wrapper may
//! give its object away by `move`, and the memory is to stay.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_core::object::Ref;
use pairbond_value::value::{ArrayBody, Axes, BlockBody};
use pyo3_ffi as py;

use super::{buffer_error, format};
use crate::errors::finish_status;
use crate::heap_types::support::as_body;
use crate::owned::Owned;

/// The target of `Py_buffer.internal`.
struct Export {
    shape: Axes<isize>,
    strides: Axes<isize>,
    _block: Ref<BlockBody>,
}

#[cfg(feature = "arrays")]
pub(crate) unsafe extern "C" fn buffer_get(
    this: *mut py::PyObject,
    view: *mut py::Py_buffer,
    flags: c_int,
) -> c_int {
    // SAFETY: called by CPython with a wrapper, and a place (or null).
    unsafe { lend_from(this, view, flags, || Ok(Owned::from_borrowed(this))) }
}

/// `bf_getbuffer` of an object that lends the memory of an array.
///
/// # Safety
/// Attached; a living object whose class [releases](release) as this file does, and a place (or
/// null, which has been an error since 3.0).
pub(crate) unsafe fn lend_from(
    lender: *mut py::PyObject,
    view: *mut py::Py_buffer,
    flags: c_int,
    array: impl FnOnce() -> Result<Owned, Error>,
) -> c_int {
    if view.is_null() {
        return finish_status(|| Err(buffer_error("a view is needed")));
    }
    // SAFETY: attached; a living object whose class [releases](release) as this file does, and a
    // place (or null, which has been an error since 3.0): the caller ensures it.
    unsafe { (*view).obj = std::ptr::null_mut() };
    finish_status(|| {
        let array = array()?;
        // SAFETY: attached; a living object, and the wrapper and the place of the caller.
        unsafe {
            let body = as_body::<ArrayBody>(array.as_ptr())
                .ok_or_else(|| Error::type_error("__buffer__ must return a pairbond.Array"))?;
            fill_view(lender, body, view, flags).map(|()| 0)
        }
    })
}

/// # Safety
/// The calling thread is attached, `lender` is a living wrapper of `array`, and `view` is the
/// caller's place.
unsafe fn fill_view(
    lender: *mut py::PyObject,
    array: &ArrayBody,
    view: *mut py::Py_buffer,
    flags: c_int,
) -> Result<(), Error> {
    let asks = |flag: c_int| flags & flag == flag;
    array
        .check_readable()
        .map_err(|error| buffer_error(error.to_string()))?;
    let name = format::format_of(array.dtype())?;
    if asks(py::PyBUF_WRITABLE) && array.is_readonly() {
        return Err(buffer_error("the array is read-only"));
    }
    let (c, f) = (array.is_c_contiguous(), array.is_f_contiguous());
    let fits = if asks(py::PyBUF_C_CONTIGUOUS) || !asks(py::PyBUF_STRIDES) {
        c
    } else if asks(py::PyBUF_F_CONTIGUOUS) {
        f
    } else {
        !asks(py::PyBUF_ANY_CONTIGUOUS) || c || f
    };
    if !fits {
        return Err(buffer_error(
            "the elements do not lie one behind the other; copy() does",
        ));
    }
    if array.shape().len() > py::PyBUF_MAX_NDIM {
        return Err(buffer_error("buffers have 64 axes at most"));
    }
    let mut export = Box::new(Export {
        shape: array.shape().iter().map(|n| *n as isize).collect(),
        strides: array.strides().into(),
        _block: array.block().clone(),
    });
    let has_axes = asks(py::PyBUF_ND) && !array.shape().is_empty();
    // SAFETY: the calling thread is attached, `lender` is a living wrapper of `array`, and `view`
    // is the caller's place: the caller ensures it. What the view points at lives until it is
    // released.
    unsafe {
        py::Py_INCREF(lender);
        view.write(py::Py_buffer {
            buf: array.start_ptr().cast(),
            obj: lender,
            len: (array.element_count() * array.item_size()) as py::Py_ssize_t,
            itemsize: array.item_size() as py::Py_ssize_t,
            readonly: array.is_readonly().into(),
            ndim: if asks(py::PyBUF_ND) {
                array.shape().len() as c_int
            } else {
                1
            },
            format: if asks(py::PyBUF_FORMAT) {
                name.as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            },
            shape: if has_axes {
                export.shape.as_mut_ptr()
            } else {
                std::ptr::null_mut()
            },
            strides: if has_axes && asks(py::PyBUF_STRIDES) {
                export.strides.as_mut_ptr()
            } else {
                std::ptr::null_mut()
            },
            suboffsets: std::ptr::null_mut(),
            internal: Box::into_raw(export).cast(),
        });
    }
    Ok(())
}

/// `bf_releasebuffer`.
///
/// # Safety
/// Called by CPython.
pub(crate) unsafe extern "C" fn buffer_release(_: *mut py::PyObject, view: *mut py::Py_buffer) {
    // SAFETY: called by CPython, once for each view that `fill_view` has filled.
    unsafe {
        let export = std::mem::replace(&mut (*view).internal, std::ptr::null_mut());
        if !export.is_null() {
            drop(Box::from_raw(export.cast::<Export>()));
        }
    }
}
