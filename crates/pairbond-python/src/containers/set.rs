//! `pairbond.Set`: its protocols and operators. `set_methods` has the named methods.

use std::ffi::{c_int, c_void};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::try_push_str;
use pairbond_value::value::{Any, Seek, SetBody, Table};
use pyo3_ffi as py;

use super::entries::{Entries, Part};
use super::entry_iterator::new_iterator;
use super::map_cache;
use super::set_algebra::{Operation, apply_operation, is_subset};
use super::set_methods;
use super::values::{PyKey, any_key};
use super::walk::iterate_all;
use crate::errors::owned_or_error;
use crate::errors::{finish_call, finish_status};
use crate::heap_types::classes::{self, Built, Spec, container_class, slots};
use crate::heap_types::support::{
    Object_, as_body, body_of, initialise_body, not_implemented, only_argument, repr_around, wrap_new,
};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// The elements of an iterable, as a table of its own.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn table_of(
    iterable: Object_,
    mut check: impl FnMut(Any) -> Result<Any, Error>,
) -> Result<Table<()>, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    if let Some(set) = unsafe { as_body::<SetBody>(iterable) } {
        let table = set.entries().read(Table::try_clone)?;
        for entry in table.iter() {
            check(entry.key.clone())?;
        }
        return Ok(table);
    }
    let mut table = Table::default();
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        if py::PyList_CheckExact(iterable) != 0 || py::PyTuple_CheckExact(iterable) != 0 {
            table.try_reserve(py::Py_SIZE(iterable) as usize)?;
        }
        iterate_all(iterable, |item| table.put_if_absent(check(any_key(item)?)?, ()))?;
    }
    Ok(table)
}

/// An element to look for. As Python's sets do, one that is a set itself stands for a frozen set
/// with the same elements.
///
/// # Safety
/// Attached; the caller keeps the object for the time of `look`.
pub(super) unsafe fn with_key<R>(
    set: &SetBody,
    object: Object_,
    look: impl FnOnce(&PyKey<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    // SAFETY: attached; the caller keeps the object for the time of `look`: the caller ensures it.
    // The frozen set is kept here.
    unsafe {
        match PyKey::of(set, object) {
            Ok(key) => look(&key),
            Err(error) if as_body::<SetBody>(object).is_some() || py::PySet_Check(object) != 0 => {
                drop(error);
                let frozen = owned_or_error(py::PyFrozenSet_New(object))?;
                look(&PyKey::new(frozen.as_ptr())?)
            }
            Err(error) => Err(error),
        }
    }
}

unsafe extern "C" fn set_init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    finish_status(|| unsafe {
        let known = as_body::<SetBody>(this);
        let table = match only_argument("Set", arguments, keywords)? {
            None => Table::default(),
            Some(iterable) => table_of(iterable, |value| match known {
                Some(set) => set.check_value(value),
                None => Ok(value),
            })?,
        };
        initialise_body(this, SetBody::of_anything(table), |set, new| {
            set_replace(set, new.entries().change_locked(Table::take_all));
        })
    })
}

/// Puts other elements in place of all.
pub(super) fn set_replace(set: &SetBody, mut table: Table<()>) {
    set.entries().change_locked(|place| place.swap(&mut table));
    // The old elements are dropped when the lock was given back.
    drop(table);
}

unsafe extern "C" fn set_contains(this: Object_, value: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper and an object.
    match unsafe { map_cache::seek_key::<SetBody>(this, value) } {
        Seek::At(_) => 1,
        Seek::Absent => 0,
        // SAFETY: called by CPython with a wrapper and an object.
        Seek::Unknown => finish_status(|| unsafe {
            let set = body_of::<SetBody>(this)?;
            with_key(set, value, |key| {
                Ok(map_cache::has_key(this, set, value, key)?.into())
            })
        }),
    }
}

unsafe extern "C" fn set_iter(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { new_iterator(this, Part::Keys, false) })
}

unsafe extern "C" fn set_repr(this: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let (set, this) = unsafe { (body_of::<SetBody>(this)?, Owned::lend(&this)) };
        repr_around(this, || {
            let mut text = String::new();
            Entries::Set(set).for_each(Part::Keys, |row| {
                // SAFETY: attached; no wrapper is known.
                let one = unsafe { row.object(std::ptr::null_mut()) }?;
                let one = crate::heap_types::support::repr_text(&one)?;
                let before = if text.is_empty() { "{" } else { ", " };
                try_push_str(&mut text, before)?;
                try_push_str(&mut text, &one)?;
                Ok(())
            })?;
            if !text.is_empty() {
                try_push_str(&mut text, "}")?;
            }
            Ok(text)
        })
    })
}

