//! Sources of entries for a map: everything that `dict.update` takes.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::value::{Any, Table};
use pyo3_ffi as py;

use super::entries::Part;
use super::mapping::Mapping;
use super::values::{PyKey, any_quickly};
use super::walk::iterate_all;
use crate::errors::{owned_or_error, take};
use crate::heap_types::support::{Object_, check_arity};
use crate::owned::Owned;
use crate::running;

/// Every key and value of what `dict.update` takes: a mapping (what has `keys`), or an iterable of
/// pairs.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn each_pair(
    other: Object_,
    mut each: impl FnMut(Object_, Object_) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    let (map, is_dict) = unsafe { (Mapping::of(other), py::PyDict_CheckExact(other) != 0) };
    if let Some(map) = map {
        return map.entries().for_each(Part::Items, |row| {
            let (key, value) = row.pair()?;
            each(key.as_ptr(), value.as_ptr())
        });
    }
    // SAFETY: attached; a living object: the caller ensures it.
    if !is_dict && unsafe { running::PyObject_HasAttrString(other, c"keys".as_ptr()) } != 0 {
        let name = crate::convert::from_text("keys")?;
        // SAFETY: attached; living objects; each key is held while it is used.
        return unsafe {
            let keys = owned_or_error(running::PyObject_CallMethodNoArgs(other, name.as_ptr()))?;
            iterate_all(keys.as_ptr(), |key| {
                let value = owned_or_error(running::PyObject_GetItem(other, key))?;
                each(key, value.as_ptr())
            })
        };
    }
    if !cfg!(Py_GIL_DISABLED) && is_dict {
        // All at once, because `each` may run anything.
        // SAFETY: attached; a living dict: the caller ensures it.
        for (key, value) in unsafe { dict_pairs(other, 0) }? {
            each(key.as_ptr(), value.as_ptr())?;
        }
        return Ok(());
    }
    // SAFETY: attached; a living dict: the caller ensures it.
    let pairs = is_dict.then(|| unsafe { owned_or_error(py::PyDict_Items(other)) });
    let pairs = pairs.transpose()?;
    let mut at = 0;
    // SAFETY: attached; a living object; each pair is held while it is used.
    unsafe {
        iterate_all(pairs.as_ref().map_or(other, Owned::as_ptr), |pair| {
            let (key, value) = split_pair(pair, at)?;
            at += 1;
            each(key.as_ptr(), value.as_ptr())
        })
    }
}

/// Keys and values of a dict, with a GIL, from a position of `PyDict_Next` on.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `dict` alive.
unsafe fn dict_pairs(dict: Object_, mut at: py::Py_ssize_t) -> Result<Vec<(Owned, Owned)>, Error> {
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut pairs = Vec::new();
    // SAFETY: attached; a dict that is not changed: counting references runs nothing.
    unsafe {
        pairs.try_reserve_exact(py::PyDict_Size(dict) as usize)?;
        while py::PyDict_Next(dict, &mut at, &mut key, &mut value) != 0 {
            pairs.push((Owned::from_borrowed(key), Owned::from_borrowed(value)));
        }
    }
    Ok(pairs)
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `pair` alive.
unsafe fn split_pair(pair: Object_, at: usize) -> Result<(Owned, Owned), Error> {
    // SAFETY: attached; a living object.
    let Some(fast) = (unsafe { Owned::from_new(running::PySequence_Tuple(pair)) }) else {
        if crate::errors::is_of_kind(&ErrorKind::Type) {
            crate::errors::clear();
            return Err(Error::type_error(format!(
                "cannot convert map update sequence element #{at} to a sequence"
            )));
        }
        return Err(take());
    };
    // SAFETY: attached; a living object.
    let len = unsafe { py::PyTuple_GET_SIZE(fast.as_ptr()) };
    if len != 2 {
        return Err(Error::value_error(format!(
            "map update sequence element #{at} has length {len}; 2 is required"
        )));
    }
    // SAFETY: attached; a living object.
    let item = |at| unsafe { Owned::from_borrowed(py::PyTuple_GET_ITEM(fast.as_ptr(), at)) };
    Ok((item(0), item(1)))
}

/// A new table from what the constructors take.
///
/// # Safety
/// Attached; a tuple, and a dict or null.
pub(super) unsafe fn table_of(
    name: &str,
    arguments: Object_,
    keywords: Object_,
) -> Result<Table<Any>, Error> {
    // SAFETY: attached; a tuple, and a dict or null: the caller ensures it.
    let count = unsafe { py::PyTuple_GET_SIZE(arguments) };
    check_arity(name, count, 0, 1)?;
    let mut table = match count {
        // SAFETY: attached; a tuple, and a dict or null: the caller ensures it.
        1 => unsafe { table_from(py::PyTuple_GET_ITEM(arguments, 0)) }?,
        _ => Table::default(),
    };
    if !keywords.is_null() {
        // SAFETY: attached; a tuple, and a dict or null: the caller ensures it.
        unsafe { each_pair(keywords, |key, value| put_pair(&mut table, key, value)) }?;
    }
    Ok(table)
}

/// A new table of everything in a mapping, or of pairs.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn table_from(other: Object_) -> Result<Table<Any>, Error> {
    let mut table = Table::default();
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        if !cfg!(Py_GIL_DISABLED) && py::PyDict_CheckExact(other) != 0 {
            table.try_reserve(py::PyDict_Size(other) as usize)?;
            for (key, value) in plain_pairs(other, &mut table)? {
                put_pair(&mut table, key.as_ptr(), value.as_ptr())?;
            }
            return Ok(table);
        }
        each_pair(other, |key, value| put_pair(&mut table, key, value))?;
    }
    Ok(table)
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `key` and `value` alive.
unsafe fn put_pair(table: &mut Table<Any>, key: Object_, value: Object_) -> Result<(), Error> {
    // SAFETY: attached; living objects.
    unsafe {
        let key = PyKey::new(key)?;
        table.put_hashed(key.hash, key.into_any(), any_quickly(value)?)
    }
}

/// Fills an empty table, which has room, from a dict, with a GIL, as far as its keys are exact
/// `str`s and `int`s: those are different keys as they are, and no code runs. The rest is returned.
/// (Their hashes are computed again: since 3.13 CPython does not lend the ones that a dict keeps.)
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `dict` alive.
unsafe fn plain_pairs(dict: Object_, table: &mut Table<Any>) -> Result<Vec<(Owned, Owned)>, Error> {
    let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: attached; a dict that is not changed: making values of its objects runs no code.
    unsafe {
        let mut next = at;
        while py::PyDict_Next(dict, &mut next, &mut key, &mut value) != 0 {
            let Some(key) = PyKey::plain(key) else {
                return dict_pairs(dict, at);
            };
            let value = any_quickly(value)?;
            table.add_last(key.hash, key.into_any(), value);
            at = next;
        }
    }
    Ok(Vec::new())
}
