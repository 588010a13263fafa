//! Integers of every width, and floats. Nothing is rounded or cut off.

use std::ffi::c_int;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::convert::Mismatch;
use pairbond_value::value::BigInt;
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::owned::Owned;
use crate::running;

/// Any int, and what has `__index__`.
#[inline]
pub(super) fn read_i64(object: *mut py::PyObject) -> Result<i64, Mismatch> {
    // SAFETY: attached; a living object.
    if let Some(value) = unsafe { crate::ints::small(object) } {
        return Ok(value as i64);
    }
    // SAFETY: attached; a living object.
    if unsafe { py::PyIndex_Check(object) } == 0 {
        return Err(Mismatch::Type);
    }
    let mut overflow: c_int = 0;
    // SAFETY: attached; a living object.
    let value = unsafe { running::PyLong_AsLongLongAndOverflow(object, &mut overflow) };
    if value == -1 {
        minus_one(overflow)
    } else {
        Ok(value)
    }
}

/// Interprets a result of -1.
#[cold]
fn minus_one(overflow: c_int) -> Result<i64, Mismatch> {
    if overflow != 0 {
        return Err(Mismatch::Overflow);
    }
    if crate::errors::is_set() {
        return Err(Mismatch::Raised(crate::errors::take()));
    }
    Ok(-1)
}

#[inline]
pub(super) fn read_u64(object: *mut py::PyObject) -> Result<u64, Mismatch> {
    match read_i64(object) {
        Ok(value) => u64::try_from(value).map_err(|_| Mismatch::Overflow),
        Err(Mismatch::Overflow) => read_halves(object, false).and_then(|bytes| match bytes {
            [low, 0] => Ok(low),
            _ => Err(Mismatch::Overflow),
        }),
        Err(other) => Err(other),
    }
}

pub(super) fn read_i128(object: *mut py::PyObject) -> Result<i128, Mismatch> {
    match read_i64(object) {
        Ok(value) => Ok(value.into()),
        Err(Mismatch::Overflow) => {
            read_halves(object, true).map(|[low, high]| i128::from(low) | i128::from(high as i64) << 64)
        }
        Err(other) => Err(other),
    }
}

pub(super) fn read_u128(object: *mut py::PyObject) -> Result<u128, Mismatch> {
    match read_i64(object) {
        Ok(value) => u128::try_from(value).map_err(|_| Mismatch::Overflow),
        Err(Mismatch::Overflow) => {
            read_halves(object, false).map(|[low, high]| u128::from(low) | u128::from(high) << 64)
        }
        Err(other) => Err(other),
    }
}

/// An integer of up to 128 bits as two halves, the low one first.
#[cold]
fn read_halves(object: *mut py::PyObject, signed: bool) -> Result<[u64; 2], Mismatch> {
    let mut bytes = [0_u8; 16];
    // SAFETY: attached; a living object that an attempt to read it as an index succeeded with
    // before.
    let int = unsafe { owned_or_error(running::PyNumber_Index(object)) }?;
    if !read_bytes(&int, &mut bytes, signed) {
        crate::errors::clear();
        return Err(Mismatch::Overflow);
    }
    let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    Ok([half(0), half(8)])
}

#[cfg(Py_3_13)]
fn read_bytes(int: &Owned, bytes: &mut [u8], signed: bool) -> bool {
    let mut flags = py::Py_ASNATIVEBYTES_LITTLE_ENDIAN;
    if !signed {
        flags |= py::Py_ASNATIVEBYTES_UNSIGNED_BUFFER | py::Py_ASNATIVEBYTES_REJECT_NEGATIVE;
    }
    // SAFETY: attached; an int object, and a buffer of that size.
    let needed =
        unsafe { py::PyLong_AsNativeBytes(int.as_ptr(), bytes.as_mut_ptr().cast(), bytes.len() as _, flags) };
    (0..=bytes.len() as py::Py_ssize_t).contains(&needed)
}

#[cfg(not(Py_3_13))]
fn read_bytes(int: &Owned, bytes: &mut [u8], signed: bool) -> bool {
    // SAFETY: attached; an int object, and a buffer of that size.
    unsafe {
        py::_PyLong_AsByteArray(
            int.as_ptr().cast(),
            bytes.as_mut_ptr(),
            bytes.len(),
            1,
            c_int::from(signed),
        ) == 0
    }
}

