//! `pairbond.FrozenMap`

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_core::value::{Any, FrozenMapBody, Table};
use pyo3_ffi as py;

use super::classes::{self, Built, Spec, container, slots};
use super::map::or;
use super::mapping;
use super::pairs::{table_from, table_of};
use super::support::{Methods, Object_, any, any_key, arity, body, fast, generic, iterate, noargs, wrap};
use crate::call::{finish, status};
use crate::convert::owned;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

static METHODS: Methods<10> = Methods([
    fast(
        c"get",
        mapping::get::<FrozenMapBody>,
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
        fromkeys,
        py::METH_CLASS,
        c"fromkeys($type, iterable, value=None, /)\n--\n\nA new map from keys to one value.",
    ),
    generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    status(|| unsafe {
        let table = table_of("FrozenMap", arguments, keywords)?;
        crate::class::fits::<FrozenMapBody>(this)?;
        wrapper::tie(this, FrozenMapBody::of_anything(table))?;
        Ok(0)
    })
}

unsafe extern "C" fn same(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe { Ok(Owned::from_borrowed(this)) })
}

unsafe extern "C" fn fromkeys(class: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a class and an array.
    finish(|| unsafe {
        arity("fromkeys", count, 1, 2)?;
        let value = if count == 2 {
            any(*arguments.add(1))?
        } else {
            Any::None
        };
        let mut table = Table::default();
        iterate(*arguments, |key| table.put(any_key(key)?, value.clone()))?;
        let map = wrap(FrozenMapBody::of_anything(table))?;
        if py::Py_TYPE(map.as_ptr()).cast() == class {
            return Ok(map);
        }
        owned(running::PyObject_CallOneArg(class, map.as_ptr()))
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

impl Built for FrozenMapBody {
    const INIT: py::initproc = init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(FrozenMapBody::of_anything(match argument {
            // SAFETY: promised by the caller.
            Some(other) => unsafe { table_from(other) }?,
            None => Table::default(),
        }))
    }
}

/// # Safety
/// Attached to `interp`; a living module.
pub(super) unsafe fn make(interp: &Interp, module: Object_) -> Result<(), Error> {
    let own = slots![
        Py_nb_or: binaryfunc = or;
        Py_tp_hash: hashfunc = hash;
    ];
    let spec = Spec {
        name: c"pairbond.FrozenMap",
        doc: c"FrozenMap(mapping_or_pairs=(), /, **kwargs)\n--\n\nA mapping that never changes, and is a native object. It can be a key when its keys and values can.",
        methods: METHODS.0.as_ptr(),
        attributes: None,
        init,
        vectorcall: Some(classes::construct::<FrozenMapBody>),
        slots: &[&mapping::slots::<FrozenMapBody>()[..], &own].concat(),
    };
    // SAFETY: promised; each slot has the type that its number says.
    unsafe {
        let class = container::<FrozenMapBody>(interp, module, &spec)?;
        classes::register(&class, c"Mapping")
    }
}
