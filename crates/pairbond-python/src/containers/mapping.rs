//! The common part of maps, mutable or not: lookup, comparison, views, `repr`.

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pairbond_core::memory::try_push_str;
use pairbond_value::value::{Any, FrozenMapBody, MapBody, Seek, Table, with_recursion_guard};
use pyo3_ffi as py;

use super::entries::{Entries, Part};
use super::entry_iterator::new_iterator;
use super::keyed::Keyed;
use super::map_cache;
use super::values::{Found, PyKey, found_value};
use super::views;
use crate::errors::{finish_call, finish_status};
use crate::errors::{raise, take};
use crate::heap_types::classes::slots;
use crate::heap_types::support::{
    Object_, as_body, body_of, check_arity, key_error, not_implemented, objects_equal, repr_around,
};
use crate::owned::Owned;

/// A map of ours.
#[derive(Clone, Copy)]
pub(super) enum Mapping<'a> {
    Map(&'a MapBody),
    Frozen(&'a FrozenMapBody),
}

impl<'a> Mapping<'a> {
    /// # Safety
    /// Attached; the caller keeps the object for `'a`.
    #[inline]
    pub(super) unsafe fn of(object: Object_) -> Option<Self> {
        // SAFETY: attached; the caller keeps the object for `'a`: the caller ensures it.
        unsafe {
            as_body::<MapBody>(object)
                .map(Mapping::Map)
                .or_else(|| as_body::<FrozenMapBody>(object).map(Mapping::Frozen))
        }
    }

    /// # Safety
    /// As [`of`](Self::of).
    #[inline]
    pub(super) unsafe fn receiver(object: Object_) -> Result<Self, Error> {
        // SAFETY: attached; the caller keeps the object for `'a`: the caller ensures it.
        unsafe {
            match Self::of(object) {
                Some(mapping) => Ok(mapping),
                None => body_of::<MapBody>(object).map(Mapping::Map),
            }
        }
    }

    pub(super) fn entries(self) -> Entries<'a> {
        match self {
            Mapping::Map(map) => Entries::Map(map),
            Mapping::Frozen(map) => Entries::Frozen(map),
        }
    }

    /// A copy of the table.
    pub(super) fn table(self) -> Result<Table<Any>, Error> {
        match self {
            Mapping::Map(map) => map.entries().read(Table::try_clone),
            Mapping::Frozen(map) => map.table().try_clone(),
        }
    }

    /// The value of a key.
    ///
    /// # Safety
    /// Attached; a living object.
    pub(super) unsafe fn get(self, key: Object_) -> Result<Option<Found>, Error> {
        /// # Safety
        /// As that of `get`.
        unsafe fn value<T: Keyed>(map: &T, key: Object_) -> Result<Option<Found>, Error> {
            // SAFETY: attached, and a living object: the caller ensures it.
            let key = unsafe { PyKey::of(map, key) }?;
            map.locate(key.hash, key.as_ref(), |table, place| {
                T::value(&table.entry_at(place?)?.value).map(found_value)
            })
        }
        // SAFETY: attached, and a living object: the caller ensures it.
        unsafe {
            match self {
                Mapping::Map(map) => value(map, key),
                Mapping::Frozen(map) => value(map, key),
            }
        }
    }
}

pub(super) unsafe extern "C" fn len<T: Keyed>(this: Object_) -> py::Py_ssize_t {
    // SAFETY: called by CPython with a wrapper.
    match unsafe { body_of::<T>(this) } {
        Ok(map) => map.with_table(Table::len) as py::Py_ssize_t,
        Err(error) => {
            raise(error);
            -1
        }
    }
}

unsafe extern "C" fn mapping_subscript<T: Keyed>(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    match unsafe { map_cache::cached_value::<T>(this, key) } {
        Some(value) => value.into_ptr(),
        // SAFETY: called by CPython with a wrapper and an object.
        None => unsafe { subscript_slowly::<T>(this, key) },
    }
}

#[inline(never)]
unsafe extern "C" fn subscript_slowly<T: Keyed>(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called as `mapping_subscript` is, with a wrapper and an object.
    finish_call(|| unsafe {
        map_cache::value_of(this, body_of::<T>(this)?, key)?.ok_or_else(|| key_error(key))
    })
}

unsafe extern "C" fn mapping_contains<T: Keyed>(this: Object_, key: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper and an object.
    match unsafe { map_cache::seek_key::<T>(this, key) } {
        Seek::At(_) => 1,
        Seek::Absent => 0,
        // SAFETY: called by CPython with a wrapper and an object.
        Seek::Unknown => finish_status(|| unsafe {
            let body = body_of::<T>(this)?;
            let wanted = PyKey::of(body, key)?;
            Ok(map_cache::has_key(this, body, key, &wanted)?.into())
        }),
    }
}

pub(super) unsafe extern "C" fn mapping_iter(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { new_iterator(this, Part::Keys, false) })
}

