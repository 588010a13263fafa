//! `pairbond.Tuple`

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pairbond_core::value::{TupleBody, with_recursion_guard};
use pyo3_ffi as py;

use super::classes::{self, Built, Spec, container, slots};
use super::elements;
use super::list::{iter, repeated};
use super::list_methods::{count_of, index_of};
use super::sequence::{Sequence, collect, collect_all, compare, content};
use super::sequence_iterator::iterator;
use super::subscript::{Subscript, places};
use super::support::{
    Methods, Object_, as_body, body, fast, found, generic, noargs, not_implemented, one, only_argument,
    represent, wrap,
};
use crate::call::{finish, status};
use crate::errors::raise;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper;

static METHODS: Methods<6> = Methods([
    fast(c"index", index, 0, c"index($self, value, start=0, stop=sys.maxsize, /)\n--\n\nThe index of the first value that is equal to the given one."),
    one(c"count", count, c"count($self, value, /)\n--\n\nHow many values are equal to the given one."),
    noargs(c"__copy__", copy, c"__copy__($self, /)\n--\n\nThe tuple itself."),
    noargs(c"__reversed__", reversed, c"__reversed__($self, /)\n--\n\nIterates from the end."),
    generic(),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn init(this: Object_, arguments: Object_, keywords: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper, a tuple, and a dict or null.
    status(|| unsafe {
        let items = match only_argument("Tuple", arguments, keywords)? {
            None => Vec::new(),
            Some(iterable) => collect(iterable, Ok)?,
        };
        crate::class::fits::<TupleBody>(this)?;
        wrapper::tie(this, TupleBody::of_anything(items))?;
        Ok(0)
    })
}

unsafe extern "C" fn len(this: Object_) -> py::Py_ssize_t {
    // SAFETY: called by CPython with a wrapper.
    match unsafe { body::<TupleBody>(this) } {
        Ok(tuple) => tuple.items().len() as py::Py_ssize_t,
        Err(error) => {
            raise(error);
            -1
        }
    }
}

unsafe extern "C" fn subscript(this: Object_, key: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    match unsafe { elements::at_hand::<TupleBody>(this, key) } {
        Some(object) => object.into_ptr(),
        // SAFETY: called by CPython with a wrapper and an object.
        None => unsafe { subscript_slowly(this, key) },
    }
}

#[inline(never)]
unsafe extern "C" fn subscript_slowly(this: Object_, key: Object_) -> Object_ {
    // SAFETY: the caller's promises.
    if let Some(object) = unsafe { elements::at_hand_from_end::<TupleBody>(this, key) } {
        return object.into_ptr();
    }
    // SAFETY: the caller's promises.
    finish(|| unsafe {
        let tuple = body::<TupleBody>(this)?;
        let items = tuple.items();
        match Subscript::new(key, "tuple")? {
            Subscript::Index(index) => elements::element(this, tuple, index)?.ok_or_else(out_of_range),
            Subscript::Slice { start, stop, step } => {
                let places = places(start, stop, step, items.len());
                wrap(tuple.alike(places.of(items)?))
            }
        }
    })
}

#[cold]
fn out_of_range() -> Error {
    Error::index_error("tuple index out of range")
}

unsafe extern "C" fn item(this: Object_, index: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let items = body::<TupleBody>(this)?.items();
        match usize::try_from(index).ok().and_then(|at| items.get(at)) {
            Some(item) => found(item).object(),
            None => Err(out_of_range()),
        }
    })
}

unsafe extern "C" fn contains(this: Object_, value: Object_) -> c_int {
    // SAFETY: called by CPython with a wrapper and an object.
    status(|| unsafe {
        let tuple = Sequence::Tuple(body::<TupleBody>(this)?);
        Ok(tuple.find(value, 0, usize::MAX)?.is_some().into())
    })
}

