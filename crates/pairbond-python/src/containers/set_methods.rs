//! `pairbond.Set`: its named methods.

use pairbond_core::error::Error;
use pairbond_core::value::{SetBody, Table};
use pyo3_ffi as py;

use super::set::{empty, table_of, with_key};
use super::set_algebra::{Operation, apply, filtered, is_subset};
use super::support::{
    Methods, Object_, PyKey, body, fast, generic, missing, noargs, none, one, to_python, truth, wrap,
};
use crate::call::finish;
use crate::owned::Owned;

pub(super) static METHODS: Methods<20> = Methods([
    one(
        c"add",
        add,
        c"add($self, value, /)\n--\n\nAdds a value, unless an equal one is there.",
    ),
    one(
        c"discard",
        discard,
        c"discard($self, value, /)\n--\n\nRemoves a value, if it is there.",
    ),
    one(
        c"remove",
        remove,
        c"remove($self, value, /)\n--\n\nRemoves a value; KeyError if it is not there.",
    ),
    noargs(
        c"pop",
        pop,
        c"pop($self, /)\n--\n\nRemoves and returns the value that came last.",
    ),
    noargs(c"clear", clear, c"clear($self, /)\n--\n\nRemoves everything."),
    noargs(
        c"copy",
        copy,
        c"copy($self, /)\n--\n\nA new set with the same elements.",
    ),
    noargs(c"__copy__", copy, c"__copy__($self, /)\n--\n\nSee copy()."),
    fast(
        c"union",
        union,
        0,
        c"union($self, /, *others)\n--\n\nA new set of what is in this one or in any of the others.",
    ),
    fast(
        c"intersection",
        intersection,
        0,
        c"intersection($self, /, *others)\n--\n\nA new set of what is in this one and in all of the others.",
    ),
    fast(
        c"difference",
        difference,
        0,
        c"difference($self, /, *others)\n--\n\nA new set of what is in this one and in none of the others.",
    ),
    one(
        c"symmetric_difference",
        symmetric_difference,
        c"symmetric_difference($self, other, /)\n--\n\nA new set of what is in one of both only.",
    ),
    fast(
        c"update",
        update,
        0,
        c"update($self, /, *others)\n--\n\nAdds what is in the others.",
    ),
    fast(
        c"intersection_update",
        intersection_update,
        0,
        c"intersection_update($self, /, *others)\n--\n\nKeeps what is in all of the others.",
    ),
    fast(
        c"difference_update",
        difference_update,
        0,
        c"difference_update($self, /, *others)\n--\n\nRemoves what is in any of the others.",
    ),
    one(
        c"symmetric_difference_update",
        symmetric_difference_update,
        c"symmetric_difference_update($self, other, /)\n--\n\nKeeps what is in one of both only.",
    ),
    one(
        c"isdisjoint",
        isdisjoint,
        c"isdisjoint($self, other, /)\n--\n\nWhether nothing is in both.",
    ),
    one(
        c"issubset",
        issubset,
        c"issubset($self, other, /)\n--\n\nWhether all of this set is in the other.",
    ),
    one(
        c"issuperset",
        issuperset,
        c"issuperset($self, other, /)\n--\n\nWhether all of the other is in this set.",
    ),
    generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn add(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let set = body::<SetBody>(this)?;
        let key = PyKey::of(set, value)?;
        let (hash, value) = (key.hash, set.check(key.into_any())?);
        set.insert(hash, value)?;
        Ok(none())
    })
}

unsafe extern "C" fn discard(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let set = body::<SetBody>(this)?;
        with_key(set, value, |key| set.remove(key.hash, key.as_ref()))?;
        Ok(none())
    })
}

unsafe extern "C" fn remove(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let set = body::<SetBody>(this)?;
        if with_key(set, value, |key| set.remove(key.hash, key.as_ref()))? {
            Ok(none())
        } else {
            Err(missing(value))
        }
    })
}

