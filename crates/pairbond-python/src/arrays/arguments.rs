//! Arguments of arrays' methods: types, shapes, devices, and the values of a new array.

use std::ffi::CStr;

use pairbond_core::error::Error;
use pairbond_value::convert::Source;
use pairbond_value::value::{ArrayBody, DType, DTypeBody, Device, DeviceBody};
use pyo3_ffi as py;

use super::lend::CPU;
use super::scalar::Scalar;
use crate::containers;
use crate::convert::PySource;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::heap_types::support::{self, Object_};
use crate::owned::Owned;
use crate::running;

/// Reads arguments by CPython's own rules: those that CPython has called the function with in which
/// this stands.
macro_rules! parse {
    ($arguments:ident, $keywords:ident, $format:literal, [$($name:literal),*], $($place:ident),*) => {{
        let mut names = [$(($name as &CStr).as_ptr().cast_mut(),)* std::ptr::null_mut()];
        $(let mut $place = std::ptr::null_mut::<py::PyObject>();)*
        // SAFETY: attached, with a tuple, and a dict or null; the format names an object for each
        // place.
        let read = unsafe {
            py::PyArg_ParseTupleAndKeywords(
                $arguments, $keywords, ($format as &CStr).as_ptr(), names.as_mut_ptr().cast(), $(&raw mut $place),*
            )
        };
        if read == 0 {
            return Err(take());
        }
        [$($place),*]
    }};
}

pub(super) use parse;

/// As [`parse`], of the arguments of a vectorcall: as they are, where as many are given by position
/// as the format wants, and otherwise by CPython's own rules.
macro_rules! parse_vector {
    (
        $arguments:ident, $count:ident, $keywords:ident, $format:literal, $positional:literal,
        [$($name:literal),*], $($place:ident),*
    ) => {{
        let mut given = [std::ptr::null_mut::<py::PyObject>(); [$($name),*].len()];
        let (names, count) = ([$($name),*], $count as usize);
        // SAFETY: attached; the arguments of one vectorcall, which are alive.
        let is_plain = unsafe {
            $crate::arrays::arguments::take_given($arguments, count, $keywords, $positional, &names, &mut given)
        };
        if is_plain {
            given
        } else {
            // SAFETY: attached; the arguments of one vectorcall, which are alive.
            let (tuple, dict) = unsafe { $crate::call::to_objects($arguments, count, $keywords) }?;
            let (tuple, dict) = (tuple.as_ptr(), dict.as_ptr());
            parse!(tuple, dict, $format, [$($name),*], $($place),*)
        }
    }};
}

pub(super) use parse_vector;

/// Puts each argument into the place of its name. False when the call is not a plain one: then its
/// arguments have to be looked at in order, for the error.
///
/// # Safety
/// The calling thread is attached; the arguments of one vectorcall, which are alive.
pub(super) unsafe fn take_given(
    arguments: *const Object_,
    count: usize,
    keywords: Object_,
    positional: usize,
    names: &[&CStr],
    places: &mut [Object_],
) -> bool {
    if count != positional {
        return false;
    }
    // SAFETY: the arguments of one vectorcall: the caller ensures it.
    places[..count].copy_from_slice(unsafe { std::slice::from_raw_parts(arguments, count) });
    if keywords.is_null() {
        return true;
    }
    // SAFETY: the tuple of names of one vectorcall: the caller ensures it.
    (0..unsafe { py::PyTuple_GET_SIZE(keywords) } as usize).all(|at| {
        // SAFETY: attached; the tuple keeps its names.
        let name = unsafe { crate::convert::utf8_of(py::PyTuple_GET_ITEM(keywords, at as py::Py_ssize_t)) };
        let place = name.and_then(|name| {
            names[positional..]
                .iter()
                .position(|known| known.to_bytes() == name.as_bytes())
        });
        match place {
            Some(place) => {
                // SAFETY: an argument for each name: the caller ensures it.
                places[positional + place] = unsafe { *arguments.add(count + at) };
                true
            }
            None => {
                crate::errors::clear();
                false
            }
        }
    })
}

/// `None` or not given is `None`.
pub(super) fn given_or_none(object: Object_) -> Option<Object_> {
    // SAFETY: the address of a constant.
    (!object.is_null() && object != unsafe { py::Py_None() }).then_some(object)
}

