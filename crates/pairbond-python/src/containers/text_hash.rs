//! Hashing strings and bytes as Python does, so that a Python object which is equal to a string,
//! and has its hash, is the same key.

use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use pairbond_core::runtime::{set_none_hash, set_text_hash};
use pyo3_ffi as py;

use crate::running;

/// Whether keys that are strings hash as Python's do: not in a program that hashed some before it
/// started Python.
static PYTHONS: AtomicBool = AtomicBool::new(false);

#[inline]
pub(super) fn is_pythons() -> bool {
    PYTHONS.load(Ordering::Relaxed)
}

/// The hash of an exact `str`.
///
/// # Safety
/// Attached; a living `str`.
#[inline]
pub(super) unsafe fn hash_of(text: *mut py::PyObject) -> i64 {
    // SAFETY: attached; a living `str`: the caller ensures it. CPython keeps the hash in the string
    // once it is known.
    unsafe {
        let hash = &raw mut (*text.cast::<py::PyASCIIObject>()).hash;
        match AtomicIsize::from_ptr(hash).load(Ordering::Relaxed) {
            -1 => running::PyObject_Hash(text) as i64,
            hash => hash as i64,
        }
    }
}

/// Offers Python's hash functions to the runtime.
pub(super) fn install_text_hash() {
    PYTHONS.store(set_text_hash(hash), Ordering::Relaxed);
    // Before 3.12 it is made of an address.
    // SAFETY: attached; a constant, whose hash runs no code.
    set_none_hash(unsafe { running::PyObject_Hash(py::Py_None()) } as i64);
}

/// CPython hashes a string as it is stored: in units of one, two or four bytes, the smallest that
/// fits its characters. The secret is one for the process, and no interpreter is needed.
unsafe extern "C" fn hash(start: *const u8, len: usize, is_text: bool) -> i64 {
    // SAFETY: the parts of a slice, of valid UTF-8 when it is text.
    let bytes = unsafe { std::slice::from_raw_parts(start, len) };
    if !is_text || bytes.is_ascii() {
        return hash_raw(bytes);
    }
    // SAFETY: the parts of a slice, of valid UTF-8 when it is text.
    let text = unsafe { std::str::from_utf8_unchecked(bytes) };
    match text.chars().max().map_or(0, u32::from) {
        0..=0xff => hash_units(text, |c| c as u8),
        0x100..=0xffff => hash_units(text, |c| c as u16),
        _ => hash_units(text, u32::from),
    }
}

/// The hash of a text in units of one size; -1 where there is no memory for them.
fn hash_units<T>(text: &str, unit: impl Fn(char) -> T) -> i64 {
    let mut all = Vec::new();
    match all.try_reserve_exact(text.chars().count()) {
        Ok(()) => {
            all.extend(text.chars().map(unit));
            hash_raw(&all)
        }
        Err(_) => -1,
    }
}

fn hash_raw<T>(units: &[T]) -> i64 {
    // SAFETY: the bytes of integers.
    unsafe { py::compat::Py_HashBuffer(units.as_ptr().cast(), size_of_val(units) as py::Py_ssize_t) as i64 }
}
