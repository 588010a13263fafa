//! `pairbond.Tuple`

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pairbond_value::value::{TupleBody, with_recursion_guard};
use pyo3_ffi as py;

use super::elements;
use super::list::{list_iter, repeat_items};
use super::list_methods::{count_of, index_of};
use super::sequence::{Sequence, collect_all, collect_checked, compare_sequences, content_repr};
use super::sequence_iterator::new_iterator;
use super::values::found_value;
use crate::convert::{Subscript, slice_places};
use crate::errors::raise;
use crate::errors::{finish_call, finish_status};
use crate::heap_types::classes::{self, Built, Spec, container_class, slots};
use crate::heap_types::support::{
    Methods, Object_, as_body, body_of, method_fast, method_generic, method_noargs, method_one,
    not_implemented, only_argument, repr_around, wrap_new,
};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper;

static METHODS: Methods<6> = Methods([
    method_fast(c"index", index, 0, c"index($self, value, start=0, stop=sys.maxsize, /)\n--\n\nThe index of the first value that is equal to the given one."),
    method_one(c"count", tuple_count, c"count($self, value, /)\n--\n\nHow many values are equal to the given one."),
    method_noargs(c"__copy__", tuple_copy, c"__copy__($self, /)\n--\n\nThe tuple itself."),
    method_noargs(c"__reversed__", tuple_reversed, c"__reversed__($self, /)\n--\n\nIterates from the end."),
    method_generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn tuple_init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    finish_status(|| unsafe {
        let items = match only_argument("Tuple", arguments, keywords)? {
            None => Vec::new(),
            Some(iterable) => collect_checked(iterable, Ok)?,
        };
        crate::call::check_wrapper::<TupleBody>(this)?;
        wrapper::tie(this, TupleBody::of_anything(items))?;
        Ok(0)
    })
}

unsafe extern "C" fn len(this: Object_) -> py::Py_ssize_t {
    // SAFETY: called by CPython with a wrapper.
    match unsafe { body_of::<TupleBody>(this) } {
        Ok(tuple) => tuple.items().len() as py::Py_ssize_t,
        Err(error) => {
            raise(error);
            -1
        }
    }
}

unsafe extern "C" fn tuple_subscript(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    match unsafe { elements::cached_at::<TupleBody>(this, key) } {
        Some(object) => object.into_ptr(),
        // SAFETY: called by CPython with a wrapper and an object.
        None => unsafe { subscript_slowly(this, key) },
    }
}

#[inline(never)]
unsafe extern "C" fn subscript_slowly(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called as `tuple_subscript` is, with a wrapper and an object.
    if let Some(object) = unsafe { elements::cached_from_end::<TupleBody>(this, key) } {
        return object.into_ptr();
    }
    // SAFETY: called as `tuple_subscript` is, with a wrapper and an object.
    finish_call(|| unsafe {
        let tuple = body_of::<TupleBody>(this)?;
        let items = tuple.items();
        match Subscript::new(key, "tuple")? {
            Subscript::Index(index) => elements::element_at(this, tuple, index)?.ok_or_else(out_of_range),
            Subscript::Slice { start, stop, step } => {
                let places = slice_places(start, stop, step, items.len());
                wrap_new(tuple.with_same_kind(places.of(items)?))
            }
        }
    })
}

#[cold]
fn out_of_range() -> Error {
    Error::index_error("tuple index out of range")
}

unsafe extern "C" fn tuple_item(this: Object_, index: py::Py_ssize_t) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let items = unsafe { body_of::<TupleBody>(this) }?.items();
        match usize::try_from(index).ok().and_then(|at| items.get(at)) {
            Some(item) => found_value(item).object(),
            None => Err(out_of_range()),
        }
    })
}

unsafe extern "C" fn tuple_contains(this: Object_, value: Object_) -> c_int {
    finish_status(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let tuple = Sequence::Tuple(unsafe { body_of::<TupleBody>(this) }?);
        Ok(tuple.find(value, 0, usize::MAX)?.is_some().into())
    })
}

