//! `pairbond.Set`: its named methods.

use pairbond_core::error::Error;
use pairbond_value::value::{SetBody, Table};
use pyo3_ffi as py;

use super::set::{empty_set_error, table_of, with_key};
use super::set_algebra::{Operation, apply_operation, filter_elements, is_subset};
use super::values::{PyKey, to_python};
use crate::errors::finish_call;
use crate::heap_types::support::{
    Methods, Object_, body_of, key_error, method_fast, method_generic, method_noargs, method_one, wrap_new,
};
use crate::owned::Owned;

pub(super) static METHODS: Methods<20> = Methods([
    method_one(
        c"add",
        set_add,
        c"add($self, value, /)\n--\n\nAdds a value, unless an equal one is there.",
    ),
    method_one(
        c"discard",
        set_discard,
        c"discard($self, value, /)\n--\n\nRemoves a value, if it is there.",
    ),
    method_one(
        c"remove",
        set_remove,
        c"remove($self, value, /)\n--\n\nRemoves a value; KeyError if it is not there.",
    ),
    method_noargs(
        c"pop",
        set_pop,
        c"pop($self, /)\n--\n\nRemoves and returns the value that came last.",
    ),
    method_noargs(c"clear", set_clear, c"clear($self, /)\n--\n\nRemoves everything."),
    method_noargs(
        c"copy",
        set_copy,
        c"copy($self, /)\n--\n\nA new set with the same elements.",
    ),
    method_noargs(c"__copy__", set_copy, c"__copy__($self, /)\n--\n\nSee copy()."),
    method_fast(
        c"union",
        union,
        0,
        c"union($self, /, *others)\n--\n\nA new set of what is in this one or in any of the others.",
    ),
    method_fast(
        c"intersection",
        intersection,
        0,
        c"intersection($self, /, *others)\n--\n\nA new set of what is in this one and in all of the others.",
    ),
    method_fast(
        c"difference",
        difference,
        0,
        c"difference($self, /, *others)\n--\n\nA new set of what is in this one and in none of the others.",
    ),
    method_one(
        c"symmetric_difference",
        symmetric_difference,
        c"symmetric_difference($self, other, /)\n--\n\nA new set of what is in one of both only.",
    ),
    method_fast(
        c"update",
        update,
        0,
        c"update($self, /, *others)\n--\n\nAdds what is in the others.",
    ),
    method_fast(
        c"intersection_update",
        intersection_update,
        0,
        c"intersection_update($self, /, *others)\n--\n\nKeeps what is in all of the others.",
    ),
    method_fast(
        c"difference_update",
        difference_update,
        0,
        c"difference_update($self, /, *others)\n--\n\nRemoves what is in any of the others.",
    ),
    method_one(
        c"symmetric_difference_update",
        symmetric_difference_update,
        c"symmetric_difference_update($self, other, /)\n--\n\nKeeps what is in one of both only.",
    ),
    method_one(
        c"isdisjoint",
        set_isdisjoint,
        c"isdisjoint($self, other, /)\n--\n\nWhether nothing is in both.",
    ),
    method_one(
        c"issubset",
        set_issubset,
        c"issubset($self, other, /)\n--\n\nWhether all of this set is in the other.",
    ),
    method_one(
        c"issuperset",
        set_issuperset,
        c"issuperset($self, other, /)\n--\n\nWhether all of the other is in this set.",
    ),
    method_generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn set_add(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe {
        let set = body_of::<SetBody>(this)?;
        let key = PyKey::of(set, value)?;
        let (hash, value) = (key.hash, set.check_value(key.into_any())?);
        set.insert(hash, value)?;
        Ok(Owned::none())
    })
}

unsafe extern "C" fn set_discard(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe {
        let set = body_of::<SetBody>(this)?;
        with_key(set, value, |key| set.remove(key.hash, key.as_ref()))?;
        Ok(Owned::none())
    })
}

unsafe extern "C" fn set_remove(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe {
        let set = body_of::<SetBody>(this)?;
        if with_key(set, value, |key| set.remove(key.hash, key.as_ref()))? {
            Ok(Owned::none())
        } else {
            Err(key_error(value))
        }
    })
}

unsafe extern "C" fn set_pop(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let last = unsafe { body_of::<SetBody>(this) }?
            .entries()
            .change_locked(|table| {
                let place = table.entry_before(usize::MAX)?.0;
                table.remove(place)
            });
        to_python(&last.ok_or_else(empty_set_error)?.key)
    })
}

unsafe extern "C" fn set_clear(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        drop(
            unsafe { body_of::<SetBody>(this) }?
                .entries()
                .change_locked(Table::take_all),
        );
        Ok(Owned::none())
    })
}

fn set_snapshot(set: &SetBody) -> Result<Table<()>, Error> {
    set.entries().read(Table::try_clone)
}

