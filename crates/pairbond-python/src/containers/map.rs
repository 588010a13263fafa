//! `pairbond.Map`: its protocols. `map_methods` has the named methods.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_value::value::{FrozenMapBody, MapBody, Table};
use pyo3_ffi as py;

use super::map_methods::{METHODS, map_store, update_with};
use super::mapping::{self, Mapping};
use super::pairs::{each_pair, table_from, table_of};
use super::values::{PyKey, any_key, any_value};
use crate::errors::{finish_call, finish_status};
use crate::heap_types::classes::{self, Built, Spec, container_class, slots};
use crate::heap_types::support::{
    Object_, as_body, body_of, initialise_body, key_error, not_implemented, wrap_new,
};
use crate::interp::Interp;
use crate::owned::Owned;

unsafe extern "C" fn map_init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    finish_status(|| {
        // `dict.__init__` called again updates; the map of a library's field keeps to its types
        // then.
        // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
        unsafe {
            if let Some(map) = as_body::<MapBody>(this) {
                return update_with(this, map, "Map", arguments, keywords).map(|()| 0);
            }
            let table = table_of("Map", arguments, keywords)?;
            initialise_body(this, MapBody::of_anything(table), |_, _| {})
        }
    })
}

unsafe extern "C" fn map_assign(this: Object_, key: Object_, value: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, an object, and an object or null.
    finish_status(|| unsafe {
        let map = body_of::<MapBody>(this)?;
        if !value.is_null() {
            map_store(this, map, key, value)?;
        } else {
            let wanted = PyKey::of(map, key)?;
            if map.remove(wanted.hash, wanted.as_ref())?.is_none() {
                return Err(key_error(key));
            }
        }
        Ok(0)
    })
}

/// `a | b`, one of which is ours and the other a mapping of ours or a dict. The left one says what
/// comes out, unless it is a dict.
pub(super) unsafe extern "C" fn map_or(a: Object_, b: Object_) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish_call(|| unsafe {
        let fits = |object| Mapping::of(object).is_some() || py::PyDict_Check(object) != 0;
        if !fits(a) || !fits(b) {
            return Ok(not_implemented());
        }
        match (Mapping::of(a), Mapping::of(b)) {
            (Some(Mapping::Map(map)), _) => {
                let made = map.with_same_kinds(Mapping::Map(map).table()?);
                each_pair(b, |key, value| map_store(std::ptr::null_mut(), &made, key, value))?;
                wrap_new(made)
            }
            (None, Some(Mapping::Map(like))) => {
                let made = like.with_same_kinds(Table::default());
                each_pair(a, |key, value| map_store(std::ptr::null_mut(), &made, key, value))?;
                each_pair(b, |key, value| map_store(std::ptr::null_mut(), &made, key, value))?;
                wrap_new(made)
            }
            _ => {
                let mut table = Table::default();
                for part in [a, b] {
                    each_pair(part, |key, value| {
                        table.put_if_absent(any_key(key)?, any_value(value)?)
                    })?;
                }
                wrap_new(FrozenMapBody::of_anything(table))
            }
        }
    })
}

unsafe extern "C" fn or_in_place(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe {
        let map = body_of::<MapBody>(this)?;
        match Mapping::of(other) {
            Some(Mapping::Map(same)) if std::ptr::eq(same, map) => {}
            _ => each_pair(other, |key, value| map_store(this, map, key, value))?,
        }
        Ok(Owned::from_borrowed(this))
    })
}

impl Built for MapBody {
    const INIT: py::initproc = map_init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(MapBody::of_anything(match argument {
            // SAFETY: attached; `argument` is a living object: the caller ensures it.
            Some(other) => unsafe { table_from(other) }?,
            None => Table::default(),
        }))
    }
}

/// The thread is attached to `interp`.
pub(super) fn map_class(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let own = slots![
        Py_nb_or: binaryfunc = map_or;
        Py_mp_ass_subscript: objobjargproc = map_assign;
        Py_nb_inplace_or: binaryfunc = or_in_place;
        Py_tp_hash: hashfunc = py::PyObject_HashNotImplemented;
    ];
    let spec = Spec {
        name: c"pairbond.Map",
        doc: c"Map(mapping_or_pairs=(), /, **kwargs)\n--\n\nA mutable mapping that is a native object and keeps the order of insertion: shared by everybody who holds it, typed by the library that made it.",
        methods: METHODS.0.as_ptr(),
        attributes: None,
        init: map_init,
        vectorcall: Some(classes::construct_container::<MapBody>),
        slots: &[&mapping::mapping_slots::<MapBody>()[..], &own].concat(),
    };
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    let class = unsafe { container_class::<MapBody>(interp, module, &spec) }?;
    classes::register_abstract(&class, c"MutableMapping")
}
