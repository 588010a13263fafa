//! Sequences and mappings. The callbacks run any Python code (`__index__` of an element), so a
//! container may change or vanish while it is read, and on free-threaded builds at any moment:
//! elements are held by references of our own, and sizes are never remembered.

use pairbond_core::error::Error;
use pairbond_value::convert::Mismatch;
use pyo3_ffi as py;

use super::{PySource, refused_conversion};
use crate::errors::{owned_or_error, take};
use crate::owned::Owned;
use crate::running;

type Each<'f> = dyn FnMut(usize, *mut py::PyObject) -> Result<(), Mismatch> + 'f;

/// Elements of a list, the most frequent sequence: compiled for each use. `None`: it is none.
#[inline]
pub(super) fn read_list(
    object: *mut py::PyObject,
    each: &mut impl FnMut(usize, *mut py::PyObject) -> Result<(), Mismatch>,
) -> Option<Result<usize, Mismatch>> {
    let mut index = 0;
    // SAFETY: attached; a living object. The item may be gone when the index was still good; then
    // this is the end too.
    if unsafe { py::PyList_CheckExact(object) } == 0 {
        return None;
    }
    // SAFETY: attached; a living list.
    while index < unsafe { py::PyList_GET_SIZE(object) } {
        // SAFETY: attached; a living object. The item may be gone when the index was still good;
        // then this is the end too.
        let Some(item) = (unsafe { list_item(object, index) }) else {
            break;
        };
        if let Err(mismatch) = each(index as usize, item.as_ptr()) {
            return Some(Err(mismatch));
        }
        index += 1;
    }
    Some(Ok(index as usize))
}

/// Elements of a tuple, or whatever iterating gives; text, bytes and dicts are no sequences.
pub(super) fn read_sequence(object: *mut py::PyObject, each: &mut Each<'_>) -> Result<usize, Mismatch> {
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyTuple_CheckExact(object) != 0 {
            read_tuple(object, each)
        } else if py::PyUnicode_Check(object) != 0
            || py::PyBytes_Check(object) != 0
            || py::PyByteArray_Check(object) != 0
            || py::PyDict_Check(object) != 0
        {
            Err(Mismatch::Type)
        } else {
            read_iterable(object, each)
        }
    }
}

/// The length of a list or tuple.
pub(super) fn len_hint(object: *mut py::PyObject) -> usize {
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyList_CheckExact(object) != 0 || py::PyTuple_CheckExact(object) != 0 {
            py::Py_SIZE(object) as usize
        } else {
            0
        }
    }
}

