//! `pairbond.Map` and `pairbond.FrozenMap`: what they do not share.

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pairbond_core::value::{Any, FrozenMapBody, MapBody, Table};
use pyo3_ffi as py;

use super::classes::{self, Spec, container};
use super::mapping::{self, Mapping, each_pair, table_of};
use super::support::{
    Found, Methods, Object_, PyKey, any, arity, as_body, body, fast, found, generic, initialise, missing,
    noargs, none, not_implemented, with_keywords, wrap,
};
use crate::call::{finish, status};
use crate::convert::owned;
use crate::errors::take;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

static METHODS: Methods<15> = Methods([
    fast(c"get", mapping::get, 0, c"get($self, key, default=None, /)\n--\n\nThe value of key, or default."),
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

static FROZEN_METHODS: Methods<10> = Methods([
    fast(
        c"get",
        mapping::get,
        0,
        c"get($self, key, default=None, /)\n--\n\nThe value of key, or default.",
    ),
    noargs(c"copy", same, c"copy($self, /)\n--\n\nThe map itself."),
    noargs(c"__copy__", same, c"__copy__($self, /)\n--\n\nThe map itself."),
    noargs(c"keys", mapping::keys, c"keys($self, /)\n--\n\nThe keys."),
    noargs(c"values", mapping::values, c"values($self, /)\n--\n\nThe values."),
    noargs(
        c"items",
        mapping::items,
        c"items($self, /)\n--\n\nKeys and values as tuples.",
    ),
    noargs(
        c"__reversed__",
        mapping::reversed,
        c"__reversed__($self, /)\n--\n\nIterates over the keys from the last.",
    ),
    fast(
        c"fromkeys",
        fromkeys_frozen,
        py::METH_CLASS,
        c"fromkeys($type, iterable, value=None, /)\n--\n\nA new map from keys to one value.",
    ),
    generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    status(|| unsafe {
        // `dict.__init__` called again updates; the map of a library's field keeps to its types then.
        if let Some(map) = as_body::<MapBody>(this) {
            return update_with(map, "Map", arguments, keywords).map(|()| 0);
        }
        let table = table_of("Map", arguments, keywords)?;
        initialise(this, MapBody::of_anything(table), |_, _| {})
    })
}

unsafe extern "C" fn init_frozen(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    status(|| unsafe {
        let table = table_of("FrozenMap", arguments, keywords)?;
        crate::class::fits::<FrozenMapBody>(this)?;
        wrapper::tie(this, FrozenMapBody::of_anything(table))?;
        Ok(0)
    })
}

/// Stores a value with a key.
unsafe fn store(map: &MapBody, key: Object_, value: Object_) -> Result<(), Error> {
    // SAFETY: attached; living objects.
    unsafe {
        let key = PyKey::new(key)?;
        let value = map.check_value(any(value)?)?;
        let (hash, key) = (key.hash, map.check_key(key.into_any())?);
        drop(map.insert(hash, key, value)?);
        Ok(())
    }
}

unsafe extern "C" fn assign(this: Object_, key: Object_, value: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, an object, and an object or null.
    status(|| unsafe {
        let map = body::<MapBody>(this)?;
        if !value.is_null() {
            store(map, key, value)?;
        } else {
            let wanted = PyKey::new(key)?;
            if map.remove(wanted.hash, wanted.as_ref())?.is_none() {
                return Err(missing(key));
            }
        }
        Ok(0)
    })
}

unsafe extern "C" fn setdefault(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish(|| unsafe {
        arity("setdefault", count, 1, 2)?;
        let map = body::<MapBody>(this)?;
        let key = PyKey::new(*arguments)?;
        let default = if count == 2 {
            any(*arguments.add(1))?
        } else {
            Any::None
        };
        let hash = key.hash;
        let (key, default) = (map.check_key(key.into_any())?, map.check_value(default)?);
        let stored = (key.clone(), default.clone());
        // What is not needed is dropped outside of the lock.
        let (there, _unused) = map.entries().locate(hash, (&key).into(), |table, place| {
            match place.and_then(|place| table.at(place)) {
                Some(entry) => (Some(found(&entry.value)), Some(stored)),
                None => {
                    table.add(hash, stored.0, stored.1);
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
        let removed = if map.entries().table().with(Table::is_empty) {
            // An empty dict does not ask for a hash either.
            None
        } else {
            let key = PyKey::new(*arguments)?;
            map.remove(key.hash, key.as_ref())?
        };
        match removed {
            Some((_, value)) => super::support::to_python(&value),
            None if count == 2 => Ok(Owned::from_borrowed(*arguments.add(1))),
            None => Err(missing(*arguments)),
        }
    })
}

unsafe extern "C" fn popitem(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let map = body::<MapBody>(this)?;
        let last = map.entries().table().update(|table| {
            let place = table.previous(usize::MAX)?.0;
            table.remove(place)
        });
        let Some(entry) = last else {
            return Err(Error::key_error("popitem(): map is empty"));
        };
        let key = super::support::to_python(&entry.key)?;
        let value = super::support::to_python(&entry.value)?;
        owned(py::PyTuple_Pack(2, key.as_ptr(), value.as_ptr()))
    })
}

unsafe fn update_with(map: &MapBody, name: &str, arguments: Object_, keywords: Object_) -> Result<(), Error> {
    // SAFETY: attached; a tuple, and a dict or null.
    unsafe {
        let count = py::PyTuple_GET_SIZE(arguments);
        arity(name, count, 0, 1)?;
        let store = |key, value| store(map, key, value);
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
        update_with(body::<MapBody>(this)?, "update", arguments, keywords)?;
        Ok(none())
    })
}

unsafe extern "C" fn clear(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        drop(body::<MapBody>(this)?.entries().table().update(Table::take));
        Ok(none())
    })
}

unsafe extern "C" fn copy(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let map = body::<MapBody>(this)?;
        wrap(map.alike(Mapping::Map(map).table()))
    })
}

