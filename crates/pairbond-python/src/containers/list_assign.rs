//! Storing in lists, and taking out: by index and by slice.

use std::collections::TryReserveError;
use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_value::value::{Any, ListBody};
use pyo3_ffi as py;

use super::elements;
use super::sequence::collect_checked;
use super::values::any_quickly;
use crate::convert::{Places, Subscript, index_place, slice_places};
use crate::errors::finish_status;
use crate::heap_types::support::{Object_, body_of};
use crate::running;

pub(super) unsafe extern "C" fn list_assign(this: Object_, key: Object_, value: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, an object, and an object or null.
    unsafe {
        match crate::ints::small(key) {
            Some(index) if !value.is_null() => finish_status(|| {
                let list = body_of::<ListBody>(this)?;
                list_set(this, list, index, list.check_value(any_quickly(value)?)?)?;
                Ok(0)
            }),
            _ => assign_slowly(this, key, value),
        }
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this`, `key` and
/// `value` alive.
unsafe fn assign_slowly(this: Object_, key: Object_, value: Object_) -> c_int {
    // SAFETY: the calling thread is attached to the interpreter, and the caller keeps `this`, `key`
    // and `value` alive: the caller ensures it.
    finish_status(|| unsafe {
        let list = body_of::<ListBody>(this)?;
        match Subscript::new(key, "list")? {
            Subscript::Index(index) if value.is_null() => drop(list_remove(list, index)?),
            Subscript::Index(index) => list_set(this, list, index, list.check_value(any_quickly(value)?)?)?,
            Subscript::Slice { start, stop, step } if value.is_null() => {
                let removed = list.change_items(|items| {
                    remove_places(items, slice_places(start, stop, step, items.len()))
                })?;
                drop(removed);
            }
            Subscript::Slice { start, stop, step } => {
                let values = match collect_checked(value, |value| list.check_value(value)) {
                    Err(error)
                        if running::PyObject_HasAttrString(value, c"__iter__".as_ptr()) == 0
                            && py::PySequence_Check(value) == 0 =>
                    {
                        drop(error);
                        return Err(Error::type_error("can only assign an iterable"));
                    }
                    values => values?,
                };
                replace_slice(list, start, stop, step, values)?;
            }
        }
        Ok(0)
    })
}

/// `sq_ass_item`
pub(super) unsafe extern "C" fn assign_item(this: Object_, index: py::Py_ssize_t, value: Object_) -> c_int {
    finish_status(|| {
        // SAFETY: called by CPython with a wrapper, and an object or null.
        let list = unsafe { body_of::<ListBody>(this) }?;
        if index < 0 {
            return Err(Error::index_error("list assignment index out of range"));
        }
        if value.is_null() {
            drop(list_remove(list, index)?);
        } else {
            // SAFETY: called by CPython with a wrapper, and an object or null.
            unsafe { list_set(this, list, index, list.check_value(any_quickly(value)?)?) }?;
        }
        Ok(0)
    })
}

/// Puts a value in place of an element.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this` alive.
#[inline]
unsafe fn list_set(this: Object_, list: &ListBody, index: isize, value: Any) -> Result<(), Error> {
    let object = elements::kept_by(&value);
    // The old value, or the new one if it found no place, is dropped when the lock was given back.
    let old = list.change_items(|items| match index_place(index, items.len()) {
        Some(at) => Ok((std::mem::replace(&mut items[at], value), at, list.version())),
        None => Err(value),
    });
    match old {
        Ok((old, at, version)) => {
            // SAFETY: attached; the list's wrapper.
            unsafe { elements::note_changed(this, list, version, at, object) };
            old.discard();
            Ok(())
        }
        Err(_) => Err(Error::index_error("list assignment index out of range")),
    }
}

pub(super) fn list_remove(list: &ListBody, index: isize) -> Result<Any, Error> {
    list.change_items(|items| index_place(index, items.len()).map(|at| items.remove(at)))
        .ok_or_else(|| Error::index_error("list assignment index out of range"))
}

/// Takes elements out, and returns them: they are dropped outside of the lock.
fn remove_places(items: &mut Vec<Any>, places: Places) -> Result<Vec<Any>, TryReserveError> {
    let mut removed = Vec::new();
    removed.try_reserve_exact(places.count)?;
    if places.step == 1 {
        let start = places.start as usize;
        removed.extend(items.drain(start..start + places.count));
        return Ok(removed);
    }
    let ascending = if places.step < 0 {
        Places {
            start: places.start + (places.count as isize - 1) * places.step,
            step: -places.step,
            ..places
        }
    } else {
        places
    };
    let mut gone = ascending.iter().peekable();
    let mut at = 0;
    items.retain_mut(|item| {
        let goes = gone.next_if_eq(&at).is_some();
        at += 1;
        if goes {
            removed.push(std::mem::take(item));
        }
        !goes
    });
    Ok(removed)
}

/// Why a slice was not replaced.
enum NotReplaced {
    /// It has so many places.
    Count(usize),
    Memory(TryReserveError),
}

fn replace_slice(
    list: &ListBody,
    start: isize,
    stop: isize,
    step: isize,
    values: Vec<Any>,
) -> Result<(), Error> {
    let given = values.len();
    let outcome = list.change_items(|items| {
        let places = slice_places(start, stop, step, items.len());
        if step == 1 {
            let (from, mut removed) = (places.start as usize, Vec::new());
            let reserved = removed
                .try_reserve_exact(places.count)
                .and_then(|()| items.try_reserve(given.saturating_sub(places.count)));
            if let Err(error) = reserved {
                return Err((NotReplaced::Memory(error), values));
            }
            removed.extend(items.splice(from..from + places.count, values));
            return Ok(removed);
        }
        if places.count != given {
            return Err((NotReplaced::Count(places.count), values));
        }
        let mut values = values;
        for (at, value) in places.iter().zip(&mut values) {
            std::mem::swap(&mut items[at], value);
        }
        Ok(values)
    });
    outcome.map(drop).map_err(|(why, _)| match why {
        NotReplaced::Count(count) => Error::value_error(format!(
            "attempt to assign sequence of size {given} to extended slice of size {count}"
        )),
        NotReplaced::Memory(error) => error.into(),
    })
}
