//! What lists and tuples have in common: indices, slices, comparing, searching, iterating.
//!
//! A list may change whenever foreign code runs, and on other threads at any moment, so each step looks anew: as CPython's own functions do.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicIsize, Ordering};

use pairbond_core::error::Error;
use pairbond_core::value::{Any, KeyRef, ListBody, TupleBody, Verdict};
use pyo3_ffi as py;
use pyo3_ffi::compat::PyList_GetItemRef;

use super::classes::helper;
use super::elements::{Remembering, element};
use super::keep::{Keeper, dealloc, traverse};
use super::support::{
    Found, Methods, Object_, any, any_quickly, as_body, equal, found, noargs, not_implemented, truth,
};
use crate::call::finish;
use crate::convert::owned;
use crate::errors::take;
use crate::interp::Interp;
use crate::owned::Owned;

/// A list or tuple, ours or Python's.
#[derive(Clone, Copy)]
pub(super) enum Sequence<'a> {
    List(&'a ListBody),
    Tuple(&'a TupleBody),
    PyList(Object_),
    PyTuple(Object_),
}

impl<'a> Sequence<'a> {
    /// # Safety
    /// Attached; the caller keeps the object for `'a`.
    pub(super) unsafe fn of(object: Object_) -> Option<Self> {
        // SAFETY: promised.
        unsafe {
            if let Some(list) = as_body::<ListBody>(object) {
                Some(Sequence::List(list))
            } else if let Some(tuple) = as_body::<TupleBody>(object) {
                Some(Sequence::Tuple(tuple))
            } else if py::PyList_Check(object) != 0 {
                Some(Sequence::PyList(object))
            } else if py::PyTuple_Check(object) != 0 {
                Some(Sequence::PyTuple(object))
            } else {
                None
            }
        }
    }

    /// Lists compare with lists, tuples with tuples.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Sequence::List(_) | Sequence::PyList(_))
    }

    pub(super) fn len(self) -> usize {
        // SAFETY: attached; the objects are alive.
        unsafe {
            match self {
                Sequence::List(list) => list.read(Vec::len),
                Sequence::Tuple(tuple) => tuple.items().len(),
                Sequence::PyList(list) => py::PyList_GET_SIZE(list) as usize,
                Sequence::PyTuple(tuple) => py::PyTuple_GET_SIZE(tuple) as usize,
            }
        }
    }

    /// The element at an index; `None` beyond the end.
    #[inline]
    pub(super) fn get(self, index: usize) -> Result<Option<Owned>, Error> {
        // SAFETY: attached; the objects are alive.
        unsafe {
            match self {
                Sequence::List(list) => list
                    .read(|items| items.get(index).map(found))
                    .map(Found::object)
                    .transpose(),
                Sequence::Tuple(tuple) => tuple
                    .items()
                    .get(index)
                    .map(|item| found(item).object())
                    .transpose(),
                Sequence::PyList(list) => {
                    let item = Owned::from_new(PyList_GetItemRef(list, index as py::Py_ssize_t));
                    if item.is_none() {
                        py::PyErr_Clear();
                    }
                    Ok(item)
                }
                Sequence::PyTuple(tuple) if index < py::PyTuple_GET_SIZE(tuple) as usize => Ok(Some(
                    Owned::from_borrowed(py::PyTuple_GET_ITEM(tuple, index as py::Py_ssize_t)),
                )),
                Sequence::PyTuple(_) => Ok(None),
            }
        }
    }

    /// The first element at or behind `from` and before `to` that is equal to a value.
    pub(super) fn find(self, value: Object_, from: usize, to: usize) -> Result<Option<usize>, Error> {
        // SAFETY: attached; a living object.
        let wanted = unsafe { any(value) }?;
        let key = KeyRef::from(&wanted);
        let mut at = from;
        loop {
            // Where natives know the answer, nothing foreign runs between two elements.
            let skip = |items: &[Any]| {
                let end = to.min(items.len());
                let rest = items.get(at..end)?;
                let next = rest.iter().position(|item| {
                    KeyRef::from(item).compare(key) != Verdict::Different || by_wrapper(item, &wanted)
                })?;
                Some((at + next, KeyRef::from(&rest[next]).compare(key) == Verdict::Same))
            };
            let next = match self {
                Sequence::List(list) => list.read(|items| skip(items)),
                Sequence::Tuple(tuple) => skip(tuple.items()),
                _ => unreachable!("searched by Python itself"),
            };
            let Some((place, same)) = next else {
                return Ok(None);
            };
            if same {
                return Ok(Some(place));
            }
            if let Some(item) = self.get(place)? {
                // SAFETY: attached; living objects.
                let same = unsafe { equal(item.as_ptr(), value) }?;
                if same {
                    return Ok(Some(place));
                }
            }
            at = place + 1;
        }
    }
}