/// Operands that are accepted besides our own sets: Python's, and classes registered as
/// `collections.abc.Set`.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn is_set(object: Object_) -> Result<bool, Error> {
    // SAFETY: attached; living objects.
    if unsafe { as_body::<SetBody>(object).is_some() || py::PyAnySet_Check(object) != 0 } {
        return Ok(true);
    }
    // SAFETY: attached; living objects.
    if unsafe {
        py::PyList_Check(object) != 0 || py::PyTuple_Check(object) != 0 || py::PyUnicode_Check(object) != 0
    } {
        return Ok(false);
    }
    let abc = Owned::import(c"collections.abc")?;
    let class = abc.get_attr(c"Set")?;
    // SAFETY: attached; living objects.
    match unsafe { running::PyObject_IsInstance(object, class.as_ptr()) } {
        -1 => Err(crate::errors::take()),
        answer => Ok(answer == 1),
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `a` and `b` alive.
unsafe fn set_operate(operation: Operation, a: Object_, b: Object_) -> Result<Owned, Error> {
    // SAFETY: attached; living objects.
    let ours = match unsafe { (as_body::<SetBody>(a), as_body::<SetBody>(b)) } {
        (Some(set), _) | (None, Some(set)) => set,
        (None, None) => return Ok(not_implemented()),
    };
    // SAFETY: attached; living objects.
    if unsafe { !is_set(a)? || !is_set(b)? } {
        return Ok(not_implemented());
    }
    // What comes from elsewhere only takes things away here, or must fit.
    let check = |value| match operation {
        Operation::Intersection | Operation::Difference => Ok(value),
        Operation::Union | Operation::Symmetric => ours.check_value(value),
    };
    // SAFETY: attached; living objects.
    let (left, right) = unsafe { (table_of(a, check)?, table_of(b, check)?) };
    let table = apply_operation(operation, left, &right)?;
    // SAFETY: attached; living objects.
    match unsafe { as_body::<SetBody>(a) } {
        Some(set) => wrap_new(set.with_same_kind(table)),
        None => wrap_new(SetBody::of_anything(table)),
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this` and `other`
/// alive.
unsafe fn operate_in_place(operation: Operation, this: Object_, other: Object_) -> Result<Owned, Error> {
    // SAFETY: attached; a wrapper and a living object.
    unsafe {
        if !is_set(other)? {
            return Ok(not_implemented());
        }
        set_methods::set_change(body_of::<SetBody>(this)?, operation, other)?;
        Ok(Owned::from_borrowed(this))
    }
}

macro_rules! operators {
    ($($name:ident, $in_place:ident, $operation:ident;)*) => {$(
        unsafe extern "C" fn $name(a: Object_, b: Object_) -> Object_ {
            // SAFETY: called by CPython with two objects.
            finish_call(|| unsafe { set_operate(Operation::$operation, a, b) })
        }
        unsafe extern "C" fn $in_place(a: Object_, b: Object_) -> Object_ {
            // SAFETY: called by CPython with a wrapper and an object.
            finish_call(|| unsafe { operate_in_place(Operation::$operation, a, b) })
        }
    )*};
}
operators! {
    or, ior, Union;
    and, iand, Intersection;
    sub, isub, Difference;
    xor, ixor, Symmetric;
}

unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with two objects.
        if unsafe { !is_set(a)? || !is_set(b)? } {
            return Ok(not_implemented());
        }
        // SAFETY: called by CPython with two objects.
        let (left, right) = match unsafe { (table_of(a, Ok), table_of(b, Ok)) } {
            (Ok(left), Ok(right)) => (left, right),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        Ok(Owned::from_bool(match operation {
            py::Py_EQ => left.len() == right.len() && is_subset(&left, &right)?,
            py::Py_NE => left.len() != right.len() || !is_subset(&left, &right)?,
            py::Py_LT => left.len() < right.len() && is_subset(&left, &right)?,
            py::Py_LE => is_subset(&left, &right)?,
            py::Py_GT => left.len() > right.len() && is_subset(&right, &left)?,
            _ => is_subset(&right, &left)?,
        }))
    })
}

impl Built for SetBody {
    const INIT: py::initproc = set_init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(SetBody::of_anything(match argument {
            // SAFETY: attached; `argument` is a living object: the caller ensures it.
            Some(iterable) => unsafe { table_of(iterable, Ok) }?,
            None => Table::default(),
        }))
    }
}

/// The thread is attached to `interp`.
pub(super) fn set_class(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let slots: [(c_int, *mut c_void); 14] = slots![
        Py_sq_length: lenfunc = super::mapping::len::<SetBody>;
        Py_sq_contains: objobjproc = set_contains;
        Py_tp_richcompare: richcmpfunc = rich_compare;
        Py_tp_hash: hashfunc = py::PyObject_HashNotImplemented;
        Py_tp_iter: getiterfunc = set_iter;
        Py_tp_repr: reprfunc = set_repr;
        Py_nb_or: binaryfunc = or;
        Py_nb_and: binaryfunc = and;
        Py_nb_subtract: binaryfunc = sub;
        Py_nb_xor: binaryfunc = xor;
        Py_nb_inplace_or: binaryfunc = ior;
        Py_nb_inplace_and: binaryfunc = iand;
        Py_nb_inplace_subtract: binaryfunc = isub;
        Py_nb_inplace_xor: binaryfunc = ixor;
    ];
    let spec = Spec {
        name: c"pairbond.Set",
        doc: c"Set(iterable=(), /)\n--\n\nA mutable set that is a native object and keeps the order of insertion: shared by everybody who holds it, typed by the library that made it.",
        methods: set_methods::METHODS.0.as_ptr(),
        attributes: None,
        init: set_init,
        vectorcall: Some(classes::construct_container::<SetBody>),
        slots: &slots,
    };
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    let class = unsafe { container_class::<SetBody>(interp, module, &spec) }?;
    classes::register_abstract(&class, c"MutableSet")
}

/// The error of `pop` on a set without elements.
#[cold]
pub(super) fn empty_set_error() -> Error {
    Error::new(ErrorKind::Key, "pop from an empty set")
}