pub(super) unsafe extern "C" fn mapping_repr(this: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let (map, this) = unsafe { (Mapping::receiver(this)?, Owned::lend(&this)) };
        repr_around(this, || {
            let mut text = String::from("{");
            map.entries().for_each(Part::Items, |row| {
                let (key, value) = row.pair()?;
                if text.len() > 1 {
                    try_push_str(&mut text, ", ")?;
                }
                try_push_str(&mut text, &crate::heap_types::support::repr_text(&key)?)?;
                try_push_str(&mut text, ": ")?;
                try_push_str(&mut text, &crate::heap_types::support::repr_text(&value)?)?;
                Ok(())
            })?;
            try_push_str(&mut text, "}")?;
            Ok(text)
        })
    })
}

pub(super) unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    finish_call(|| {
        if !matches!(operation, py::Py_EQ | py::Py_NE) {
            return Ok(not_implemented());
        }
        // SAFETY: called by CPython with two objects.
        unsafe {
            let Some(map) = Mapping::of(a) else {
                return Ok(not_implemented());
            };
            let is_dict = py::PyDict_Check(b) != 0;
            let other = Mapping::of(b);
            if other.is_none() && !is_dict {
                return Ok(not_implemented());
            }
            Ok(Owned::from_bool(
                with_recursion_guard(|| maps_equal(map, other, b))? == (operation == py::Py_EQ),
            ))
        }
    })
}

/// Whether a map is equal to another of ours, or to a dict.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `dict` alive.
unsafe fn maps_equal(map: Mapping<'_>, other: Option<Mapping<'_>>, dict: Object_) -> Result<bool, Error> {
    let len = match other {
        Some(other) => other.entries().len(),
        // SAFETY: attached; living objects.
        None => unsafe { py::PyDict_Size(dict) as usize },
    };
    if map.entries().len() != len {
        return Ok(false);
    }
    let (shape, _) = map.entries().shape();
    let mut at = 0;
    while let Some(row) = map.entries().step(at, false, Some(shape), Part::Items)? {
        at = row.place() + 1;
        let (key, value) = row.pair()?;
        // SAFETY: attached; living objects.
        let theirs = unsafe {
            match other {
                Some(other) => other.get(key.as_ptr())?.map(Found::object).transpose()?,
                None => dict_item(dict, key.as_ptr())?,
            }
        };
        match theirs {
            // SAFETY: attached; living objects.
            Some(theirs) if unsafe { objects_equal(value.as_ptr(), theirs.as_ptr()) }? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// # Safety
/// Attached; a dict and a living object.
pub(super) unsafe fn dict_item(dict: Object_, key: Object_) -> Result<Option<Owned>, Error> {
    let mut value = std::ptr::null_mut();
    // SAFETY: attached; a dict and a living object: the caller ensures it. A new reference, or
    // null.
    unsafe {
        match py::compat::PyDict_GetItemRef(dict, key, &mut value) {
            -1 => Err(take()),
            _ => Ok(Owned::from_new(value)),
        }
    }
}

pub(super) unsafe extern "C" fn mapping_get<T: Keyed>(
    this: Object_,
    arguments: *mut Object_,
    count: py::Py_ssize_t,
) -> Object_ {
    finish_call(|| {
        check_arity("get", count, 1, 2)?;
        // SAFETY: called by CPython with a wrapper and an array.
        let known = unsafe {
            match map_cache::seek_key::<T>(this, *arguments) {
                Seek::At(Some(value)) => Some(Owned::from_borrowed(value.as_ptr().cast())),
                Seek::Absent => None,
                _ => map_cache::value_of(this, body_of::<T>(this)?, *arguments)?,
            }
        };
        match known {
            Some(value) => Ok(value),
            // SAFETY: called by CPython with a wrapper and an array.
            None if count == 2 => Ok(unsafe { Owned::from_borrowed(*arguments.add(1)) }),
            None => Ok(Owned::none()),
        }
    })
}

macro_rules! parts {
    ($($view:ident, $part:ident;)*) => {$(
        pub(super) unsafe extern "C" fn $view(this: Object_, _: Object_) -> Object_ {
            // SAFETY: called by CPython with a wrapper.
            finish_call(|| unsafe {
                Mapping::receiver(this)?;
                views::new(this, Part::$part)
            })
        }
    )*};
}
parts! {
    keys, Keys;
    values, Values;
    items, Items;
}

pub(super) unsafe extern "C" fn mapping_reversed(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { new_iterator(this, Part::Keys, true) })
}

/// The slots that both classes have.
pub(super) fn mapping_slots<T: Keyed>() -> [(c_int, *mut c_void); 7] {
    slots![
        Py_sq_length: lenfunc = len::<T>;
        Py_mp_length: lenfunc = len::<T>;
        Py_mp_subscript: binaryfunc = mapping_subscript::<T>;
        Py_sq_contains: objobjproc = mapping_contains::<T>;
        Py_tp_richcompare: richcmpfunc = rich_compare;
        Py_tp_iter: getiterfunc = mapping_iter;
        Py_tp_repr: reprfunc = mapping_repr;
    ]
}