unsafe extern "C" fn set_copy(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let set = unsafe { body_of::<SetBody>(this) }?;
        wrap_new(set.with_same_kind(set_snapshot(set)?))
    })
}

/// Changes a set in place. Elements that come from elsewhere must fit, and are all known before
/// anything changes. Additions and removals are made one by one: what another thread does meanwhile
/// stays, and nothing is looked up under the lock.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `other` alive.
pub(super) unsafe fn set_change(set: &SetBody, operation: Operation, other: Object_) -> Result<(), Error> {
    match operation {
        Operation::Union => {
            // SAFETY: attached; a living object.
            for entry in unsafe { table_of(other, |value| set.check_value(value)) }?.iter() {
                set.insert(entry.hash(), entry.key.clone())?;
            }
        }
        Operation::Difference => {
            // SAFETY: attached; a living object.
            for entry in unsafe { table_of(other, Ok) }?.iter() {
                set.remove(entry.hash(), (&entry.key).into())?;
            }
        }
        Operation::Intersection => {
            // SAFETY: attached; a living object.
            let other = unsafe { table_of(other, Ok) }?;
            for entry in filter_elements(&set_snapshot(set)?, &other, false)?.iter() {
                set.remove(entry.hash(), (&entry.key).into())?;
            }
        }
        Operation::Symmetric => {
            // SAFETY: attached; a living object.
            let other = unsafe { table_of(other, |value| set.check_value(value)) }?;
            for entry in other.iter() {
                if !set.remove(entry.hash(), (&entry.key).into())? {
                    set.insert(entry.hash(), entry.key.clone())?;
                }
            }
        }
    }
    Ok(())
}

/// A new set: this one, changed by each of the others.
///
/// # Safety
/// The calling thread is attached; `this` is a living wrapper, and `others` points at `count`
/// living objects.
unsafe fn with_others(
    this: Object_,
    operation: Operation,
    others: *mut Object_,
    count: py::Py_ssize_t,
) -> Result<Owned, Error> {
    // SAFETY: attached; a wrapper, and an array of so many living objects.
    unsafe {
        let set = body_of::<SetBody>(this)?;
        let mut table = set_snapshot(set)?;
        for at in 0..count {
            let other = *others.offset(at);
            let other = match operation {
                Operation::Union | Operation::Symmetric => table_of(other, |value| set.check_value(value))?,
                _ => table_of(other, Ok)?,
            };
            table = apply_operation(operation, table, &other)?;
        }
        wrap_new(set.with_same_kind(table))
    }
}

macro_rules! with_any_number {
    ($($name:ident, $in_place:ident, $operation:ident;)*) => {$(
        unsafe extern "C" fn $name(this: Object_, others: *mut Object_, count: py::Py_ssize_t) -> Object_ {
            // SAFETY: called by CPython with a wrapper and an array.
            finish_call(|| unsafe { with_others(this, Operation::$operation, others, count) })
        }
        unsafe extern "C" fn $in_place(this: Object_, others: *mut Object_, count: py::Py_ssize_t) -> Object_ {
            // SAFETY: called by CPython with a wrapper and an array.
            finish_call(|| unsafe {
                let set = body_of::<SetBody>(this)?;
                for at in 0..count {
                    set_change(set, Operation::$operation, *others.offset(at))?;
                }
                Ok(Owned::none())
            })
        }
    )*};
}
with_any_number! {
    union, update, Union;
    intersection, intersection_update, Intersection;
    difference, difference_update, Difference;
}

unsafe extern "C" fn symmetric_difference(this: Object_, other: Object_) -> Object_ {
    let mut other = other;
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe { with_others(this, Operation::Symmetric, &raw mut other, 1) })
}

unsafe extern "C" fn symmetric_difference_update(this: Object_, other: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        unsafe { set_change(body_of::<SetBody>(this)?, Operation::Symmetric, other) }?;
        Ok(Owned::none())
    })
}

unsafe extern "C" fn set_isdisjoint(this: Object_, other: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let (set, other) = unsafe { (set_snapshot(body_of::<SetBody>(this)?)?, table_of(other, Ok)?) };
        Ok(Owned::from_bool(filter_elements(&set, &other, true)?.is_empty()))
    })
}

unsafe extern "C" fn set_issubset(this: Object_, other: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let (set, other) = unsafe { (set_snapshot(body_of::<SetBody>(this)?)?, table_of(other, Ok)?) };
        Ok(Owned::from_bool(is_subset(&set, &other)?))
    })
}

unsafe extern "C" fn set_issuperset(this: Object_, other: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let (set, other) = unsafe { (set_snapshot(body_of::<SetBody>(this)?)?, table_of(other, Ok)?) };
        Ok(Owned::from_bool(is_subset(&other, &set)?))
    })
}