/// With a GIL no other thread ran since the length was read.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `list` alive.
#[cfg(not(Py_GIL_DISABLED))]
#[inline]
unsafe fn list_item(list: *mut py::PyObject, index: py::Py_ssize_t) -> Option<Owned> {
    // SAFETY: attached; a living list that is so long.
    Some(unsafe { Owned::from_borrowed(py::PyList_GET_ITEM(list, index)) })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `list` alive.
#[cfg(Py_GIL_DISABLED)]
unsafe fn list_item(list: *mut py::PyObject, index: py::Py_ssize_t) -> Option<Owned> {
    // SAFETY: attached; a living list.
    unsafe {
        let item = Owned::from_new(pyo3_ffi::compat::PyList_GetItemRef(list, index));
        if item.is_none() {
            crate::errors::clear();
        }
        item
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn read_tuple(object: *mut py::PyObject, each: &mut Each<'_>) -> Result<usize, Mismatch> {
    // SAFETY: attached; a living tuple, which never changes and keeps its items.
    unsafe {
        let len = py::PyTuple_GET_SIZE(object);
        for index in 0..len {
            each(index as usize, py::PyTuple_GET_ITEM(object, index))?;
        }
        Ok(len as usize)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn read_iterable(object: *mut py::PyObject, each: &mut Each<'_>) -> Result<usize, Mismatch> {
    // SAFETY: attached; a living object; the iterator is ours.
    let Some(iterator) = (unsafe { Owned::from_new(running::PyObject_GetIter(object)) }) else {
        let current = crate::errors::fetch_exception();
        // SAFETY: attached; a living object; the iterator is ours.
        let has_protocol =
            unsafe { (*py::Py_TYPE(object)).tp_iter.is_some() || py::PySequence_Check(object) != 0 };
        if let Some(current) = current {
            crate::errors::restore_exception(current);
        }
        return Err(refused_conversion(has_protocol));
    };
    let mut index = 0;
    // SAFETY: attached; a living object; the iterator is ours.
    while let Some(item) = unsafe { Owned::from_new(running::PyIter_Next(iterator.as_ptr())) } {
        each(index, item.as_ptr())?;
        index += 1;
    }
    if crate::errors::is_set() {
        return Err(Mismatch::Raised(take()));
    }
    Ok(index)
}

type EachPair<'f> = dyn FnMut(*mut py::PyObject, *mut py::PyObject) -> Result<(), Mismatch> + 'f;

/// Keys and values of a dict, or of whatever has `items()`.
pub(super) fn read_mapping(object: *mut py::PyObject, each: &mut EachPair<'_>) -> Result<(), Mismatch> {
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyDict_CheckExact(object) != 0 {
            return read_dict(object, each);
        }
        if py::PyMapping_Check(object) == 0 || running::PyObject_HasAttrString(object, c"items".as_ptr()) == 0
        {
            return Err(Mismatch::Type);
        }
        read_items(&owned_or_error(running::PyMapping_Items(object))?, each)
    }
}

/// With the GIL only the callback can change a dict between two steps, and CPython's own iteration
/// bears that.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
#[cfg(not(Py_GIL_DISABLED))]
unsafe fn read_dict(object: *mut py::PyObject, each: &mut EachPair<'_>) -> Result<(), Mismatch> {
    let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: attached; a living dict. Both references are counted before anything else can run.
    unsafe {
        let len = py::PyDict_Size(object);
        while py::PyDict_Next(object, &mut at, &mut key, &mut value) != 0 {
            let (key, value) = (Owned::from_borrowed(key), Owned::from_borrowed(value));
            each(key.as_ptr(), value.as_ptr())?;
            if py::PyDict_Size(object) != len {
                return Err(Error::runtime_error("the dict changed its size while it was read").into());
            }
        }
    }
    Ok(())
}

/// Without it, a snapshot, which CPython takes under the dict's lock.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
#[cfg(Py_GIL_DISABLED)]
unsafe fn read_dict(object: *mut py::PyObject, each: &mut EachPair<'_>) -> Result<(), Mismatch> {
    // SAFETY: attached; a living dict.
    unsafe { read_items(&owned_or_error(py::PyDict_Items(object))?, each) }
}

fn read_items(pairs: &Owned, each: &mut EachPair<'_>) -> Result<(), Mismatch> {
    read_sequence(pairs.as_ptr(), &mut |_, pair| {
        // SAFETY: attached; the pair is held while this runs, and a tuple keeps its items.
        unsafe {
            if py::PyTuple_CheckExact(pair) == 0 || py::PyTuple_GET_SIZE(pair) != 2 {
                return Err(Error::type_error("items() gave something that is not a pair").into());
            }
            each(py::PyTuple_GET_ITEM(pair, 0), py::PyTuple_GET_ITEM(pair, 1))
        }
    })
    .map(drop)
}

/// A container under construction. It is hidden from Python's collector while it has empty places,
/// since `gc.get_objects()` would show it, and CPython crashes when it looks into one.
pub(super) struct Unfinished(Owned);

impl Unfinished {
    /// # Safety
    /// A new list or tuple that is not shared; no empty tuple, which is a constant.
    pub(super) unsafe fn new(container: Owned) -> Self {
        // SAFETY: attached; both kinds are known to the collector from birth.
        unsafe { py::PyObject_GC_UnTrack(container.as_ptr().cast()) };
        Unfinished(container)
    }

    pub(super) fn as_ptr(&self) -> *mut py::PyObject {
        self.0.as_ptr()
    }

    /// All places are filled.
    pub(super) fn finish(self) -> Owned {
        // SAFETY: attached; untracked by `new`.
        unsafe { py::PyObject_GC_Track(self.0.as_ptr().cast()) };
        self.0
    }
}

/// A source for an element.
///
/// # Safety
/// The object is alive for `'b`.
pub(super) unsafe fn element_source<'b>(object: *mut py::PyObject) -> PySource<'b> {
    // SAFETY: the object is alive for `'b`: the caller ensures it.
    unsafe { PySource::new(object) }
}
