//! Subscripts: `a[i]`, `a[i, j]`, `a[1:3, ..., 0]`, read and assigned. Slices are of the same
//! memory.

use std::ffi::c_int;

use pairbond_core::error::Error;
use pairbond_core::object::Ref;
use pairbond_value::value::ArrayBody;
use pyo3_ffi as py;

use super::scalar::{self, Scalar};
use crate::convert::{Subscript, index_place, slice_places};
use crate::errors::{finish_call, finish_status};
use crate::heap_types::support::{body_of, wrap_new};
use crate::owned::Owned;
use crate::wrapper;

/// The place of the element that a subscript of plain numbers means, one for each axis; `None` for
/// every other subscript, also for one that is out of bounds.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `key` alive.
#[inline]
unsafe fn element_of_key(array: &ArrayBody, key: *mut py::PyObject) -> Option<*mut u8> {
    let (shape, strides) = (array.shape(), array.strides());
    // SAFETY: attached; a tuple keeps its items.
    let index_at = |axis: usize| unsafe {
        let index = match py::PyTuple_Check(key) {
            0 => key,
            _ => py::PyTuple_GET_ITEM(key, axis as py::Py_ssize_t),
        };
        index_place(crate::ints::small(index)?, shape[axis])
    };
    // SAFETY: attached; a living object.
    let given = unsafe {
        match py::PyTuple_Check(key) {
            0 => 1,
            _ => py::PyTuple_GET_SIZE(key) as usize,
        }
    };
    if given != shape.len() {
        return None;
    }
    let mut place = array.start_ptr();
    for (axis, stride) in strides.iter().enumerate() {
        // An element of the array when all axes have been looked at; before, an axis that is empty
        // may follow, with strides beyond all numbers.
        place = place.wrapping_offset((index_at(axis)? as isize).wrapping_mul(*stride));
    }
    Some(place)
}

/// The part of an array that a subscript means, and whether it is a single element.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `key` alive.
unsafe fn part_of_key(array: &ArrayBody, key: *mut py::PyObject) -> Result<(Option<ArrayBody>, bool), Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    let key = unsafe { Owned::lend(&key) };
    let items = key.tuple_items();
    let keys = items.as_deref().unwrap_or(std::slice::from_ref(key));
    // SAFETY: the address of a constant.
    let is_dots = |key: &Owned| key.as_ptr() == unsafe { py::Py_Ellipsis() };
    let dots = keys.iter().filter(|key| is_dots(key)).count();
    let given = keys.len() - dots;
    let axes = array.shape().len();
    if dots > 1 {
        return Err(Error::index_error(
            "an index can only have a single ellipsis ('...')",
        ));
    }
    if given > axes {
        return Err(Error::index_error(format!(
            "too many indices: the array has {axes} axes, but {given} were indexed"
        )));
    }
    let mut found: Option<ArrayBody> = None;
    let mut axis = 0;
    for key in keys {
        if is_dots(key) {
            axis += axes - given;
            continue;
        }
        let now = found.as_ref().unwrap_or(array);
        let len = now.shape()[axis];
        // SAFETY: attached, with a living object.
        match unsafe { Subscript::new(key.as_ptr(), "array") }? {
            Subscript::Index(index) => {
                let at = index_place(index, len).ok_or_else(|| {
                    Error::index_error(format!(
                        "index {index} is out of bounds for an axis of size {len}"
                    ))
                })?;
                found = Some(now.at(axis, at)?);
            }
            Subscript::Slice { start, stop, step } => {
                let places = slice_places(start, stop, step, len);
                found = Some(now.slice(axis, places.start.max(0) as usize, places.step, places.count)?);
                axis += 1;
            }
        }
    }
    let left = found.as_ref().unwrap_or(array).shape().len();
    Ok((found, left == 0 && dots == 0))
}

pub(super) unsafe extern "C" fn array_subscript(
    this: *mut py::PyObject,
    key: *mut py::PyObject,
) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper and an object.
        let (array, place) = unsafe {
            let array = body_of::<ArrayBody>(this)?;
            (array, element_of_key(array, key))
        };
        if let Some(place) = place {
            array.check_readable()?;
            // SAFETY: attached; an element of the array.
            return unsafe { scalar::load_element(array.dtype(), place) };
        }
        // SAFETY: called by CPython with an object.
        match unsafe { part_of_key(array, key) }? {
            (part, true) => {
                let part = part.as_ref().unwrap_or(array);
                part.check_readable()?;
                // SAFETY: attached; the element of an array without axes.
                unsafe { scalar::load_element(part.dtype(), part.start_ptr()) }
            }
            (Some(part), false) => wrap_new(part),
            (None, false) => wrap_new(array.slice_all()),
        }
    })
}

/// `sq_item`, for iterating: CPython has added the length to a negative index.
pub(super) unsafe extern "C" fn array_item(
    this: *mut py::PyObject,
    index: py::Py_ssize_t,
) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: called by CPython with a wrapper.
        let array = unsafe { body_of::<ArrayBody>(this) }?;
        let len = array.shape().first().copied().unwrap_or(0);
        match usize::try_from(index) {
            Ok(at) if at < len && array.shape().len() == 1 => {
                array.check_readable()?;
                // SAFETY: called by CPython with a wrapper.
                unsafe { scalar::load_element(array.dtype(), array.start_of(0, at)) }
            }
            Ok(at) if at < len => wrap_new(array.at(0, at)?),
            _ => Err(Error::index_error("array index out of range")),
        }
    })
}

