//! The common part of lists and tuples: comparing, searching, copying.
//!
//! A list may change whenever foreign code runs, and on other threads at any moment, so each step
//! looks anew: as CPython's own functions do.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_core::memory::{try_copy, try_push, try_push_str};
use pairbond_value::value::{Any, ListBody, TupleBody};
use pyo3_ffi as py;
use pyo3_ffi::compat::PyList_GetItemRef;

use super::search::{Next, Search};
use super::values::{Found, any_quickly, any_value, found_value};
use crate::errors::owned_or_error;
use crate::heap_types::support::{Object_, as_body, not_implemented, objects_equal};
use crate::owned::Owned;
use crate::running;

/// A list or tuple, ours or Python's.
#[derive(Clone, Copy)]
pub(super) enum Sequence<'a> {
    List(&'a ListBody),
    Tuple(&'a TupleBody),
    PyList(Object_),
    PyTuple(Object_),
}

impl<'a> Sequence<'a> {
    /// # Safety
    /// Attached; the caller keeps the object for `'a`.
    pub(super) unsafe fn of(object: Object_) -> Option<Self> {
        // SAFETY: attached; the caller keeps the object for `'a`: the caller ensures it.
        unsafe {
            if let Some(list) = as_body::<ListBody>(object) {
                Some(Sequence::List(list))
            } else if let Some(tuple) = as_body::<TupleBody>(object) {
                Some(Sequence::Tuple(tuple))
            } else if py::PyList_Check(object) != 0 {
                Some(Sequence::PyList(object))
            } else if py::PyTuple_Check(object) != 0 {
                Some(Sequence::PyTuple(object))
            } else {
                None
            }
        }
    }

    /// Lists compare with lists, tuples with tuples.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Sequence::List(_) | Sequence::PyList(_))
    }

    pub(super) fn len(self) -> usize {
        match self {
            Sequence::List(list) => list.read(Vec::len),
            Sequence::Tuple(tuple) => tuple.items().len(),
            // SAFETY: attached; the objects are alive.
            Sequence::PyList(list) => unsafe { py::PyList_GET_SIZE(list) as usize },
            // SAFETY: attached; the objects are alive.
            Sequence::PyTuple(tuple) => unsafe { py::PyTuple_GET_SIZE(tuple) as usize },
        }
    }

    /// The element at an index; `None` beyond the end.
    #[inline]
    pub(super) fn get(self, index: usize) -> Result<Option<Owned>, Error> {
        match self {
            Sequence::List(list) => list
                .read(|items| items.get(index).map(found_value))
                .map(Found::object)
                .transpose(),
            Sequence::Tuple(tuple) => tuple
                .items()
                .get(index)
                .map(|item| found_value(item).object())
                .transpose(),
            Sequence::PyList(list) => {
                // SAFETY: attached; the objects are alive.
                let item = unsafe { Owned::from_new(PyList_GetItemRef(list, index as py::Py_ssize_t)) };
                if item.is_none() {
                    crate::errors::clear();
                }
                Ok(item)
            }
            // SAFETY: attached; the objects are alive.
            Sequence::PyTuple(tuple) if index < unsafe { py::PyTuple_GET_SIZE(tuple) as usize } => {
                // SAFETY: attached; the tuple is alive, and keeps its items.
                let item =
                    unsafe { Owned::from_borrowed(py::PyTuple_GET_ITEM(tuple, index as py::Py_ssize_t)) };
                Ok(Some(item))
            }
            Sequence::PyTuple(_) => Ok(None),
        }
    }

    /// The first element at or behind `from` and before `to` that is equal to a value.
    pub(super) fn find(self, value: Object_, from: usize, to: usize) -> Result<Option<usize>, Error> {
        let search = Search::of(value)?;
        let mut at = from;
        loop {
            // Where natives know the answer, nothing foreign runs between two elements.
            let step = |items: &[Any]| match search.next(items, at, to) {
                None => search.last(items, from, to).map(Next::Same),
                next => next,
            };
            let next = match self {
                Sequence::List(list) => list.read(|items| step(items)),
                Sequence::Tuple(tuple) => step(tuple.items()),
                _ => unreachable!("searched by Python itself"),
            };
            match next {
                None => return Ok(None),
                Some(Next::Same(place)) => return Ok(Some(place)),
                Some(Next::Ask(place)) => {
                    if let Some(item) = self.get(place)? {
                        // SAFETY: attached; living objects.
                        if unsafe { objects_equal(item.as_ptr(), value) }? {
                            return Ok(Some(place));
                        }
                    }
                    at = place + 1;
                }
            }
        }
    }
}