unsafe extern "C" fn tuple_add(a: Object_, b: Object_) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish_call(|| unsafe {
        let ours = match (as_body::<TupleBody>(a), as_body::<TupleBody>(b)) {
            (Some(tuple), _) | (None, Some(tuple)) => tuple,
            (None, None) => return Ok(not_implemented()),
        };
        let is_tuple = |object| Sequence::of(object).is_some_and(|it| !it.is_list());
        if !is_tuple(a) || !is_tuple(b) {
            return Ok(not_implemented());
        }
        let mut items = collect_checked(a, |value| ours.check_value(value))?;
        let more = collect_checked(b, |value| ours.check_value(value))?;
        items.try_reserve(more.len())?;
        items.extend(more);
        wrap_new(ours.with_same_kind(items))
    })
}

unsafe extern "C" fn tuple_repeat(this: Object_, times: py::Py_ssize_t) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let tuple = unsafe { body_of::<TupleBody>(this) }?;
        wrap_new(tuple.with_same_kind(repeat_items(tuple.items(), times)?))
    })
}

unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish_call(|| with_recursion_guard(|| unsafe { compare_sequences(a, b, operation) }))
}

/// As a Python tuple with the same elements is hashed, by their own `__hash__` (which for keys of
/// native maps only Rust's are asked for).
unsafe extern "C" fn hash(this: Object_) -> py::Py_hash_t {
    let mut hash = -1;
    let failed = finish_status(|| {
        // SAFETY: called by CPython with a wrapper.
        hash = unsafe { body_of::<TupleBody>(this)?.hash()? as py::Py_hash_t };
        Ok(0)
    });
    if failed == 0 { hash } else { -1 }
}

unsafe extern "C" fn tuple_repr(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe {
        let tuple = Sequence::Tuple(body_of::<TupleBody>(this)?);
        repr_around(Owned::lend(&this), || content_repr(tuple))
    })
}

unsafe extern "C" fn index(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish_call(|| unsafe { index_of(Sequence::Tuple(body_of::<TupleBody>(this)?), arguments, count) })
}

unsafe extern "C" fn tuple_count(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish_call(|| unsafe { count_of(Sequence::Tuple(body_of::<TupleBody>(this)?), value) })
}

unsafe extern "C" fn tuple_copy(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { Ok(Owned::from_borrowed(this)) })
}

unsafe extern "C" fn tuple_reversed(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe { new_iterator(this, true) })
}

impl Built for TupleBody {
    const INIT: py::initproc = tuple_init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(TupleBody::of_anything(match argument {
            // SAFETY: attached; `argument` is a living object: the caller ensures it.
            Some(iterable) => unsafe { collect_all(iterable) }?,
            None => Vec::new(),
        }))
    }
}

/// The thread is attached to `interp`.
pub(super) fn tuple_class(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let slots: [(c_int, *mut c_void); 11] = slots![
        Py_sq_length: lenfunc = len;
        Py_mp_length: lenfunc = len;
        Py_mp_subscript: binaryfunc = tuple_subscript;
        Py_sq_item: ssizeargfunc = tuple_item;
        Py_sq_contains: objobjproc = tuple_contains;
        Py_nb_add: binaryfunc = tuple_add;
        Py_sq_repeat: ssizeargfunc = tuple_repeat;
        Py_tp_richcompare: richcmpfunc = rich_compare;
        Py_tp_hash: hashfunc = hash;
        Py_tp_iter: getiterfunc = list_iter;
        Py_tp_repr: reprfunc = tuple_repr;
    ];
    let spec = Spec {
        name: c"pairbond.Tuple",
        doc: c"Tuple(iterable=(), /)\n--\n\nA sequence that never changes, and is a native object. It can be a key when its elements can.",
        methods: METHODS.0.as_ptr(),
        attributes: None,
        init: tuple_init,
        vectorcall: Some(classes::construct_container::<TupleBody>),
        slots: &slots,
    };
    // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the type
    // that its number says.
    let class = unsafe { container_class::<TupleBody>(interp, module, &spec) }?;
    classes::register_abstract(&class, c"Sequence")
}
