//! Going through what Python iterates over.

use pairbond_core::error::Error;
use pyo3_ffi as py;
use pyo3_ffi::compat::PyList_GetItemRef;

use crate::errors::owned_or_error;
use crate::errors::take;
use crate::heap_types::support::Object_;
use crate::owned::Owned;
use crate::running;

/// The element at an index of an exact list; `None` beyond the end.
///
/// # Safety
/// Attached; a list.
#[inline]
unsafe fn list_item(list: Object_, at: py::Py_ssize_t) -> Option<Owned> {
    // SAFETY: attached; a list: the caller ensures it. With a GIL the element lives until it is
    // counted.
    unsafe {
        if at >= py::PyList_GET_SIZE(list) {
            return None;
        }
        if !cfg!(Py_GIL_DISABLED) {
            return Some(Owned::from_borrowed(py::PyList_GET_ITEM(list, at)));
        }
        let item = Owned::from_new(PyList_GetItemRef(list, at));
        if item.is_none() {
            crate::errors::clear();
        }
        item
    }
}

/// Whether an iterable has been gone through, element by element.
///
/// # Errors
/// Not iterable; what the iteration or `each` came to.
///
/// # Safety
/// Attached; a living object.
pub(crate) unsafe fn iterate_all(
    iterable: Object_,
    mut each: impl FnMut(Object_) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: attached; the iterator and each item are ours while they are used.
    unsafe {
        if py::PyTuple_CheckExact(iterable) != 0 {
            // A tuple never changes, and keeps its items.
            return (0..py::PyTuple_GET_SIZE(iterable))
                .try_for_each(|at| each(py::PyTuple_GET_ITEM(iterable, at)));
        }
        if py::PyList_CheckExact(iterable) != 0 {
            // As its iterator does it: the list may change while it is gone through.
            let mut at = 0;
            while let Some(item) = list_item(iterable, at) {
                each(item.as_ptr())?;
                at += 1;
            }
            return Ok(());
        }
        let iterator = owned_or_error(running::PyObject_GetIter(iterable))?;
        while let Some(item) = Owned::from_new(running::PyIter_Next(iterator.as_ptr())) {
            each(item.as_ptr())?;
        }
        if crate::errors::is_set() {
            return Err(take());
        }
        Ok(())
    }
}
