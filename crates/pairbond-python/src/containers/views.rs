//! `keys()`, `values()` and `items()`: Python objects that look into a map whenever they are used.

use std::ffi::{CStr, c_int, c_void};

use pairbond_core::error::Error;
use pairbond_core::memory::try_push_str;
use pyo3_ffi as py;

use super::entries::Part;
use super::entry_iterator::new_iterator;
use super::keep::{Keeper, keeper_dealloc, keeper_traverse};
use super::mapping::Mapping;
use super::values::Found;
use crate::errors::owned_or_error;
use crate::errors::{finish_call, finish_status};
use crate::errors::{raise, take};
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::classes::{helper_class, slots};
use crate::heap_types::support::{
    Methods, Object_, as_body, method_noargs, method_one, not_implemented, objects_equal, repr_around,
    repr_text,
};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// A view of a map.
///
/// # Safety
/// Attached; the wrapper of a map.
pub(super) unsafe fn new(map: Object_, part: Part) -> Result<Owned, Error> {
    let class = Interp::current()?.helper_class(super::VIEWS + part as usize);
    // SAFETY: attached; the wrapper of a map: the caller ensures it. Every field is written before
    // the collector may look.
    unsafe {
        let made = owned_or_error(_PyObject_GC_New(class))?;
        Keeper::take_hold(made.as_ptr(), map);
        Ok(made)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `view` alive.
unsafe fn map_of<'a>(view: Object_) -> Result<(Object_, Mapping<'a>), Error> {
    // SAFETY: one of ours, which keeps the wrapper.
    unsafe {
        let map = (*view.cast::<Keeper>()).container();
        Ok((map, Mapping::receiver(map)?))
    }
}

unsafe extern "C" fn len(this: Object_) -> py::Py_ssize_t {
    // SAFETY: called by CPython with one of ours.
    match unsafe { map_of(this) } {
        Ok((_, map)) => map.entries().len() as py::Py_ssize_t,
        Err(error) => {
            raise(error);
            -1
        }
    }
}

const PARTS: [Part; 3] = [Part::Keys, Part::Values, Part::Items];

unsafe extern "C" fn view_iter<const PART: usize>(this: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    finish_call(|| unsafe { new_iterator((*this.cast::<Keeper>()).container(), PARTS[PART], false) })
}

unsafe extern "C" fn view_reversed<const PART: usize>(this: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    finish_call(|| unsafe { new_iterator((*this.cast::<Keeper>()).container(), PARTS[PART], true) })
}

unsafe extern "C" fn view_repr<const PART: usize>(this: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with one of ours.
        let ((_, map), this) = unsafe { (map_of(this)?, Owned::lend(&this)) };
        repr_around(this, || {
            let mut text = String::from("[");
            map.entries().for_each(PARTS[PART], |row| {
                if text.len() > 1 {
                    try_push_str(&mut text, ", ")?;
                }
                // SAFETY: attached; no wrapper is known.
                let one = unsafe { row.object(std::ptr::null_mut()) }?;
                try_push_str(&mut text, &repr_text(&one)?)?;
                Ok(())
            })?;
            try_push_str(&mut text, "]")?;
            Ok(text)
        })
    })
}

unsafe extern "C" fn contains_key(this: Object_, key: Object_) -> c_int {
    // SAFETY: called by CPython with one of ours and an object.
    finish_status(|| unsafe { Ok(map_of(this)?.1.get(key)?.is_some().into()) })
}

unsafe extern "C" fn contains_item(this: Object_, item: Object_) -> c_int {
    // SAFETY: called by CPython with one of ours and an object; a tuple keeps its items.
    finish_status(|| unsafe {
        if py::PyTuple_Check(item) == 0 || py::PyTuple_GET_SIZE(item) != 2 {
            return Ok(0);
        }
        match map_of(this)?
            .1
            .get(py::PyTuple_GET_ITEM(item, 0))?
            .map(Found::object)
            .transpose()?
        {
            Some(value) => Ok(objects_equal(value.as_ptr(), py::PyTuple_GET_ITEM(item, 1))?.into()),
            None => Ok(0),
        }
    })
}

