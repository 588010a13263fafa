//! Single elements as Python objects, and back. Each access is atomic, as Rust's own ([`Number`]).

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::convert::{FromValue, Sink};
use pairbond_value::value::{DType, Number};
use pyo3_ffi as py;

use crate::convert::{PySink, PySource};
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::ffi::PyFloat_Pack2;
use crate::owned::Owned;
use crate::running;

/// A half's value, exactly.
fn from_half(bits: u16) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    };
    if sign == 0 { size } else { -size }
}

/// The nearest half, by CPython's own rounding.
fn to_half(value: f64) -> Result<u16, Error> {
    let mut bytes = [0_u8; 2];
    // SAFETY: attached; two bytes.
    match unsafe { PyFloat_Pack2(value, bytes.as_mut_ptr().cast(), 1) } {
        0 => Ok(u16::from_le_bytes(bytes)),
        _ => Err(take()),
    }
}

/// The nearest `bfloat16`: the upper half of a `f32`, rounded to even.
fn to_brain(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

#[cold]
fn unknown_dtype(dtype: DType) -> Error {
    Error::type_error(format!("Python has no number for an element of {dtype}"))
}

/// An element.
///
/// # Safety
/// Attached; an element of that type.
pub(super) unsafe fn load_element(dtype: DType, at: *const u8) -> Result<Owned, Error> {
    // SAFETY: attached; an element of that type: the caller ensures it.
    unsafe {
        match (dtype.code, dtype.bits, dtype.lanes) {
            (0, 8, 1) => PySink.write_i64(i8::load(at).into()),
            (0, 16, 1) => PySink.write_i64(i16::load(at).into()),
            (0, 32, 1) => PySink.write_i64(i32::load(at).into()),
            (0, 64, 1) => PySink.write_i64(i64::load(at)),
            (1, 8, 1) => PySink.write_u64(u8::load(at).into()),
            (1, 16, 1) => PySink.write_u64(u16::load(at).into()),
            (1, 32, 1) => PySink.write_u64(u32::load(at).into()),
            (1, 64, 1) => PySink.write_u64(u64::load(at)),
            (2, 16, 1) => PySink.write_f64(from_half(u16::load(at))),
            (2, 32, 1) => PySink.write_f64(f32::load(at).into()),
            (2, 64, 1) => PySink.write_f64(f64::load(at)),
            (4, 16, 1) => PySink.write_f64(f32::from_bits(u32::from(u16::load(at)) << 16).into()),
            (5, 64, 1) => new_complex(f32::load(at).into(), f32::load(at.add(4)).into()),
            (5, 128, 1) => new_complex(f64::load(at), f64::load(at.add(8))),
            (6, 8, 1) => PySink.write_bool(bool::load(at)),
            _ => Err(unknown_dtype(dtype)),
        }
    }
}

fn new_complex(real: f64, imaginary: f64) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    unsafe { owned_or_error(py::PyComplex_FromDoubles(real, imaginary)) }
}

/// A number that is ready to be written.
#[derive(Clone, Copy)]
pub(super) struct Scalar {
    bytes: [u8; 16],
    dtype: DType,
}

impl Scalar {
    /// # Errors
    /// Not a number of the kind, or one that does not fit.
    ///
    /// # Safety
    /// Attached; a living object.
    pub(super) unsafe fn new(dtype: DType, object: *mut py::PyObject) -> Result<Self, Error> {
        fn read<T: for<'a> FromValue<'a>>(object: *mut py::PyObject, dtype: DType) -> Result<T, Error> {
            // SAFETY: attached, and a living object: `new` passes on what its caller ensures.
            T::from_value(unsafe { PySource::new(object) }).map_err(|mismatch| {
                mismatch.into_error(
                    || format!("an element of {dtype}"),
                    &T::expected_type(),
                    || crate::convert::short_description(object),
                )
            })
        }
        let mut bytes = [0_u8; 16];
        let mut put = |part: &[u8]| bytes[..part.len()].copy_from_slice(part);
        match (dtype.code, dtype.bits, dtype.lanes) {
            (0, 8, 1) => put(&read::<i8>(object, dtype)?.to_ne_bytes()),
            (0, 16, 1) => put(&read::<i16>(object, dtype)?.to_ne_bytes()),
            (0, 32, 1) => put(&read::<i32>(object, dtype)?.to_ne_bytes()),
            (0, 64, 1) => put(&read::<i64>(object, dtype)?.to_ne_bytes()),
            (1, 8, 1) => put(&read::<u8>(object, dtype)?.to_ne_bytes()),
            (1, 16, 1) => put(&read::<u16>(object, dtype)?.to_ne_bytes()),
            (1, 32, 1) => put(&read::<u32>(object, dtype)?.to_ne_bytes()),
            (1, 64, 1) => put(&read::<u64>(object, dtype)?.to_ne_bytes()),
            (2, 16, 1) => put(&to_half(read::<f64>(object, dtype)?)?.to_ne_bytes()),
            (2, 32, 1) => put(&(read::<f64>(object, dtype)? as f32).to_ne_bytes()),
            (2, 64, 1) => put(&read::<f64>(object, dtype)?.to_ne_bytes()),
            (4, 16, 1) => put(&to_brain(read::<f64>(object, dtype)?).to_ne_bytes()),
            (5, bits @ (64 | 128), 1) => {
                // SAFETY: this thread is attached, and the caller keeps `object`.
                let value = unsafe { running::PyComplex_AsCComplex(object) };
                if value.real == -1.0 && crate::errors::is_set() {
                    return Err(take());
                }
                if bits == 64 {
                    put(&(value.real as f32).to_ne_bytes());
                    bytes[4..8].copy_from_slice(&(value.imag as f32).to_ne_bytes());
                } else {
                    put(&value.real.to_ne_bytes());
                    bytes[8..].copy_from_slice(&value.imag.to_ne_bytes());
                }
            }
            // SAFETY: this thread is attached, and the caller keeps `object`.
            (6, 8, 1) => match unsafe { running::PyObject_IsTrue(object) } {
                -1 => return Err(take()),
                truth => put(&[u8::from(truth == 1)]),
            },
            _ => return Err(Error::new(ErrorKind::Type, unknown_dtype(dtype).to_string())),
        }
        Ok(Scalar { bytes, dtype })
    }

    /// Writes it.
    ///
    /// # Safety
    /// An element of the type, which may be written.
    pub(super) unsafe fn store(self, at: *mut u8) {
        let word = |from: usize| u64::from_ne_bytes(std::array::from_fn(|byte| self.bytes[from + byte]));
        let half = |from: usize| u32::from_ne_bytes(std::array::from_fn(|byte| self.bytes[from + byte]));
        // SAFETY: an element of the type, which may be written: the caller ensures it.
        unsafe {
            match self.dtype.bits / 8 {
                1 => self.bytes[0].store(at),
                2 => u16::from_ne_bytes([self.bytes[0], self.bytes[1]]).store(at),
                4 => half(0).store(at),
                8 if self.dtype.code == 5 => {
                    half(0).store(at);
                    half(4).store(at.add(4));
                }
                8 => word(0).store(at),
                _ => {
                    word(0).store(at);
                    word(8).store(at.add(8));
                }
            }
        }
    }
}