/// An integer of any size.
pub(super) fn read_big_int(object: *mut py::PyObject) -> Result<BigInt, Mismatch> {
    match read_i64(object) {
        Ok(value) => return Ok(value.into()),
        Err(Mismatch::Overflow) => {}
        Err(other) => return Err(other),
    }
    // SAFETY: attached; a living object.
    let int = unsafe { owned_or_error(running::PyNumber_Index(object)) }?;
    // SAFETY: attached; a living int.
    let bits = unsafe {
        owned_or_error(running::PyObject_CallMethodNoArgs(
            int.as_ptr(),
            super::intern_text(c"bit_length")?.as_ptr(),
        ))
    }?;
    // SAFETY: attached; a living int.
    let bits = unsafe { py::PyLong_AsSize_t(bits.as_ptr()) };
    if bits == usize::MAX {
        return Err(Mismatch::Raised(crate::errors::take()));
    }
    // One more for the sign.
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(bits / 8 + 1).map_err(Error::from)?;
    bytes.resize(bits / 8 + 1, 0_u8);
    if read_bytes(&int, &mut bytes, true) {
        Ok(BigInt::from_le_bytes(&bytes))
    } else {
        Err(Mismatch::Raised(crate::errors::take()))
    }
}

/// An integer of any size.
pub(super) fn from_big(value: &BigInt) -> Result<Owned, Error> {
    from_bytes(value.as_le_bytes(), true)
}

pub(super) fn from_i128(value: i128) -> Result<Owned, Error> {
    match i64::try_from(value) {
        // SAFETY: attached; a new reference or null.
        Ok(small) => unsafe { owned_or_error(py::PyLong_FromLongLong(small)) },
        Err(_) => from_bytes(&value.to_le_bytes(), true),
    }
}

pub(super) fn from_u128(value: u128) -> Result<Owned, Error> {
    match u64::try_from(value) {
        // SAFETY: attached; a new reference or null.
        Ok(small) => unsafe { owned_or_error(py::PyLong_FromUnsignedLongLong(small)) },
        Err(_) => from_bytes(&value.to_le_bytes(), false),
    }
}

#[cfg(Py_3_13)]
fn from_bytes(bytes: &[u8], signed: bool) -> Result<Owned, Error> {
    let flags = py::Py_ASNATIVEBYTES_LITTLE_ENDIAN;
    // SAFETY: attached; readable bytes; a new reference or null.
    unsafe {
        owned_or_error(if signed {
            py::PyLong_FromNativeBytes(bytes.as_ptr().cast(), bytes.len(), flags)
        } else {
            py::PyLong_FromUnsignedNativeBytes(bytes.as_ptr().cast(), bytes.len(), flags)
        })
    }
}

#[cfg(not(Py_3_13))]
fn from_bytes(bytes: &[u8], signed: bool) -> Result<Owned, Error> {
    // SAFETY: attached; readable bytes; a new reference or null.
    unsafe {
        owned_or_error(py::_PyLong_FromByteArray(
            bytes.as_ptr(),
            bytes.len(),
            1,
            c_int::from(signed),
        ))
    }
}

/// A float, and what has `__float__` or `__index__`.
#[inline]
pub(super) fn read_f64(object: *mut py::PyObject) -> Result<f64, Mismatch> {
    // SAFETY: attached; a living object.
    unsafe {
        if py::PyFloat_CheckExact(object) != 0 {
            return Ok(py::PyFloat_AS_DOUBLE(object));
        }
        if !is_number(object) {
            return Err(Mismatch::Type);
        }
        let value = running::PyFloat_AsDouble(object);
        if value == -1.0 && crate::errors::is_set() {
            return Err(not_float(object));
        }
        Ok(value)
    }
}

/// Whether an object's type says how to make a float of it. Asked first: a caller may try one kind
/// after the other, and an exception costs more than all of that.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn is_number(object: *mut py::PyObject) -> bool {
    // SAFETY: attached; a living object.
    unsafe {
        let number = (*py::Py_TYPE(object)).tp_as_number.as_ref();
        py::PyFloat_Check(object) != 0 || number.is_some_and(|n| n.nb_float.is_some() || n.nb_index.is_some())
    }
}

#[cold]
fn not_float(object: *mut py::PyObject) -> Mismatch {
    // SAFETY: attached; a living object.
    if unsafe { py::PyLong_Check(object) } != 0 && crate::errors::is_of_kind(&ErrorKind::Overflow) {
        crate::errors::clear();
        return Mismatch::Overflow;
    }
    Mismatch::Raised(crate::errors::take())
}
