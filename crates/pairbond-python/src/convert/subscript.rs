//! Indices and slices, before and after it is known how long a sequence is.

use std::collections::TryReserveError;

use pairbond_core::error::Error;
use pairbond_core::memory::{try_collect, try_copy};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use crate::errors::take;
use crate::running;

/// A subscript, before it is known how long the sequence is.
pub(crate) enum Subscript {
    Index(isize),
    Slice { start: isize, stop: isize, step: isize },
}

/// Where a slice is in a sequence of some length: `count` places, from `start` in steps.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub(crate) start: isize,
    pub(crate) step: isize,
    pub(crate) count: usize,
}

impl Places {
    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        (0..self.count).map(move |n| (self.start + n as isize * self.step) as usize)
    }

    /// Returns the items of a sequence that the slice selects.
    pub(crate) fn of(self, items: &[Any]) -> Result<Vec<Any>, TryReserveError> {
        if self.step == 1 {
            let start = self.start as usize;
            return try_copy(&items[start..start + self.count]);
        }
        try_collect(self.iter().map(|at| items[at].clone()))
    }
}

impl Subscript {
    /// # Safety
    /// Attached; a living object.
    #[inline]
    pub(crate) unsafe fn new(key: *mut py::PyObject, what: &str) -> Result<Self, Error> {
        // SAFETY: attached; a living object: the caller ensures it.
        unsafe {
            if py::PyLong_CheckExact(key) != 0 {
                let index = py::PyLong_AsSsize_t(key);
                if index != -1 || !crate::errors::is_set() {
                    return Ok(Subscript::Index(index));
                }
                // Too large: the error to be raised is another.
                crate::errors::clear();
            }
            if py::PyIndex_Check(key) != 0 {
                let index = running::PyNumber_AsSsize_t(key, py::PyExc_IndexError);
                if index == -1 && crate::errors::is_set() {
                    return Err(take());
                }
                return Ok(Subscript::Index(index));
            }
            if py::PySlice_Check(key) != 0 {
                let (mut start, mut stop, mut step) = (0, 0, 0);
                if running::PySlice_Unpack(key, &mut start, &mut stop, &mut step) < 0 {
                    return Err(take());
                }
                return Ok(Subscript::Slice { start, stop, step });
            }
            let class = crate::ffi::type_name(py::Py_TYPE(key));
            Err(Error::type_error(format!(
                "{what} indices must be integers or slices, not {class}"
            )))
        }
    }
}

/// The places of a slice, as `PySlice_AdjustIndices` finds them. Runs no Python code.
pub(crate) fn slice_places(start: isize, stop: isize, step: isize, len: usize) -> Places {
    let (mut start, mut stop) = (start, stop);
    // SAFETY: it computes with four numbers, and touches no object.
    let count = unsafe { py::PySlice_AdjustIndices(len as py::Py_ssize_t, &mut start, &mut stop, step) };
    Places {
        start,
        step,
        count: count as usize,
    }
}

/// The place that an index means, negative ones counted from the end.
#[inline]
pub(crate) fn index_place(index: isize, len: usize) -> Option<usize> {
    let index = if index < 0 {
        index.wrapping_add(len as isize)
    } else {
        index
    };
    // Negative ones are far beyond the end now.
    ((index as usize) < len).then_some(index as usize)
}