/// Whether Python is to be asked about two values although they are different keys: a subclass made in Python may compare objects as it likes, and
/// containers are equal to others with the same content.
fn by_wrapper(a: &Any, b: &Any) -> bool {
    matches!(a, Any::Object(_)) || matches!(b, Any::Object(_))
}

/// Compares as CPython's lists and tuples do: the first elements that differ decide. `NotImplemented` for anything but the same kind of sequence.
///
/// # Safety
/// Attached; living objects.
pub(super) unsafe fn compare(a: Object_, b: Object_, operation: c_int) -> Result<Owned, Error> {
    // SAFETY: promised.
    unsafe {
        let (Some(left), Some(right)) = (Sequence::of(a), Sequence::of(b)) else {
            return Ok(not_implemented());
        };
        if left.is_list() != right.is_list() {
            return Ok(not_implemented());
        }
        if matches!(operation, py::Py_EQ | py::Py_NE) && left.len() != right.len() {
            return Ok(truth(operation == py::Py_NE));
        }
        let mut at = 0;
        let differ = loop {
            match (left.get(at)?, right.get(at)?) {
                (Some(x), Some(y)) if equal(x.as_ptr(), y.as_ptr())? => at += 1,
                (Some(x), Some(y)) => break Some((x, y)),
                _ => break None,
            }
        };
        match (differ, operation) {
            (Some(_), py::Py_EQ) => Ok(truth(false)),
            (Some(_), py::Py_NE) => Ok(truth(true)),
            (Some((x, y)), _) => owned(py::PyObject_RichCompare(x.as_ptr(), y.as_ptr(), operation)),
            (None, _) => {
                let (a, b) = (left.len(), right.len());
                Ok(truth(match operation {
                    py::Py_LT => a < b,
                    py::Py_LE => a <= b,
                    py::Py_EQ => a == b,
                    py::Py_NE => a != b,
                    py::Py_GT => a > b,
                    _ => a >= b,
                }))
            }
        }
    }
}

/// A subscript, before it is known how long the sequence is.
pub(crate) enum Subscript {
    Index(isize),
    Slice { start: isize, stop: isize, step: isize },
}

/// Where a slice is in a sequence of some length: `count` places, from `start` in steps.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub(crate) start: isize,
    pub(crate) step: isize,
    pub(crate) count: usize,
}

impl Places {
    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        (0..self.count).map(move |n| (self.start + n as isize * self.step) as usize)
    }
}

impl Subscript {
    /// # Safety
    /// Attached; a living object.
    #[inline]
    pub(crate) unsafe fn new(key: Object_, what: &str) -> Result<Self, Error> {
        // SAFETY: promised.
        unsafe {
            if py::PyLong_CheckExact(key) != 0 {
                let index = py::PyLong_AsSsize_t(key);
                if index != -1 || py::PyErr_Occurred().is_null() {
                    return Ok(Subscript::Index(index));
                }
                // Too large: the error to be raised is another.
                py::PyErr_Clear();
            }
            if py::PyIndex_Check(key) != 0 {
                let index = py::PyNumber_AsSsize_t(key, py::PyExc_IndexError);
                if index == -1 && !py::PyErr_Occurred().is_null() {
                    return Err(take());
                }
                return Ok(Subscript::Index(index));
            }
            if py::PySlice_Check(key) != 0 {
                let (mut start, mut stop, mut step) = (0, 0, 0);
                if py::PySlice_Unpack(key, &mut start, &mut stop, &mut step) < 0 {
                    return Err(take());
                }
                return Ok(Subscript::Slice { start, stop, step });
            }
            let class = crate::ffi::type_name(py::Py_TYPE(key));
            Err(Error::type_error(format!(
                "{what} indices must be integers or slices, not {class}"
            )))
        }
    }
}

