//! What maps have in common, whether they change or not: looking up, comparing, views, `repr`.

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pairbond_core::value::{Any, FrozenMapBody, MapBody, Table, deeper};
use pyo3_ffi as py;

use super::entries::{Entries, Part, iterator};
use super::support::{
    Found, Object_, PyKey, any_quickly, arity, as_body, body, equal, found, missing, none, not_implemented,
    represent, truth,
};
use super::views;
use crate::call::{finish, status};
use crate::errors::{raise, take};
use crate::owned::Owned;
use crate::running;

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
        // SAFETY: promised.
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
        // SAFETY: promised.
        unsafe {
            match Self::of(object) {
                Some(mapping) => Ok(mapping),
                None => body::<MapBody>(object).map(Mapping::Map),
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
    pub(super) fn table(self) -> Table<Any> {
        match self {
            Mapping::Map(map) => map.entries().table().with(Clone::clone),
            Mapping::Frozen(map) => map.table().clone(),
        }
    }

    /// The value of a key.
    #[inline]
    pub(super) fn get(self, key: &PyKey<'_>) -> Result<Option<Found>, Error> {
        match self {
            Mapping::Map(map) => map.entries().locate(key.hash, key.as_ref(), |table, place| {
                place
                    .and_then(|place| table.at(place))
                    .map(|entry| found(&entry.value))
            }),
            Mapping::Frozen(map) => {
                let place = map.table().find(key.hash, key.as_ref())?;
                Ok(place
                    .and_then(|place| map.table().at(place))
                    .map(|entry| found(&entry.value)))
            }
        }
    }
}

pub(super) unsafe extern "C" fn len(this: Object_) -> py::Py_ssize_t {
    // SAFETY: called by CPython with a wrapper.
    match unsafe { Mapping::receiver(this) } {
        Ok(map) => map.entries().len() as py::Py_ssize_t,
        Err(error) => {
            raise(error);
            -1
        }
    }
}

pub(super) unsafe extern "C" fn subscript(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        match Mapping::receiver(this)?.get(&PyKey::new(key)?)? {
            Some(value) => value.object(),
            None => Err(missing(key)),
        }
    })
}

pub(super) unsafe extern "C" fn contains(this: Object_, key: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper and an object.
    status(|| unsafe { Ok(Mapping::receiver(this)?.get(&PyKey::new(key)?)?.is_some().into()) })
}

pub(super) unsafe extern "C" fn iter(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe { iterator(this, Part::Keys, false) })
}

pub(super) unsafe extern "C" fn repr(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let map = Mapping::receiver(this)?;
        represent(this, || {
            let mut text = String::from("{");
            map.entries().each(Part::Items, |row| {
                let (key, value) = row.pair()?;
                if text.len() > 1 {
                    text.push_str(", ");
                }
                text.push_str(&super::support::repr(key.as_ptr())?);
                text.push_str(": ");
                text.push_str(&super::support::repr(value.as_ptr())?);
                Ok(())
            })?;
            text.push('}');
            Ok(text)
        })
    })
}

pub(super) unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish(|| unsafe {
        if !matches!(operation, py::Py_EQ | py::Py_NE) {
            return Ok(not_implemented());
        }
        let Some(map) = Mapping::of(a) else {
            return Ok(not_implemented());
        };
        let is_dict = py::PyDict_Check(b) != 0;
        let other = Mapping::of(b);
        if other.is_none() && !is_dict {
            return Ok(not_implemented());
        }
        Ok(truth(deeper(|| same(map, other, b))? == (operation == py::Py_EQ)))
    })
}