unsafe extern "C" fn same(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe { Ok(Owned::from_borrowed(this)) })
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
        super::support::iterate(*arguments, |key| {
            match running::PyObject_SetItem(made.as_ptr(), key, value.as_ptr()) {
                0 => Ok(()),
                _ => Err(take()),
            }
        })?;
        Ok(made)
    })
}

unsafe extern "C" fn fromkeys_frozen(
    class: Object_,
    arguments: *mut Object_,
    count: py::Py_ssize_t,
) -> Object_ {
    // SAFETY: called by CPython with a class and an array.
    finish(|| unsafe {
        arity("fromkeys", count, 1, 2)?;
        let value = if count == 2 {
            any(*arguments.add(1))?
        } else {
            Any::None
        };
        let mut table = Table::default();
        super::support::iterate(*arguments, |key| table.put(any(key)?, value.clone()))?;
        let map = wrap(FrozenMapBody::of_anything(table))?;
        if py::Py_TYPE(map.as_ptr()).cast() == class {
            return Ok(map);
        }
        owned(running::PyObject_CallOneArg(class, map.as_ptr()))
    })
}

/// `a | b`, one of which is ours and the other a mapping of ours or a dict. The left one says what comes out, unless it is a dict.
unsafe extern "C" fn or(a: Object_, b: Object_) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish(|| unsafe {
        let fits = |object| Mapping::of(object).is_some() || py::PyDict_Check(object) != 0;
        if !fits(a) || !fits(b) {
            return Ok(not_implemented());
        }
        match (Mapping::of(a), Mapping::of(b)) {
            (Some(Mapping::Map(map)), _) => {
                let made = map.alike(Mapping::Map(map).table());
                each_pair(b, |key, value| store(&made, key, value))?;
                wrap(made)
            }
            (None, Some(Mapping::Map(like))) => {
                let made = like.alike(Table::default());
                each_pair(a, |key, value| store(&made, key, value))?;
                each_pair(b, |key, value| store(&made, key, value))?;
                wrap(made)
            }
            _ => {
                let mut table = Table::default();
                for part in [a, b] {
                    each_pair(part, |key, value| table.put(any(key)?, any(value)?))?;
                }
                wrap(FrozenMapBody::of_anything(table))
            }
        }
    })
}

unsafe extern "C" fn or_in_place(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let map = body::<MapBody>(this)?;
        match Mapping::of(other) {
            Some(Mapping::Map(same)) if std::ptr::eq(same, map) => {}
            _ => each_pair(other, |key, value| store(map, key, value))?,
        }
        Ok(Owned::from_borrowed(this))
    })
}

unsafe extern "C" fn hash(this: Object_) -> py::Py_hash_t {
    let mut hash = -1;
    // SAFETY: called by CPython with a wrapper.
    let failed = status(|| unsafe {
        hash = body::<FrozenMapBody>(this)?.hash()? as py::Py_hash_t;
        Ok(0)
    });
    if failed == 0 { hash } else { -1 }
}

/// # Safety
/// Attached to `interp`; a living module.
pub(super) unsafe fn make(interp: &Interp, module: Object_) -> Result<(), Error> {
    let mut slots = mapping::slots();
    slots.push((py::Py_nb_or, or as py::binaryfunc as *mut c_void));
    let mut frozen = slots.clone();
    frozen.push((py::Py_tp_hash, hash as py::hashfunc as *mut c_void));
    slots.extend([
        (
            py::Py_mp_ass_subscript,
            assign as py::objobjargproc as *mut c_void,
        ),
        (py::Py_nb_inplace_or, or_in_place as py::binaryfunc as *mut c_void),
        (
            py::Py_tp_hash,
            py::PyObject_HashNotImplemented as py::hashfunc as *mut c_void,
        ),
    ]);
    let map = Spec {
        name: c"pairbond.Map",
        doc: c"Map(mapping_or_pairs=(), /, **kwargs)\n--\n\nA mutable mapping that is a native object and keeps the order of insertion: shared by everybody who holds it, typed by the library that made it.",
        methods: METHODS.0.as_ptr(),
        attributes: None,
        init,
        slots: &slots,
    };
    let frozen = Spec {
        name: c"pairbond.FrozenMap",
        doc: c"FrozenMap(mapping_or_pairs=(), /, **kwargs)\n--\n\nA mapping that never changes, and is a native object. It can be a key when its keys and values can.",
        methods: FROZEN_METHODS.0.as_ptr(),
        attributes: None,
        init: init_frozen,
        slots: &frozen,
    };
    // SAFETY: promised; each slot has the type that its number says.
    unsafe {
        let class = container::<MapBody>(interp, module, &map)?;
        classes::register(&class, c"MutableMapping")?;
        let class = container::<FrozenMapBody>(interp, module, &frozen)?;
        classes::register(&class, c"Mapping")
    }
}
