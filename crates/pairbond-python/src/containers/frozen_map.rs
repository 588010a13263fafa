//! `pairbond.FrozenMap`

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_value::value::{Any, FrozenMapBody, Table};
use pyo3_ffi as py;

use super::map::map_or;
use super::mapping;
use super::pairs::{table_from, table_of};
use super::values::{any_key, any_value};
use super::walk::iterate_all;
use crate::errors::owned_or_error;
use crate::errors::{finish_call, finish_status};
use crate::heap_types::classes::{self, Built, Spec, container_class, slots};
use crate::heap_types::support::{
    Methods, Object_, body_of, check_arity, method_fast, method_generic, method_noargs, wrap_new,
};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

static METHODS: Methods<10> = Methods([
    method_fast(
        c"get",
        mapping::mapping_get::<FrozenMapBody>,
        0,
        c"get($self, key, default=None, /)\n--\n\nThe value of key, or default.",
    ),
    method_noargs(c"copy", frozen_map_same, c"copy($self, /)\n--\n\nThe map itself."),
    method_noargs(
        c"__copy__",
        frozen_map_same,
        c"__copy__($self, /)\n--\n\nThe map itself.",
    ),
    method_noargs(c"keys", mapping::keys, c"keys($self, /)\n--\n\nThe keys."),
    method_noargs(c"values", mapping::values, c"values($self, /)\n--\n\nThe values."),
    method_noargs(
        c"items",
        mapping::items,
        c"items($self, /)\n--\n\nKeys and values as tuples.",
    ),
    method_noargs(
        c"__reversed__",
        mapping::mapping_reversed,
        c"__reversed__($self, /)\n--\n\nIterates over the keys from the last.",
    ),
    method_fast(
        c"fromkeys",
        frozen_map_fromkeys,
        py::METH_CLASS,
        c"fromkeys($type, iterable, value=None, /)\n--\n\nA new map from keys to one value.",
    ),
    method_generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn frozen_map_init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    finish_status(|| unsafe {
        let table = table_of("FrozenMap", arguments, keywords)?;
        crate::call::check_wrapper::<FrozenMapBody>(this)?;
        wrapper::tie(this, FrozenMapBody::of_anything(table))?;
        Ok(0)
    })
}

unsafe extern "C" fn frozen_map_same(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { Ok(Owned::from_borrowed(this)) })
}

unsafe extern "C" fn frozen_map_fromkeys(
    class: Object_,
    arguments: *mut Object_,
    count: py::Py_ssize_t,
) -> Object_ {
    finish_call(|| {
        check_arity("fromkeys", count, 1, 2)?;
        let value = if count == 2 {
            // SAFETY: called by CPython with a class and an array.
            unsafe { any_value(*arguments.add(1)) }?
        } else {
            Any::None
        };
        let mut table = Table::default();
        // SAFETY: called by CPython with a class and an array.
        unsafe {
            iterate_all(*arguments, |key| {
                table.put_if_absent(any_key(key)?, value.clone())
            })?;
            let map = wrap_new(FrozenMapBody::of_anything(table))?;
            if map.class().cast() == class {
                return Ok(map);
            }
            owned_or_error(running::PyObject_CallOneArg(class, map.as_ptr()))
        }
    })
}

unsafe extern "C" fn hash(this: Object_) -> py::Py_hash_t {
    let mut hash = -1;
    let failed = finish_status(|| {
        // SAFETY: called by CPython with a wrapper.
        hash = unsafe { body_of::<FrozenMapBody>(this)?.hash()? as py::Py_hash_t };
        Ok(0)
    });
    if failed == 0 { hash } else { -1 }
}

impl Built for FrozenMapBody {
    const INIT: py::initproc = frozen_map_init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(FrozenMapBody::of_anything(match argument {
            // SAFETY: attached; `argument` is a living object: the caller ensures it.
            Some(other) => unsafe { table_from(other) }?,
            None => Table::default(),
        }))
    }
}

/// The thread is attached to `interp`.
pub(super) fn frozen_map_class(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let own = slots![
        Py_nb_or: binaryfunc = map_or;
        Py_tp_hash: hashfunc = hash;
    ];
    let spec = Spec {
        name: c"pairbond.FrozenMap",
        doc: c"FrozenMap(mapping_or_pairs=(), /, **kwargs)\n--\n\nA mapping that never changes, and is a native object. It can be a key when its keys and values can.",
        methods: METHODS.0.as_ptr(),
        attributes: None,
        init: frozen_map_init,
        vectorcall: Some(classes::construct_container::<FrozenMapBody>),
        slots: &[&mapping::mapping_slots::<FrozenMapBody>()[..], &own].concat(),
    };
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    let class = unsafe { container_class::<FrozenMapBody>(interp, module, &spec) }?;
    classes::register_abstract(&class, c"Mapping")
}