/// Compares as CPython's lists and tuples do: the first elements that differ decide.
/// `NotImplemented` for anything but the same kind of sequence.
///
/// # Safety
/// Attached; living objects.
pub(super) unsafe fn compare_sequences(a: Object_, b: Object_, operation: c_int) -> Result<Owned, Error> {
    // SAFETY: attached; living objects: the caller ensures it.
    let (Some(left), Some(right)) = (unsafe { (Sequence::of(a), Sequence::of(b)) }) else {
        return Ok(not_implemented());
    };
    if left.is_list() != right.is_list() {
        return Ok(not_implemented());
    }
    if matches!(operation, py::Py_EQ | py::Py_NE) && left.len() != right.len() {
        return Ok(Owned::from_bool(operation == py::Py_NE));
    }
    let mut at = 0;
    let differ = loop {
        match (left.get(at)?, right.get(at)?) {
            // SAFETY: attached; living objects: the caller ensures it.
            (Some(x), Some(y)) if unsafe { objects_equal(x.as_ptr(), y.as_ptr()) }? => at += 1,
            (Some(x), Some(y)) => break Some((x, y)),
            _ => break None,
        }
    };
    match (differ, operation) {
        (Some(_), py::Py_EQ) => Ok(Owned::from_bool(false)),
        (Some(_), py::Py_NE) => Ok(Owned::from_bool(true)),
        (Some((x, y)), _) => {
            // SAFETY: attached; living objects: the caller ensures it.
            unsafe { owned_or_error(running::PyObject_RichCompare(x.as_ptr(), y.as_ptr(), operation)) }
        }
        (None, _) => {
            let (a, b) = (left.len(), right.len());
            Ok(Owned::from_bool(match operation {
                py::Py_LT => a < b,
                py::Py_LE => a <= b,
                py::Py_EQ => a == b,
                py::Py_NE => a != b,
                py::Py_GT => a > b,
                _ => a >= b,
            }))
        }
    }
}

/// All elements of a sequence of ours, as they are stored.
pub(super) fn snapshot_items(sequence: Sequence<'_>) -> Option<Result<Vec<Any>, Error>> {
    let copy = match sequence {
        Sequence::List(list) => list.read(|items| try_copy(items)),
        Sequence::Tuple(tuple) => try_copy(tuple.items()),
        _ => return None,
    };
    Some(copy.map_err(Error::from))
}

/// All elements of an iterable, as they come.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn collect_all(iterable: Object_) -> Result<Vec<Any>, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        if let Some(items) = Sequence::of(iterable).and_then(snapshot_items) {
            return items;
        }
        let mut items = Vec::new();
        let is_list = py::PyList_CheckExact(iterable) != 0;
        if is_list || py::PyTuple_CheckExact(iterable) != 0 {
            items.try_reserve(py::Py_SIZE(iterable) as usize)?;
        }
        let mut at = 0;
        if is_list && !cfg!(Py_GIL_DISABLED) {
            while at < py::PyList_GET_SIZE(iterable) {
                at += append_numbers(iterable, at, &mut items)?;
                if at < py::PyList_GET_SIZE(iterable) {
                    let held = Owned::from_borrowed(py::PyList_GET_ITEM(iterable, at));
                    try_push(&mut items, any_value(held.as_ptr())?)?;
                    at += 1;
                }
            }
            return Ok(items);
        }
        super::walk::iterate_all(iterable, |item| {
            try_push(&mut items, any_quickly(item)?)?;
            Ok(())
        })?;
        Ok(items)
    }
}

/// Adds the numbers from a place of a list on, up to the first other element, and returns how many
/// those are. They are read in place: that runs no code, so the list does not change.
///
/// # Safety
/// Attached, with a GIL; a list that has this place.
unsafe fn append_numbers(
    list: Object_,
    at: py::Py_ssize_t,
    items: &mut Vec<Any>,
) -> Result<py::Py_ssize_t, Error> {
    // SAFETY: attached, with a GIL; a list that has this place: the caller ensures it. A list's
    // items lie in an array. Written items are counted.
    unsafe {
        let first = (*list.cast::<py::PyListObject>()).ob_item.offset(at);
        let objects = std::slice::from_raw_parts(first, (py::PyList_GET_SIZE(list) - at) as usize);
        items.try_reserve(objects.len())?;
        let mut count = 0;
        for (place, object) in items.spare_capacity_mut().iter_mut().zip(objects) {
            place.write(if let Some(int) = crate::ints::small(*object) {
                Any::Int(int as i64)
            } else if py::Py_TYPE(*object) == &raw mut py::PyFloat_Type {
                Any::Float(py::PyFloat_AS_DOUBLE(*object))
            } else {
                break;
            });
            count += 1;
        }
        items.set_len(items.len() + count);
        Ok(count as py::Py_ssize_t)
    }
}

/// All elements of an iterable, checked one by one.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn collect_checked(
    iterable: Object_,
    mut check: impl FnMut(Any) -> Result<Any, Error>,
) -> Result<Vec<Any>, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    let mut items = unsafe { collect_all(iterable) }?;
    for item in &mut items {
        *item = check(std::mem::take(item))?;
    }
    Ok(items)
}

/// `[1, 2]` or `(1, 2)`
///
pub(super) fn content_repr(sequence: Sequence<'_>) -> Result<String, Error> {
    let mut text = String::from(if sequence.is_list() { "[" } else { "(" });
    let mut at = 0;
    while let Some(item) = sequence.get(at)? {
        if at > 0 {
            try_push_str(&mut text, ", ")?;
        }
        try_push_str(&mut text, &crate::heap_types::support::repr_text(&item)?)?;
        at += 1;
    }
    let end = match (sequence.is_list(), at) {
        (true, _) => "]",
        (false, 1) => ",)",
        (false, _) => ")",
    };
    try_push_str(&mut text, end)?;
    Ok(text)
}