pub(super) unsafe extern "C" fn array_assign(
    this: *mut py::PyObject,
    key: *mut py::PyObject,
    value: *mut py::PyObject,
) -> c_int {
    finish_status(|| {
        // SAFETY: called by CPython with a wrapper.
        let array = unsafe { body_of::<ArrayBody>(this) }?;
        if value.is_null() {
            return Err(Error::type_error("elements of an array cannot be deleted"));
        }
        if array.is_readonly() {
            return Err(Error::value_error("the array is read-only"));
        }
        array.check_readable()?;
        // SAFETY: called by CPython with two objects; the place is an element of the array.
        unsafe {
            if py::PyFloat_CheckExact(value) != 0
                && let Some(place) = element_of_key(array, key)
            {
                Scalar::new(array.dtype(), value)?.store(place);
                return Ok(0);
            }
        }
        // SAFETY: called by CPython with two objects.
        let ((part, _), other) = unsafe { (part_of_key(array, key)?, lent_array(value)?) };
        let part = part.as_ref().unwrap_or(array);
        if let Some(other) = other {
            copy_elements(part, &other)?;
        } else {
            // SAFETY: called by CPython with an object; offsets are of elements.
            unsafe {
                let scalar = Scalar::new(part.dtype(), value)?;
                for offset in part.offsets() {
                    scalar.store(part.start_ptr().offset(offset));
                }
            }
        }
        Ok(0)
    })
}

/// The array that a value is or lends; `None` for a number.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `value` alive.
unsafe fn lent_array(value: *mut py::PyObject) -> Result<Option<Ref<ArrayBody>>, Error> {
    // numpy's scalars have buffers, and are numbers.
    // SAFETY: attached; a living object, whose array is kept by the reference.
    if unsafe { py::PyNumber_Check(value) != 0 && py::PySequence_Check(value) == 0 } {
        return Ok(None);
    }
    // SAFETY: attached; a living object, whose array is kept by the reference.
    let array: Result<pairbond_value::value::Array, _> =
        pairbond_value::convert::FromValue::from_value(unsafe { crate::convert::PySource::new(value) });
    match array {
        Ok(array) => Ok(array.into_erased().downcast().ok()),
        Err(pairbond_value::convert::Mismatch::Raised(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Copies the elements of one array into another of the same shape and type.
fn copy_elements(to: &ArrayBody, from: &ArrayBody) -> Result<(), Error> {
    from.check_readable()?;
    if to.shape() != from.shape() || to.dtype() != from.dtype() {
        return Err(Error::value_error(format!(
            "an array of {} {:?} cannot be put in place of one of {} {:?}",
            from.dtype(),
            from.shape(),
            to.dtype(),
            to.shape()
        )));
    }
    // By way of a copy, because they may be parts of one memory.
    to.copy_elements_from(&from.copy()?)
}

pub(super) unsafe extern "C" fn len(this: *mut py::PyObject) -> py::Py_ssize_t {
    let mut len = -1;
    let failed = finish_status(|| {
        // SAFETY: called by CPython with a wrapper.
        let shape = unsafe { body_of::<ArrayBody>(this) }?.shape();
        match shape.first() {
            Some(first) => len = *first as py::Py_ssize_t,
            None => return Err(Error::type_error("len() of an array without axes")),
        }
        Ok(0)
    });
    if failed == 0 { len } else { -1 }
}

pub(super) unsafe extern "C" fn array_iter(this: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: called by CPython with a wrapper.
    finish_call(|| unsafe {
        if body_of::<ArrayBody>(this)?.shape().is_empty() {
            return Err(Error::type_error("iteration over an array without axes"));
        }
        crate::errors::owned_or_error(py::PySeqIter_New(this))
    })
}

/// Nested lists of an array's elements. The thread is attached.
pub(super) fn to_list(array: &ArrayBody) -> Result<Owned, Error> {
    // SAFETY: attached: the caller ensures it. The list is ours until it is full.
    unsafe {
        array.check_readable()?;
        let Some(len) = array.shape().first() else {
            return scalar::load_element(array.dtype(), array.start_ptr());
        };
        let list = crate::errors::owned_or_error(py::PyList_New(*len as py::Py_ssize_t))?;
        for at in 0..*len {
            let item = if array.shape().len() == 1 {
                scalar::load_element(array.dtype(), array.start_of(0, at))?
            } else {
                to_list(&array.at(0, at)?)?
            };
            py::PyList_SET_ITEM(list.as_ptr(), at as py::Py_ssize_t, item.into_ptr());
        }
        Ok(list)
    }
}

/// Ties an array to a wrapper that is being constructed.
///
/// # Safety
/// Attached; a wrapper.
pub(super) unsafe fn array_construct(this: *mut py::PyObject, array: ArrayBody) -> Result<c_int, Error> {
    // SAFETY: attached; a wrapper: the caller ensures it.
    unsafe {
        crate::call::check_wrapper::<ArrayBody>(this)?;
        wrapper::tie(this, array)?;
    }
    Ok(0)
}