/// Whether a map is equal to another of ours, or to a dict.
unsafe fn same(map: Mapping<'_>, other: Option<Mapping<'_>>, dict: Object_) -> Result<bool, Error> {
    // SAFETY: attached; living objects.
    unsafe {
        let len = match other {
            Some(other) => other.entries().len(),
            None => py::PyDict_Size(dict) as usize,
        };
        if map.entries().len() != len {
            return Ok(false);
        }
        let (shape, _) = map.entries().shape();
        let mut at = 0;
        while let Some(row) = map.entries().step(at, false, Some(shape), Part::Items)? {
            at = row.place + 1;
            let (key, value) = row.pair()?;
            let theirs = match other {
                Some(other) => other
                    .get(&PyKey::new(key.as_ptr())?)?
                    .map(Found::object)
                    .transpose()?,
                None => dict_item(dict, key.as_ptr())?,
            };
            match theirs {
                Some(theirs) if equal(value.as_ptr(), theirs.as_ptr())? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// # Safety
/// Attached; a dict and a living object.
pub(super) unsafe fn dict_item(dict: Object_, key: Object_) -> Result<Option<Owned>, Error> {
    let mut value = std::ptr::null_mut();
    // SAFETY: promised; a new reference, or null.
    unsafe {
        match py::compat::PyDict_GetItemRef(dict, key, &mut value) {
            -1 => Err(take()),
            _ => Ok(Owned::from_new(value)),
        }
    }
}

/// Every key and value of what `dict.update` takes: a mapping (what has `keys`), or an iterable of pairs.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn each_pair(
    other: Object_,
    mut each: impl FnMut(Object_, Object_) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: promised; keys and values are held while they are used.
    unsafe {
        if let Some(map) = Mapping::of(other) {
            return map.entries().each(Part::Items, |row| {
                let (key, value) = row.pair()?;
                each(key.as_ptr(), value.as_ptr())
            });
        }
        if py::PyDict_CheckExact(other) == 0 && running::PyObject_HasAttrString(other, c"keys".as_ptr()) != 0
        {
            let name = crate::convert::from_text("keys")?;
            let keys = crate::convert::owned(running::PyObject_CallMethodNoArgs(other, name.as_ptr()))?;
            return super::support::iterate(keys.as_ptr(), |key| {
                let value = crate::convert::owned(running::PyObject_GetItem(other, key))?;
                each(key, value.as_ptr())
            });
        }
        if !cfg!(Py_GIL_DISABLED) && py::PyDict_CheckExact(other) != 0 {
            // All at once, because `each` may run anything.
            for (key, value) in dict_pairs(other) {
                each(key.as_ptr(), value.as_ptr())?;
            }
            return Ok(());
        }
        let pairs = if py::PyDict_CheckExact(other) != 0 {
            Some(crate::convert::owned(py::PyDict_Items(other))?)
        } else {
            None
        };
        let mut at = 0;
        super::support::iterate(pairs.as_ref().map_or(other, Owned::as_ptr), |pair| {
            let (key, value) = split(pair, at)?;
            at += 1;
            each(key.as_ptr(), value.as_ptr())
        })
    }
}

/// Keys and values of a dict, with a GIL.
unsafe fn dict_pairs(dict: Object_) -> Vec<(Owned, Owned)> {
    let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: attached; a dict, which nobody changes: counting references runs nothing.
    unsafe {
        let mut pairs = Vec::with_capacity(py::PyDict_Size(dict) as usize);
        while py::PyDict_Next(dict, &mut at, &mut key, &mut value) != 0 {
            pairs.push((Owned::from_borrowed(key), Owned::from_borrowed(value)));
        }
        pairs
    }
}

unsafe fn split(pair: Object_, at: usize) -> Result<(Owned, Owned), Error> {
    // SAFETY: attached; a living object.
    unsafe {
        let Some(fast) = Owned::from_new(running::PySequence_Tuple(pair)) else {
            if py::PyErr_ExceptionMatches(py::PyExc_TypeError) != 0 {
                py::PyErr_Clear();
                return Err(Error::type_error(format!(
                    "cannot convert map update sequence element #{at} to a sequence"
                )));
            }
            return Err(take());
        };
        let len = py::PyTuple_GET_SIZE(fast.as_ptr());
        if len != 2 {
            return Err(Error::value_error(format!(
                "map update sequence element #{at} has length {len}; 2 is required"
            )));
        }
        let item = |at| Owned::from_borrowed(py::PyTuple_GET_ITEM(fast.as_ptr(), at));
        Ok((item(0), item(1)))
    }
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
    let mut table = Table::default();
    // SAFETY: promised.
    unsafe {
        let count = py::PyTuple_GET_SIZE(arguments);
        arity(name, count, 0, 1)?;
        if count == 1 && py::PyDict_CheckExact(py::PyTuple_GET_ITEM(arguments, 0)) != 0 {
            table.reserve(py::PyDict_Size(py::PyTuple_GET_ITEM(arguments, 0)) as usize);
        }
        let mut put = |key, value| {
            let key = PyKey::new(key)?;
            table.put_hashed(key.hash, key.into_any(), any_quickly(value)?)
        };
        if count == 1 {
            each_pair(py::PyTuple_GET_ITEM(arguments, 0), &mut put)?;
        }
        if !keywords.is_null() {
            each_pair(keywords, &mut put)?;
        }
    }
    Ok(table)
}

pub(super) unsafe extern "C" fn get(
    this: Object_,
    arguments: *mut Object_,
    count: py::Py_ssize_t,
) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish(|| unsafe {
        arity("get", count, 1, 2)?;
        match Mapping::receiver(this)?.get(&PyKey::new(*arguments)?)? {
            Some(value) => value.object(),
            None if count == 2 => Ok(Owned::from_borrowed(*arguments.add(1))),
            None => Ok(none()),
        }
    })
}

macro_rules! parts {
    ($($view:ident, $part:ident;)*) => {$(
        pub(super) unsafe extern "C" fn $view(this: Object_, _: Object_) -> Object_ {
            // SAFETY: called by CPython with a wrapper.
            finish(|| unsafe {
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

pub(super) unsafe extern "C" fn reversed(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe { iterator(this, Part::Keys, true) })
}

/// The slots that both classes have.
pub(super) fn slots() -> Vec<(c_int, *mut c_void)> {
    vec![
        (py::Py_sq_length, len as py::lenfunc as *mut c_void),
        (py::Py_mp_length, len as py::lenfunc as *mut c_void),
        (py::Py_mp_subscript, subscript as py::binaryfunc as *mut c_void),
        (py::Py_sq_contains, contains as py::objobjproc as *mut c_void),
        (
            py::Py_tp_richcompare,
            rich_compare as py::richcmpfunc as *mut c_void,
        ),
        (py::Py_tp_iter, iter as py::getiterfunc as *mut c_void),
        (py::Py_tp_repr, repr as py::reprfunc as *mut c_void),
    ]
}