/// A `DType`, or its name.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(super) unsafe fn dtype_of(object: Object_) -> Result<DType, Error> {
    let unfit = || Error::type_error("a dtype is a pairbond.DType or its name");
    let Some(object) = given_or_none(object) else {
        return Ok(DType {
            code: 2,
            bits: 64,
            lanes: 1,
        });
    };
    // SAFETY: attached; a living object.
    let (known, source, object) = unsafe {
        let known = support::as_body::<DTypeBody>(object);
        (known, PySource::new(object), Owned::lend(&object))
    };
    if let Some(known) = known {
        return Ok(known.value());
    }
    if let Ok(name) = source.read_str() {
        return name.parse();
    }
    // numpy's: np.float32, np.dtype('float32').
    let name = object.get_attr(c"name").or_else(|_| object.get_attr(c"__name__"));
    let name = name.map_err(|_| unfit())?;
    // SAFETY: attached, with a living object.
    let name = unsafe { PySource::new(name.as_ptr()) }.read_str();
    name.map_err(|_| unfit())?.parse()
}

/// A tuple of sizes, or one.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(super) unsafe fn shape_of(object: Object_) -> Result<Vec<usize>, Error> {
    let size = |object: Object_| {
        // SAFETY: attached; a living object.
        let n = unsafe { running::PyNumber_AsSsize_t(object, py::PyExc_OverflowError) };
        if n == -1 && crate::errors::is_set() {
            return Err(take());
        }
        usize::try_from(n).map_err(|_| Error::value_error("sizes cannot be negative"))
    };
    // SAFETY: attached; a living object.
    if unsafe { py::PyIndex_Check(object) } != 0 {
        return Ok(vec![size(object)?]);
    }
    let mut all = Vec::new();
    // SAFETY: attached; a living object.
    unsafe {
        containers::iterate_all(object, |item| {
            all.push(size(item)?);
            if all.len() > py::PyBUF_MAX_NDIM {
                return Err(Error::value_error("arrays have 64 axes at most"));
            }
            Ok(())
        })
    }?;
    Ok(all)
}

/// The shape of nested sequences, by their first elements.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `values` alive.
pub(super) unsafe fn nested_shape(values: Object_, shape: &mut Vec<usize>) -> Result<(), Error> {
    // SAFETY: attached; a living object.
    if unsafe { py::PySequence_Check(values) == 0 || py::PyUnicode_Check(values) != 0 } {
        return Ok(());
    }
    if shape.len() == py::PyBUF_MAX_NDIM {
        return Err(Error::value_error("arrays have 64 axes at most"));
    }
    // SAFETY: attached; a living object.
    let len = unsafe { running::PySequence_Size(values) };
    if len < 0 {
        return Err(take());
    }
    shape.push(len as usize);
    if len == 0 {
        return Ok(());
    }
    // SAFETY: attached; a living object.
    unsafe {
        let first = owned_or_error(running::PySequence_GetItem(values, 0))?;
        nested_shape(first.as_ptr(), shape)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `values` alive.
pub(super) unsafe fn fill_array(array: &ArrayBody, values: Object_) -> Result<(), Error> {
    let Some(len) = array.shape().first() else {
        // SAFETY: attached; a living object; the one element of an array that is not shared yet.
        unsafe { Scalar::new(array.dtype(), values)?.store(array.start_ptr()) };
        return Ok(());
    };
    let uneven = || Error::value_error("the sequences are of different lengths");
    // SAFETY: attached; a living object: the caller ensures it.
    if unsafe { py::PySequence_Check(values) } == 0 {
        return Err(uneven());
    }
    let mut at = 0;
    let fill_part = |value: Object_| {
        if at >= *len {
            return Err(uneven());
        }
        // SAFETY: attached; a living object; the array is not shared yet.
        unsafe { fill_array(&array.at(0, at)?, value) }?;
        at += 1;
        Ok(())
    };
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe { containers::iterate_all(values, fill_part) }?;
    if at == *len { Ok(()) } else { Err(uneven()) }
}

/// `(kind, index)` of a `Device`, of its name, or as it is.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(super) unsafe fn device_pair(object: Object_) -> Result<Owned, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    let (given, device, source) = unsafe {
        let device = support::as_body::<DeviceBody>(object);
        (Owned::lend(&object), device, PySource::new(object))
    };
    if given.is_tuple() {
        return Ok(given.clone());
    }
    if let Some(device) = device {
        return pair_of(device.value());
    }
    match source.read_str() {
        Ok(name) => pair_of(name.parse()?),
        Err(_) => Err(Error::type_error("a device is a pairbond.Device or its name")),
    }
}

/// The thread is attached.
pub(super) fn pair_of(device: Device) -> Result<Owned, Error> {
    if device == CPU {
        return super::dlpack::one_zero();
    }
    // SAFETY: attached; a new reference or null.
    unsafe { owned_or_error(py::Py_BuildValue(c"(ii)".as_ptr(), device.kind, device.index)) }
}
