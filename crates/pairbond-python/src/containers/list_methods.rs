//! `pairbond.List`: its named methods.

use std::collections::HashMap;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::{try_copy, try_push};
use pairbond_value::value::{Any, ListBody};
use pyo3_ffi as py;

use super::list_assign::list_remove;
use super::search::Search;
use super::search_bound::search_bound;
use super::sequence::{Sequence, collect_checked};
use super::sequence_iterator::new_iterator;
use super::values::{any_quickly, any_value, to_python};
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::heap_types::support::{
    Methods, Object_, body_of, check_arity, method_fast, method_generic, method_noargs, method_one, new_int,
    with_keywords, wrap_new,
};
use crate::owned::Owned;
use crate::running;

pub(super) static METHODS: Methods<15> = Methods([
    method_one(c"append", list_append, c"append($self, value, /)\n--\n\nAdds a value at the end."),
    method_fast(c"insert", list_insert, 0, c"insert($self, index, value, /)\n--\n\nInserts a value before index, which may be negative or beyond the end."),
    method_one(c"extend", list_extend, c"extend($self, iterable, /)\n--\n\nAdds all values at the end, or none when one of them is of a wrong kind."),
    method_fast(c"pop", list_pop, 0, c"pop($self, index=-1, /)\n--\n\nRemoves and returns the value at index, the last by default."),
    method_one(c"remove", remove_value, c"remove($self, value, /)\n--\n\nRemoves the first value that is equal to the given one."),
    method_fast(c"index", index, 0, c"index($self, value, start=0, stop=sys.maxsize, /)\n--\n\nThe index of the first value that is equal to the given one."),
    method_one(c"count", list_count, c"count($self, value, /)\n--\n\nHow many values are equal to the given one."),
    method_noargs(c"reverse", list_reverse, c"reverse($self, /)\n--\n\nReverses the order in place."),
    with_keywords(c"sort", list_sort, c"sort($self, /, *, key=None, reverse=False)\n--\n\nSorts in place, equal elements in the order in which they were. Meanwhile the list is empty to others."),
    method_noargs(c"clear", list_clear, c"clear($self, /)\n--\n\nRemoves everything."),
    method_noargs(c"copy", list_copy, c"copy($self, /)\n--\n\nA new list with the same elements."),
    method_noargs(c"__copy__", list_copy, c"__copy__($self, /)\n--\n\nSee copy()."),
    method_noargs(c"__reversed__", list_reversed, c"__reversed__($self, /)\n--\n\nIterates from the end."),
    method_generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn list_append(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe {
        let list = body_of::<ListBody>(this)?;
        let value = list.check_value(any_quickly(value)?)?;
        let object = super::elements::kept_by(&value);
        let (version, at) = list.change_items(|items| {
            try_push(items, value)?;
            Ok::<_, Error>((list.version(), items.len() - 1))
        })?;
        super::elements::note_changed(this, list, version, at, object);
        Ok(Owned::none())
    })
}

unsafe extern "C" fn list_insert(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    finish_call(|| {
        check_arity("insert", count, 2, 2)?;
        // SAFETY: called by CPython with a wrapper and an array.
        let list = unsafe { body_of::<ListBody>(this) }?;
        // SAFETY: called by CPython with a wrapper and an array.
        let index = unsafe { running::PyNumber_AsSsize_t(*arguments, py::PyExc_OverflowError) };
        if index == -1 && crate::errors::is_set() {
            return Err(take());
        }
        // SAFETY: called by CPython with a wrapper and an array.
        let value = list.check_value(unsafe { any_value(*arguments.add(1)) }?)?;
        list.change_items(|items| {
            let len = items.len();
            let at = if index < 0 {
                len.saturating_add_signed(index)
            } else {
                len.min(index as usize)
            };
            items.try_reserve(1)?;
            items.insert(at, value);
            Ok::<_, Error>(())
        })?;
        Ok(Owned::none())
    })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `iterable` alive.
pub(super) unsafe fn extend_with(list: &ListBody, iterable: Object_) -> Result<(), Error> {
    // SAFETY: attached; a living object.
    let values = unsafe { collect_checked(iterable, |value| list.check_value(value)) }?;
    list.change_items(|items| {
        items.try_reserve(values.len())?;
        items.extend(values);
        Ok(())
    })
}

unsafe extern "C" fn list_extend(this: Object_, iterable: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        unsafe { extend_with(body_of::<ListBody>(this)?, iterable) }?;
        Ok(Owned::none())
    })
}

unsafe extern "C" fn list_pop(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    finish_call(|| {
        check_arity("pop", count, 0, 1)?;
        // SAFETY: called by CPython with a wrapper and an array.
        let list = unsafe { body_of::<ListBody>(this) }?;
        let mut index = -1;
        if count == 1 {
            // SAFETY: called by CPython with a wrapper and an array.
            index = unsafe { running::PyNumber_AsSsize_t(*arguments, py::PyExc_IndexError) };
            if index == -1 && crate::errors::is_set() {
                return Err(take());
            }
        }
        if list.read(Vec::is_empty) {
            return Err(Error::index_error("pop from empty list"));
        }
        let removed = list_remove(list, index).map_err(|_| Error::index_error("pop index out of range"))?;
        to_python(&removed)
    })
}

unsafe extern "C" fn remove_value(this: Object_, value: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let list = unsafe { body_of::<ListBody>(this) }?;
        // Removed elements are dropped outside of the list's lock.
        match Search::of(value)?.take(list, value)? {
            Some(_removed) => Ok(Owned::none()),
            None => Err(Error::value_error("list.remove(x): x not in list")),
        }
    })
}

unsafe extern "C" fn index(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish_call(|| unsafe { index_of(Sequence::List(body_of::<ListBody>(this)?), arguments, count) })
}