/// The places of a slice, as `PySlice_AdjustIndices` finds them. Runs no Python code.
pub(crate) fn places(start: isize, stop: isize, step: isize, len: usize) -> Places {
    let (mut start, mut stop) = (start, stop);
    // SAFETY: numbers only.
    let count = unsafe { py::PySlice_AdjustIndices(len as py::Py_ssize_t, &mut start, &mut stop, step) };
    Places {
        start,
        step,
        count: count as usize,
    }
}

/// The place that an index means, negative ones counted from the end.
#[inline]
pub(crate) fn place(index: isize, len: usize) -> Option<usize> {
    let index = if index < 0 {
        index.wrapping_add(len as isize)
    } else {
        index
    };
    // Negative ones are far beyond the end now.
    ((index as usize) < len).then_some(index as usize)
}

/// `start` or `stop` of `index()`: anything with `__index__`, cut off at the bounds, negative ones counted from the end.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn bound(object: Object_, len: usize) -> Result<usize, Error> {
    // SAFETY: promised; without a class too large a number is cut off.
    unsafe {
        if py::PyIndex_Check(object) == 0 {
            return Err(Error::type_error(
                "slice indices must be integers or have an __index__ method",
            ));
        }
        let index = py::PyNumber_AsSsize_t(object, std::ptr::null_mut());
        if index == -1 && !py::PyErr_Occurred().is_null() {
            return Err(take());
        }
        Ok(if index < 0 {
            len.saturating_add_signed(index)
        } else {
            index as usize
        })
    }
}

/// All elements of a sequence of ours, as they are stored.
pub(super) fn snapshot(sequence: Sequence<'_>) -> Option<Vec<Any>> {
    match sequence {
        Sequence::List(list) => Some(list.read(Clone::clone)),
        Sequence::Tuple(tuple) => Some(tuple.items().to_vec()),
        _ => None,
    }
}

/// All elements of an iterable.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn collect(
    iterable: Object_,
    mut check: impl FnMut(Any) -> Result<Any, Error>,
) -> Result<Vec<Any>, Error> {
    // SAFETY: promised.
    unsafe {
        if let Some(items) = Sequence::of(iterable).and_then(snapshot) {
            return items.into_iter().map(check).collect();
        }
        let mut items = Vec::new();
        if py::PyTuple_CheckExact(iterable) != 0 || py::PyList_CheckExact(iterable) != 0 {
            items.reserve(py::Py_SIZE(iterable) as usize);
        }
        super::support::iterate(iterable, |item| {
            items.push(check(any_quickly(item)?)?);
            Ok(())
        })?;
        Ok(items)
    }
}

/// `[1, 2]` or `(1, 2)`
///
/// # Safety
/// Attached; the sequence is alive.
pub(super) unsafe fn content(sequence: Sequence<'_>) -> Result<String, Error> {
    let mut text = String::from(if sequence.is_list() { "[" } else { "(" });
    let mut at = 0;
    while let Some(item) = sequence.get(at)? {
        if at > 0 {
            text.push_str(", ");
        }
        // SAFETY: attached; a living object.
        text.push_str(&unsafe { super::support::repr(item.as_ptr()) }?);
        at += 1;
    }
    text.push_str(match (sequence.is_list(), at) {
        (true, _) => "]",
        (false, 1) => ",)",
        (false, _) => ")",
    });
    Ok(text)
}

/// Iterates over a list as it is at each step, or over a tuple.
#[repr(C)]
struct Iterator {
    keeper: Keeper,
    /// The next index; beyond the end (or -1 where it goes backwards) for good when it was reached once. Threads that share an iterator may each be
    /// given the same element, and no more comes of it.
    next: AtomicIsize,
    /// 1, or -1 where it goes backwards.
    step: isize,
    /// Of the wrapper's object, which it is compared with at each step.
    elements: Remembering,
}

