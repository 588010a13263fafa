//! The bounds of `index()`.

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::errors::take;
use crate::heap_types::support::Object_;
use crate::running;

/// `start` or `stop` of `index()`: anything with `__index__`, cut off at the bounds, negative ones
/// counted from the end.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn search_bound(object: Object_, len: usize) -> Result<usize, Error> {
    // SAFETY: attached; a living object: the caller ensures it. Without a class too large a number
    // is cut off.
    if unsafe { py::PyIndex_Check(object) } == 0 {
        return Err(Error::type_error(
            "slice indices must be integers or have an __index__ method",
        ));
    }
    // SAFETY: attached; a living object. Without a class too large a number is cut off.
    let index = unsafe { running::PyNumber_AsSsize_t(object, std::ptr::null_mut()) };
    if index == -1 && crate::errors::is_set() {
        return Err(take());
    }
    Ok(if index < 0 {
        len.saturating_add_signed(index)
    } else {
        index as usize
    })
}