/// `index(value, start=0, stop=sys.maxsize)`
///
/// # Safety
/// Attached; an array of so many living objects.
pub(super) unsafe fn index_of(
    sequence: Sequence<'_>,
    arguments: *mut Object_,
    count: py::Py_ssize_t,
) -> Result<Owned, Error> {
    check_arity("index", count, 1, 3)?;
    let len = sequence.len();
    let start = if count > 1 {
        // SAFETY: attached; an array of so many living objects: the caller ensures it.
        unsafe { search_bound(*arguments.add(1), len) }?
    } else {
        0
    };
    let stop = if count > 2 {
        // SAFETY: attached; an array of so many living objects: the caller ensures it.
        unsafe { search_bound(*arguments.add(2), len) }?
    } else {
        usize::MAX
    };
    // SAFETY: attached; an array of so many living objects: the caller ensures it.
    unsafe {
        match sequence.find(*arguments, start, stop)? {
            Some(at) => new_int(at),
            None => Err(Error::value_error(format!(
                "{} is not in {}",
                crate::heap_types::support::repr_text(Owned::lend(&*arguments))?,
                if sequence.is_list() { "list" } else { "tuple" }
            ))),
        }
    }
}

/// `count(value)`
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn count_of(sequence: Sequence<'_>, value: Object_) -> Result<Owned, Error> {
    let (mut found, mut from) = (0, 0);
    while let Some(at) = sequence.find(value, from, usize::MAX)? {
        found += 1;
        from = at + 1;
    }
    new_int(found)
}

unsafe extern "C" fn list_count(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe { count_of(Sequence::List(body_of::<ListBody>(this)?), value) })
}

unsafe extern "C" fn list_reverse(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        unsafe { body_of::<ListBody>(this) }?.change_items(|items| items.reverse());
        Ok(Owned::none())
    })
}

unsafe extern "C" fn list_clear(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        drop(unsafe { body_of::<ListBody>(this) }?.change_items(std::mem::take));
        Ok(Owned::none())
    })
}

unsafe extern "C" fn list_copy(this: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let list = unsafe { body_of::<ListBody>(this) }?;
        wrap_new(list.with_same_kind(list.read(|items| try_copy(items))?))
    })
}

unsafe extern "C" fn list_reversed(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { new_iterator(this, true) })
}

/// CPython's own sort of the elements as Python objects; then our elements in that order. A
/// comparison that raises leaves them in some order.
unsafe extern "C" fn list_sort(this: Object_, arguments: Object_, keywords: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
        if unsafe { py::PyTuple_GET_SIZE(arguments) } != 0 {
            return Err(Error::type_error("sort() takes no positional arguments"));
        }
        // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
        let list = unsafe { body_of::<ListBody>(this) }?;
        let items = list.change_items(std::mem::take);
        // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
        let sorted = unsafe { sort_objects(&items, arguments, keywords) };
        let (order, outcome) = match sorted {
            Ok((order, outcome)) => (order, outcome),
            // The elements as they were.
            Err(error) => (Vec::new(), Err(error)),
        };
        let sorted = match order.len() == items.len() {
            true => in_order(items, order),
            false => items,
        };
        let meanwhile = list.change_items(|items| std::mem::replace(items, sorted));
        outcome?;
        if meanwhile.is_empty() {
            Ok(Owned::none())
        } else {
            Err(Error::new(ErrorKind::Value, "list modified during sort"))
        }
    })
}

/// The elements in another order, of which each place is one, without other memory.
fn in_order(mut items: Vec<Any>, mut order: Vec<usize>) -> Vec<Any> {
    for first in 0..order.len() {
        // Along a cycle of the permutation, each element goes where it belongs.
        let mut at = first;
        while order[at] != first {
            let next = order[at];
            order[at] = at;
            items.swap(at, next);
            at = next;
        }
        order[at] = at;
    }
    items
}

/// The order in which the elements are to be, and whether sorting came to its end.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `arguments` and
/// `keywords` alive.
#[allow(clippy::type_complexity)]
unsafe fn sort_objects(
    items: &[Any],
    arguments: Object_,
    keywords: Object_,
) -> Result<(Vec<usize>, Result<(), Error>), Error> {
    let mut objects = Vec::new();
    objects.try_reserve_exact(items.len())?;
    for item in items {
        objects.push(to_python(item)?);
    }
    let list = Owned::empty_list()?;
    for object in &objects {
        list.append(object)?;
    }
    let method = list.get_attr(c"sort")?;
    // SAFETY: attached; each object is held by `objects` while its address says which element it
    // is.
    let outcome =
        unsafe { owned_or_error(running::PyObject_Call(method.as_ptr(), arguments, keywords)) }.map(drop);
    // For each object the last of its places, and for each place the next one of the same
    // object.
    let mut places: HashMap<usize, usize> = HashMap::new();
    let (mut next, mut sorted): (Vec<Option<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    places.try_reserve(items.len())?;
    next.try_reserve_exact(items.len())?;
    sorted.try_reserve_exact(items.len())?;
    next.resize(items.len(), None);
    for (at, object) in objects.iter().enumerate().rev() {
        next[at] = places.insert(object.as_ptr().addr(), at);
    }
    // SAFETY: a living list.
    for at in unsafe { 0..py::PyList_GET_SIZE(list.as_ptr()) } {
        // SAFETY: a place in a living list.
        let object = unsafe { py::PyList_GET_ITEM(list.as_ptr(), at) }.addr();
        if let Some(place) = places.get(&object).copied() {
            sorted.push(place);
            match next[place] {
                Some(another) => places.insert(object, another),
                None => places.remove(&object),
            };
        }
    }
    Ok((sorted, outcome))
}