unsafe extern "C" fn pop(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let last = body::<SetBody>(this)?.entries().change(|table| {
            let place = table.previous(usize::MAX)?.0;
            table.remove(place)
        });
        to_python(&last.ok_or_else(empty)?.key)
    })
}

unsafe extern "C" fn clear(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        drop(body::<SetBody>(this)?.entries().change(Table::take));
        Ok(none())
    })
}

fn snapshot(set: &SetBody) -> Result<Table<()>, Error> {
    set.entries().read(Table::try_clone)
}

unsafe extern "C" fn copy(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let set = body::<SetBody>(this)?;
        wrap(set.alike(snapshot(set)?))
    })
}

/// Changes a set in place. Elements that come from elsewhere must fit, and are all known before
/// anything changes. Additions and removals are made one by one: what another thread does meanwhile
/// stays, and nothing is looked up under the lock.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `other` alive.
pub(super) unsafe fn change(set: &SetBody, operation: Operation, other: Object_) -> Result<(), Error> {
    // SAFETY: attached; a living object.
    unsafe {
        match operation {
            Operation::Union => {
                for entry in table_of(other, |value| set.check(value))?.iter() {
                    set.insert(entry.hash(), entry.key.clone())?;
                }
            }
            Operation::Difference => {
                for entry in table_of(other, Ok)?.iter() {
                    set.remove(entry.hash(), (&entry.key).into())?;
                }
            }
            Operation::Intersection => {
                let other = table_of(other, Ok)?;
                for entry in filtered(&snapshot(set)?, &other, false)?.iter() {
                    set.remove(entry.hash(), (&entry.key).into())?;
                }
            }
            Operation::Symmetric => {
                let other = table_of(other, |value| set.check(value))?;
                for entry in other.iter() {
                    if !set.remove(entry.hash(), (&entry.key).into())? {
                        set.insert(entry.hash(), entry.key.clone())?;
                    }
                }
            }
        }
        Ok(())
    }
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
        let set = body::<SetBody>(this)?;
        let mut table = snapshot(set)?;
        for at in 0..count {
            let other = *others.offset(at);
            let other = match operation {
                Operation::Union | Operation::Symmetric => table_of(other, |value| set.check(value))?,
                _ => table_of(other, Ok)?,
            };
            table = apply(operation, table, &other)?;
        }
        wrap(set.alike(table))
    }
}

macro_rules! with_any_number {
    ($($name:ident, $in_place:ident, $operation:ident;)*) => {$(
        unsafe extern "C" fn $name(this: Object_, others: *mut Object_, count: py::Py_ssize_t) -> Object_ {
            // SAFETY: called by CPython with a wrapper and an array.
            finish(|| unsafe { with_others(this, Operation::$operation, others, count) })
        }
        unsafe extern "C" fn $in_place(this: Object_, others: *mut Object_, count: py::Py_ssize_t) -> Object_ {
            // SAFETY: called by CPython with a wrapper and an array.
            finish(|| unsafe {
                let set = body::<SetBody>(this)?;
                for at in 0..count {
                    change(set, Operation::$operation, *others.offset(at))?;
                }
                Ok(none())
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
    finish(|| unsafe { with_others(this, Operation::Symmetric, &raw mut other, 1) })
}

unsafe extern "C" fn symmetric_difference_update(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        change(body::<SetBody>(this)?, Operation::Symmetric, other)?;
        Ok(none())
    })
}

unsafe extern "C" fn isdisjoint(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let (set, other) = (snapshot(body::<SetBody>(this)?)?, table_of(other, Ok)?);
        Ok(truth(filtered(&set, &other, true)?.is_empty()))
    })
}

unsafe extern "C" fn issubset(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let (set, other) = (snapshot(body::<SetBody>(this)?)?, table_of(other, Ok)?);
        Ok(truth(is_subset(&set, &other)?))
    })
}

unsafe extern "C" fn issuperset(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe {
        let (set, other) = (snapshot(body::<SetBody>(this)?)?, table_of(other, Ok)?);
        Ok(truth(is_subset(&other, &set)?))
    })
}