unsafe extern "C" fn add(a: Object_, b: Object_) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish(|| unsafe {
        let ours = match (as_body::<TupleBody>(a), as_body::<TupleBody>(b)) {
            (Some(tuple), _) | (None, Some(tuple)) => tuple,
            (None, None) => return Ok(not_implemented()),
        };
        let is_tuple = |object| Sequence::of(object).is_some_and(|it| !it.is_list());
        if !is_tuple(a) || !is_tuple(b) {
            return Ok(not_implemented());
        }
        let mut items = collect(a, |value| ours.check(value))?;
        let more = collect(b, |value| ours.check(value))?;
        items.try_reserve(more.len())?;
        items.extend(more);
        wrap(ours.alike(items))
    })
}

unsafe extern "C" fn repeat(this: Object_, times: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let tuple = body::<TupleBody>(this)?;
        wrap(tuple.alike(repeated(tuple.items(), times)?))
    })
}

unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    // SAFETY: called by CPython with two objects.
    finish(|| with_recursion_guard(|| unsafe { compare(a, b, operation) }))
}

/// As a Python tuple with the same elements is hashed, by their own `__hash__` (which for keys of
/// native maps only Rust's are asked for).
unsafe extern "C" fn hash(this: Object_) -> py::Py_hash_t {
    let mut hash = -1;
    // SAFETY: called by CPython with a wrapper.
    let failed = status(|| unsafe {
        hash = body::<TupleBody>(this)?.hash()? as py::Py_hash_t;
        Ok(0)
    });
    if failed == 0 { hash } else { -1 }
}

unsafe extern "C" fn repr(this: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe {
        let tuple = Sequence::Tuple(body::<TupleBody>(this)?);
        represent(this, || content(tuple))
    })
}

unsafe extern "C" fn index(this: Object_, arguments: *mut Object_, count: py::Py_ssize_t) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an array.
    finish(|| unsafe { index_of(Sequence::Tuple(body::<TupleBody>(this)?), arguments, count) })
}

unsafe extern "C" fn count(this: Object_, value: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper and an object.
    finish(|| unsafe { count_of(Sequence::Tuple(body::<TupleBody>(this)?), value) })
}

unsafe extern "C" fn copy(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe { Ok(Owned::from_borrowed(this)) })
}

unsafe extern "C" fn reversed(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with a wrapper.
    finish(|| unsafe { iterator(this, true) })
}

impl Built for TupleBody {
    const INIT: py::initproc = init;
    unsafe fn build(argument: Option<Object_>) -> Result<Self, Error> {
        Ok(TupleBody::of_anything(match argument {
            // SAFETY: promised by the caller.
            Some(iterable) => unsafe { collect_all(iterable) }?,
            None => Vec::new(),
        }))
    }
}

/// # Safety
/// Attached to `interp`; a living module.
pub(super) unsafe fn make(interp: &Interp, module: Object_) -> Result<(), Error> {
    let slots: [(c_int, *mut c_void); 11] = slots![
        Py_sq_length: lenfunc = len;
        Py_mp_length: lenfunc = len;
        Py_mp_subscript: binaryfunc = subscript;
        Py_sq_item: ssizeargfunc = item;
        Py_sq_contains: objobjproc = contains;
        Py_nb_add: binaryfunc = add;
        Py_sq_repeat: ssizeargfunc = repeat;
        Py_tp_richcompare: richcmpfunc = rich_compare;
        Py_tp_hash: hashfunc = hash;
        Py_tp_iter: getiterfunc = iter;
        Py_tp_repr: reprfunc = repr;
    ];
    let spec = Spec {
        name: c"pairbond.Tuple",
        doc: c"Tuple(iterable=(), /)\n--\n\nA sequence that never changes, and is a native object. It can be a key when its elements can.",
        methods: METHODS.0.as_ptr(),
        attributes: None,
        init,
        vectorcall: Some(classes::construct::<TupleBody>),
        slots: &slots,
    };
    // SAFETY: promised; each slot has the type that its number says.
    unsafe {
        let class = container::<TupleBody>(interp, module, &spec)?;
        classes::register(&class, c"Sequence")
    }
}
