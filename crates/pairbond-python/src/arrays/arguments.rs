//! Arguments of arrays' methods: types, shapes, devices, and the values of a new array.

use std::ffi::CStr;

use pairbond_core::error::Error;
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

/// Reads arguments by CPython's own rules.
macro_rules! parse {
    ($arguments:ident, $keywords:ident, $format:literal, [$($name:literal),*], $($place:expr),*) => {{
        let mut names = [$(($name as &CStr).as_ptr().cast_mut(),)* std::ptr::null_mut()];
        if py::PyArg_ParseTupleAndKeywords(
            $arguments, $keywords, ($format as &CStr).as_ptr(), names.as_mut_ptr().cast(), $($place),*
        ) == 0 {
            return Err(take());
        }
    }};
}

pub(super) use parse;

/// Reads the arguments of a vectorcall: as they are, where as many are given by position as the
/// format wants, and otherwise by CPython's own rules.
macro_rules! parse_vector {
    (
        $arguments:ident, $count:ident, $keywords:ident, $format:literal, $positional:literal,
        [$($name:literal),*], $($place:ident),*
    ) => {{
        let mut given = [std::ptr::null_mut::<py::PyObject>(); [$($name),*].len()];
        let count = $count as usize;
        if !$crate::arrays::arguments::take_given(
            $arguments, count, $keywords, $positional, &[$($name),*], &mut given
        ) {
            let (tuple, dict) = $crate::call::to_objects($arguments, count, $keywords)?;
            let (tuple, dict) = (tuple.as_ptr(), dict.as_ptr());
            given.fill(std::ptr::null_mut());
            let [$($place),*] = &mut given;
            parse!(tuple, dict, $format, [$($name),*], $(&raw mut *$place),*);
        }
        given
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
    // SAFETY: the calling thread is attached; the arguments of one vectorcall, which are alive: the
    // caller ensures it.
    unsafe {
        if count != positional {
            return false;
        }
        places[..count].copy_from_slice(std::slice::from_raw_parts(arguments, count));
        if keywords.is_null() {
            return true;
        }
        (0..py::PyTuple_GET_SIZE(keywords) as usize).all(|at| {
            let name = py::PyTuple_GET_ITEM(keywords, at as py::Py_ssize_t);
            let place = crate::convert::utf8_of(name).and_then(|name| {
                names[positional..]
                    .iter()
                    .position(|known| known.to_bytes() == name.as_bytes())
            });
            match place {
                Some(place) => {
                    places[positional + place] = *arguments.add(count + at);
                    true
                }
                None => {
                    py::PyErr_Clear();
                    false
                }
            }
        })
    }
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
    // SAFETY: attached; a living object.
    unsafe {
        let Some(object) = given_or_none(object) else {
            return Ok(DType {
                code: 2,
                bits: 64,
                lanes: 1,
            });
        };
        if let Some(known) = support::as_body::<DTypeBody>(object) {
            return Ok(known.value());
        }
        match pairbond_value::convert::Source::read_str(PySource::new(object)) {
            Ok(name) => name.parse(),
            Err(_) => {
                // numpy's: np.float32, np.dtype('float32').
                let name = Owned::from_new(running::PyObject_GetAttrString(object, c"name".as_ptr()))
                    .or_else(|| {
                        py::PyErr_Clear();
                        Owned::from_new(running::PyObject_GetAttrString(object, c"__name__".as_ptr()))
                    })
                    .ok_or_else(|| {
                        py::PyErr_Clear();
                        Error::type_error("a dtype is a pairbond.DType or its name")
                    })?;
                match pairbond_value::convert::Source::read_str(PySource::new(name.as_ptr())) {
                    Ok(name) => name.parse(),
                    Err(_) => Err(Error::type_error("a dtype is a pairbond.DType or its name")),
                }
            }
        }
    }
}

/// A tuple of sizes, or one.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(super) unsafe fn shape_of(object: Object_) -> Result<Vec<usize>, Error> {
    // SAFETY: attached; a living object.
    unsafe {
        let size = |object: Object_| {
            let n = running::PyNumber_AsSsize_t(object, py::PyExc_OverflowError);
            if n == -1 && !py::PyErr_Occurred().is_null() {
                return Err(take());
            }
            usize::try_from(n).map_err(|_| Error::value_error("sizes cannot be negative"))
        };
        if py::PyIndex_Check(object) != 0 {
            return Ok(vec![size(object)?]);
        }
        let mut all = Vec::new();
        containers::iterate_all(object, |item| {
            all.push(size(item)?);
            if all.len() > py::PyBUF_MAX_NDIM {
                return Err(Error::value_error("arrays have 64 axes at most"));
            }
            Ok(())
        })?;
        Ok(all)
    }
}

/// The shape of nested sequences, by their first elements.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `values` alive.
pub(super) unsafe fn nested_shape(values: Object_, shape: &mut Vec<usize>) -> Result<(), Error> {
    // SAFETY: attached; a living object.
    unsafe {
        if py::PySequence_Check(values) == 0 || py::PyUnicode_Check(values) != 0 {
            return Ok(());
        }
        if shape.len() == py::PyBUF_MAX_NDIM {
            return Err(Error::value_error("arrays have 64 axes at most"));
        }
        let len = running::PySequence_Size(values);
        if len < 0 {
            return Err(take());
        }
        shape.push(len as usize);
        if len == 0 {
            return Ok(());
        }
        let first = owned_or_error(running::PySequence_GetItem(values, 0))?;
        nested_shape(first.as_ptr(), shape)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `values` alive.
pub(super) unsafe fn fill_array(array: &ArrayBody, values: Object_) -> Result<(), Error> {
    // SAFETY: attached; living objects; the array has not been shared yet.
    unsafe {
        let Some(len) = array.shape().first() else {
            Scalar::new(array.dtype(), values)?.store(array.start_ptr());
            return Ok(());
        };
        let uneven = || Error::value_error("the sequences are of different lengths");
        if py::PySequence_Check(values) == 0 {
            return Err(uneven());
        }
        let mut at = 0;
        containers::iterate_all(values, |value| {
            if at >= *len {
                return Err(uneven());
            }
            fill_array(&array.at(0, at)?, value)?;
            at += 1;
            Ok(())
        })?;
        if at == *len { Ok(()) } else { Err(uneven()) }
    }
}

/// `(kind, index)` of a `Device`, of its name, or as it is.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
pub(super) unsafe fn device_pair(object: Object_) -> Result<Owned, Error> {
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyTuple_Check(object) != 0 {
            return Ok(Owned::from_borrowed(object));
        }
        let device = match support::as_body::<DeviceBody>(object) {
            Some(device) => device.value(),
            None => match pairbond_value::convert::Source::read_str(PySource::new(object)) {
                Ok(name) => name.parse()?,
                Err(_) => return Err(Error::type_error("a device is a pairbond.Device or its name")),
            },
        };
        pair_of(device)
    }
}

/// # Safety
/// The calling thread is attached to the interpreter.
pub(super) unsafe fn pair_of(device: Device) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    unsafe {
        if device == CPU {
            return super::dlpack::one_zero();
        }
        owned_or_error(py::Py_BuildValue(c"(ii)".as_ptr(), device.kind, device.index))
    }
}
