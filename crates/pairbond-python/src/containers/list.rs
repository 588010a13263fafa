//! `pairbond.List`: its protocols. `list_methods` has the named methods.

use std::ffi::{c_int, c_void};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::try_copy;
use pairbond_value::value::{Any, ListBody, with_recursion_guard};
use pyo3_ffi as py;

use super::list_assign::{assign_item, list_assign};
use super::sequence::{Sequence, collect_all, collect_checked, compare_sequences, content_repr};
use super::sequence_iterator::new_iterator;
use super::{elements, list_methods};
use crate::convert::{Subscript, slice_places};
use crate::errors::raise;
use crate::errors::{finish_call, finish_status};
use crate::heap_types::classes::{self, Built, Spec, container_class, slots};
use crate::heap_types::support::{
    Object_, as_body, body_of, initialise_body, not_implemented, only_argument, repr_around, wrap_new,
};
use crate::interp::Interp;
use crate::owned::Owned;

const OUT_OF_RANGE: &str = "list index out of range";

unsafe extern "C" fn list_init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    finish_status(|| unsafe {
        let known = as_body::<ListBody>(this);
        let items = match only_argument("List", arguments, keywords)? {
            None => Vec::new(),
            Some(iterable) => collect_checked(iterable, |value| match known {
                Some(list) => list.check_value(value),
                None => Ok(value),
            })?,
        };
        initialise_body(this, ListBody::of_anything(items), |list, new| {
            drop(list.change_items(|items| std::mem::replace(items, new.change_items(std::mem::take))));
        })
    })
}

pub(super) unsafe extern "C" fn len(this: Object_) -> py::Py_ssize_t {
    // SAFETY: called by CPython with a wrapper.
    match unsafe { body_of::<ListBody>(this) } {
        Ok(list) => list.read(Vec::len) as py::Py_ssize_t,
        Err(error) => {
            raise(error);
            -1
        }
    }
}

unsafe extern "C" fn list_subscript(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    match unsafe { elements::cached_at::<ListBody>(this, key) } {
        Some(object) => object.into_ptr(),
        // SAFETY: called by CPython with a wrapper and an object.
        None => unsafe { subscript_slowly(this, key) },
    }
}

#[inline(never)]
unsafe extern "C" fn subscript_slowly(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called as `list_subscript` is, with a wrapper and an object.
    if let Some(object) = unsafe { elements::cached_from_end::<ListBody>(this, key) } {
        return object.into_ptr();
    }
    finish_call(|| {
        // SAFETY: called as `list_subscript` is, with a wrapper and an object.
        let list = unsafe { body_of::<ListBody>(this) }?;
        // SAFETY: called as `list_subscript` is, with a wrapper and an object.
        match unsafe { Subscript::new(key, "list") }? {
            Subscript::Index(index) => {
                // SAFETY: called as `list_subscript` is, with a wrapper and an object.
                unsafe { elements::element_at(this, list, index) }?
                    .ok_or_else(|| Error::index_error(OUT_OF_RANGE))
            }
            Subscript::Slice { start, stop, step } => {
                let items = list.read(|items| slice_places(start, stop, step, items.len()).of(items))?;
                wrap_new(list.with_same_kind(items))
            }
        }
    })
}

/// `sq_item`: CPython has added the length to a negative index.
unsafe extern "C" fn sequence_item(this: Object_, index: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe {
        let list = body_of::<ListBody>(this)?;
        match elements::element_at(this, list, index.max(-1))? {
            Some(item) if index >= 0 => Ok(item),
            _ => Err(Error::index_error(OUT_OF_RANGE)),
        }
    })
}

unsafe extern "C" fn list_contains(this: Object_, value: Object_) -> c_int {
    finish_status(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let list = Sequence::List(unsafe { body_of::<ListBody>(this) }?);
        Ok(list.find(value, 0, usize::MAX)?.is_some().into())
    })
}

