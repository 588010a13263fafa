//! `pairbond.Map`: its named methods.

use pairbond_core::error::Error;
use pairbond_core::value::{Any, MapBody, Table};
use pyo3_ffi as py;

use super::elements::kept_by;
use super::map_cache;
use super::mapping::{self, Mapping};
use super::pairs::each_pair;
use super::support::{
    Found, Methods, Object_, PyKey, any, any_quickly, arity, body, fast, found, generic, iterate, missing,
    noargs, none, to_python, with_keywords, wrap,
};
use crate::call::finish;
use crate::convert::owned;
use crate::errors::take;
use crate::owned::Owned;
use crate::running;

pub(super) static METHODS: Methods<15> = Methods([
    fast(c"get", mapping::get::<MapBody>, 0, c"get($self, key, default=None, /)\n--\n\nThe value of key, or default."),
    fast(c"setdefault", setdefault, 0, c"setdefault($self, key, default=None, /)\n--\n\nThe value of key, which is default from now on if there was none."),
    fast(c"pop", pop, 0, c"pop($self, key, default=<unrepresentable>, /)\n--\n\nRemoves key and returns its value; without such a key returns default, if that is given."),
    noargs(c"popitem", popitem, c"popitem($self, /)\n--\n\nRemoves and returns the key that came last, and its value, as a tuple."),
    with_keywords(c"update", update, c"update($self, other=(), /, **kwargs)\n--\n\nStores all values of a mapping, or of pairs."),
    noargs(c"clear", clear, c"clear($self, /)\n--\n\nRemoves everything."),
    noargs(c"copy", copy, c"copy($self, /)\n--\n\nA new map with the same keys and values."),
    noargs(c"__copy__", copy, c"__copy__($self, /)\n--\n\nSee copy()."),
    noargs(c"keys", mapping::keys, c"keys($self, /)\n--\n\nThe keys, as they are when one looks."),
    noargs(c"values", mapping::values, c"values($self, /)\n--\n\nThe values, as they are when one looks."),
    noargs(c"items", mapping::items, c"items($self, /)\n--\n\nKeys and values as tuples, as they are when one looks."),
    noargs(c"__reversed__", mapping::reversed, c"__reversed__($self, /)\n--\n\nIterates over the keys from the last."),
    fast(c"fromkeys", fromkeys, py::METH_CLASS, c"fromkeys($type, iterable, value=None, /)\n--\n\nA new map from keys to one value."),
    generic(),
    py::PyMethodDef::zeroed(),
]);

/// Stores a value with a key. `this` is the wrapper, or null when the map has none.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this`, `key` and
/// `value` alive.
#[inline]
pub(super) unsafe fn store(this: Object_, map: &MapBody, key: Object_, value: Object_) -> Result<(), Error> {
    // SAFETY: attached; living objects.
    unsafe {
        let key = PyKey::of(map, key)?;
        let hash = key.hash;
        let value = map.check_value(any_quickly(value)?)?;
        let key = map.check_key(key.into_any())?;
        // Replaced and unused values are dropped when the lock was given back.
        let (step, object, _old, _key) = map.entries().locate_with(hash, key, |table, place, key| {
            // Not before: comparing keys may have run any code.
            let object = kept_by(&value);
            let value = match place {
                Some(place) => match table.replace(place, value) {
                    Ok((old, step)) => return (step, object, old, key),
                    Err(value) => value,
                },
                None => value,
            };
            (table.add(hash, key, value), object, Any::None, Any::None)
        })?;
        if !this.is_null() {
            map_cache::stored(this, map, step, object);
        }
        Ok(())
    }
}

unsafe extern "C" fn setdefault(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish(|| unsafe {
        arity("setdefault", count, 1, 2)?;
        let map = body::<MapBody>(this)?;
        let key = PyKey::of(map, *arguments)?;
        let default = if count == 2 {
            any(*arguments.add(1))?
        } else {
            Any::None
        };
        let hash = key.hash;
        let (key, default) = (map.check_key(key.into_any())?, map.check_value(default)?);
        let stored = default.clone();
        // Unused values are dropped outside of the lock.
        let (there, _unused) = map.entries().locate_with(hash, key, |table, place, key| {
            match place.and_then(|place| table.at(place)) {
                Some(entry) => (Some(found(&entry.value)), Some((key, stored))),
                None => {
                    let _ = table.add(hash, key, stored);
                    (None, None)
                }
            }
        })?;
        there.unwrap_or(Found::Value(default)).object()
    })
}

unsafe extern "C" fn pop(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish(|| unsafe {
        arity("pop", count, 1, 2)?;
        let map = body::<MapBody>(this)?;
        let removed = if map.entries().read(Table::is_empty) {
            // An empty dict does not ask for a hash either.
            None
        } else {
            let key = PyKey::of(map, *arguments)?;
            map.remove(key.hash, key.as_ref())?
        };
        match removed {
            Some((_, value)) => to_python(&value),
            None if count == 2 => Ok(Owned::from_borrowed(*arguments.add(1))),
            None => Err(missing(*arguments)),
        }
    })
}

unsafe extern "C" fn popitem(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let map = body::<MapBody>(this)?;
        let last = map.entries().change(|table| {
            let place = table.previous(usize::MAX)?.0;
            table.remove(place)
        });
        let Some(entry) = last else {
            return Err(Error::key_error("popitem(): map is empty"));
        };
        let key = to_python(&entry.key)?;
        let value = to_python(&entry.value)?;
        owned(py::PyTuple_Pack(2, key.as_ptr(), value.as_ptr()))
    })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this`, `arguments` and
/// `keywords` alive.
pub(super) unsafe fn update_with(
    this: Object_,
    map: &MapBody,
    name: &str,
    arguments: Object_,
    keywords: Object_,
) -> Result<(), Error> {
    // SAFETY: attached; a tuple, and a dict or null.
    unsafe {
        let count = py::PyTuple_GET_SIZE(arguments);
        arity(name, count, 0, 1)?;
        let store = |key, value| store(this, map, key, value);
        if count == 1 {
            let other = py::PyTuple_GET_ITEM(arguments, 0);
            match Mapping::of(other) {
                // Itself: nothing to do, and it would be told that it changes.
                Some(Mapping::Map(other)) if std::ptr::eq(other, map) => {}
                _ => each_pair(other, store)?,
            }
        }
        if !keywords.is_null() {
            each_pair(keywords, store)?;
        }
        Ok(())
    }
}

unsafe extern "C" fn update(this: Object_, arguments: Object_, keywords: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    finish(|| unsafe {
        update_with(this, body::<MapBody>(this)?, "update", arguments, keywords)?;
        Ok(none())
    })
}

unsafe extern "C" fn clear(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        drop(body::<MapBody>(this)?.entries().change(Table::take));
        Ok(none())
    })
}

unsafe extern "C" fn copy(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let map = body::<MapBody>(this)?;
        wrap(map.alike(Mapping::Map(map).table()?))
    })
}

/// Keys to one value, stored through `__setitem__` of whatever the class makes.
unsafe extern "C" fn fromkeys(class: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a class and an array.
    finish(|| unsafe {
        arity("fromkeys", count, 1, 2)?;
        let value = if count == 2 {
            Owned::from_borrowed(*arguments.add(1))
        } else {
            none()
        };
        let made = owned(running::PyObject_CallNoArgs(class))?;
        iterate(*arguments, |key| {
            match running::PyObject_SetItem(made.as_ptr(), key, value.as_ptr()) {
                0 => Ok(()),
                _ => Err(take()),
            }
        })?;
        Ok(made)
    })
}
