//! `pairbond.Map`: its named methods.

use pairbond_core::error::Error;
use pairbond_value::value::{Any, MapBody, Table};
use pyo3_ffi as py;

use super::elements::kept_by;
use super::map_cache;
use super::mapping::{self, Mapping};
use super::pairs::each_pair;
use super::values::{Found, PyKey, any_quickly, any_value, found_value, to_python};
use super::walk::iterate_all;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::heap_types::support::{
    Methods, Object_, body_of, check_arity, key_error, method_fast, method_generic, method_noargs,
    with_keywords, wrap_new,
};
use crate::owned::Owned;
use crate::running;

pub(super) static METHODS: Methods<15> = Methods([
    method_fast(c"get", mapping::mapping_get::<MapBody>, 0, c"get($self, key, default=None, /)\n--\n\nThe value of key, or default."),
    method_fast(c"setdefault", map_setdefault, 0, c"setdefault($self, key, default=None, /)\n--\n\nThe value of key, which is default from now on if there was none."),
    method_fast(c"pop", map_pop, 0, c"pop($self, key, default=<unrepresentable>, /)\n--\n\nRemoves key and returns its value; without such a key returns default, if that is given."),
    method_noargs(c"popitem", map_popitem, c"popitem($self, /)\n--\n\nRemoves and returns the key that came last, and its value, as a tuple."),
    with_keywords(c"update", map_update, c"update($self, other=(), /, **kwargs)\n--\n\nStores all values of a mapping, or of pairs."),
    method_noargs(c"clear", map_clear, c"clear($self, /)\n--\n\nRemoves everything."),
    method_noargs(c"copy", map_copy, c"copy($self, /)\n--\n\nA new map with the same keys and values."),
    method_noargs(c"__copy__", map_copy, c"__copy__($self, /)\n--\n\nSee copy()."),
    method_noargs(c"keys", mapping::keys, c"keys($self, /)\n--\n\nThe keys, as they are when one looks."),
    method_noargs(c"values", mapping::values, c"values($self, /)\n--\n\nThe values, as they are when one looks."),
    method_noargs(c"items", mapping::items, c"items($self, /)\n--\n\nKeys and values as tuples, as they are when one looks."),
    method_noargs(c"__reversed__", mapping::mapping_reversed, c"__reversed__($self, /)\n--\n\nIterates over the keys from the last."),
    method_fast(c"fromkeys", map_fromkeys, py::METH_CLASS, c"fromkeys($type, iterable, value=None, /)\n--\n\nA new map from keys to one value."),
    method_generic(),
    py::PyMethodDef::zeroed(),
]);

/// Stores a value with a key. `this` is the wrapper, or null when the map has none.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this`, `key` and
/// `value` alive.
#[inline]
pub(super) unsafe fn map_store(
    this: Object_,
    map: &MapBody,
    key: Object_,
    value: Object_,
) -> Result<(), Error> {
    // SAFETY: attached; living objects.
    let key = unsafe { PyKey::of(map, key) }?;
    let hash = key.hash;
    // SAFETY: attached; living objects.
    let value = map.check_value(unsafe { any_quickly(value) }?)?;
    let key = map.check_key(key.into_any())?;
    // Replaced and unused values are dropped when the lock was given back.
    let (step, object, _old, _key) = map.entries().locate_with(hash, key, |table, place, key| {
        // Not before: comparing keys may have run any code.
        let object = kept_by(&value);
        let value = match place {
            Some(place) => match table.replace_value(place, value) {
                Ok((old, step)) => return (step, object, old, key),
                Err(value) => value,
            },
            None => value,
        };
        (table.add(hash, key, value), object, Any::None, Any::None)
    })?;
    if !this.is_null() {
        // SAFETY: attached; living objects.
        unsafe { map_cache::note_stored(this, map, step, object) };
    }
    Ok(())
}

unsafe extern "C" fn map_setdefault(
    this: Object_,
    arguments: *mut Object_,
    count: py::Py_ssize_t,
) -> Object_ {
    finish_call(|| {
        check_arity("setdefault", count, 1, 2)?;
        // SAFETY: called by CPython with a wrapper and an array.
        let map = unsafe { body_of::<MapBody>(this) }?;
        // SAFETY: called by CPython with a wrapper and an array.
        let key = unsafe { PyKey::of(map, *arguments) }?;
        let default = if count == 2 {
            // SAFETY: called by CPython with a wrapper and an array.
            unsafe { any_value(*arguments.add(1)) }?
        } else {
            Any::None
        };
        let hash = key.hash;
        let (key, default) = (map.check_key(key.into_any())?, map.check_value(default)?);
        let stored = default.clone();
        // Unused values are dropped outside of the lock.
        let (there, _unused) = map.entries().locate_with(hash, key, |table, place, key| {
            match place.and_then(|place| table.entry_at(place)) {
                Some(entry) => (Some(found_value(&entry.value)), Some((key, stored))),
                None => {
                    let _ = table.add(hash, key, stored);
                    (None, None)
                }
            }
        })?;
        there.unwrap_or(Found::Value(default)).object()
    })
}

unsafe extern "C" fn map_pop(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish_call(|| unsafe {
        check_arity("pop", count, 1, 2)?;
        let map = body_of::<MapBody>(this)?;
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
            None => Err(key_error(*arguments)),
        }
    })
}

unsafe extern "C" fn map_popitem(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let map = unsafe { body_of::<MapBody>(this) }?;
        let last = map.entries().change_locked(|table| {
            let place = table.entry_before(usize::MAX)?.0;
            table.remove(place)
        });
        let Some(entry) = last else {
            return Err(Error::key_error("popitem(): map is empty"));
        };
        let key = to_python(&entry.key)?;
        let value = to_python(&entry.value)?;
        Owned::tuple([&key, &value])
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
        check_arity(name, count, 0, 1)?;
        let store = |key, value| map_store(this, map, key, value);
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

unsafe extern "C" fn map_update(this: Object_, arguments: Object_, keywords: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
        unsafe { update_with(this, body_of::<MapBody>(this)?, "update", arguments, keywords) }?;
        Ok(Owned::none())
    })
}

unsafe extern "C" fn map_clear(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        drop(
            unsafe { body_of::<MapBody>(this) }?
                .entries()
                .change_locked(Table::take_all),
        );
        Ok(Owned::none())
    })
}

unsafe extern "C" fn map_copy(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let map = unsafe { body_of::<MapBody>(this) }?;
        wrap_new(map.with_same_kinds(Mapping::Map(map).table()?))
    })
}

/// Keys to one value, stored through `__setitem__` of whatever the class makes.
unsafe extern "C" fn map_fromkeys(class: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    finish_call(|| {
        check_arity("fromkeys", count, 1, 2)?;
        let value = if count == 2 {
            // SAFETY: called by CPython with a class and an array.
            unsafe { Owned::from_borrowed(*arguments.add(1)) }
        } else {
            Owned::none()
        };
        // SAFETY: called by CPython with a class and an array.
        unsafe {
            let made = owned_or_error(running::PyObject_CallNoArgs(class))?;
            iterate_all(*arguments, |key| {
                match running::PyObject_SetItem(made.as_ptr(), key, value.as_ptr()) {
                    0 => Ok(()),
                    _ => Err(take()),
                }
            })?;
            Ok(made)
        }
    })
}