/// Whether an object compares as sets do: Python's, ours, and views of keys and items of either.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn is_set(object: Object_) -> bool {
    // SAFETY: attached; a living object.
    unsafe {
        let class = py::Py_TYPE(object);
        py::PyAnySet_Check(object) != 0
            || as_body::<pairbond_value::value::SetBody>(object).is_some()
            || class == &raw mut py::PyDictKeys_Type
            || class == &raw mut py::PyDictItems_Type
            || Interp::current().is_ok_and(|interp| {
                [Part::Keys, Part::Items]
                    .iter()
                    .any(|part| class == interp.helper_class(super::VIEWS + *part as usize))
            })
    }
}

/// Whether everything in `a` is in `b`.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `a` and `b` alive.
unsafe fn all_in(a: Object_, b: Object_) -> Result<bool, Error> {
    let mut missing = false;
    // SAFETY: attached; living objects.
    unsafe {
        let iterator = owned_or_error(running::PyObject_GetIter(a))?;
        while let Some(item) = Owned::from_new(running::PyIter_Next(iterator.as_ptr())) {
            match running::PySequence_Contains(b, item.as_ptr()) {
                -1 => return Err(take()),
                0 => {
                    missing = true;
                    break;
                }
                _ => {}
            }
        }
        if !missing && crate::errors::is_set() {
            return Err(take());
        }
    }
    Ok(!missing)
}

unsafe extern "C" fn rich_compare(a: Object_, b: Object_, operation: c_int) -> Object_ {
    // SAFETY: called by CPython with one of ours and an object.
    finish_call(|| unsafe {
        if !is_set(b) {
            return Ok(not_implemented());
        }
        let (left, right) = (running::PyObject_Size(a), running::PyObject_Size(b));
        if left < 0 || right < 0 {
            return Err(take());
        }
        Ok(Owned::from_bool(match operation {
            py::Py_EQ => left == right && all_in(a, b)?,
            py::Py_NE => left != right || !all_in(a, b)?,
            py::Py_LT => left < right && all_in(a, b)?,
            py::Py_LE => left <= right && all_in(a, b)?,
            py::Py_GT => left > right && all_in(b, a)?,
            _ => left >= right && all_in(b, a)?,
        }))
    })
}

/// As views of a dict do it: a new Python set of the left one, changed in place by the right one.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `a` and `b` alive.
unsafe fn combine_views(a: Object_, b: Object_, method: &CStr) -> Result<Owned, Error> {
    // SAFETY: attached; living objects.
    unsafe {
        let set = owned_or_error(py::PySet_New(a))?;
        let method = set.get_attr(method)?;
        owned_or_error(running::PyObject_CallOneArg(method.as_ptr(), b))?;
        Ok(set)
    }
}

macro_rules! operators {
    ($($name:ident, $method:literal;)*) => {$(
        unsafe extern "C" fn $name(a: Object_, b: Object_) -> Object_ {
            // SAFETY: called by CPython with two objects.
            finish_call(|| unsafe { combine_views(a, b, $method) })
        }
    )*};
}
operators! {
    and, c"intersection_update";
    or, c"update";
    sub, c"difference_update";
    xor, c"symmetric_difference_update";
}

unsafe extern "C" fn view_isdisjoint(this: Object_, other: Object_) -> Object_ {
    finish_call(|| {
        let mut common = false;
        // SAFETY: called by CPython with one of ours and an object.
        let iterator = unsafe { owned_or_error(running::PyObject_GetIter(other)) }?;
        // SAFETY: called by CPython with one of ours and an object.
        while let Some(item) = unsafe { Owned::from_new(running::PyIter_Next(iterator.as_ptr())) } {
            // SAFETY: called by CPython with one of ours and an object.
            match unsafe { running::PySequence_Contains(this, item.as_ptr()) } {
                -1 => return Err(take()),
                0 => {}
                _ => {
                    common = true;
                    break;
                }
            }
        }
        if !common && crate::errors::is_set() {
            return Err(take());
        }
        Ok(Owned::from_bool(!common))
    })
}