/// `a + b`, one of which is ours and the other a list of either kind.
unsafe extern "C" fn list_add(a: Object_, b: Object_) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish_call(|| unsafe {
        let ours = match (as_body::<ListBody>(a), as_body::<ListBody>(b)) {
            (Some(list), _) | (None, Some(list)) => list,
            (None, None) => return Ok(not_implemented()),
        };
        let is_list = |object| Sequence::of(object).is_some_and(Sequence::is_list);
        if !is_list(a) || !is_list(b) {
            return Ok(not_implemented());
        }
        let mut items = collect_checked(a, |value| ours.check_value(value))?;
        let more = collect_checked(b, |value| ours.check_value(value))?;
        items.try_reserve(more.len())?;
        items.extend(more);
        wrap_new(ours.with_same_kind(items))
    })
}

unsafe extern "C" fn add_in_place(this: Object_, other: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe {
        list_methods::extend_with(body_of::<ListBody>(this)?, other)?;
        Ok(Owned::from_borrowed(this))
    })
}

/// The elements, `times` over.
pub(super) fn repeat_items(items: &[Any], times: py::Py_ssize_t) -> Result<Vec<Any>, Error> {
    let times = usize::try_from(times).unwrap_or(0);
    let no_memory = || Error::new(ErrorKind::Memory, "the result is too large");
    let len = items.len().checked_mul(times).ok_or_else(no_memory)?;
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| no_memory())?;
    for _ in 0..times {
        if items.is_empty() {
            break;
        }
        all.extend_from_slice(items);
    }
    Ok(all)
}

unsafe extern "C" fn list_repeat(this: Object_, times: py::Py_ssize_t) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let list = unsafe { body_of::<ListBody>(this) }?;
        wrap_new(list.with_same_kind(repeat_items(&list.read(|items| try_copy(items))?, times)?))
    })
}

unsafe extern "C" fn repeat_in_place(this: Object_, times: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe {
        let list = body_of::<ListBody>(this)?;
        let items = repeat_items(&list.read(|items| try_copy(items))?, times)?;
        drop(list.change_items(|place| std::mem::replace(place, items)));
        Ok(Owned::from_borrowed(this))
    })
}

unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish_call(|| with_recursion_guard(|| unsafe { compare_sequences(a, b, operation) }))
}

pub(super) unsafe extern "C" fn list_iter(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { new_iterator(this, false) })
}

unsafe extern "C" fn list_repr(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe {
        let list = Sequence::List(body_of::<ListBody>(this)?);
        repr_around(Owned::lend(&this), || content_repr(list))
    })
}

impl Built for ListBody {
    const INIT: py::initproc = list_init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(ListBody::of_anything(match argument {
            // SAFETY: attached; `argument` is a living object: the caller ensures it.
            Some(iterable) => unsafe { collect_all(iterable) }?,
            None => Vec::new(),
        }))
    }
}

/// The thread is attached to `interp`.
pub(super) fn list_class(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let slots: [(c_int, *mut c_void); 15] = slots![
        Py_sq_length: lenfunc = len;
        Py_mp_length: lenfunc = len;
        Py_mp_subscript: binaryfunc = list_subscript;
        Py_sq_item: ssizeargfunc = sequence_item;
        Py_mp_ass_subscript: objobjargproc = list_assign;
        Py_sq_ass_item: ssizeobjargproc = assign_item;
        Py_sq_contains: objobjproc = list_contains;
        Py_nb_add: binaryfunc = list_add;
        Py_nb_inplace_add: binaryfunc = add_in_place;
        Py_sq_repeat: ssizeargfunc = list_repeat;
        Py_sq_inplace_repeat: ssizeargfunc = repeat_in_place;
        Py_tp_richcompare: richcmpfunc = rich_compare;
        Py_tp_hash: hashfunc = py::PyObject_HashNotImplemented;
        Py_tp_iter: getiterfunc = list_iter;
        Py_tp_repr: reprfunc = list_repr;
    ];
    let spec = Spec {
        name: c"pairbond.List",
        doc: c"List(iterable=(), /)\n--\n\nA mutable sequence that is a native object: shared by everybody who holds it, typed by the library that made it.",
        methods: list_methods::METHODS.0.as_ptr(),
        attributes: None,
        init: list_init,
        vectorcall: Some(classes::construct_container::<ListBody>),
        slots: &slots,
    };
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    let class = unsafe { container_class::<ListBody>(interp, module, &spec) }?;
    classes::register_abstract(&class, c"MutableSequence")
}