impl Iterator {
    #[inline]
    fn sequence(&self) -> Option<Sequence<'_>> {
        let container = self.keeper.container();
        if container.is_null() {
            return None;
        }
        // SAFETY: attached; kept by the iterator, which its caller keeps.
        unsafe { Sequence::of(container) }
    }
}

/// An iterator over a wrapper.
///
/// # Safety
/// Attached; the wrapper of a list or tuple.
pub(super) unsafe fn iterator(sequence: Object_, backwards: bool) -> Result<Owned, Error> {
    // SAFETY: promised; every field is written before the collector may look.
    unsafe {
        let (next, elements) = match Sequence::of(sequence) {
            Some(it) => {
                let next = if backwards { it.len() as isize - 1 } else { 0 };
                (next, Remembering::new(sequence, it))
            }
            None => {
                return Err(super::support::body::<ListBody>(sequence)
                    .err()
                    .unwrap_or_else(take));
            }
        };
        let class = Interp::current()?.helper_class(super::ITERATOR);
        let made = owned(py::PyObject_GC_New::<Iterator>(class).cast())?;
        let iterator = made.as_ptr().cast::<Iterator>();
        (&raw mut (*iterator).next).write(AtomicIsize::new(next));
        (&raw mut (*iterator).step).write(if backwards { -1 } else { 1 });
        (&raw mut (*iterator).elements).write(elements);
        Keeper::take_hold(made.as_ptr(), sequence);
        Ok(made)
    }
}

unsafe extern "C" fn next(iterator: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours; it keeps the wrapper.
    unsafe {
        let this = &*iterator.cast::<Iterator>();
        let at = this.next.load(Ordering::Relaxed);
        let container = this.keeper.container();
        if !container.is_null()
            && let Some(item) = this.elements.get(container, at)
        {
            this.next.store(at + this.step, Ordering::Relaxed);
            return item.into_ptr();
        }
        next_slowly(this, at)
    }
}

#[inline(never)]
unsafe extern "C" fn next_slowly(this: &Iterator, at: isize) -> Object_ {
    if at < 0 {
        this.keeper.let_go();
        return std::ptr::null_mut();
    }
    // SAFETY: attached; the iterator keeps the wrapper.
    let item = unsafe {
        match this.sequence() {
            Some(Sequence::List(list)) => element(this.keeper.container(), list, at),
            Some(Sequence::Tuple(tuple)) => element(this.keeper.container(), tuple, at),
            _ => Ok(None),
        }
    };
    match item {
        Ok(Some(item)) => {
            this.next.store(at + this.step, Ordering::Relaxed);
            item.into_ptr()
        }
        Ok(None) => {
            this.next.store(-1, Ordering::Relaxed);
            this.keeper.let_go();
            std::ptr::null_mut()
        }
        Err(error) => {
            crate::errors::raise(error);
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn length_hint(iterator: Object_, _: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours.
    finish(|| unsafe {
        let this = &*iterator.cast::<Iterator>();
        let at = this.next.load(Ordering::Relaxed);
        let len = this.sequence().map_or(0, Sequence::len);
        super::support::int(match usize::try_from(at) {
            Err(_) => 0,
            Ok(at) if this.step < 0 => (at + 1).min(len),
            Ok(at) => len.saturating_sub(at),
        })
    })
}

static METHODS: Methods<2> = Methods([
    noargs(c"__length_hint__", length_hint, c"How many elements are left."),
    py::PyMethodDef::zeroed(),
]);

/// # Safety
/// Attached; a living module.
pub(super) unsafe fn make_iterator(module: Object_) -> Result<Owned, Error> {
    let slots = [
        (py::Py_tp_dealloc, dealloc as py::destructor as *mut c_void),
        (py::Py_tp_traverse, traverse as py::traverseproc as *mut c_void),
        (
            py::Py_tp_iter,
            py::PyObject_SelfIter as py::getiterfunc as *mut c_void,
        ),
        (py::Py_tp_iternext, next as py::iternextfunc as *mut c_void),
        (py::Py_tp_methods, METHODS.0.as_ptr().cast_mut().cast()),
    ];
    // SAFETY: promised.
    unsafe {
        helper(
            module,
            c"pairbond.SequenceIterator",
            size_of::<Iterator>(),
            &slots,
        )
    }
}