const REVERSED: &CStr = c"__reversed__($self, /)\n--\n\nIterates from the last.";
const DISJOINT: &CStr = c"isdisjoint($self, other, /)\n--\n\nWhether nothing is in both.";

static KEYS: Methods<3> = Methods([
    method_noargs(c"__reversed__", view_reversed::<0>, REVERSED),
    method_one(c"isdisjoint", view_isdisjoint, DISJOINT),
    py::PyMethodDef::zeroed(),
]);
static VALUES: Methods<2> = Methods([
    method_noargs(c"__reversed__", view_reversed::<1>, REVERSED),
    py::PyMethodDef::zeroed(),
]);
static ITEMS: Methods<3> = Methods([
    method_noargs(c"__reversed__", view_reversed::<2>, REVERSED),
    method_one(c"isdisjoint", view_isdisjoint, DISJOINT),
    py::PyMethodDef::zeroed(),
]);

/// The classes of views, in the order of [`Part`]. The thread is attached.
pub(super) fn view_classes(module: &Owned) -> Result<[Owned; 3], Error> {
    let common = slots![
        Py_tp_dealloc: destructor = keeper_dealloc;
        Py_tp_traverse: traverseproc = keeper_traverse;
        Py_sq_length: lenfunc = len;
    ];
    let as_set = slots![
        Py_tp_richcompare: richcmpfunc = rich_compare;
        Py_tp_hash: hashfunc = py::PyObject_HashNotImplemented;
        Py_nb_and: binaryfunc = and;
        Py_nb_or: binaryfunc = or;
        Py_nb_subtract: binaryfunc = sub;
        Py_nb_xor: binaryfunc = xor;
    ];
    let keys = [
        (py::Py_tp_iter, view_iter::<0> as py::getiterfunc as *mut c_void),
        (py::Py_tp_repr, view_repr::<0> as py::reprfunc as *mut c_void),
        (py::Py_sq_contains, contains_key as py::objobjproc as *mut c_void),
        (py::Py_tp_methods, KEYS.0.as_ptr().cast_mut().cast()),
    ];
    let values = [
        (py::Py_tp_iter, view_iter::<1> as py::getiterfunc as *mut c_void),
        (py::Py_tp_repr, view_repr::<1> as py::reprfunc as *mut c_void),
        (py::Py_tp_methods, VALUES.0.as_ptr().cast_mut().cast()),
    ];
    let items = [
        (py::Py_tp_iter, view_iter::<2> as py::getiterfunc as *mut c_void),
        (py::Py_tp_repr, view_repr::<2> as py::reprfunc as *mut c_void),
        (py::Py_sq_contains, contains_item as py::objobjproc as *mut c_void),
        (py::Py_tp_methods, ITEMS.0.as_ptr().cast_mut().cast()),
    ];
    let class = |name, slots: &[_]| {
        // SAFETY: attached, with a living module. Each slot has the type that its number says.
        unsafe { helper_class(module, name, size_of::<Keeper>(), slots) }
    };
    let made = [
        class(c"pairbond.MapKeys", &[&common[..], &as_set, &keys].concat())?,
        class(c"pairbond.MapValues", &[&common[..], &values].concat())?,
        class(c"pairbond.MapItems", &[&common[..], &as_set, &items].concat())?,
    ];
    for (class, name) in made.iter().zip([c"KeysView", c"ValuesView", c"ItemsView"]) {
        crate::heap_types::classes::register_abstract(class, name)?;
    }
    Ok(made)
}
